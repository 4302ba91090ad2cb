//! RUN-22: older messages are summarised for the model before its window overflows; they stay
//! readable, and the summary is a durable step.

use engine::ModelRequest;
use protocol::{
    Command, ErrorClass, ExportFormat, Fill, RunLimits, RunReason, RunStatus, SessionId, Usage,
};
use serde_json::json;

use crate::acting::{asks, finished_with};
use crate::fixture::{Home, World};
use crate::scripted::{Call, failed, said};

/// A window, and a count that is too much for it.
pub(crate) const WINDOW: u64 = 100_000;
pub(crate) const TOO_MUCH: u64 = 90_000;
pub(crate) const SUMMARY: &str = "It was one.";

impl Call {
    /// Answers, and says what that cost.
    pub(crate) fn answer_for(&self, text: &str, tokens: u64) {
        self.text(text);
        self.say(finished_with(tokens, 7));
    }

    /// Whether a summary is asked for: without tools, of a record.
    pub(crate) fn is_compaction(&self) -> bool {
        is_compaction(&self.request)
    }

    /// The first thing that is told.
    pub(crate) fn first(&self) -> &str {
        said(&self.request.messages[0])
    }
}

pub(crate) fn is_compaction(request: &ModelRequest) -> bool {
    let asks = request
        .instructions
        .as_deref()
        .is_some_and(|text| text.contains("You write summaries"));
    assert_eq!(
        asks,
        asks && request.tools.is_empty(),
        "no tools are offered"
    );
    assert!(!asks || request.messages.len() == 1);
    asks
}

impl World {
    /// A session that no longer fits: "One", and an answer.
    pub(crate) async fn full(&self) -> SessionId {
        self.script.set_window(WINDOW);
        let one = self.start("One, and what was found about the tides").await;
        self.script.call().await.answer_for("1", TOO_MUCH);
        self.until_run(one.session_id, RunStatus::Completed).await;
        self.clock.advance(1);
        one.session_id
    }

    /// The same after it was summarised, with "Two" and an answer.
    pub(crate) async fn summarised(&self) -> SessionId {
        let session_id = self.full().await;
        self.say(session_id, "Two").await;
        self.script.call().await.answer_for(SUMMARY, 50);
        self.clock.advance(1);
        self.script.call().await.answer_for("2", 60);
        self.until_run(session_id, RunStatus::Completed).await;
        self.clock.advance(1);
        session_id
    }

    /// What the model is told next in a session, which then goes on.
    pub(crate) async fn told_next(&self, session_id: SessionId, text: &str) -> Vec<String> {
        self.say(session_id, text).await;
        let call = self.script.call().await;
        assert!(!call.is_compaction());
        let told = call.told();
        call.answer_for("Yes.", 70);
        self.until_run(session_id, RunStatus::Completed).await;
        self.clock.advance(1);
        told
    }
}

fn with_summary(text: &str) -> String {
    format!("{SUMMARY}\n\n[End of the summary.]\n\n{text}")
}

