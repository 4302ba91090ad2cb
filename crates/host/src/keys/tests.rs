//! The places for keys, and the desk in front of them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use models::SecretString;
use secrecy::ExposeSecret;
use store::DataFolder;
use tempfile::TempDir;

use super::keychain::Keychain;
use super::{Desk, KeyError, KeyFile, Keys};

const CANARY: &str = "CANARY-key-1c7e";

fn folder() -> (TempDir, KeyFile) {
    let dir = tempfile::tempdir().unwrap();
    let keys = KeyFile::new(DataFolder::create(dir.path()).unwrap());
    (dir, keys)
}

fn put(keys: &dyn Keys, name: &str, key: &str) -> Result<(), KeyError> {
    keys.put(name, &SecretString::from(key))
}

fn got(keys: &dyn Keys, name: &str) -> Result<Option<String>, KeyError> {
    let key = keys.get(name)?;
    Ok(key.map(|key| key.expose_secret().to_owned()))
}

fn keeps_and_forgets(keys: &dyn Keys) {
    assert_eq!(got(keys, "a"), Ok(None));
    put(keys, "a", CANARY).unwrap();
    put(keys, "a/x-team", "other").unwrap();
    assert_eq!(got(keys, "a"), Ok(Some(CANARY.to_owned())));
    put(keys, "a", "newer").unwrap();
    assert_eq!(got(keys, "a"), Ok(Some("newer".to_owned())));
    assert_eq!(got(keys, "a/x-team"), Ok(Some("other".to_owned())));
    keys.remove("a").unwrap();
    keys.remove("a").unwrap();
    assert_eq!(got(keys, "a"), Ok(None));
    assert_eq!(got(keys, "a/x-team"), Ok(Some("other".to_owned())));
}

// SEC-1
#[test]
fn the_file_keeps_keys_unreadable_and_private() {
    let (dir, keys) = folder();
    keeps_and_forgets(&keys);
    put(&keys, "a", CANARY).unwrap();
    for name in ["keys.sealed", "keys.opener"] {
        let path = dir.path().join(name);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
        let bytes = fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains(CANARY) && !text.contains("x-team"), "{name}");
    }
    // Another process finds them.
    let again = KeyFile::new(DataFolder::create(dir.path()).unwrap());
    assert_eq!(got(&again, "a"), Ok(Some(CANARY.to_owned())));
}

#[test]
fn a_file_that_was_changed_is_refused_at_every_byte_and_not_overwritten() {
    let (dir, keys) = folder();
    put(&keys, "a", CANARY).unwrap();
    let path = dir.path().join("keys.sealed");
    let good = fs::read(&path).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        fs::write(&path, &bad).unwrap();
        assert_eq!(
            got(&keys, "a"),
            Err(KeyError::Damaged(path.clone())),
            "{at}"
        );
    }
    for end in [0, 5, 20, good.len() - 1] {
        fs::write(&path, &good[..end]).unwrap();
        assert_eq!(
            got(&keys, "a"),
            Err(KeyError::Damaged(path.clone())),
            "{end}"
        );
        assert_eq!(put(&keys, "b", "x"), Err(KeyError::Damaged(path.clone())));
    }
    assert_eq!(fs::read(&path).unwrap(), &good[..good.len() - 1]);
    fs::write(&path, &good).unwrap();
    assert_eq!(got(&keys, "a"), Ok(Some(CANARY.to_owned())));
}

#[test]
fn files_that_others_can_read_are_refused() {
    for name in ["keys.sealed", "keys.opener"] {
        let (dir, keys) = folder();
        put(&keys, "a", CANARY).unwrap();
        let path = dir.path().join(name);
        for mode in [0o640, 0o604, 0o660, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let refused = Err(KeyError::OpenToOthers(path.clone()));
            assert_eq!(got(&keys, "a"), refused, "{name} {mode:o}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(got(&keys, "a"), Ok(Some(CANARY.to_owned())));
    }
}

#[test]
fn without_the_opener_nothing_is_read_and_nothing_lost() {
    let (dir, keys) = folder();
    put(&keys, "a", CANARY).unwrap();
    let (opener, sealed) = (
        dir.path().join("keys.opener"),
        dir.path().join("keys.sealed"),
    );
    let kept = fs::read(&opener).unwrap();
    let before = fs::read(&sealed).unwrap();
    fs::remove_file(&opener).unwrap();
    assert_eq!(got(&keys, "a"), Err(KeyError::NoKeyFile(opener.clone())));
    assert_eq!(
        put(&keys, "a", "x"),
        Err(KeyError::NoKeyFile(opener.clone()))
    );
    assert_eq!(fs::read(&sealed).unwrap(), before);
    fs::write(&opener, [7; 32]).unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(got(&keys, "a"), Err(KeyError::Damaged(sealed)));
    fs::write(&opener, [7; 9]).unwrap();
    assert_eq!(got(&keys, "a"), Err(KeyError::Damaged(opener.clone())));
    fs::write(&opener, kept).unwrap();
    assert_eq!(got(&keys, "a"), Ok(Some(CANARY.to_owned())));
}

/// Against the mock that comes with the interface: only the wiring, for no Secret Service runs here.
#[test]
fn the_keychain_keeps_and_forgets() {
    let keychain = Keychain::opened_by(|| Ok(keyring_core::mock::Store::new()?));
    keeps_and_forgets(&keychain);
    assert_eq!(format!("{keychain:?}"), "Keychain");
}

#[test]
fn a_keychain_that_is_missing_is_said_and_looked_for_again() {
    let keychain = Keychain::opened_by(|| Err(keyring_core::Error::NoDefaultStore));
    for _ in 0..2 {
        assert_eq!(got(&keychain, "a"), Err(KeyError::NoKeychain));
        assert_eq!(put(&keychain, "a", CANARY), Err(KeyError::NoKeychain));
        assert_eq!(keychain.remove("a"), Err(KeyError::NoKeychain));
    }
}

/// Hangs until the other end is dropped.
#[derive(Debug)]
struct Hanging(Mutex<Receiver<()>>);

impl Keys for Hanging {
    fn put(&self, _: &str, _: &SecretString) -> Result<(), KeyError> {
        Err(KeyError::Failed)
    }

    fn get(&self, _: &str) -> Result<Option<SecretString>, KeyError> {
        assert!(self.0.lock().unwrap().recv().is_err());
        Ok(None)
    }

    fn remove(&self, _: &str) -> Result<(), KeyError> {
        panic!("it breaks")
    }
}

// RUN-16
#[tokio::test]
async fn a_keychain_that_hangs_is_given_up_and_blocks_nobody() {
    let (release, hanging) = channel();
    let keys = Arc::new(Hanging(Mutex::new(hanging)));
    let desk = Desk::with_limit(keys, Duration::from_millis(50));
    for _ in 0..3 {
        let asked = desk.ask(|keys| keys.get("a").map(drop)).await;
        assert_eq!(asked, Err(KeyError::TooSlow));
    }
    drop(release);
    let desk = desk.waiting(Duration::from_secs(60));
    // The one that hung is done, and the next one has its turn.
    assert_eq!(desk.ask(|keys| keys.get("a").map(drop)).await, Ok(()));
    assert_eq!(
        desk.ask(|keys| keys.remove("a")).await,
        Err(KeyError::Failed)
    );
    assert_eq!(desk.ask(|keys| keys.get("a").map(drop)).await, Ok(()));
}
