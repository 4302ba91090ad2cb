//! The log of events and its stored forms.

use std::collections::BTreeSet;
use std::thread;

use protocol::{
    BranchView, ErrorClass, Event, Message, MessageStatus, QueuedMessage, RetryView, Role,
    RunError, RunReason, Usage,
};
use rusqlite::types::Value;
use store::DEFAULT_AGENT;

use crate::fixture::{Place, barrier, relaxed};
use crate::raw;
use crate::sample::{
    create_session, event, message, message_id, renamed, run_id, session_id, step_id, stored,
};
use crate::sample_call::{call, full_view};

/// One of every variant that is written, with all of its fields, and one with as few as possible
/// where they differ.
fn every_event() -> Vec<Event> {
    [
        events_of_steps(),
        events_of_summaries(),
        events_of_sessions(),
    ]
    .concat()
}

/// What a run said before it was cut off.
fn written() -> Message {
    let mut written = message(message_id(2), 2, "a \"reply\"\n");
    written.role = Role::Agent;
    written.status = MessageStatus::Partial;
    written.run_id = Some(run_id(1));
    written.step_id = Some(step_id(1));
    written.attempt = Some(2);
    written.model = Some("guide".to_owned());
    written
}

fn error() -> RunError {
    RunError {
        class: ErrorClass::RateLimit,
        message: "Too many calls.".to_owned(),
    }
}

fn events_of_steps() -> Vec<Event> {
    let (run_id, step_id, attempt) = (run_id(1), step_id(1), 2);
    let agent_id = DEFAULT_AGENT;
    let model = "guide".to_owned();
    let usage = Usage {
        input_tokens: Some(7),
        output_tokens: None,
        cached_tokens: Some(5),
        cache_write_tokens: Some(2),
        cost_microusd: Some(3),
    };
    vec![
        Event::SessionCreated {
            agent_id,
            title: None,
        },
        Event::SessionCreated {
            agent_id,
            title: Some("Title".to_owned()),
        },
        renamed("Another"),
        Event::MessageAdded {
            message: message(message_id(1), 1, "hello"),
        },
        Event::RunStarted {
            run_id,
            message_id: message_id(1),
            agent_id,
            model: model.clone(),
            retry_of: None,
        },
        Event::RunStarted {
            run_id,
            message_id: message_id(1),
            agent_id,
            model: model.clone(),
            retry_of: Some(crate::sample::run_id(9)),
        },
        Event::StepStarted {
            run_id,
            step_id,
            attempt,
            model,
            is_compaction: false,
        },
        Event::StepCompleted {
            run_id,
            step_id,
            attempt,
            message: written(),
            calls: Vec::new(),
            usage: Usage::default(),
            fill: None,
        },
        Event::StepCompleted {
            run_id,
            step_id,
            attempt,
            message: written(),
            calls: vec![call(1, 0).view, full_view()],
            usage,
            fill: Some(protocol::Fill {
                tokens: 1_200,
                of: Some(8_192),
                is_estimated: true,
            }),
        },
        Event::ToolCallChanged {
            call: Box::new(full_view()),
        },
        Event::StepInterrupted {
            run_id,
            step_id,
            attempt,
            message: None,
        },
        Event::StepInterrupted {
            run_id,
            step_id,
            attempt,
            message: Some(written()),
        },
        Event::StepFailed {
            run_id,
            step_id,
            attempt,
            error: error(),
            message: None,
        },
        Event::StepFailed {
            run_id,
            step_id,
            attempt,
            error: error(),
            message: Some(written()),
        },
    ]
}

fn events_of_sessions() -> Vec<Event> {
    let (run_id, step_id, agent_id) = (run_id(1), step_id(1), DEFAULT_AGENT);
    let retry = RetryView {
        error: error(),
        failed: 1,
        of: 5,
        at_ms: 60,
    };
    vec![
        Event::StepCancelled { run_id, step_id },
        Event::RunWaiting { run_id },
        Event::RunContinued { run_id },
        Event::RetryScheduled { run_id, retry },
        Event::QueueChanged {
            queue: vec![QueuedMessage {
                message_id: message_id(3),
                text: "and then?".to_owned(),
                attachments: Vec::new(),
                created_at_ms: 61,
            }],
        },
        Event::BranchStarted {
            branch: BranchView {
                branch: 1,
                parent: Some(0),
                from_position: 3,
                created_at_ms: 62,
            },
        },
        Event::BranchSelected { branch: 0 },
        Event::SessionArchived { is_archived: true },
        Event::AgentChanged { agent_id },
        Event::ModelChanged {
            model: Some("guide".to_owned()),
        },
        Event::RunStopped {
            run_id,
            reason: RunReason::StoppedByUser,
        },
        Event::RunInterrupted {
            run_id,
            reason: RunReason::AppEnded,
        },
        Event::RunResumed { run_id },
        Event::RunCompleted { run_id },
        Event::RunFailed {
            run_id,
            error: error(),
        },
        Event::RunCancelled {
            run_id,
            reason: RunReason::Superseded,
        },
    ]
}

