//! For their owner alone, under their names only when whole, and no larger than allowed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use store::{Change, DataFolder, Error, Options, Store, restore_newest_backup};

use crate::child::{Running, say, wait_for_the_end};
use crate::fixture::{Place, barrier, names, options};
use crate::raw;
use crate::sample::{
    add_message, append, beginning, event, message, message_id, new_run, piece, renamed, run_id,
    session_id, step_id,
};

/// In the child, whose umask forbids nothing: makes every kind of file there is.
pub(crate) fn leave_every_file(folder: &Path) {
    let folder = DataFolder::create(folder).unwrap();
    let open = || Store::open(&options(&folder)).unwrap().0;
    let store = open();
    store.backup(1).unwrap();
    store.close().unwrap();
    fs::write(folder.database(), "garbage").unwrap();
    assert!(matches!(
        Store::open(&options(&folder)),
        Err(Error::Damaged { .. })
    ));
    restore_newest_backup(&folder, 1, 2).unwrap();
    let store = open();
    store.apply(barrier(beginning(1))).unwrap();
    say("made");
    wait_for_the_end();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Every file and folder under a path, with its mode.
fn modes(root: &Path) -> Vec<(String, bool, u32)> {
    let mut found = vec![(root.display().to_string(), true, mode(root))];
    for name in names(root) {
        let path = root.join(name);
        if path.is_dir() {
            found.extend(modes(&path));
        } else {
            found.push((path.display().to_string(), false, mode(&path)));
        }
    }
    found
}

/// STO-16: whatever the umask.
#[test]
fn every_file_is_private_in_a_private_folder() {
    let place = Place::new();
    let root = place.beside("made by the child");
    let mut child = Running::start("leave_every_file", &root);
    assert_eq!(child.heard().as_deref(), Some("made"));
    let found = modes(&root);
    let has = |end: &str| found.iter().any(|(path, ..)| path.ends_with(end));
    for end in [
        "holdfast.db",
        "-wal",
        "-shm",
        "engine.lock",
        "-schema7.db",
        "replaced-2.db",
    ] {
        assert!(has(end), "{end} is not there: {found:?}");
    }
    let in_damaged = names(&root.join("damaged"));
    assert!(in_damaged.len() >= 2, "{in_damaged:?}");
    for (path, is_dir, mode) in found {
        assert_eq!(
            mode,
            if is_dir { 0o700 } else { 0o600 },
            "{path} is {mode:o}"
        );
    }
}

/// STO-16: a folder or a database that somebody made readable for all is made private again.
#[test]
fn what_was_opened_up_is_made_private_again() {
    let place = Place::new();
    place.open().close().unwrap();
    fs::set_permissions(place.database(), fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(place.folder.root(), fs::Permissions::from_mode(0o755)).unwrap();
    let folder = DataFolder::create(place.folder.root()).unwrap();
    let (store, _) = Store::open(&options(&folder)).unwrap();
    store.apply(barrier(beginning(1))).unwrap();
    assert_eq!(mode(folder.root()), 0o700);
    assert_eq!(mode(&place.database()), 0o600);
    assert_eq!(mode(&place.log()), 0o600);
}

/// STO-16: a row over its cap is refused, and nothing of its transition is written.
#[test]
fn a_row_over_its_cap_is_refused_before_the_insert() {
    const MIB: usize = 1024 * 1024;
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let (session, long) = (session_id(1), "x".repeat(MIB + 1));
    let mut with_key = new_run(run_id(2), session, message_id(1));
    with_key.request_key = Some(long.clone());
    let mut with_pin = new_run(run_id(2), session, message_id(1));
    with_pin.pin = Some(format!("\"{}\"", "x".repeat(4 * 1024 * 1024)));
    let text = "x".repeat(16 * MIB + 1);
    let changes = [
        add_message(session, message(message_id(2), 2, &text)),
        append(session, step_id(1), 5, vec![piece(0, 5, &text)]),
        append(session, step_id(1), u64::MAX, vec![piece(0, 5, "x")]),
        Change::RenameSession {
            session_id: session,
            title: long,
            at_ms: 1,
        },
        Change::CreateRun(with_key),
        Change::CreateRun(with_pin),
        event(session, renamed(&"x".repeat(104 * MIB))),
    ];
    let before = raw::rows(&place.database());
    for change in changes {
        let error = store.apply(barrier(vec![change])).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error:?}");
        assert!(!error.is_retryable());
    }
    assert!(before == raw::rows(&place.database()));
}

/// STO-16: a reply that could be streamed whole can also be kept, however it is written in JSON.
#[test]
fn a_reply_of_the_largest_size_can_be_kept() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let text = "\n\u{1}\"".repeat(5 * 1024 * 1024 - 2);
    let streamed = text.len() as u64 + 5;
    let session = session_id(1);
    store
        .apply(barrier(vec![append(
            session,
            step_id(1),
            5,
            vec![piece(0, 5, &text)],
        )]))
        .unwrap();
    let kept = message(message_id(2), 2, &text);
    let fact = protocol::Event::MessageAdded {
        message: kept.clone(),
    };
    store
        .apply(barrier(vec![
            crate::sample::end_attempt(step_id(1), streamed, protocol::StepStatus::Completed),
            add_message(session, kept),
            event(session, fact),
        ]))
        .unwrap();
}

/// STO-16: what a crash left under a temporary name is swept and replaced.
#[test]
fn an_unfinished_database_is_swept_and_replaced() {
    let place = Place::new();
    let root = place.folder.root();
    let left = [
        root.join("holdfast.db.unfinished"),
        root.join("holdfast.db.unfinished-wal"),
        root.join("holdfast.db.unfinished-shm"),
        place
            .folder
            .backups()
            .join("holdfast-5-schema7.db.unfinished"),
        place
            .folder
            .backups()
            .join("holdfast-5-schema7.db.unfinished-journal"),
        place.folder.damaged().join("holdfast-5.db.unfinished"),
    ];
    for path in &left {
        fs::write(path, "half a file").unwrap();
    }
    let (store, opened) = place.try_open().unwrap();
    assert!(opened.is_new);
    for path in &left {
        assert!(!path.exists(), "{}", path.display());
    }
    store.apply(barrier(beginning(1))).unwrap();
    store.close().unwrap();
    fs::write(&left[0], "half a file").unwrap();
    let (store, opened) = place.try_open().unwrap();
    assert!(!opened.is_new && !left[0].exists());
    assert_eq!(
        store
            .read(|reader| reader.session_rows(10, false))
            .unwrap()
            .len(),
        1
    );
}

/// STO-16: a database that could not be made is not there.
#[test]
fn a_database_that_could_not_be_made_has_no_name() {
    let place = Place::new();
    let nameless = Options {
        app_version: String::new(),
        ..options(&place.folder)
    };
    assert!(Store::open(&nameless).is_err());
    assert!(!place.database().exists());
    let (_, opened) = place.try_open().unwrap();
    assert!(opened.is_new);
}
