//! What a provider said in its own words: kept with the reply, sent back unchanged, shown to nobody.

use engine::{ModelEvent, ModelRequest, RequestMessage};
use protocol::{Command, Ending, ExportFormat, Native, Reply, RunStatus, SessionId, Usage, limits};
use serde_json::{Value, json};

use crate::acting::asks;
use crate::fixture::{Home, World};
use crate::scripted::{Call, Said};

/// Something that is nowhere else.
const SIGNATURE: &str = "Q0FOQVJZ/+c2lnbmF0dXJl==";

/// With blanks, escapes and numbers that would not survive being read and written again.
fn native() -> Native {
    Native {
        dialect: "dialect".to_owned(),
        model: "model-1".to_owned(),
        items: format!(
            "[ {{\"signature\":\"{SIGNATURE}\", \"n\": 1.0e+2, \"u\":\"\\u00e9é\\/\",\"a\":1,\"a\":2}}]"
        ),
    }
}

fn finished_with(native: Native, ending: Ending) -> Said {
    Ok(ModelEvent::Finished {
        usage: Usage::default(),
        ending,
        native: Some(native),
    })
}

/// Text and a call, in the provider's own words too.
fn reply_with_call(call: &Call) {
    call.text("Wait.");
    call.say(asks("toolu_a", "prints", &json!({"bytes": 3, "unit": "x"})));
    call.say(finished_with(native(), Ending::Complete));
}

/// What the replies in a request are in their providers' own words.
fn told(request: &ModelRequest) -> Vec<Option<Native>> {
    let told = request.messages.iter().filter_map(|message| match message {
        RequestMessage::Agent { native, .. } => Some(native.as_deref().cloned()),
        RequestMessage::User { .. } | RequestMessage::Result { .. } => None,
    });
    told.collect()
}

fn call_ids(request: &ModelRequest) -> Vec<&str> {
    let ids = request.messages.iter().filter_map(|message| match message {
        RequestMessage::Result { call_id, .. } => Some(call_id.as_str()),
        RequestMessage::User { .. } | RequestMessage::Agent { .. } => None,
    });
    ids.collect()
}

impl World {
    /// A session of one run with a call, and an answer.
    async fn signed(&self) -> SessionId {
        let one = self.start("Count").await;
        reply_with_call(&self.script.call().await);
        let second = self.script.call().await;
        assert_eq!(told(&second.request), [Some(native())], "in the same run");
        second.answer("Counted.");
        self.until_run(one.session_id, RunStatus::Completed).await;
        one.session_id
    }

    /// What a model is told when the session goes on.
    async fn asked_again(&self, session_id: SessionId) -> ModelRequest {
        self.say(session_id, "Go on").await;
        let call = self.script.call().await;
        let request = call.request.clone();
        call.answer("Gone on.");
        self.until_run(session_id, RunStatus::Completed).await;
        request
    }

    pub(crate) async fn exported(&self, session_id: SessionId, format: ExportFormat) -> String {
        match self
            .done(Command::ExportSession { session_id, format })
            .await
        {
            Reply::Exported { text, .. } => text,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn imported(&self, json: String) -> SessionId {
        match self.done(Command::ImportSession { json }).await {
            Reply::Session(session) => session.session_id,
            other => panic!("{other:?}"),
        }
    }
}

// RUN-20
#[tokio::test]
async fn it_survives_a_restart_byte_for_byte() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.signed().await;
    world.close().await;
    let world = home.open();
    let request = world.asked_again(session_id).await;
    assert_eq!(told(&request), [Some(native()), None]);
    assert_eq!(call_ids(&request), ["toolu_a"]);
    world.close().await;
}

// RUN-20: whatever was committed with a reply is there after the end of the process.
#[tokio::test]
async fn it_is_in_the_commit_of_its_reply() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Count").await;
    reply_with_call(&world.script.call().await);
    // The reply is committed when its results are asked about.
    let second = world.script.call().await;
    let dead = home.copy();
    drop(second);
    let after = dead.open();
    after.resume(one.run_id).await;
    let call = after.script.call().await;
    assert_eq!(told(&call.request), [Some(native())]);
    call.answer("Counted.");
    after.until_run(one.session_id, RunStatus::Completed).await;
    after.close().await;
    world.close().await;
}

#[tokio::test]
async fn no_window_gets_it() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.signed().await;
    let mut shown = vec![
        serde_json::to_string(&world.snapshot(session_id).await).unwrap(),
        serde_json::to_string(&world.events(session_id).await).unwrap(),
        serde_json::to_string(&world.sessions().await).unwrap(),
        world.exported(session_id, ExportFormat::Markdown).await,
    ];
    let command = Command::ListMessages {
        session_id,
        before: limits::INTEGER,
        limit: None,
    };
    shown.push(serde_json::to_string(&world.done(command).await).unwrap());
    for shown in shown {
        assert!(shown.contains("Count"), "it shows the session: {shown}");
        assert!(
            !shown.contains(SIGNATURE) && !shown.contains("\"native\""),
            "{shown}"
        );
    }
    world.close().await;
}

