//! Sessions as files, in and out.

use protocol::{Command, ErrorCode, ExportFormat, Reply, RunStatus, SessionId};
use serde_json::{Value, json};

use crate::acting::{asks, finished, text};
use crate::fixture::{Home, World};

impl World {
    async fn export(&self, session_id: SessionId, format: ExportFormat) -> (String, String) {
        let command = Command::ExportSession { session_id, format };
        match self.done(command).await {
            Reply::Exported { file_name, text } => (file_name, text),
            other => panic!("{other:?}"),
        }
    }

    async fn export_json(&self, session_id: SessionId) -> Value {
        let (_, text) = self.export(session_id, ExportFormat::Json).await;
        serde_json::from_str(&text).unwrap()
    }

    async fn import(&self, export: &Value) -> SessionId {
        let json = export.to_string();
        match self.done(Command::ImportSession { json }).await {
            Reply::Session(session) => session.session_id,
            other => panic!("{other:?}"),
        }
    }

    /// A session with text, reasoning, calls that ended well, badly and not at all.
    async fn rich(&self) -> SessionId {
        let one = self.start("Count *this* <b>well</b>").await;
        let call = self.script.call().await;
        call.say(crate::scripted::block(
            0,
            protocol::BlockKind::Reasoning,
            "Hm.",
        ));
        call.say(crate::scripted::block(
            1,
            protocol::BlockKind::Text,
            "Wait.",
        ));
        call.say(asks("a", "prints", &json!({"bytes": 3, "unit": "é"})));
        call.say(asks("b", "fails", &json!({"message": "Broken."})));
        call.say(asks("c", "no_such_tool", &json!({})));
        call.say(finished());
        let call = self.script.call().await;
        call.say(text("```\nthree\n```"));
        call.say(finished());
        self.until_run(one.session_id, RunStatus::Completed).await;
        one.session_id
    }
}

/// What an import gives anew: ids, and what belongs to the place where it happened.
fn without_ids(export: &Value) -> Value {
    let mut export = export.clone();
    export["created_at_ms"] = Value::Null;
    for list in ["messages", "calls"] {
        for one in export[list].as_array_mut().unwrap() {
            let one = one.as_object_mut().unwrap();
            for name in [
                "message_id",
                "run_id",
                "step_id",
                "attempt",
                "call_id",
                "session_id",
            ] {
                one.remove(name);
            }
        }
    }
    export
}

// Export, import, export: the same.
#[tokio::test]
async fn a_session_comes_back_as_it_went() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.rich().await;
    let first = world.export_json(session_id).await;
    assert_eq!(first["kind"], "holdfast_session");
    assert_eq!(first["messages"].as_array().unwrap().len(), 3);
    assert_eq!(first["calls"].as_array().unwrap().len(), 3);
    let other = Home::new();
    let elsewhere = other.open();
    for world in [&world, &elsewhere] {
        let copy = world.import(&first).await;
        let second = world.export_json(copy).await;
        assert_eq!(without_ids(&second), without_ids(&first));
        let third = world.import(&second).await;
        assert_ne!(third, copy, "every import is a session of its own");
        let again = world.export_json(third).await;
        assert_eq!(without_ids(&again), without_ids(&first));
        assert_eq!(world.attention(copy).await, None);
        // It can go on, and the model is told all of it.
        world.say(copy, "Go on").await;
        let call = world.script.call().await;
        assert_eq!(call.told().len(), 7);
        call.answer("Gone on.");
        world.until_run(copy, RunStatus::Completed).await;
    }
    assert_eq!(world.export_json(session_id).await, first, "untouched");
    world.close().await;
    elsewhere.close().await;
}

#[tokio::test]
async fn markdown_is_for_reading() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.rich().await;
    let (name, text) = world.export(session_id, ExportFormat::Markdown).await;
    assert!(name.ends_with(".md"), "{name}");
    let is_plain = |c: char| !"/\\:*?\"<>|".contains(c) && !c.is_control();
    assert!(name.chars().all(is_plain), "{name}");
    for part in ["Count *this*", "Wait.", "prints", "Broken.", "three"] {
        assert!(text.contains(part), "{part} of {text}");
    }
    let (name, _) = world.export(session_id, ExportFormat::Json).await;
    assert!(name.ends_with(".json"), "{name}");
    let gone = Command::ExportSession {
        session_id: SessionId::from_uuid(uuid::Uuid::from_u128(7)),
        format: ExportFormat::Json,
    };
    assert_eq!(world.code(gone).await, ErrorCode::NotFound);
    world.close().await;
}

fn changed(export: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut export = export.clone();
    change(&mut export);
    export
}