// RUN-22
#[tokio::test]
async fn what_does_not_fit_is_summarised_first() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.full().await;
    let fill = world.snapshot(session_id).await.fill;
    let expected = Fill {
        tokens: TOO_MUCH,
        of: Some(WINDOW),
        is_estimated: false,
    };
    assert_eq!(fill, Some(expected));
    let sent = world.say(session_id, "Two").await;
    let compaction = world.script.call().await;
    assert!(compaction.is_compaction());
    assert!(compaction.first().starts_with("The person:\nOne"));
    assert!(!compaction.first().contains("Two"), "it is told as it is");
    let live = world.snapshot(session_id).await.live.expect("it is going");
    assert!(live.is_compaction);
    compaction.answer_for(SUMMARY, 50);
    let call = world.script.call().await;
    assert_eq!(call.request.messages.len(), 1);
    assert!(
        call.first().ends_with(&with_summary("Two")),
        "{:?}",
        call.told()
    );
    assert!(!call.request.tools.is_empty());
    call.answer_for("2", 60);
    world.until_run(session_id, RunStatus::Completed).await;
    let snapshot = world.snapshot(session_id).await;
    let texts: Vec<String> = snapshot
        .messages
        .iter()
        .map(protocol::Message::text)
        .collect();
    assert_eq!(texts[1..], ["1", "Two", "2"], "the original stays readable");
    let summary = &snapshot.summaries[0];
    assert_eq!((snapshot.summaries.len(), summary.position), (1, 2));
    assert_eq!((summary.text.as_str(), summary.kept), (SUMMARY, None));
    // RUN-21: the summary is paid for like everything else, and what was not sent is not.
    let run = world.run(sent.run_id()).await;
    assert_eq!((run.usage.calls, run.usage.calls_unknown), (2, 0));
    assert_eq!(run.usage.sum.cost_microusd, Some(14));
    assert_eq!(run.steps_completed, 2);
    let kinds = world.kinds(session_id).await;
    let tail = &kinds[kinds.len() - 7..];
    assert_eq!(
        tail,
        [
            "step_started",
            "step_failed",
            "step_started",
            "history_summarised",
            "step_started",
            "step_completed",
            "run_completed"
        ]
    );
    world.close().await;
}

// RUN-20, RUN-22
#[tokio::test]
async fn requests_begin_with_the_same_summary_from_then_on() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.summarised().await;
    let first = world.told_next(session_id, "Three").await;
    assert!(first[0].ends_with(&with_summary("Two")));
    assert_eq!(first[1..], ["agent: 2 +0", "user: Three"]);
    world.close().await;
    let world = home.open();
    let second = world.told_next(session_id, "Four").await;
    assert_eq!(second[..3], first, "also after a restart");
    world.close().await;
}

// RUN-22: in a long run the message that is being answered is kept as it was.
#[tokio::test]
async fn a_long_run_keeps_its_question_and_its_last_round() {
    let home = Home::new();
    let world = home.open();
    world.script.set_window(WINDOW);
    let one = world.start("Count them all").await;
    for (id, tokens) in [("a", 40), ("b", 40), ("c", TOO_MUCH)] {
        let call = world.script.call().await;
        call.text("Counting on and on, as was asked for.");
        call.say(asks(id, "prints", &json!({"bytes": 3, "unit": id})));
        call.say(finished_with(tokens, 1));
    }
    let compaction = world.script.call().await;
    assert!(compaction.is_compaction());
    assert!(compaction.first().contains("[prints, gave back:]\naaa"));
    assert!(!compaction.first().contains("ccc"));
    compaction.answer_for(SUMMARY, 50);
    let call = world.script.call().await;
    let told = call.told();
    assert!(
        told[0].ends_with(&with_summary("Count them all")),
        "{told:?}"
    );
    assert_eq!(told.len(), 3);
    assert!(
        told[1].ends_with("+1") && told[2] == "result: ccc",
        "{told:?}"
    );
    call.answer_for("Nine.", 60);
    world.until_run(one.session_id, RunStatus::Completed).await;
    world.close().await;
}

// RUN-22: nobody says how much the model can hold; the provider says that it is too much.
#[tokio::test]
async fn a_refusal_makes_room_once() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.full().await;
    world.script.set_window(0);
    let sent = world.say(session_id, "Two").await;
    let call = world.script.call().await;
    assert!(!call.is_compaction(), "nothing is known of its window");
    call.say(failed(ErrorClass::ContextLength, "Too long."));
    let compaction = world.script.call().await;
    assert!(compaction.is_compaction());
    compaction.answer_for(SUMMARY, 50);
    let again = world.script.call().await;
    assert!(again.first().ends_with(&with_summary("Two")));
    again.say(failed(ErrorClass::ContextLength, "Still too long."));
    world.until_run(session_id, RunStatus::Failed).await;
    let error = world.run(sent.run_id()).await.error.expect("why");
    assert_eq!(error.class, ErrorClass::ContextLength);
    assert!(
        error
            .message
            .starts_with("Still too long. Choose a model with a larger window")
    );
    assert!(!world.script.has_call().await, "it is not tried for ever");
    world.close().await;
}