fn events_of_summaries() -> Vec<Event> {
    let (run_id, step_id, attempt) = (run_id(1), step_id(1), 2);
    let model = "guide".to_owned();
    let usage = Usage {
        input_tokens: Some(7),
        ..Usage::default()
    };
    vec![
        Event::StepStarted {
            run_id,
            step_id,
            attempt,
            model: model.clone(),
            is_compaction: true,
        },
        Event::HistorySummarised {
            run_id,
            step_id: Some(step_id),
            attempt: Some(attempt),
            summary: summary(1, Some(3), &model),
            usage: Some(usage),
        },
        Event::HistorySummarised {
            run_id,
            step_id: None,
            attempt: None,
            summary: summary(0, None, &model),
            usage: None,
        },
    ]
}

fn summary(branch: u32, kept: Option<u64>, model: &str) -> protocol::SummaryView {
    protocol::SummaryView {
        position: 7,
        branch,
        kept,
        text: "They wanted a plan.".to_owned(),
        model: model.to_owned(),
        created_at_ms: 70,
    }
}

/// The compiler asks for a new variant here; the test below then asks for it in the list above.
fn number(event: &Event) -> usize {
    match event {
        Event::SessionCreated { .. } => 0,
        Event::SessionRenamed { .. } => 1,
        Event::MessageAdded { .. } => 2,
        Event::RunStarted { .. } => 3,
        Event::StepStarted { .. } => 4,
        Event::StepCompleted { .. } => 5,
        Event::StepInterrupted { .. } => 6,
        Event::StepFailed { .. } => 7,
        Event::StepCancelled { .. } => 8,
        Event::RunStopped { .. } => 9,
        Event::RunInterrupted { .. } => 10,
        Event::RunResumed { .. } => 11,
        Event::RunCompleted { .. } => 12,
        Event::RunFailed { .. } => 13,
        Event::RunCancelled { .. } => 14,
        Event::ToolCallChanged { .. } => 15,
        Event::RunWaiting { .. } => 16,
        Event::RunContinued { .. } => 17,
        Event::RetryScheduled { .. } => 18,
        Event::QueueChanged { .. } => 19,
        Event::BranchStarted { .. } => 20,
        Event::BranchSelected { .. } => 21,
        Event::SessionArchived { .. } => 22,
        Event::AgentChanged { .. } => 23,
        Event::ModelChanged { .. } => 24,
        Event::HistorySummarised { .. } => 25,
        Event::Unrecognised { .. } => 26,
    }
}

/// STR-8: what was written once must be readable for ever. If this differs, the form needs a new
/// version and a way to read the old one.
#[test]
fn the_stored_form_of_every_event_is_pinned_and_reads_back() {
    let events = every_event();
    let listed: BTreeSet<usize> = events.iter().map(number).collect();
    assert_eq!(listed, (0..26).collect::<BTreeSet<_>>());
    let place = Place::new();
    let store = place.open();
    let session = session_id(1);
    let mut changes = vec![create_session(session)];
    changes.extend(events.iter().cloned().map(|one| event(session, one)));
    store.apply(barrier(changes)).unwrap();

    let read = store
        .read(|reader| reader.events_after(session, 0, 100))
        .unwrap();
    let seqs: Vec<u64> = read.iter().map(|envelope| envelope.seq).collect();
    assert_eq!(seqs, (1..=events.len() as u64).collect::<Vec<_>>());
    let read: Vec<Event> = read.into_iter().map(|envelope| envelope.event).collect();
    assert_eq!(read, events);

    let connection = raw::connect(&place.database());
    let forms: Vec<serde_json::Value> =
        raw::all(&connection, "SELECT v, kind, body FROM events ORDER BY seq")
            .into_iter()
            .map(|row| match row.as_slice() {
                [Value::Integer(v), Value::Text(kind), Value::Text(body)] => serde_json::json!({
                    "v": v,
                    "kind": kind,
                    "body": serde_json::from_str::<serde_json::Value>(body).unwrap(),
                }),
                other => panic!("{other:?}"),
            })
            .collect();
    insta::with_settings!({ sort_maps => true }, { insta::assert_json_snapshot!(forms) });
}

