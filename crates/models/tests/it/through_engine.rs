//! A conversation with tools through a real engine, over a real socket, with an end of the app and a
//! break of the connection in between.

use std::path::Path;
use std::sync::Arc;

use engine::{Engine, Model, Options, RandomIds, SystemClock};
use models::{Endpoint, Limits, connect};
use protocol::{BlockKind, Command, Reply as Answer, RunStatus, SessionId, SessionSnapshot};
use store::{DataFolder, Store};
use testkit::ModelServer;
use testkit::model_server::{Dialect, Reply, Request};
use tools::ScratchWorkspaces;

use crate::support::spoken;

const DIALECTS: [Dialect; 3] = [Dialect::Anthropic, Dialect::Responses, Dialect::Gemini];
/// What a provider's secrets look like in the scripted server's replies.
const SIGNS: [&str; 3] = ["signed/", "gAAAA/", "c2lnbmVk"];

fn model(dialect: Dialect, server: &ModelServer) -> Arc<dyn Model> {
    let endpoint = Endpoint::new(server.url_for(dialect), "scripted-1");
    let (limits, clock) = (Limits::default(), Arc::new(SystemClock));
    connect(spoken(dialect), endpoint, limits, clock).unwrap()
}

pub(crate) fn open(folder: &Path, model: Arc<dyn Model>) -> Engine {
    let (store, opened) = Store::open(&store::Options {
        folder: DataFolder::create(folder).unwrap(),
        app_version: "0.0.0".to_owned(),
        pid: std::process::id(),
        now_ms: 1_000,
    })
    .unwrap();
    let (engine, _) = Engine::open(Options {
        store,
        opened,
        models: engine::FixedModels::only(model),
        tools: tools::built_in(),
        workspaces: Arc::new(ScratchWorkspaces::new(folder.join("workspaces"))),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds::default()),
        app_version: "0.0.0".to_owned(),
    })
    .unwrap();
    engine
}

pub(crate) async fn send(engine: &Engine, session_id: Option<SessionId>, text: &str) -> SessionId {
    let command = Command::StartRun {
        session_id,
        text: text.to_owned(),
        request_key: None,
    };
    match engine.execute(command).await.unwrap() {
        Answer::RunStarted { session_id, .. } => session_id,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn completed(engine: &Engine, session_id: SessionId) -> SessionSnapshot {
    testkit::eventually("the run to end", async || {
        let get = Command::GetSession {
            session_id,
            limit: None,
        };
        let Answer::Snapshot(snapshot) = engine.execute(get).await.unwrap() else {
            panic!("no snapshot");
        };
        let status = snapshot.session.run.as_ref().map(|run| run.status);
        (status == Some(RunStatus::Completed)).then_some(*snapshot)
    })
    .await
    .unwrap()
}

/// Two rounds of calls, the second of them cut off once in the middle; then words.
fn script(request: &Request) -> Reply {
    let look = |thought: &str, id: &str| {
        Reply::nothing()
            .then_reasoning(thought)
            .then_text("I look.")
            .then_calls([(id, "list_files", "{ \"path\" : \".\" }")])
    };
    match (request.last_user_text(), request.rounds(), request.number) {
        ("Look", 0, _) => look("First I list.", "c1"),
        ("Look", 1, 2) => look("Then once more.", "c2").cut_off_after(4),
        ("Look", 1, _) => look("Then once more.", "c2"),
        ("Look", _, _) => Reply::text("There is nothing."),
        _ => Reply::text("Still nothing."),
    }
}

/// The thoughts in a request, as they were written.
fn thoughts(request: &Request) -> Vec<String> {
    let text = String::from_utf8(request.bytes.clone()).unwrap();
    let signs = SIGNS.iter().flat_map(|sign| text.match_indices(sign));
    signs
        .map(|(at, _)| text[at..].split('"').next().unwrap_or_default().to_owned())
        .collect()
}

// RUN-8, RUN-20
#[tokio::test]
async fn a_conversation_survives_a_break_and_the_end_of_the_app_and_goes_back_as_it_came() {
    for dialect in DIALECTS {
        let dir = tempfile::tempdir().unwrap();
        let server = ModelServer::start(script).unwrap();
        let engine = open(dir.path(), model(dialect, &server));
        let session_id = send(&engine, None, "Look").await;
        let snapshot = completed(&engine, session_id).await;
        assert_eq!(
            snapshot.messages.last().unwrap().text(),
            "There is nothing."
        );
        assert_eq!(
            snapshot.calls.len(),
            2,
            "the call that was cut off never was one"
        );
        let requests = server.requests();
        assert_eq!(requests.len(), 4, "one try more than there are rounds");
        // Asked again with the very same bytes.
        assert_eq!(requests[1].bytes, requests[2].bytes);
        let said = thoughts(&requests[3]);
        assert_eq!(
            (thoughts(&requests[1]).len(), said.len()),
            (1, 2),
            "{said:?}"
        );
        let thought = |snapshot: &SessionSnapshot| {
            let blocks = snapshot.messages.iter().flat_map(|m| m.blocks.clone());
            let blocks = blocks.filter(|block| block.kind == BlockKind::Reasoning);
            blocks.map(|block| block.text).collect::<Vec<String>>()
        };
        assert!(thought(&snapshot).contains(&"First I list.".to_owned()));
        engine.close().await.unwrap();
        drop(engine);

        let engine = open(dir.path(), model(dialect, &server));
        send(&engine, Some(session_id), "And now?").await;
        let snapshot = completed(&engine, session_id).await;
        assert_eq!(snapshot.messages.last().unwrap().text(), "Still nothing.");
        let last = server.requests().pop().unwrap();
        assert_eq!(thoughts(&last), said, "as they came, after a restart");
        let before = String::from_utf8(requests[3].bytes.clone()).unwrap();
        let after = String::from_utf8(last.bytes.clone()).unwrap();
        let call = match dialect {
            Dialect::Anthropic => r#""input":{ "path" : "." }"#,
            Dialect::Gemini => r#""args":{ "path" : "." }"#,
            _ => r#""arguments":"{ \"path\" : \".\" }""#,
        };
        for text in [&before, &after] {
            assert_eq!(text.matches(call).count(), 2, "{text}");
        }
        // What the window has: the thoughts that can be read, and nothing that is sealed.
        let shown = serde_json::to_string(&snapshot).unwrap();
        assert!(!SIGNS.iter().any(|sign| shown.contains(sign)), "{shown}");
        engine.close().await.unwrap();
    }
}