// RUN-11, RUN-22
#[tokio::test]
async fn a_summary_counts_like_every_step() {
    let home = Home::new();
    let world = home.open();
    world.script.set_window(WINDOW);
    let limits = RunLimits {
        tokens: Some(100),
        ..RunLimits::default()
    };
    let agent = world.agent("Frugal", limits).await;
    let one = world
        .start_with(agent, "One, and what was found about the tides")
        .await;
    world.script.call().await.answer_for("1", TOO_MUCH);
    world.until_run(one.session_id, RunStatus::Completed).await;
    world.clock.advance(1);
    let two = world.say(one.session_id, "Two").await;
    world.script.call().await.answer_for(SUMMARY, 200);
    world.until_run(one.session_id, RunStatus::Stopped).await;
    let run = world.run(two.run_id()).await;
    assert_eq!(run.reason, Some(RunReason::TokenLimit));
    world.resume(two.run_id()).await;
    let call = world.script.call().await;
    assert!(call.first().ends_with(&with_summary("Two")), "it is kept");
    call.answer_for("2", 60);
    world.until_run(one.session_id, RunStatus::Completed).await;
    world.close().await;
}

// RUN-1, RUN-21, RUN-22: killed while the summary is written, and after it.
#[tokio::test]
async fn a_kill_costs_one_summary_at_most() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.full().await;
    let sent = world.say(session_id, "Two").await;
    let compaction = world.script.call().await;
    compaction.text("It w");
    let during = home.copy();
    compaction.answer_for("as one.", 50);
    let call = world.script.call().await;
    let after = home.copy();
    call.answer_for("2", 60);
    world.until_run(session_id, RunStatus::Completed).await;
    world.close().await;

    let world = during.open();
    world.script.set_window(WINDOW);
    assert_eq!(world.status(sent.run_id()).await, RunStatus::Interrupted);
    let left = world.snapshot(session_id).await;
    assert_eq!(left.messages.len(), 3, "half a summary is no message");
    world.resume(sent.run_id()).await;
    let compaction = world.script.call().await;
    assert!(compaction.is_compaction(), "it is made again");
    compaction.answer_for(SUMMARY, 50);
    world.script.call().await.answer_for("2", 60);
    world.until_run(session_id, RunStatus::Completed).await;
    let usage = world.run(sent.run_id()).await.usage;
    assert_eq!((usage.calls, usage.calls_unknown), (3, 1));
    world.close().await;

    let world = after.open();
    world.script.set_window(WINDOW);
    world.resume(sent.run_id()).await;
    let call = world.script.call().await;
    assert!(!call.is_compaction(), "it is not made again");
    assert!(call.first().contains("It was one.\n\n[End"));
    call.answer_for("2", 60);
    world.until_run(session_id, RunStatus::Completed).await;
    world.close().await;
}

// RUN-3, RUN-22
#[tokio::test]
async fn it_can_be_stopped_resumed_and_superseded() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.full().await;
    let sent = world.say(session_id, "Two").await;
    let compaction = world.script.call().await;
    compaction.text("It w");
    assert_eq!(world.stop(sent.run_id()).await, RunStatus::Stopped);
    compaction.dropped().await;
    world.resume(sent.run_id()).await;
    let compaction = world.script.call().await;
    assert!(compaction.is_compaction());
    world.stop(sent.run_id()).await;
    world.say(session_id, "Two, but better").await;
    let compaction = world.script.call().await;
    assert!(compaction.is_compaction());
    compaction.say(failed(ErrorClass::Auth, "No."));
    world.until_run(session_id, RunStatus::Failed).await;
    assert!(world.snapshot(session_id).await.summaries.is_empty());
    world.close().await;
}

