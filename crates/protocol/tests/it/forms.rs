//! STR-8: every form on the wire is pinned by a snapshot, and reads back as what it was.

use std::collections::BTreeSet;
use std::fmt::Debug;

use protocol::{AttentionKind, BlockKind, Envelope, ErrorClass, RunReason};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{sample, sample_answers};

/// The forms of all values, each of which was read back from its text and from its value.
fn forms<T>(values: &[T]) -> Vec<Value>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    values
        .iter()
        .map(|value| {
            let text = serde_json::to_string(value).unwrap();
            assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
            let form = serde_json::to_value(value).unwrap();
            assert_eq!(
                &serde_json::from_value::<T>(form.clone()).unwrap(),
                value,
                "{text}"
            );
            form
        })
        .collect()
}

/// Every variant is in the list.
fn check_all<T>(values: &[T], number: impl Fn(&T) -> usize, count: usize) {
    let listed: BTreeSet<usize> = values.iter().map(number).collect();
    assert_eq!(listed, (0..count).collect::<BTreeSet<_>>());
}

/// The order of keys depends on who else is compiled; the snapshot does not.
macro_rules! assert_pinned {
    ($forms:expr) => {
        insta::with_settings!({ sort_maps => true }, { insta::assert_json_snapshot!($forms) })
    };
}

#[test]
fn commands_are_pinned() {
    let commands = sample::commands();
    check_all(&commands, sample::command_number, sample::COMMANDS);
    for command in &commands {
        let text = serde_json::to_string(command).unwrap();
        assert_eq!(protocol::Command::from_json(&text).as_ref(), Ok(command));
    }
    assert_pinned!(forms(&commands));
}

#[test]
fn events_are_pinned() {
    let events = sample::events();
    check_all(&events, sample::event_number, sample::EVENTS);
    let envelopes: Vec<Envelope> = events.into_iter().map(sample::envelope).collect();
    assert_pinned!(forms(&envelopes));
}

#[test]
fn replies_are_pinned() {
    let replies = sample_answers::replies();
    check_all(
        &replies,
        sample_answers::reply_number,
        sample_answers::REPLIES,
    );
    assert_pinned!(forms(&replies));
}

#[test]
fn errors_are_pinned() {
    let errors = sample_answers::errors();
    check_all(
        &errors,
        sample_answers::error_number,
        sample_answers::ERRORS,
    );
    assert_pinned!(forms(&errors));
}

#[test]
fn pushes_are_pinned() {
    let pushes = sample_answers::pushes();
    check_all(&pushes, sample_answers::push_number, sample_answers::PUSHES);
    assert_pinned!(forms(&pushes));
}

#[test]
fn session_snapshots_are_pinned() {
    assert_pinned!(forms(&sample_answers::snapshots()));
}

#[test]
fn start_states_are_pinned() {
    let starts = sample_answers::starts();
    check_all(
        &starts,
        sample_answers::start_number,
        sample_answers::STARTS,
    );
    assert_pinned!(forms(&starts));
}

/// The words that are stored are those that are sent.
#[test]
fn stored_words_equal_wire_words() {
    for reason in RunReason::ALL {
        assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
        assert_eq!(RunReason::parse(reason.as_str()), Some(reason));
    }
    for class in ErrorClass::ALL {
        assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
        assert_eq!(ErrorClass::parse(class.as_str()), class);
    }
    assert_eq!(
        ErrorClass::parse("of a later version"),
        ErrorClass::Internal
    );
    for kind in [BlockKind::Text, BlockKind::Reasoning] {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        assert_eq!(BlockKind::parse(kind.as_str()), Some(kind));
    }
    let kinds = [
        AttentionKind::Interrupted,
        AttentionKind::Stopped,
        AttentionKind::Failed,
    ];
    assert_eq!(forms(&kinds), ["interrupted", "stopped", "failed"]);
}
