//! The words that are stored are those that are sent, and a word that is not known is read as the
//! careful one (STO-9).

use std::fmt::Debug;

use protocol::{
    ApprovalStatus, AttachmentKind, AttentionAction, AttentionKind, BlockKind, CallStatus, Dialect,
    EffectClass, ErrorClass, ExportFormat, MessageStatus, RecoveryPolicy, Role, RunReason,
    RunStatus, StepStatus, Verdict,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cases::{Cases, assert_all};

/// Words that no version has known, and what only looks like one that it knows.
const UNKNOWN: [&str; 6] = [
    "",
    "of a later version",
    "Allow",
    " allow",
    "allow\0",
    "READ",
];

/// All values are there, each is written as its word, and reads back from it.
#[track_caller]
fn check<T>(all: &[T], word: impl Fn(T) -> &'static str, parse: impl Fn(&str) -> T)
where
    T: Cases + Copy + Debug + PartialEq + Serialize + DeserializeOwned,
{
    assert_all(all);
    for value in all {
        let text = word(*value);
        assert_eq!(serde_json::to_value(value).unwrap(), text);
        assert_eq!(parse(text), *value);
        let quoted = format!("{text:?}");
        assert_eq!(serde_json::from_str::<T>(&quoted).unwrap(), *value);
    }
    for unknown in UNKNOWN {
        assert!(serde_json::from_str::<T>(&format!("{unknown:?}")).is_err());
    }
}

#[test]
fn stored_words_equal_wire_words() {
    check(&RunStatus::ALL, RunStatus::as_str, |text| {
        RunStatus::parse(text).unwrap()
    });
    check(&StepStatus::ALL, StepStatus::as_str, |text| {
        StepStatus::parse(text).unwrap()
    });
    check(&CallStatus::ALL, CallStatus::as_str, |text| {
        CallStatus::parse(text).unwrap()
    });
    check(&ApprovalStatus::ALL, ApprovalStatus::as_str, |text| {
        ApprovalStatus::parse(text).unwrap()
    });
    check(&RunReason::ALL, RunReason::as_str, |text| {
        RunReason::parse(text).unwrap()
    });
    check(&ErrorClass::ALL, ErrorClass::as_str, ErrorClass::parse);
    check(&EffectClass::ALL, EffectClass::as_str, EffectClass::parse);
    check(&Dialect::ALL, Dialect::as_str, |text| {
        Dialect::parse(text).unwrap()
    });
    check(&Verdict::ALL, Verdict::as_str, Verdict::parse);
    check(
        &RecoveryPolicy::ALL,
        RecoveryPolicy::as_str,
        RecoveryPolicy::parse,
    );
    let kinds = [BlockKind::Text, BlockKind::Reasoning, BlockKind::Arguments];
    check(&kinds, BlockKind::as_str, |text| {
        BlockKind::parse(text).unwrap()
    });
}

/// STO-9: never allow, never run again, never go on by itself.
#[test]
fn an_unknown_word_is_read_as_the_careful_one() {
    for unknown in UNKNOWN {
        assert_eq!(Verdict::parse(unknown), Verdict::Ask, "{unknown:?}");
        assert_eq!(
            EffectClass::parse(unknown),
            EffectClass::Once,
            "{unknown:?}"
        );
        assert_eq!(
            RecoveryPolicy::parse(unknown),
            RecoveryPolicy::Ask,
            "{unknown:?}"
        );
        assert_eq!(
            ErrorClass::parse(unknown),
            ErrorClass::Internal,
            "{unknown:?}"
        );
        assert!(!ErrorClass::parse(unknown).is_transient());
        assert!(RunStatus::parse(unknown).is_err(), "{unknown:?}");
        assert!(StepStatus::parse(unknown).is_err(), "{unknown:?}");
        assert!(CallStatus::parse(unknown).is_err(), "{unknown:?}");
        assert!(ApprovalStatus::parse(unknown).is_err(), "{unknown:?}");
        assert_eq!(RunReason::parse(unknown), None, "{unknown:?}");
        assert_eq!(BlockKind::parse(unknown), None, "{unknown:?}");
    }
}

/// Only what may succeed by itself later, and only what is a limit.
#[test]
fn classes_and_reasons_are_sorted() {
    let transient: Vec<_> = ErrorClass::ALL
        .into_iter()
        .filter(|class| class.is_transient())
        .map(ErrorClass::as_str)
        .collect();
    assert_eq!(
        transient,
        ["rate_limit", "overloaded", "network", "timeout"]
    );
    let limits: Vec<_> = RunReason::ALL
        .into_iter()
        .filter(|reason| reason.is_limit())
        .map(RunReason::as_str)
        .collect();
    assert_eq!(
        limits,
        ["step_limit", "time_limit", "token_limit", "cost_limit"]
    );
}

/// Words that are only sent.
#[test]
fn sent_words_are_pinned() {
    fn sent<T: Cases + Serialize>(all: &[T]) -> Vec<serde_json::Value> {
        assert_all(all);
        all.iter()
            .map(|value| serde_json::to_value(value).unwrap())
            .collect()
    }
    let kinds = [
        AttentionKind::Interrupted,
        AttentionKind::Waiting,
        AttentionKind::InDoubt,
        AttentionKind::Stopped,
        AttentionKind::Failed,
    ];
    assert_eq!(
        sent(&kinds),
        ["interrupted", "waiting", "in_doubt", "stopped", "failed"]
    );
    let actions = [
        AttentionAction::Resume,
        AttentionAction::Decide,
        AttentionAction::Retry,
        AttentionAction::Discard,
    ];
    assert_eq!(sent(&actions), ["resume", "decide", "retry", "discard"]);
    assert_eq!(sent(&[Role::User, Role::Agent]), ["user", "agent"]);
    let statuses = [
        MessageStatus::Complete,
        MessageStatus::Partial,
        MessageStatus::Unreadable,
    ];
    assert_eq!(sent(&statuses), ["complete", "partial", "unreadable"]);
    let kinds = [
        AttachmentKind::Image,
        AttachmentKind::Text,
        AttachmentKind::Pdf,
    ];
    assert_eq!(sent(&kinds), ["image", "text", "pdf"]);
    assert_eq!(kinds.map(AttachmentKind::as_str), ["image", "text", "pdf"]);
    let formats = [ExportFormat::Json, ExportFormat::Markdown];
    assert_eq!(sent(&formats), ["json", "markdown"]);
}
