//! SEC-4: the audit from outside.

use std::fs;

use host::audit::{self, Form};
use host::diagnostics;

use crate::fixture::{AT_ONCE, Home, close, soon, start};

const PLANTED: &str = "PLANTED-7741-the-third-lighthouse";

#[tokio::test]
async fn the_audit_is_checked_and_exported_while_the_app_runs_and_after() {
    let home = Home::new();
    let host = home.host(AT_ONCE);
    start(&host, PLANTED).await;
    soon(host.engine.idle()).await;
    let verify = |form| audit::verify(home.path(), None, form).unwrap();
    let running = verify(Form::Text);
    assert!(running.is_intact, "{}", running.text);
    assert!(running.text.starts_with("The audit is intact: "));
    close(&host).await;
    let closed: serde_json::Value = serde_json::from_str(&verify(Form::Json).text).unwrap();
    assert_eq!(closed["is_intact"], true);
    assert_eq!(closed["rows"], closed["head"]["length"]);
    let mut export = Vec::new();
    let rows = audit::export(home.path(), &mut export).unwrap();
    assert_eq!(closed["rows"], rows);
    let text = String::from_utf8(export).unwrap();
    assert!(text.contains(r#""kind":"command","name":"start_run""#));
    assert!(!text.contains(PLANTED));
    let file = home.path().join("export.jsonl");
    fs::write(&file, &text).unwrap();
    let check = |form| audit::verify(home.path(), Some(&file), form).unwrap();
    assert!(check(Form::Text).is_intact);
    fs::write(&file, text.replacen("start_run", "stop_run", 1)).unwrap();
    let found = check(Form::Text);
    assert!(!found.is_intact);
    assert!(
        found.text.contains("\n- Row 2 was changed"),
        "{}",
        found.text
    );
}

#[tokio::test]
async fn diagnostics_say_whether_the_audit_is_intact() {
    let home = Home::new();
    let host = home.host(AT_ONCE);
    start(&host, PLANTED).await;
    close(&host).await;
    let found = diagnostics::collect(home.path());
    assert_eq!(found["audit"]["is_intact"], true, "{found}");
    fs::remove_file(home.path().join("audit.head")).unwrap();
    let found = diagnostics::collect(home.path());
    assert_eq!(found["audit"]["findings"][0]["what"], "head_missing");
}

#[test]
fn what_is_not_there_cannot_be_checked() {
    let home = Home::new();
    let error = audit::verify(home.path(), None, Form::Text).unwrap_err();
    assert!(error.message.contains("no database"), "{error:?}");
    let missing = home.path().join("missing");
    assert!(audit::verify(home.path(), Some(&missing), Form::Text).is_err());
    assert!(audit::export(&missing, &mut Vec::new()).is_err());
}
