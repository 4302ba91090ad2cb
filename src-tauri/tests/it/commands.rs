//! Commands over the same path as the page's, with what a page could send.

use std::path::Path;

use host::{Arguments, HostOptions};
use serde_json::{Value, json};
use shell::{Readiness, Shell, with_commands};
use tauri::WebviewWindow;
use tauri::ipc::{CallbackFn, InvokeBody};
use tauri::test::{
    INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder, mock_context, noop_assets,
};
use tauri::webview::InvokeRequest;

struct Page {
    webview: WebviewWindow<MockRuntime>,
    _app: tauri::App<MockRuntime>,
    shell: tauri::AppHandle<MockRuntime>,
}

impl Page {
    fn open(data: &Path) -> Self {
        let app = with_commands(mock_builder())
            .manage(Readiness::begin())
            .manage(Shell::start(options(data)))
            .build(mock_context(noop_assets()))
            .unwrap();
        let webview = tauri::WebviewWindowBuilder::new(&app, "main", Default::default())
            .build()
            .unwrap();
        Self {
            webview,
            shell: app.handle().clone(),
            _app: app,
        }
    }

    fn invoke(&self, command: &str, arguments: Value) -> Result<Value, Value> {
        let request = InvokeRequest {
            cmd: command.to_owned(),
            callback: CallbackFn(0),
            error: CallbackFn(1),
            url: "tauri://localhost".parse().unwrap(),
            body: InvokeBody::Json(arguments),
            headers: Default::default(),
            invoke_key: INVOKE_KEY.to_owned(),
        };
        get_ipc_response(&self.webview, request).map(|body| body.deserialize::<Value>().unwrap())
    }

    fn execute(&self, command: Value) -> Result<Value, Value> {
        self.invoke("execute", json!({ "command": command }))
    }

    fn close(self) {
        use tauri::Manager;
        self.shell.state::<Shell>().close();
    }
}

fn options(data: &Path) -> HostOptions {
    use clap::Parser;
    let data = data.to_str().unwrap();
    Arguments::parse_from(["holdfast", "--data", data, "--guide-pause-ms", "0"])
        .host_options()
        .unwrap()
}

#[test]
fn a_page_starts_creates_and_reads() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::open(folder.path());
    let state = page.invoke("start_state", json!({})).unwrap();
    assert_eq!(state["state"], "ready");
    assert_eq!(state["app"]["model"]["is_scripted"], true);
    let created = page
        .execute(json!({ "type": "create_session", "title": "Mine" }))
        .unwrap();
    let listed = page.execute(json!({ "type": "list_sessions" })).unwrap();
    assert_eq!(listed["sessions"][0]["session_id"], created["session_id"]);
    page.close();
}

/// STR-9: what is wrong gets a typed error and records nothing.
#[test]
fn wrong_commands_get_a_typed_error() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::open(folder.path());
    let unknown = "ses_01920000000070008000000000000001";
    for (command, code) in [
        (json!(null), "invalid_command"),
        (json!([]), "invalid_command"),
        (json!({ "type": "fly" }), "invalid_command"),
        (json!({ "type": "start_run", "text": 7 }), "invalid_command"),
        (
            json!({ "type": "start_run", "text": "  " }),
            "invalid_value",
        ),
        (
            json!({ "type": "start_run", "text": "x".repeat(300_000) }),
            "too_large",
        ),
        (
            json!({ "type": "get_session", "session_id": unknown }),
            "not_found",
        ),
        (
            json!({ "type": "get_session", "session_id": "../../etc" }),
            "invalid_command",
        ),
        (
            json!({ "type": "subscribe", "session_id": unknown, "after_seq": 0 }),
            "invalid_command",
        ),
    ] {
        let error = page.execute(command.clone()).unwrap_err();
        assert_eq!(error["code"], code, "{command}: {error}");
        assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
    }
    // STR-3: cursors that are none.
    for (after_seq, code) in [
        (json!(0), "not_found"),
        (json!(-1), "invalid_command"),
        (json!(1.5), "invalid_command"),
        (json!("abc"), "invalid_command"),
        (json!(9_223_372_036_854_775_807_u64), "invalid_value"),
    ] {
        let arguments =
            json!({ "sessionId": unknown, "afterSeq": after_seq, "channel": "__CHANNEL__:1" });
        let error = page.invoke("subscribe", arguments).unwrap_err();
        assert_eq!(error["code"], code, "{after_seq}: {error}");
    }
    let listed = page.execute(json!({ "type": "list_sessions" })).unwrap();
    assert_eq!(listed["sessions"], json!([]));
    page.close();
}

/// What is exported is what the engine says; a session or a form that does not exist is refused
/// before anything is written.
#[test]
fn a_wrong_export_gets_a_typed_error() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::open(folder.path());
    let unknown = "ses_01920000000070008000000000000001";
    for (session_id, format, code) in [
        (json!(unknown), json!("json"), "not_found"),
        (json!(unknown), json!("pdf"), "invalid_command"),
        (json!("../../etc"), json!("markdown"), "invalid_command"),
        (json!(7), json!(null), "invalid_command"),
    ] {
        let arguments = json!({ "sessionId": session_id, "format": format });
        let error = page.invoke("save_export", arguments).unwrap_err();
        assert_eq!(error["code"], code, "{error}");
    }
    page.close();
}

/// STO-10: a start that failed is said, and every command says so too.
#[test]
fn a_failed_start_is_what_every_command_answers() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("holdfast.db"), b"nonsense").unwrap();
    let page = Page::open(folder.path());
    let state = page.invoke("start_state", json!({})).unwrap();
    assert_eq!(state["state"], "failed");
    assert_eq!(state["error"]["code"], "damaged_database");
    assert_eq!(state["backup"], Value::Null);
    let error = page
        .execute(json!({ "type": "list_sessions" }))
        .unwrap_err();
    assert_eq!(error["code"], "damaged_database");
    let error = page.invoke("restore_backup", json!({})).unwrap_err();
    assert_eq!(error["code"], "not_found", "there is no backup to restore");
    assert_eq!(
        std::fs::read(folder.path().join("holdfast.db")).unwrap(),
        b"nonsense"
    );
    page.close();
}

/// Only a damaged database is replaced: not a running one, and not one of a newer version.
#[test]
fn a_running_app_restores_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let page = Page::open(folder.path());
    let error = page.invoke("restore_backup", json!({})).unwrap_err();
    assert_eq!(error["code"], "not_actionable");
    page.close();
}

/// STO-11: a database of a newer version is not replaced by an older backup, whatever a page asks.
#[test]
fn a_newer_database_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    Page::open(folder.path()).close();
    let database = folder.path().join("holdfast.db");
    let mut bytes = std::fs::read(&database).unwrap();
    // Where SQLite keeps the number of the schema.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    std::fs::write(&database, &bytes).unwrap();
    let page = Page::open(folder.path());
    let state = page.invoke("start_state", json!({})).unwrap();
    assert_eq!(state["error"]["code"], "newer_database");
    let error = page.invoke("restore_backup", json!({})).unwrap_err();
    assert_eq!(error["code"], "not_actionable");
    assert_eq!(std::fs::read(&database).unwrap(), bytes);
    page.close();
}
