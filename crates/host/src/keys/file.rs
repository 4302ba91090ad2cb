//! An encrypted file of keys, and the file that opens it. Only for a person who has chosen it: see
//! `docs/providers.md` for what it protects against.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use models::SecretString;
use secrecy::ExposeSecret;
use store::DataFolder;
use zeroize::Zeroizing;

use super::{KeyError, Keys};

/// The keys: this mark, a nonce, and JSON of names and keys, sealed.
const SEALED: &str = "keys.sealed";
/// What opens them: 32 random bytes.
const OPENER: &str = "keys.opener";
/// The first bytes of the sealed file: a later form has another one. They are sealed too.
const MARK: &[u8] = b"holdfast keys 1\n";
const NONCE_BYTES: usize = 24;
const OPENER_BYTES: usize = 32;

/// Keys in a file of the data folder. One process owns the folder, one thread at a time asks.
#[derive(Debug)]
pub struct KeyFile {
    folder: DataFolder,
}

type Named = BTreeMap<String, Zeroizing<String>>;

impl KeyFile {
    /// Touches nothing yet.
    pub const fn new(folder: DataFolder) -> Self {
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.root().join(name)
    }

    fn load(&self) -> Result<Named, KeyError> {
        let path = self.path(SEALED);
        let Some(sealed) = read_private(&path)? else {
            return Ok(Named::new());
        };
        let damaged = || KeyError::Damaged(path.clone());
        let rest = sealed.strip_prefix(MARK).ok_or_else(damaged)?;
        let (nonce, text) = rest.split_at_checked(NONCE_BYTES).ok_or_else(damaged)?;
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().map_err(|_| damaged())?;
        let payload = Payload {
            msg: text,
            aad: MARK,
        };
        let opened = self
            .cipher()?
            .decrypt(&XNonce::from(nonce), payload)
            .map_err(|_| damaged())?;
        let opened = Zeroizing::new(opened);
        serde_json::from_slice(&opened).map_err(|_| damaged())
    }

    fn save(&self, keys: &Named) -> Result<(), KeyError> {
        self.make_opener()?;
        let text = serde_json::to_vec(keys).map_err(|_| KeyError::Failed)?;
        let text = Zeroizing::new(text);
        let nonce: [u8; NONCE_BYTES] = random()?;
        let payload = Payload {
            msg: &text,
            aad: MARK,
        };
        let sealed = self
            .cipher()?
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| KeyError::Failed)?;
        self.write(SEALED, &[MARK, &nonce, &sealed].concat())
    }

    /// One that is gone is not made anew: what it opened would be lost without a word.
    fn make_opener(&self) -> Result<(), KeyError> {
        if self.path(OPENER).exists() || self.path(SEALED).exists() {
            return Ok(());
        }
        let opener: Zeroizing<[u8; OPENER_BYTES]> = Zeroizing::new(random()?);
        self.write(OPENER, &*opener)
    }

    fn cipher(&self) -> Result<XChaCha20Poly1305, KeyError> {
        let path = self.path(OPENER);
        let opener = read_private(&path)?.ok_or_else(|| KeyError::NoKeyFile(path.clone()))?;
        let opener = Zeroizing::new(opener);
        XChaCha20Poly1305::new_from_slice(&opener).map_err(|_| KeyError::Damaged(path))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), KeyError> {
        self.folder.write_file(name, bytes).map_err(|error| {
            tracing::warn!(name: "host.keys.not_written", %error);
            KeyError::Disk {
                path: self.path(name),
                kind: io::ErrorKind::Other,
            }
        })
    }
}

impl Keys for KeyFile {
    fn put(&self, name: &str, key: &SecretString) -> Result<(), KeyError> {
        let mut keys = self.load()?;
        keys.insert(
            name.to_owned(),
            Zeroizing::new(key.expose_secret().to_owned()),
        );
        self.save(&keys)
    }

    fn get(&self, name: &str) -> Result<Option<SecretString>, KeyError> {
        let keys = self.load()?;
        Ok(keys.get(name).map(|key| SecretString::from(key.as_str())))
    }

    fn remove(&self, name: &str) -> Result<(), KeyError> {
        let mut keys = self.load()?;
        match keys.remove(name) {
            Some(_) => self.save(&keys),
            None => Ok(()),
        }
    }
}

fn random<const N: usize>() -> Result<[u8; N], KeyError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| KeyError::Failed)?;
    Ok(bytes)
}

/// A file that nobody else can read; nothing if it is not there.
fn read_private(path: &Path) -> Result<Option<Vec<u8>>, KeyError> {
    let disk = |error: io::Error| KeyError::Disk {
        path: path.to_owned(),
        kind: error.kind(),
    };
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(disk(error)),
        Ok(metadata) => refuse_open(path, &metadata)?,
    }
    fs::read(path).map(Some).map_err(disk)
}

#[cfg(unix)]
fn refuse_open(path: &Path, metadata: &fs::Metadata) -> Result<(), KeyError> {
    use std::os::unix::fs::PermissionsExt;
    if metadata.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(KeyError::OpenToOthers(path.to_owned()))
}

/// Elsewhere the folder's own rights are what there is.
#[cfg(not(unix))]
fn refuse_open(_: &Path, _: &fs::Metadata) -> Result<(), KeyError> {
    Ok(())
}
