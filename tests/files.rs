//! What lies in the data folder is for its owner alone.

use std::fs;
use std::path::Path;

use anyhow::Result;
use protocol::Command;
use testkit::Headless;

/// STO-16: 0600 in 0700, while the app runs and after; what was opened up is closed again.
#[cfg(unix)]
#[test]
fn every_file_is_private() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("deep").join("data");
    for _ in 0..2 {
        let mut app = Headless::start(&data, &["--guide-pause-ms", "0"])?;
        app.must(&Command::StartRun {
            session_id: None,
            text: "Hello".to_owned(),
            request_key: None,
        })?;
        assert_private(&data)?;
        app.close()?;
        assert_private(&data)?;
        open_up(&data)?;
    }
    Ok(())
}

/// As a careless copy or a backup tool would leave them.
#[cfg(unix)]
fn open_up(data: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    for file in ["holdfast.db", "engine.lock", "logs/holdfast.log"] {
        fs::set_permissions(data.join(file), fs::Permissions::from_mode(0o644))?;
    }
    Ok(fs::set_permissions(
        data,
        fs::Permissions::from_mode(0o755),
    )?)
}

#[cfg(unix)]
fn assert_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    // The app renames and removes files of its own meanwhile.
    let Ok(metadata) = fs::metadata(path) else {
        return Ok(());
    };
    let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
    assert_eq!(
        metadata.permissions().mode() & 0o777,
        expected,
        "{}",
        path.display()
    );
    if metadata.is_dir() {
        for entry in fs::read_dir(path)? {
            assert_private(&entry?.path())?;
        }
    }
    Ok(())
}

/// SEC-6: the log has no texts, and its lines are JSON with a name.
#[test]
fn the_log_holds_no_texts() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut app = Headless::start(folder.path(), &["--guide-pause-ms", "0", "--wait"])?;
    app.must(&Command::StartRun {
        session_id: None,
        text: "my password = hunter2hunter2 and a story".to_owned(),
        request_key: None,
    })?;
    app.close()?;
    let log = fs::read_to_string(folder.path().join("logs").join("holdfast.log"))?;
    assert!(log.lines().count() >= 3);
    assert!(!log.contains("hunter2") && !log.contains("Marrow"));
    for line in log.lines() {
        let line: serde_json::Value = serde_json::from_str(line)?;
        assert!(
            line["event"]
                .as_str()
                .is_some_and(|name| name.split('.').count() >= 3),
            "{line}"
        );
        assert!(line["at"].is_string() && line["level"].is_string());
    }
    Ok(())
}
