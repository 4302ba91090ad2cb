//! The guide, answering through a real engine on real files.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::{Engine, Model, ModelEvent, ModelRequest, Options, RandomIds, RequestMessage};
use engine::{Subscription, SystemClock};
use futures_util::StreamExt;
use models::{Guide, GuideOptions};
use protocol::{Command, Event, MessageStatus, Push, Reply, RunId, RunStatus, SessionId};
use store::{DataFolder, Store};

const QUESTION: &str = "What happens if I pull the plug?";

fn guide(word_pause: Duration) -> Guide {
    Guide::new(GuideOptions {
        seed: 11,
        word_pause,
    })
}

pub(crate) fn open(folder: &Path, word_pause: Duration) -> Engine {
    let (store, opened) = Store::open(&store::Options {
        folder: DataFolder::create(folder).unwrap(),
        app_version: "0.0.0".to_owned(),
        pid: std::process::id(),
        now_ms: 1,
    })
    .unwrap();
    let (engine, _) = Engine::open(Options {
        store,
        opened,
        models: engine::FixedModels::only(Arc::new(guide(word_pause))),
        tools: tools::built_in(),
        workspaces: Arc::new(tools::ScratchWorkspaces::new(folder.join("workspaces"))),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds::default()),
        app_version: "0.0.0".to_owned(),
    })
    .unwrap();
    engine
}

/// What the guide says to the question when it is asked directly.
async fn whole_answer() -> String {
    let message = RequestMessage::User {
        parts: Vec::new(),
        text: QUESTION.to_owned(),
    };
    let request = ModelRequest {
        model: Guide::ID.to_owned(),
        instructions: None,
        messages: vec![message].into(),
        tools: Vec::new(),
    };
    let mut whole = String::new();
    let mut stream = guide(Duration::ZERO).stream(request);
    while let Some(event) = stream.next().await {
        if let ModelEvent::Text { text, .. } = event.unwrap() {
            whole.push_str(&text);
        }
    }
    whole
}

async fn start(engine: &Engine) -> (SessionId, RunId) {
    let command = Command::StartRun {
        session_id: None,
        text: QUESTION.to_owned(),
        request_key: None,
    };
    match engine.execute(command).await.unwrap() {
        Reply::RunStarted {
            session_id, run_id, ..
        } => (session_id, run_id),
        other => panic!("{other:?}"),
    }
}

/// Follows until something of the wanted kind comes.
async fn until(subscription: &mut Subscription, is_wanted: fn(&Push) -> bool) -> Push {
    let wait = async {
        loop {
            let mut batch = subscription.next().await.unwrap();
            if let Some(at) = batch.iter().position(is_wanted) {
                return batch.swap_remove(at);
            }
        }
    };
    let deadline = Duration::from_secs(60);
    tokio::time::timeout(deadline, wait)
        .await
        .expect("it never came")
}

const fn is_completed(push: &Push) -> bool {
    let Push::Event(envelope) = push else {
        return false;
    };
    matches!(envelope.event, Event::StepCompleted { .. })
}

fn message_of(push: Push) -> protocol::Message {
    let Push::Event(envelope) = push else {
        panic!("{push:?}");
    };
    let Event::StepCompleted { message, .. } = envelope.event else {
        panic!("{envelope:?}");
    };
    message
}

#[tokio::test]
async fn a_question_is_answered_to_its_last_word() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path(), Duration::ZERO);
    assert!(
        engine.app_info().model.is_scripted,
        "it is labelled as such"
    );
    let (session_id, run_id) = start(&engine).await;
    let mut subscription = engine.subscribe(session_id, 0).unwrap();
    let message = message_of(until(&mut subscription, is_completed).await);
    assert_eq!(message.text(), whole_answer().await);
    assert_eq!(message.status, MessageStatus::Complete);
    assert_eq!(message.model.as_deref(), Some(Guide::ID));
    engine.idle().await;
    let reply = engine.execute(Command::GetRun { run_id }).await.unwrap();
    let Reply::Run(run) = reply else {
        panic!("{reply:?}");
    };
    assert_eq!(run.status, RunStatus::Completed);
    engine.close().await.unwrap();
}

// RUN-18, STP-2
#[tokio::test]
async fn an_answer_that_is_cut_off_by_the_end_is_given_whole_after_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path(), Duration::from_millis(5));
    let (session_id, run_id) = start(&engine).await;
    let mut subscription = engine.subscribe(session_id, 0).unwrap();
    until(&mut subscription, |push| matches!(push, Push::Delta(_))).await;
    engine.close().await.unwrap();
    drop(subscription);
    let engine = open(dir.path(), Duration::ZERO);
    let mut subscription = engine.subscribe(session_id, 0).unwrap();
    engine.execute(Command::ResumeRun { run_id }).await.unwrap();
    let message = message_of(until(&mut subscription, is_completed).await);
    let whole = whole_answer().await;
    assert_eq!(message.text(), whole);
    assert_eq!(message.attempt, Some(2));
    let get = Command::GetSession {
        session_id,
        limit: None,
    };
    let Reply::Snapshot(snapshot) = engine.execute(get).await.unwrap() else {
        panic!("another reply");
    };
    assert_eq!(snapshot.messages.len(), 3);
    assert_eq!(snapshot.messages[1].status, MessageStatus::Partial);
    assert!(whole.starts_with(&snapshot.messages[1].text()));
    engine.close().await.unwrap();
}
