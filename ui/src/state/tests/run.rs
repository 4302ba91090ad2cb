//! The run: waiting, trying again, limits, the queue, what it costs.

use protocol::{QueuedMessage, RetryView};

use super::*;

fn queued(number: u128, text: &str) -> QueuedMessage {
    QueuedMessage {
        message_id: MessageId::from_uuid(Uuid::from_u128(number)),
        text: text.to_owned(),
        attachments: Vec::new(),
        created_at_ms: 1,
    }
}

/// RUN-8: that it will be tried again is said until it is tried.
#[test]
fn a_scheduled_try_is_known_until_it_begins() {
    let window = streaming();
    let retry = RetryView {
        error: RunError {
            class: ErrorClass::Overloaded,
            message: "No capacity.".to_owned(),
        },
        failed: 2,
        of: 5,
        at_ms: 9_000,
    };
    let scheduled = Event::RetryScheduled {
        run_id: RUN,
        retry: retry.clone(),
    };
    window.events([(4, step_interrupted(1, None)), (5, scheduled)]);
    let run = || window.store.session().run().get_untracked();
    assert_eq!(run().and_then(|run| run.retry), Some(retry));
    assert_eq!(window.seen().run, Some((RunStatus::Running, None)));
    window.events([(6, step_started(2))]);
    assert_eq!(run().and_then(|run| run.retry), None);
    assert_eq!(window.seen().run, Some((RunStatus::Running, None)));
}

/// RUN-11: a limit is its own outcome.
#[test]
fn what_a_limit_cut_off_was_stopped() {
    let window = streaming();
    window.events([
        (4, step_interrupted(1, Some(partial(2, "Good")))),
        (
            5,
            Event::RunStopped {
                run_id: RUN,
                reason: RunReason::TokenLimit,
            },
        ),
    ]);
    let seen = window.seen();
    assert_eq!(
        seen.run,
        Some((RunStatus::Stopped, Some(RunReason::TokenLimit)))
    );
    assert_eq!(seen.messages.last().map(|row| row.2), Some(Cut::Stopped));
}

/// RUN-2: what waits is shown in order; each change is the whole queue.
#[test]
fn the_queue_is_replaced_whole() {
    let window = Window::on(SessionSnapshot {
        queue: vec![queued(21, "one")],
        ..snapshot(0, vec![])
    });
    let queue = || window.store.session().queue().get_untracked();
    assert_eq!(queue(), [queued(21, "one")]);
    let both = vec![queued(21, "one, edited"), queued(22, "two")];
    let changed = Event::QueueChanged {
        queue: both.clone(),
    };
    window.events([(1, changed)]);
    assert_eq!(queue(), both);
    window.events([(2, Event::QueueChanged { queue: vec![] })]);
    assert_eq!(queue(), []);
}

/// RUN-21: what was not sent is unknown, never 0.
#[test]
fn usage_adds_up_and_the_unknown_stays_unknown() {
    let window = streaming();
    let step = |attempt, usage| Event::StepCompleted {
        run_id: RUN,
        step_id: STEP,
        attempt,
        message: message(u64::from(attempt) + 1, Role::Agent, "x"),
        calls: vec![],
        usage,
        fill: None,
    };
    let known = Usage {
        input_tokens: Some(100),
        output_tokens: Some(20),
        ..Usage::default()
    };
    window.events([(4, step(1, known)), (5, step(2, Usage::default()))]);
    assert_eq!(
        window.store.session().usage().get_untracked(),
        UsageTotal {
            sum: known,
            calls: 2,
            calls_unknown: 1,
            calls_without_cost: 2,
        }
    );
}

#[test]
fn a_message_that_cannot_be_read_is_not_one_that_was_cut_off() {
    let unreadable = Message {
        status: MessageStatus::Unreadable,
        ..message(1, Role::Agent, "Damaged.")
    };
    let window = Window::on(snapshot(1, vec![unreadable]));
    assert_eq!(window.seen().messages[0].2, Cut::Whole);
}

#[test]
fn another_agent_is_noted() {
    let window = streaming();
    let agent = || window.store.session().agent_id().get_untracked();
    assert_eq!(agent(), Some(AGENT));
    let agent_id = AgentId::from_uuid(Uuid::from_u128(66));
    window.events([(4, Event::AgentChanged { agent_id })]);
    assert_eq!(agent(), Some(agent_id));
}

/// RUN-22: a summary is a mark between messages, paid for like every call; how full the window is is
/// known again after the next reply.
#[test]
fn a_summary_ends_its_step_and_keeps_its_place() {
    let window = streaming();
    let fill = protocol::Fill {
        tokens: 1_200,
        of: Some(8_192),
        is_estimated: false,
    };
    let summary = protocol::SummaryView {
        position: 1,
        branch: 0,
        kept: None,
        text: "What was.".to_owned(),
        model: "guide".to_owned(),
        created_at_ms: 5,
    };
    let session = window.store.session();
    let reply = |fill| Event::StepCompleted {
        run_id: RUN,
        step_id: STEP,
        attempt: 1,
        message: message(2, Role::Agent, "x"),
        calls: vec![],
        usage: Usage::default(),
        fill,
    };
    window.events([(4, reply(Some(fill)))]);
    assert_eq!(session.fill().get_untracked(), Some(fill));
    let begun = Event::StepStarted {
        run_id: RUN,
        step_id: STEP,
        attempt: 2,
        model: "guide".to_owned(),
        is_compaction: true,
    };
    window.events([(5, begun)]);
    let live = session.live().get_untracked();
    assert!(live.is_some_and(|live| live.is_compaction));
    let done = Event::HistorySummarised {
        run_id: RUN,
        step_id: Some(STEP),
        attempt: Some(2),
        summary: summary.clone(),
        usage: Some(Usage {
            cost_microusd: Some(9),
            ..Usage::default()
        }),
    };
    window.events([(6, done)]);
    assert_eq!(session.live().get_untracked(), None);
    assert_eq!(session.summaries().get_untracked(), [summary]);
    assert_eq!(session.fill().get_untracked(), None);
    let usage = session.usage().get_untracked();
    assert_eq!((usage.calls, usage.calls_without_cost), (2, 1));
    assert_eq!(usage.sum.cost_microusd, Some(9));
    let branch = protocol::BranchView {
        branch: 1,
        parent: Some(0),
        from_position: 1,
        created_at_ms: 7,
    };
    window.events([(7, Event::BranchStarted { branch })]);
    assert_eq!(session.summaries().get_untracked(), []);
}