// RUN-22, RUN-23
#[tokio::test]
async fn a_summary_holds_where_its_messages_are() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.summarised().await;
    let ids = world.ids(session_id).await;
    // Before what it stands for: it says nothing here.
    world.edit(ids[0], "One, in other words").await;
    let call = world.script.call().await;
    assert_eq!(call.told(), ["user: One, in other words"]);
    call.answer_for("1!", 30);
    world.until_run(session_id, RunStatus::Completed).await;
    assert!(world.snapshot(session_id).await.summaries.is_empty());
    // Back, and after it.
    world.select(session_id, 0).await;
    assert_eq!(world.snapshot(session_id).await.summaries.len(), 1);
    world.edit(ids[2], "Two, in other words").await;
    let call = world.script.call().await;
    assert!(call.first().ends_with(&with_summary("Two, in other words")));
    call.answer_for("2!", 30);
    world.until_run(session_id, RunStatus::Completed).await;
    world.close().await;
}

// RUN-22, RUN-23
#[tokio::test]
async fn copies_keep_it() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.summarised().await;
    let ids = world.ids(session_id).await;
    let early = world.fork(session_id, ids[0]).await;
    assert_eq!(
        world.told_next(early, "Hm").await[0],
        "user: One, and what was found about the tides"
    );
    let late = world.fork(session_id, ids[3]).await;
    let json = world.exported(session_id, ExportFormat::Json).await;
    let imported = world.imported(json.clone()).await;
    for copy in [late, imported] {
        let told = world.told_next(copy, "Hm").await;
        assert!(told[0].ends_with(&with_summary("Two")), "{told:?}");
        assert_eq!(told[1..], ["agent: 2 +0", "user: Hm"]);
        assert!(
            world
                .kinds(copy)
                .await
                .contains(&"history_summarised".to_owned())
        );
    }
    // A file from anywhere.
    let mut odd: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    for (field, value) in [
        ("position", json!(9)),
        ("position", json!(0)),
        ("kept", json!(2)),
        ("kept", json!(3)),
        ("text", json!(" ")),
        ("model", json!("")),
    ] {
        let before = odd["summaries"][0].clone();
        odd["summaries"][0][field] = value;
        let json = odd.to_string();
        world.refusal(Command::ImportSession { json }).await;
        odd["summaries"][0] = before;
    }
    let twice = odd["summaries"][0].clone();
    odd["summaries"].as_array_mut().expect("a list").push(twice);
    let json = odd.to_string();
    world.refusal(Command::ImportSession { json }).await;
    world.close().await;
}

// RUN-21
#[tokio::test]
async fn how_full_it_is_is_counted_or_estimated_or_unknown() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("One").await;
    world.script.call().await.answer("1");
    world.until_run(one.session_id, RunStatus::Completed).await;
    let fill = async || world.snapshot(one.session_id).await.fill;
    assert_eq!(fill().await, None, "nobody said anything");
    world.script.set_window(WINDOW);
    world.say(one.session_id, "Two").await;
    world.script.call().await.answer("2");
    world.until_run(one.session_id, RunStatus::Completed).await;
    let estimated = fill().await.expect("an estimate");
    assert!(estimated.is_estimated && estimated.tokens > 20);
    world.say(one.session_id, "Three").await;
    let call = world.script.call().await;
    call.text("3");
    call.say(Ok(engine::ModelEvent::finished(Usage {
        input_tokens: Some(40),
        output_tokens: Some(2),
        cached_tokens: Some(30),
        cache_write_tokens: Some(5),
        cost_microusd: None,
    })));
    world.until_run(one.session_id, RunStatus::Completed).await;
    let counted = Fill {
        tokens: 42,
        of: Some(WINDOW),
        is_estimated: false,
    };
    assert_eq!(fill().await, Some(counted));
    let usage = world.snapshot(one.session_id).await.usage;
    assert_eq!(usage.sum.cache_write_tokens, Some(5));
    assert_eq!((usage.calls, usage.calls_without_cost), (3, 3));
    world.close().await;
}
