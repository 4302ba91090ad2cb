//! Read in parts, counted, and cut.

use protocol::{Block, BlockKind, Ending, MessageId, Native, StepId};
use uuid::Uuid;

use super::*;

fn run(number: u128) -> RunId {
    RunId::from_uuid(Uuid::from_u128(number))
}

fn row(position: u64, role: Role, text: &str) -> MessageRow {
    let message = Message {
        message_id: MessageId::from_uuid(Uuid::from_u128(position.into())),
        position,
        branch: 0,
        role,
        status: MessageStatus::Complete,
        blocks: vec![Block {
            kind: BlockKind::Text,
            text: text.to_owned(),
        }],
        attachments: Vec::new(),
        run_id: None,
        step_id: Some(StepId::from_uuid(Uuid::from_u128(position.into()))),
        attempt: Some(1),
        model: None,
        ending: Ending::Complete,
        created_at_ms: position * 10,
    };
    let native = (role == Role::Agent).then(|| {
        Arc::new(Native {
            dialect: "d".to_owned(),
            model: "m".to_owned(),
            items: format!("[{position}]"),
        })
    });
    MessageRow {
        message,
        native,
        contents: Vec::new(),
    }
}

/// The person's messages are those with odd positions.
fn said(position: u64) -> MessageRow {
    let role = if position % 2 == 1 {
        Role::User
    } else {
        Role::Agent
    };
    row(position, role, &format!("message {position}"))
}

fn fresh(messages: Vec<MessageRow>) -> Fresh {
    Fresh {
        messages,
        ..Fresh::default()
    }
}

fn whole(messages: Vec<MessageRow>) -> History {
    History::with(None, (run(1), 0), &fresh(messages)).0
}

fn summary(position: u64, kept: Option<u64>) -> SummaryView {
    SummaryView {
        position,
        branch: 0,
        kept,
        text: "What was.".to_owned(),
        model: "m".to_owned(),
        created_at_ms: 65,
    }
}

fn usage(input: u64, output: u64) -> Usage {
    Usage {
        input_tokens: Some(input),
        output_tokens: Some(output),
        ..Usage::default()
    }
}

fn texts(told: &[RequestMessage]) -> Vec<&str> {
    let text = |message| match message {
        &RequestMessage::User { ref text, .. }
        | &RequestMessage::Agent { ref text, .. }
        | &RequestMessage::Result { ref text, .. } => text.as_str(),
    };
    told.iter().map(text).collect()
}

// RUN-20
#[test]
fn read_in_parts_it_is_what_it_is_read_whole() {
    let all: Vec<MessageRow> = (1..=9).map(said).collect();
    let mut held: Option<History> = None;
    for cut in [2, 2, 5, 9] {
        let after = held.as_ref().map_or(0, |held| held.through);
        let new = all.iter().filter(|row| row.message.position > after);
        let new = new.filter(|row| row.message.position <= cut).cloned();
        held = Some(History::with(held, (run(1), 0), &fresh(new.collect())).0);
    }
    assert_eq!(held, Some(whole(all)));
}

#[test]
fn another_branch_or_run_begins_anew() {
    let session_id = SessionId::from_uuid(Uuid::from_u128(7));
    let history = whole(vec![said(1)]);
    assert!(History::of_branch(Some(history.clone()), 0).is_some());
    assert!(History::of_branch(Some(history.clone()), 1).is_none());
    let histories = Histories::default();
    histories.keep(session_id, history.clone());
    assert_eq!(histories.take(session_id, run(2)), None);
    histories.keep(session_id, history);
    histories.forget(&[session_id]);
    assert_eq!(histories.take(session_id, run(1)), None);
}

#[test]
fn a_partial_message_is_not_told_and_not_read_again() {
    let mut partial = said(2);
    partial.message.status = MessageStatus::Partial;
    let history = whole(vec![said(1), partial]);
    assert_eq!((history.told.len(), history.through), (1, 2));
}

// RUN-22
#[test]
fn a_summary_takes_the_place_of_what_it_stands_for() {
    let begun = |kept: Option<u64>, first: u64| {
        let read = Fresh {
            summary: Some(summary(first - 1, kept)),
            kept: kept.map(said),
            messages: (first..=9).map(said).collect(),
            ..Fresh::default()
        };
        History::with(None, (run(1), 0), &read).0
    };
    let told_first = |history: &History| texts(&history.told)[0].to_owned();
    // A reply stands there: the summary is a message of its own.
    let history = begun(None, 6);
    assert_eq!((history.told.len(), history.through), (5, 9));
    assert!(told_first(&history).contains("\n\nWhat was.\n\n"));
    assert_eq!(texts(&history.told)[1], "message 6");
    // The person's message stands there: two in a row would be refused by some.
    let history = begun(None, 7);
    assert_eq!(history.told.len(), 3);
    assert!(told_first(&history).ends_with("[End of the summary.]\n\nmessage 7"));
    // The message that is being answered is kept as it was.
    let history = begun(Some(3), 6);
    assert_eq!(history.told.len(), 5);
    assert!(told_first(&history).ends_with("[End of the summary.]\n\nmessage 3"));
    let weights: Vec<u64> = history.told.iter().map(weight::of).collect();
    assert_eq!(history.weights, weights);
}

