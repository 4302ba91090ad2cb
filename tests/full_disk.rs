//! A disk that is full: said to whoever asked, nothing half-written, and well again once there is
//! room. The disk is a small one in memory that only the app's process sees.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use protocol::{Command, ErrorCode, Reply, SessionId};
use testkit::{Headless, command, holdfast};

const DISK: &str = "24m";

/// STO-5: reported, nothing half-written, and the same call works once the fault is gone.
#[test]
fn a_full_disk_is_said_and_costs_nothing_that_was_there() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let disk = folder.path().join("disk");
    fs::create_dir(&disk)?;
    let program = on_a_small_disk(folder.path(), &disk)?;
    if !may_mount()? {
        say_left_out();
        return Ok(());
    }
    let mut app = Headless::start_program(
        &program,
        &disk.join("data"),
        &["--guide-pause-ms", "0"],
        &[],
    )?;
    let (session_id, _) = app.start_run("Hello", None)?;
    app.wait_for(|push| {
        matches!(push, protocol::Push::Event(envelope)
            if matches!(envelope.event, protocol::Event::RunCompleted { .. }))
    })?;
    let before = messages(&mut app, session_id)?;
    let filler = fill(app.id(), &disk)?;
    let large = "x".repeat(200 * 1024);
    let error = match app.ask(&send(session_id, &large))? {
        Err(error) => error,
        Ok(reply) => bail!("there was room after all: {reply:?}"),
    };
    assert_eq!(error.code, ErrorCode::StorageFailed, "{error:?}");
    assert!(!error.hint.is_empty(), "it says what to do");
    assert_eq!(
        messages(&mut app, session_id)?,
        before,
        "nothing half-written"
    );
    fs::remove_file(filler)?;
    app.must(&send(session_id, &large))
        .context("the same call works once there is room")?;
    assert_eq!(messages(&mut app, session_id)?[..before.len()], before);
    app.close()?;
    Ok(())
}

fn send(session_id: SessionId, text: &str) -> Command {
    Command::SendMessage {
        session_id: Some(session_id),
        text: text.to_owned(),
        request_key: Some("the same request".to_owned()),
        stop_first: false,
        attachments: Vec::new(),
        agent_id: None,
    }
}

fn messages(app: &mut Headless, session_id: SessionId) -> Result<Vec<String>> {
    let reply = app.must(&Command::GetSession {
        session_id,
        limit: None,
    })?;
    let Reply::Snapshot(snapshot) = reply else {
        bail!("not a snapshot: {reply:?}")
    };
    Ok(snapshot
        .messages
        .iter()
        .map(protocol::Message::text)
        .collect())
}

/// A program that is the app with a small disk of its own mounted there.
fn on_a_small_disk(folder: &Path, disk: &Path) -> Result<PathBuf> {
    let program = folder.join("on-a-small-disk");
    let script = format!(
        "#!/bin/sh\nexec unshare -r -m sh -c 'mount -t tmpfs -o size={DISK} tmpfs \"{}\" && exec \"{}\" \"$@\"' app \"$@\"\n",
        disk.display(),
        holdfast().display(),
    );
    fs::write(&program, script)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700))?;
    Ok(program)
}

/// Some systems keep people from mounting anything, even for themselves alone.
fn may_mount() -> Result<bool> {
    let status = command("unshare")
        .args(["-r", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
        .status()?;
    Ok(status.success())
}

#[expect(clippy::print_stderr, reason = "what is not shown here must be said")]
fn say_left_out() {
    eprintln!("LEFT OUT: this system lets nobody mount a disk of their own");
}

/// Takes all room on the app's disk, seen through the app's process.
fn fill(pid: u32, disk: &Path) -> Result<PathBuf> {
    let inside = disk.strip_prefix("/")?;
    let path = Path::new("/proc")
        .join(pid.to_string())
        .join("root")
        .join(inside)
        .join("filler");
    let mut file = fs::File::create(&path)?;
    let piece = vec![0_u8; 64 * 1024];
    while file.write_all(&piece).is_ok() {}
    // The last odd bytes too.
    while file.write_all(&[0]).is_ok() {}
    Ok(path)
}