// STR-9, SEC-3
#[tokio::test]
async fn a_hostile_file_is_refused_and_records_nothing() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.rich().await;
    let good = world.export_json(session_id).await;
    let hostile = [
        changed(&good, |e| e["kind"] = json!("another_session")),
        changed(&good, |e| e["version"] = json!(4)),
        changed(&good, |e| e["version"] = json!(-1)),
        changed(&good, |e| {
            e["messages"][1]["message_id"] = e["messages"][0]["message_id"].clone()
        }),
        changed(&good, |e| {
            e["calls"][1]["call_id"] = e["calls"][0]["call_id"].clone()
        }),
        changed(&good, |e| e["calls"][1]["ordinal"] = json!(0)),
        changed(&good, |e| e["calls"][0]["tool"] = json!("")),
        changed(&good, |e| {
            e["calls"][0]["message_id"] = json!(uuid::Uuid::from_u128(9).to_string())
        }),
        changed(&good, |e| {
            e["calls"][0]["message_id"] = e["messages"][0]["message_id"].clone()
        }),
        changed(&good, |e| e["calls"][0]["status"] = json!("dancing")),
        changed(&good, |e| e["messages"][0]["role"] = json!("system")),
        changed(&good, |e| e["messages"][0]["status"] = json!("unreadable")),
        changed(&good, |e| {
            e["messages"][0]["created_at_ms"] = json!(u64::MAX)
        }),
        changed(&good, |e| e["calls"][0]["created_at_ms"] = json!(u64::MAX)),
        changed(&good, |e| e["calls"][0]["bodies"] = json!(u64::MAX)),
        changed(&good, |e| {
            e["calls"][0]["arguments"] = json!("x".repeat(2 << 20))
        }),
        changed(&good, |e| e["messages"][1]["model"] = json!("")),
        changed(&good, |e| e["title"] = json!("a\u{0}b")),
        changed(&good, |e| e["title"] = json!("x".repeat(201))),
        changed(&good, |e| e["title"] = json!("")),
        changed(&good, |e| e["surprise"] = json!(1)),
        changed(&good, |e| e["natives"] = json!([{"message_id": 1}])),
        changed(&good, |e| e["messages"] = json!({})),
        json!([]),
        json!("text"),
        Value::Null,
    ];
    let before = world.sessions().await;
    let mut files: Vec<String> = hostile.iter().map(Value::to_string).collect();
    files.extend(["not JSON", "{", "\u{feff}{}", "[[[["].map(str::to_owned));
    files.push("[".repeat(1 << 20));
    for (index, json) in files.into_iter().enumerate() {
        let shown: String = json.chars().take(60).collect();
        let result = world.execute(Command::ImportSession { json }).await;
        let error = result.expect_err(&format!("{index}: {shown}"));
        let is_typed = matches!(error.code, ErrorCode::InvalidValue | ErrorCode::TooLarge);
        assert!(is_typed, "{index}: {error:?} for {shown}");
        assert!(!error.message.is_empty() && !error.hint.is_empty());
    }
    assert_eq!(world.sessions().await, before);
    let huge = "x".repeat(protocol::limits::IMPORT_BYTES + 1);
    let huge = Command::ImportSession { json: huge };
    assert_eq!(world.code(huge).await, ErrorCode::TooLarge);
    world.close().await;
}

// What comes from outside is never run, and needs nobody.
#[tokio::test]
async fn open_calls_of_a_file_are_closed_and_their_marks_are_not_believed() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.rich().await;
    let good = world.export_json(session_id).await;
    for status in ["proposed", "waiting", "ready", "running", "in_doubt"] {
        let open = changed(&good, |e| {
            e["calls"][0]["status"] = json!(status);
            e["calls"][0]["files"] =
                json!([{"path": "../../etc/passwd", "after": "00".repeat(32)}]);
        });
        let copy = world.import(&open).await;
        let call = &world.calls(copy).await[0];
        assert_eq!(call.status, protocol::CallStatus::Cancelled, "{status}");
        assert_eq!(call.files, []);
        assert_eq!(world.attention(copy).await, None);
        let undo = Command::UndoCall {
            call_id: call.call_id,
        };
        assert!(world.execute(undo).await.is_err() || call.files.is_empty());
    }
    world.settle().await;
    assert!(!world.script.has_call().await);
    // An empty one is a session without messages.
    let empty = changed(&good, |e| {
        e["messages"] = json!([]);
        e["calls"] = json!([]);
    });
    let copy = world.import(&empty).await;
    assert_eq!(world.transcript(copy).await, [""; 0]);
    world.say(copy, "Begin").await;
    assert_eq!(world.script.call().await.told(), ["user: Begin"]);
    world.close().await;
}
