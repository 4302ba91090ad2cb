//! Small local models misbehave: what they want is done all the same, and what is shown is what they said.

use host::Host;
use protocol::{CallStatus, Command, ProviderId, Reply, RunStatus, SessionId, SessionSnapshot};
use serde_json::json;
use testkit::model_server::{self, Request, by_rounds};
use testkit::{ModelServer, eventually};

use crate::fixture::{close, run, soon};
use crate::provided::{Place, add, execute, fields, session_with, start_in};

async fn snapshot(host: &Host, session_id: SessionId) -> SessionSnapshot {
    let command = Command::GetSession {
        session_id,
        limit: None,
    };
    match execute(host, command).await.unwrap() {
        Reply::Snapshot(snapshot) => *snapshot,
        other => panic!("{other:?}"),
    }
}

async fn session(host: &Host, provider_id: ProviderId) -> SessionId {
    session_with(host, format!("{provider_id}/small")).await
}

const WRITTEN: &str =
    "I will look.\n<tool_call>\n{\"name\": \"list_files\", \"arguments\": {}}\n</tool_call>";

fn looks() -> impl model_server::Script {
    by_rounds(vec![
        model_server::Reply::text(WRITTEN),
        model_server::Reply::text("There is nothing."),
    ])
}

/// A person reads what the model wrote, and beside it the call that was made of it. The model is told
/// the call once.
#[tokio::test]
async fn a_call_that_is_written_as_text_is_made_and_the_text_stays() {
    let server = ModelServer::start(looks()).unwrap();
    let place = Place::new();
    let host = place.host();
    let provider_id = add(&host, fields("Small", &server)).await;
    let session_id = session(&host, provider_id).await;
    let run_id = start_in(&host, session_id, "What is there?").await;
    soon(host.engine.idle()).await;
    assert_eq!(run(&host, run_id).await.status, RunStatus::Completed);
    let shown = snapshot(&host, session_id).await;
    let texts: Vec<String> = shown.messages.iter().map(protocol::Message::text).collect();
    assert_eq!(texts, ["What is there?", WRITTEN, "There is nothing."]);
    let calls: Vec<_> = shown
        .calls
        .iter()
        .map(|call| (call.tool.as_str(), call.arguments.as_str(), call.status))
        .collect();
    assert_eq!(calls, [("list_files", "{}", CallStatus::Completed)]);
    let asked = server.requests();
    let said = asked[1]
        .messages()
        .iter()
        .find(|one| one["role"] == "assistant")
        .unwrap();
    assert_eq!(said["content"], "I will look.");
    assert_eq!(said["tool_calls"][0]["function"]["name"], "list_files");
    close(&host).await;
}

/// Where calls are reliable, text is text: the person can say so for any provider.
#[tokio::test]
async fn text_stays_text_where_the_provider_says_so() {
    let server = ModelServer::start(looks()).unwrap();
    let place = Place::new();
    let host = place.host();
    let mut fields = fields("Careful", &server);
    fields.options.calls_in_text = Some(false);
    let provider_id = add(&host, fields).await;
    let session_id = session(&host, provider_id).await;
    start_in(&host, session_id, "What is there?").await;
    soon(host.engine.idle()).await;
    let shown = snapshot(&host, session_id).await;
    assert!(shown.calls.is_empty());
    assert_eq!(shown.messages.last().unwrap().text(), WRITTEN);
    assert_eq!(server.count(), 1);
    close(&host).await;
}

/// RUN-8: what a server's grammar did not accept is asked for again, as a new attempt.
#[tokio::test]
async fn a_server_that_fails_at_its_own_grammar_is_asked_again() {
    let error = json!({ "error": { "code": 500, "type": "server_error",
        "message": "Failed to parse input at pos 12: <tool_call>" } });
    let server = ModelServer::start(move |request: &Request| {
        if request.number == 1 {
            model_server::Reply::error(500, &error)
        } else {
            model_server::Reply::text("There you are.")
        }
    })
    .unwrap();
    let place = Place::new();
    let host = place.host();
    let provider_id = add(&host, fields("Small", &server)).await;
    let session_id = session(&host, provider_id).await;
    let run_id = start_in(&host, session_id, "Hello").await;
    // It waits a moment before it tries again.
    eventually("the reply", async || {
        let status = run(&host, run_id).await.status;
        (status == RunStatus::Completed).then_some(())
    })
    .await
    .unwrap();
    assert_eq!(server.count(), 2);
    close(&host).await;
}