/// STR-8: a kind or a version that is not known is skipped, and keeps its place.
#[test]
fn an_unknown_event_keeps_its_place() {
    let place = Place::new();
    let store = place.open();
    let session = session_id(1);
    store
        .apply(barrier(vec![
            create_session(session),
            event(session, renamed("one")),
        ]))
        .unwrap();
    let connection = raw::connect(&place.database());
    let foreign = [
        (1, "weather_changed", r#"{"wind":7}"#),
        (9, "session_renamed", r#"{"title":"of a later version"}"#),
        (1, "session_renamed", r#"{"name":"of another form"}"#),
        (1, "session_renamed", "[]"),
    ];
    for (v, kind, body) in foreign {
        connection
            .execute("UPDATE sessions SET head_seq = head_seq + 1", [])
            .unwrap();
        connection
            .execute(
                "INSERT INTO events (session_id, seq, at_ms, v, kind, body)
                 SELECT id, head_seq, 1, ?1, ?2, ?3 FROM sessions",
                (v, kind, body),
            )
            .unwrap();
    }
    store
        .apply(barrier(vec![event(session, renamed("six"))]))
        .unwrap();
    let read = store
        .read(|reader| reader.events_after(session, 0, 100))
        .unwrap();
    let read: Vec<(u64, Event)> = read
        .into_iter()
        .map(|envelope| (envelope.seq, envelope.event))
        .collect();
    let unrecognised = |kind: &str| Event::Unrecognised {
        kind: kind.to_owned(),
    };
    assert_eq!(
        read,
        [
            (1, renamed("one")),
            (2, unrecognised("weather_changed")),
            (3, unrecognised("session_renamed")),
            (4, unrecognised("session_renamed")),
            (5, unrecognised("session_renamed")),
            (6, renamed("six")),
        ]
    );
}

/// What was not understood on reading must not be written back in place of what it was.
#[test]
fn an_unrecognised_event_is_not_written() {
    let place = Place::new();
    let store = place.open();
    store
        .apply(barrier(vec![create_session(session_id(1))]))
        .unwrap();
    let unknown = Event::Unrecognised {
        kind: "weather_changed".to_owned(),
    };
    assert!(
        store
            .apply(barrier(vec![event(session_id(1), unknown)]))
            .is_err()
    );
    assert_eq!(
        store.read(|reader| reader.head_seq(session_id(1))).unwrap(),
        Some(0)
    );
}

/// STR-8: `seq` is dense from 1 in each session, whoever writes, and sessions never mix.
#[test]
fn seq_is_dense_over_many_writers() {
    const WRITERS: u64 = 6;
    const EACH: u64 = 40;
    let place = Place::new();
    let store = place.open();
    for session in 1..=2 {
        store
            .apply(barrier(vec![create_session(session_id(session))]))
            .unwrap();
    }
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = &store;
            scope.spawn(move || {
                for count in 0..EACH {
                    let session = 1 + (writer + count) % 2;
                    let fact = event(session_id(session), renamed(&format!("of {session}")));
                    store.apply(relaxed(vec![fact])).unwrap();
                }
            });
        }
    });
    for session in 1..=2 {
        let id = session_id(session);
        let read = store
            .read(|reader| reader.events_after(id, 0, 1_000))
            .unwrap();
        assert_eq!(read.len() as u64, WRITERS * EACH / 2);
        for (seq, envelope) in (1..).zip(read) {
            assert_eq!((envelope.seq, envelope.session_id), (seq, id));
            assert_eq!(envelope.event, renamed(&format!("of {session}")));
        }
    }
}

/// Events are append-only, even for SQL that comes from elsewhere.
#[test]
fn an_event_cannot_be_rewritten() {
    let place = Place::new();
    let store = place.open();
    store
        .apply(barrier(vec![
            create_session(session_id(1)),
            event(session_id(1), renamed("said")),
        ]))
        .unwrap();
    let connection = raw::connect(&place.database());
    let id = stored(session_id(1).uuid());
    let error = connection
        .execute("UPDATE events SET at_ms = 0 WHERE session_id = ?1", [&id])
        .unwrap_err();
    assert!(error.to_string().contains("append-only"), "{error}");
}

/// A page of the log begins after the seq that the reader has, and ends at its limit.
#[test]
fn events_are_read_in_pages() {
    let place = Place::new();
    let store = place.open();
    let session = session_id(1);
    let mut changes = vec![create_session(session)];
    changes.extend((1..=10).map(|n| event(session, renamed(&n.to_string()))));
    store.apply(barrier(changes)).unwrap();
    let seqs = |after, limit| -> Vec<u64> {
        let read = store
            .read(|reader| reader.events_after(session, after, limit))
            .unwrap();
        read.into_iter().map(|envelope| envelope.seq).collect()
    };
    assert_eq!(seqs(0, 3), [1, 2, 3]);
    assert_eq!(seqs(3, 4), [4, 5, 6, 7]);
    assert_eq!(seqs(7, 100), [8, 9, 10]);
    assert_eq!(seqs(10, 100), [0; 0]);
    assert_eq!(
        store
            .read(|reader| reader.head_seq(session_id(404)))
            .unwrap(),
        None
    );
}
