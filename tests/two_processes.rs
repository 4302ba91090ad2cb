//! One folder belongs to one process.

use anyhow::{Context, Result};
use protocol::{Command, Reply};
use testkit::{Headless, command, holdfast};

/// STO-13: the second process is refused, says why, and harms nothing.
#[test]
fn a_second_process_on_the_same_folder_is_refused_and_the_first_goes_on() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut first = Headless::start(folder.path(), &[])?;
    first.must(&Command::GetApp {})?;
    let second = command(holdfast())
        .arg("headless")
        .arg("--data")
        .arg(folder.path())
        .output()?;
    assert!(!second.status.success());
    assert!(second.stdout.is_empty());
    let said = String::from_utf8(second.stderr)?;
    assert!(said.contains("Another process uses"), "{said}");
    assert!(said.contains("--data"), "it says what to do: {said}");
    first.must(&Command::CreateSession {
        session_id: None,
        title: Some("Still mine".to_owned()),
        agent_id: None,
    })?;
    first.close()?;
    Ok(())
}

/// STO-13: the folder is free again at once when its owner is killed.
#[test]
fn a_killed_owner_leaves_the_folder_free() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for round in 0..5 {
        let mut app = Headless::start(folder.path(), &[])?;
        let title = Some(format!("Round {round}"));
        app.must(&Command::CreateSession {
            session_id: None,
            title,
            agent_id: None,
        })?;
        app.kill()?;
    }
    let mut app = Headless::start(folder.path(), &[])?;
    let Reply::Sessions { sessions, .. } = app.must(&Command::ListSessions {
        limit: None,
        after: None,
        archived: false,
    })?
    else {
        anyhow::bail!("not a list")
    };
    assert_eq!(sessions.len(), 5);
    app.close().context("it closes cleanly")?;
    Ok(())
}

/// STO-13: two folders, two processes, nothing shared.
#[test]
fn two_folders_are_two_apps() -> Result<()> {
    let (left, right) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let mut first = Headless::start(left.path(), &[])?;
    let mut second = Headless::start(right.path(), &[])?;
    first.must(&Command::CreateSession {
        session_id: None,
        title: Some("Left".to_owned()),
        agent_id: None,
    })?;
    let Reply::Sessions { sessions, .. } = second.must(&Command::ListSessions {
        limit: None,
        after: None,
        archived: false,
    })?
    else {
        anyhow::bail!("not a list")
    };
    assert!(sessions.is_empty());
    first.close()?;
    second.close()?;
    Ok(())
}
