//! The record of what was asked, decided and done can be checked by anyone who has the folder.

use std::path::Path;
use std::process::Output;

use anyhow::Result;
use protocol::Command;
use testkit::{Headless, command, holdfast, raw};

fn audit(data: &Path, arguments: &[&str]) -> Result<Output> {
    let mut audit = command(holdfast());
    audit.arg("audit").args(arguments).arg("--data").arg(data);
    Ok(audit.output()?)
}

/// The code that it ends with, and what it says.
fn verify(data: &Path, arguments: &[&str]) -> Result<(Option<i32>, String)> {
    let found = audit(data, &[&["verify"], arguments].concat())?;
    let said = [found.stdout, found.stderr].concat();
    Ok((found.status.code(), String::from_utf8(said)?))
}

fn start_run(app: &mut Headless) -> Result<()> {
    app.must(&Command::StartRun {
        session_id: None,
        text: "The planted word is quagmire".to_owned(),
        request_key: None,
    })?;
    Ok(())
}

/// SEC-4: while the app runs, after it was killed and after it closed; what was changed is found and
/// located, and what cannot be read is something else than what is wrong.
#[test]
fn the_audit_is_verified_and_exported_from_the_command_line() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    assert_eq!(verify(&data, &[])?.0, Some(2), "there is nothing to check");
    let mut app = Headless::start(&data, &["--guide-pause-ms", "0"])?;
    start_run(&mut app)?;
    let (code, said) = verify(&data, &[])?;
    assert!(
        code == Some(0) && said.starts_with("The audit is intact"),
        "{said}"
    );
    app.kill()?;
    let (code, said) = verify(&data, &["--json"])?;
    assert_eq!(code, Some(0), "{said}");
    let report: serde_json::Value = serde_json::from_str(&said)?;
    assert_eq!(report["head"]["is_closed"], false);
    let mut app = Headless::start(&data, &["--guide-pause-ms", "0"])?;
    start_run(&mut app)?;
    app.close()?;
    assert_eq!(verify(&data, &[])?.0, Some(0));

    let export = folder.path().join("audit.jsonl");
    let path = export.display().to_string();
    let written = audit(&data, &["export", "--out", &path])?;
    assert!(written.status.success());
    let lines = std::fs::read_to_string(&export)?;
    assert_eq!(audit(&data, &["export"])?.stdout, lines.as_bytes());
    assert!(!lines.contains("quagmire"));
    assert_eq!(verify(&data, &["--file", &path])?.0, Some(0));
    std::fs::write(&export, lines.replacen("start_run", "stop_run", 1))?;
    let (code, said) = verify(&data, &["--file", &path])?;
    assert!(
        code == Some(1) && said.contains("Row 2 was changed"),
        "{said}"
    );
    assert_eq!(verify(&data, &["--file", "missing"])?.0, Some(2));

    let database = data.join("holdfast.db");
    raw::break_rows(
        &database,
        "DROP TRIGGER audit_is_append_only; UPDATE audit SET status = 'x' WHERE seq = 3",
    )?;
    let (code, said) = verify(&data, &[])?;
    assert!(
        code == Some(1) && said.contains("Row 3 was changed"),
        "{said}"
    );
    Ok(())
}
