//! RUN-20: from one step to the next, tools and instructions are the same bytes, and what was told is at
//! the head of what is told next, element by element: that is what a provider's cache goes by.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine::{Engine, Model, SystemClock};
use models::{Dialect, Endpoint, Limits, connect};
use protocol::{AgentFields, Command, RunLimits};
use serde_json::value::RawValue;
use store::DEFAULT_AGENT;
use testkit::ModelServer;
use testkit::model_server::{Reply, Request};

use crate::small_server::{Asked, Said, SmallServer};
use crate::through_engine::{completed, open, send};

/// The last two elements may be marked for the cache, and the marks move on.
const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;
/// Rounds of the first run, then of the second: calls until then, and words.
const CALLS: [bool; 6] = [true, true, false, true, true, false];
const INSTRUCTIONS: &str = "Be brief: \"ja\" is enough.\n";
const ARGUMENTS: &str = "{ \"path\" : \".\" }";

fn model(dialect: Dialect, url: &str) -> Arc<dyn Model> {
    let endpoint = Endpoint::new(url, "scripted-1");
    connect(dialect, endpoint, Limits::default(), Arc::new(SystemClock)).unwrap()
}

/// What a server says, with a call or without.
type Speaks = fn(bool) -> Said;

/// What a request says, each part as it was written.
struct Sent {
    told: Vec<String>,
    /// Everything else, by its name: tools, instructions, options.
    rest: BTreeMap<String, String>,
}

impl Sent {
    fn read(bytes: &[u8]) -> Self {
        let mut rest: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(bytes).unwrap();
        let told = ["messages", "input", "contents"]
            .iter()
            .find_map(|name| rest.remove(*name))
            .unwrap();
        let told: Vec<Box<RawValue>> = serde_json::from_str(told.get()).unwrap();
        Self {
            told: told.iter().map(|one| one.get().replace(MARK, "")).collect(),
            rest: rest
                .into_iter()
                .map(|(name, value)| (name, value.get().to_owned()))
                .collect(),
        }
    }
}

fn check(dialect: Dialect, requests: &[Vec<u8>]) {
    assert_eq!(requests.len(), CALLS.len(), "{dialect:?}");
    let sent: Vec<Sent> = requests.iter().map(|bytes| Sent::read(bytes)).collect();
    for (number, pair) in sent.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        assert_eq!(before.rest, after.rest, "{dialect:?} {number}");
        assert!(after.told.len() > before.told.len(), "{dialect:?} {number}");
        assert_eq!(
            before.told,
            after.told[..before.told.len()],
            "{dialect:?} {number}"
        );
    }
    assert!(sent[0].rest.contains_key("tools"));
    let text = String::from_utf8_lossy(&requests[0]);
    assert!(
        text.contains("is enough."),
        "{dialect:?} is told its instructions"
    );
    assert!(sent[5].told.len() >= 10, "{dialect:?}: {:?}", sent[5].told);
}

/// The default agent gets instructions.
async fn instruct(engine: &Engine) {
    let fields = AgentFields {
        name: "Holdfast".to_owned(),
        instructions: Some(INSTRUCTIONS.to_owned()),
        model: None,
        tools: None,
        limits: RunLimits::default(),
    };
    let update = Command::UpdateAgent {
        agent_id: DEFAULT_AGENT,
        fields,
        revision: 1,
    };
    engine.execute(update).await.unwrap();
}

/// Two runs with tools, and an end of the app in between.
async fn two_runs(model: impl Fn() -> Arc<dyn Model>) {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path(), model());
    instruct(&engine).await;
    let session_id = send(&engine, None, "Look").await;
    completed(&engine, session_id).await;
    engine.close().await.unwrap();
    drop(engine);
    let engine = open(dir.path(), model());
    send(&engine, Some(session_id), "And now?").await;
    completed(&engine, session_id).await;
    engine.close().await.unwrap();
}

// RUN-20
#[tokio::test]
async fn what_was_told_is_at_the_head_of_what_is_told_next() {
    for dialect in [
        Dialect::ChatCompletions,
        Dialect::Anthropic,
        Dialect::Responses,
    ] {
        let asked = AtomicUsize::new(0);
        let script = move |_: &Request| {
            let number = asked.fetch_add(1, Ordering::SeqCst);
            if CALLS[number] {
                let id = format!("c{number}");
                Reply::nothing()
                    .then_reasoning("Let me see.")
                    .then_text("I look.")
                    .then_calls([(id.as_str(), "list_files", ARGUMENTS)])
            } else {
                Reply::text("There is nothing.")
            }
        };
        let server = ModelServer::start(script).unwrap();
        two_runs(|| model(dialect, &server.url())).await;
        let requests: Vec<Vec<u8>> = server.requests().into_iter().map(|one| one.bytes).collect();
        check(dialect, &requests);
    }
}

// RUN-20
#[tokio::test]
async fn so_it_is_with_servers_that_speak_their_own_dialect() {
    let ollama = |is_call: bool| {
        let calls = format!(
            r#","tool_calls":[{{"function":{{"name":"list_files","arguments":{ARGUMENTS}}}}}]"#
        );
        let calls = if is_call { calls.as_str() } else { "" };
        let line = format!(
            r#"{{"message":{{"role":"assistant","content":"I look.","thinking":"Hm."{calls}}}}}"#
        );
        let end = r#"{"message":{"content":""},"done":true,"done_reason":"stop"}"#;
        Said::stream("application/x-ndjson", format!("{line}\n{end}\n"))
    };
    let gemini = |is_call: bool| {
        let call = format!(
            r#",{{ "functionCall":{{"name":"list_files","args":{ARGUMENTS}}}, "thoughtSignature":"c2ln" }}"#
        );
        let call = if is_call { call.as_str() } else { "" };
        let event = format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"I look."}}{call}],"role":"model"}},"finishReason":"STOP"}}]}}"#
        );
        Said::stream("text/event-stream", format!("data: {event}\n\n"))
    };
    let scripts: [(Dialect, &str, Speaks); 2] = [
        (Dialect::Ollama, "", ollama),
        (Dialect::Gemini, "/v1beta", gemini),
    ];
    for (dialect, path, reply) in scripts {
        let asked = AtomicUsize::new(0);
        let script = move |_: &Asked| reply(CALLS[asked.fetch_add(1, Ordering::SeqCst)]);
        let server = SmallServer::start(script);
        two_runs(|| model(dialect, &format!("{}{path}", server.url()))).await;
        let requests: Vec<Vec<u8>> = server.asked().into_iter().map(|one| one.body).collect();
        check(dialect, &requests);
    }
}