// RUN-22
#[test]
fn what_was_counted_goes_before_an_estimate() {
    let pin = Pin {
        instructions: Some("x".repeat(300)),
        ..Pin::default()
    };
    let messages: Vec<MessageRow> = (1..=5).map(said).collect();
    let estimated = whole(messages.clone());
    assert_eq!(estimated.tokens(&pin), 100 + estimated.weight());
    let counted = |usage: Usage| {
        let read = Fresh {
            said: Some((4, usage)),
            ..fresh(messages.clone())
        };
        History::with(None, (run(1), 0), &read).0
    };
    let last = *estimated.weights.last().expect("a message");
    assert_eq!(counted(usage(900, 50)).tokens(&pin), 950 + last);
    // What nobody said, and what cannot be all of it.
    let unsaid = Usage {
        output_tokens: None,
        ..usage(900, 50)
    };
    assert_eq!(counted(unsaid).tokens(&pin), estimated.tokens(&pin));
    let before = estimated.weight() - last;
    assert_eq!(counted(usage(1, 1)).tokens(&pin), before / 3 + last);
    // The count of a reply that came before the summary is of something else.
    let summed_up = |position| {
        let read = Fresh {
            summary: Some(summary(3, None)),
            said: Some((position, usage(900, 50))),
            ..fresh((4..=8).map(said).collect())
        };
        History::with(None, (run(1), 0), &read).0
    };
    assert!(summed_up(6).counted.is_none(), "60 is before 65");
    assert!(summed_up(8).counted.is_some());
}

// RUN-20, RUN-22
#[test]
fn a_cut_keeps_the_newest_and_parts_no_call_from_its_result() {
    let history = whole((1..=8).map(said).collect());
    let each = history.weights[0];
    let cut = history.cut(each * 3).expect("there is something older");
    assert_eq!((cut.position, cut.kept), (5, None), "message 7 is told");
    assert_eq!(texts(&cut.told).last(), Some(&"message 5"));
    assert_eq!(cut.weight, history.weights[..5].iter().sum::<u64>());
    let cut = history.cut(0).expect("there is something older");
    assert_eq!(
        (cut.position, cut.kept),
        (7, Some(7)),
        "the newest one stays"
    );
    assert_eq!(history.cut(u64::MAX), None);
    assert_eq!(whole(vec![said(1)]).cut(0), None);
    // One long message at the end: nothing is gained by a summary of the rest.
    let long = row(2, Role::Agent, &"x".repeat(3_000));
    assert_eq!(whole(vec![said(1), long]).cut(0), None);
}

// RUN-20, RUN-22
#[test]
fn a_call_stays_with_its_result() {
    let asked = row(2, Role::Agent, "");
    let result = crate::request::tests::call(2, 0, "what it gave");
    let read = Fresh {
        calls: vec![result],
        ..fresh(vec![said(1), asked, said(3)])
    };
    let history = History::with(None, (run(1), 0), &read).0;
    assert_eq!(history.told.len(), 4);
    let all = history.weight();
    for tail in 0..=all {
        if let Some(cut) = history.cut(tail) {
            assert!(matches!(cut.told.len(), 1 | 3), "{tail}: {:?}", cut.told);
        }
    }
}

// RUN-22
#[test]
fn what_a_summary_stands_for_is_not_cut_off_again() {
    let read = Fresh {
        summary: Some(summary(5, Some(3))),
        kept: Some(said(3)),
        ..fresh(vec![said(6), said(8)])
    };
    let history = History::with(None, (run(1), 0), &read).0;
    let cut = history.cut(0).expect("message 6 is older");
    assert_eq!(
        (cut.position, cut.kept),
        (6, Some(3)),
        "still being answered"
    );
    assert!(
        texts(&cut.told)[0].contains("What was."),
        "the summary goes on"
    );
    let read = Fresh {
        summary: Some(summary(5, Some(3))),
        kept: Some(said(3)),
        ..fresh(vec![said(6)])
    };
    let history = History::with(None, (run(1), 0), &read).0;
    assert_eq!(history.cut(0), None);
}