// RUN-23
#[tokio::test]
async fn forks_and_exports_keep_it_and_the_ids_that_it_names() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.signed().await;
    let last = world.snapshot(session_id).await.messages.pop().unwrap();
    let fork = Command::ForkSession {
        session_id,
        message_id: last.message_id,
    };
    let Reply::Session(forked) = world.done(fork).await else {
        panic!("no session");
    };
    let export = world.exported(session_id, ExportFormat::Json).await;
    let imported = world.imported(export.clone()).await;
    for copy in [forked.session_id, imported] {
        let request = world.asked_again(copy).await;
        assert_eq!(told(&request), [Some(native()), None]);
        assert_eq!(call_ids(&request), ["toolu_a"]);
    }
    let again = world.exported(imported, ExportFormat::Json).await;
    assert_eq!(again.matches(SIGNATURE).count(), 1);
    world.close().await;
    let (other, elsewhere) = (Home::new(), export);
    let world = other.open();
    let imported = world.imported(elsewhere).await;
    assert_eq!(
        told(&world.asked_again(imported).await),
        [Some(native()), None]
    );
    world.close().await;
}

// SEC-3
#[tokio::test]
async fn an_import_takes_only_what_can_be_used() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.signed().await;
    let export = world.exported(session_id, ExportFormat::Json).await;
    let export: Value = serde_json::from_str(&export).unwrap();
    let our_id = export["calls"][0]["call_id"].clone();
    let user = export["messages"][0]["message_id"].clone();
    for (place, value, is_kept) in [
        ("/natives/0/native/items", json!("{}"), false),
        ("/natives/0/native/items", json!("[".repeat(50)), false),
        (
            "/natives/0/native/items",
            json!(format!("[\"{}\"]", "x".repeat(limits::NATIVE_BYTES))),
            false,
        ),
        ("/natives/0/message_id", user, false),
        ("/natives/0/call_ids", json!([""]), true),
        ("/natives/0/call_ids", json!(["x".repeat(300)]), true),
        ("/natives/0/call_ids", json!([our_id]), true),
        ("/natives/0/call_ids", json!([]), true),
    ] {
        let mut changed = export.clone();
        *changed.pointer_mut(place).unwrap() = value;
        let imported = world.imported(changed.to_string()).await;
        let request = world.asked_again(imported).await;
        assert_eq!(told(&request)[0].is_some(), is_kept, "{place}");
        assert_ne!(call_ids(&request), ["toolu_a"], "{place}");
    }
    world.close().await;
}

#[tokio::test]
async fn what_is_too_large_is_dropped_and_the_reply_is_kept() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Think").await;
    let call = world.script.call().await;
    call.text("Thought.");
    let items = format!("[\"{}\"]", "x".repeat(limits::NATIVE_BYTES));
    let huge = Native { items, ..native() };
    call.say(finished_with(huge, Ending::Complete));
    world.until_run(one.session_id, RunStatus::Completed).await;
    assert_eq!(told(&world.asked_again(one.session_id).await), [None]);
    world.close().await;
}

#[tokio::test]
async fn a_purge_leaves_nothing_of_it() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.signed().await;
    let count = || {
        let tables = testkit::raw::look_at_all(&home.path().join("holdfast.db")).unwrap();
        format!("{tables:?}").matches(SIGNATURE).count()
    };
    assert_eq!(count(), 1);
    world.done(Command::DeleteSession { session_id }).await;
    world.clock.advance(2 * 60_000);
    let sql = "SELECT 1 FROM sessions";
    while !testkit::raw::look(&home.path().join("holdfast.db"), sql)
        .unwrap()
        .is_empty()
    {
        world.settle().await;
    }
    assert_eq!(count(), 0);
    world.close().await;
}

#[tokio::test]
async fn a_reply_says_why_it_ended_where_its_model_was_not_done() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Write").await;
    let call = world.script.call().await;
    call.text("A long");
    call.say(finished_with(native(), Ending::Length));
    world.until_run(one.session_id, RunStatus::Completed).await;
    let said = format!("{:?}", world.events(one.session_id).await);
    assert!(said.contains("ending: Length"), "{said}");
    let text = world.exported(one.session_id, ExportFormat::Markdown).await;
    assert!(text.contains("(reached its length limit)"), "{text}");
    world.close().await;
    let world = home.open();
    let messages = world.snapshot(one.session_id).await.messages;
    let endings: Vec<Ending> = messages.iter().map(|message| message.ending).collect();
    assert_eq!(endings, [Ending::Complete, Ending::Length]);
    world.close().await;
}
