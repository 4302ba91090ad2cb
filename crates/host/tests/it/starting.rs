//! Starts that succeed, and those that do not.

use std::fs;
use std::path::PathBuf;

use host::{Host, Restore};
use protocol::{Command, ErrorCode, Reply, StartState};

use crate::fixture::{AT_ONCE, Home, close, soon, start};

/// Where SQLite keeps the schema's version: four bytes of the header.
const VERSION_AT: usize = 60;

fn database(home: &Home) -> PathBuf {
    home.path().join("holdfast.db")
}

fn overwrite(home: &Home, at: usize, with: &[u8]) {
    let mut bytes = fs::read(database(home)).unwrap();
    bytes[at..at + with.len()].copy_from_slice(with);
    fs::write(database(home), bytes).unwrap();
}

/// A folder with one session and a backup of it, closed.
async fn backed_up() -> Home {
    let home = Home::new();
    let host = home.host(AT_ONCE);
    start(&host, "Hello").await;
    soon(host.engine.idle()).await;
    host.engine.backup().unwrap();
    close(&host).await;
    home
}

async fn session_count(host: &Host) -> usize {
    let list = Command::ListSessions {
        limit: None,
        after: None,
        archived: false,
    };
    match soon(host.engine.execute(list)).await.unwrap() {
        Reply::Sessions { sessions, .. } => sessions.len(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_start_tells_what_a_window_needs() {
    let home = Home::new();
    let host = home.host(AT_ONCE);
    assert!(host.opened.is_new);
    let StartState::Ready { app } = host.state() else {
        panic!("{:?}", host.state());
    };
    assert_eq!(app.data_dir, home.path().display().to_string());
    assert!(app.model.is_scripted);
    close(&host).await;
    let host = home.host(AT_ONCE);
    assert!(!host.opened.is_new && host.opened.was_clean);
    close(&host).await;
}

// STO-13
#[tokio::test]
async fn a_folder_in_use_is_refused_without_offering_a_backup() {
    let home = backed_up().await;
    let host = home.host(AT_ONCE);
    let failure = home.failure();
    assert_eq!(failure.error.code, ErrorCode::DataFolderInUse);
    assert_eq!(failure.backup, None);
    assert_eq!(session_count(&host).await, 1, "the first is not disturbed");
    close(&host).await;
    close(&home.host(AT_ONCE)).await;
}

// STO-11
#[tokio::test]
async fn a_newer_database_is_refused_unchanged_and_without_offering_a_backup() {
    let home = backed_up().await;
    overwrite(&home, VERSION_AT, &9_999_u32.to_be_bytes());
    let before = fs::read(database(&home)).unwrap();
    let failure = home.failure();
    assert_eq!(failure.error.code, ErrorCode::NewerDatabase);
    assert_eq!(failure.backup, None);
    assert_eq!(fs::read(database(&home)).unwrap(), before);
}

// STO-10
#[tokio::test]
async fn a_damaged_database_is_refused_and_its_newest_backup_offered() {
    let home = backed_up().await;
    overwrite(&home, 0, &[0x5a; 4096]);
    let before = fs::read(database(&home)).unwrap();
    let failure = home.failure();
    assert_eq!(failure.error.code, ErrorCode::DamagedDatabase);
    let offered = failure.backup.clone().unwrap();
    assert_eq!(
        fs::read(database(&home)).unwrap(),
        before,
        "nothing is overwritten"
    );
    let StartState::Failed { error, backup } = failure.into_state() else {
        panic!("it did start");
    };
    assert_eq!(error.code, ErrorCode::DamagedDatabase);
    assert_eq!(backup, Some(offered.clone()));
    let restored = Host::restore(&home.options(AT_ONCE), Restore::IfDamaged).unwrap();
    assert_eq!(restored.file_name, offered.file_name);
    let host = home.host(AT_ONCE);
    assert_eq!(session_count(&host).await, 1);
    close(&host).await;
}

// STO-10
#[tokio::test]
async fn damage_without_a_backup_offers_none() {
    let home = Home::new();
    close(&home.host(AT_ONCE)).await;
    overwrite(&home, 0, &[0x5a; 4096]);
    let failure = home.failure();
    assert_eq!(failure.error.code, ErrorCode::DamagedDatabase);
    assert_eq!(failure.backup, None);
    let error = Host::restore(&home.options(AT_ONCE), Restore::IfDamaged).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
}

// STO-10: a sound database is not replaced unless the person insists.
#[tokio::test]
async fn a_sound_database_is_restored_only_on_demand() {
    let home = Home::new();
    let host = home.host(AT_ONCE);
    host.engine.backup().unwrap();
    host.engine
        .execute(Command::CreateSession {
            session_id: None,
            title: None,
            agent_id: None,
        })
        .await
        .unwrap();
    close(&host).await;
    let error = Host::restore(&home.options(AT_ONCE), Restore::IfDamaged).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotActionable);
    let host = home.host(AT_ONCE);
    assert_eq!(session_count(&host).await, 1, "nothing was replaced");
    close(&host).await;
    Host::restore(&home.options(AT_ONCE), Restore::Anyway).unwrap();
    let host = home.host(AT_ONCE);
    assert_eq!(
        session_count(&host).await,
        0,
        "the backup was made before it"
    );
    close(&host).await;
}

// STO-17
#[tokio::test]
async fn a_start_on_an_older_folder_makes_the_backup_of_the_day() {
    let home = Home::new();
    close(&home.host(AT_ONCE)).await;
    let host = home.host(AT_ONCE);
    let backups = home.path().join("backups");
    soon(async {
        while !fs::read_dir(&backups).is_ok_and(|mut files| files.next().is_some()) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    close(&host).await;
}
