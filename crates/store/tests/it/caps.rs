//! STO-16: what is larger than its cap is refused before the insert, and what is exactly as large is
//! kept.

use protocol::{ApprovalStatus, CallPreview, CallStatus, Decision, ToolResult};
use store::{CallRow, Change, Error, StateChange, Store};

use crate::fixture::{Place, barrier};
use crate::raw;
use crate::sample::{message_id, new_run, run_id, session_id};
use crate::sample_call::{answer, ask, call, call_id, with_calls};
use crate::sample_whole::{at, checkpoint, enqueue};

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// Refused with a byte more, and accepted without it.
fn has_cap(store: &Store, place: &Place, cap: usize, change: impl Fn(usize) -> Change) {
    let before = raw::rows(&place.database());
    let error = store
        .apply(barrier(vec![change(cap + 1)]))
        .expect_err("over its cap");
    assert!(
        matches!(error, Error::TooLarge { cap_bytes, .. } if cap_bytes == cap),
        "{error:?}"
    );
    assert!(!error.is_retryable());
    assert!(
        before == raw::rows(&place.database()),
        "nothing was written"
    );
    store.apply(barrier(vec![change(cap)])).unwrap();
}

fn text(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// A JSON text of so many bytes.
fn quoted(bytes: usize) -> String {
    format!("\"{}\"", text(bytes - 2))
}

fn opened() -> (Place, Store) {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 6))).unwrap();
    (place, store)
}

fn saved(ordinal: u32, change: impl Fn(&mut CallRow)) -> Change {
    let mut row = at(call(1, ordinal), 1, CallStatus::Ready);
    change(&mut row);
    Change::SaveCall {
        call: Box::new(row),
        from: CallStatus::Proposed,
        result_whole: None,
    }
}

#[test]
fn calls_have_caps() {
    let (place, store) = opened();
    has_cap(&store, &place, MIB, |bytes| {
        saved(0, |row| row.view.arguments = text(bytes))
    });
    has_cap(&store, &place, MIB, |bytes| {
        saved(1, |row| row.view.proposed_arguments = Some(text(bytes)))
    });
    let result = |bytes| ToolResult {
        text: text(bytes),
        is_error: false,
        class: None,
        total_bytes: bytes as u64,
    };
    has_cap(&store, &place, 256 * KIB, |bytes| {
        saved(2, |row| row.view.result = Some(result(bytes)))
    });
    has_cap(&store, &place, 8 * MIB, |bytes| {
        let mut row = at(call(1, 3), 1, CallStatus::Failed);
        row.view.result = Some(result(4));
        Change::SaveCall {
            call: Box::new(row),
            from: CallStatus::Proposed,
            result_whole: Some(text(bytes)),
        }
    });
    let around = r#"{"summary":""}"#.len();
    has_cap(&store, &place, 4 * MIB, |bytes| {
        saved(4, |row| {
            row.view.preview = Some(CallPreview {
                summary: text(bytes - around),
                subject: None,
                parts: Vec::new(),
            });
        })
    });
}

#[test]
fn before_images_have_a_cap() {
    let (place, store) = opened();
    has_cap(&store, &place, 32 * MIB, |bytes| Change::AddCheckpoint {
        call_id: call_id(100),
        checkpoint: checkpoint("large.bin", Some(&vec![7; bytes])),
    });
}

#[test]
fn state_has_caps() {
    let (place, store) = opened();
    let remove = |key| StateChange::Remove { key };
    let around = r#"{"type":"remove","key":""}"#.len();
    has_cap(&store, &place, MIB, |bytes| Change::StageState {
        call_id: call_id(100),
        changes: vec![remove(text(bytes - around))],
    });
    let half = |call, bytes: usize| Change::StageState {
        call_id: call_id(call),
        changes: vec![StateChange::Append {
            key: "list".to_owned(),
            value: serde_json::Value::from(text(bytes)),
        }],
    };
    // Two of them and what stands around them: ["…","…"].
    store
        .apply(barrier(vec![half(101, MIB / 2), half(102, MIB / 2 - 6)]))
        .unwrap();
    let merge = Change::MergeState {
        session_id: session_id(1),
        message_id: message_id(100),
    };
    let error = store.apply(barrier(vec![merge.clone()])).unwrap_err();
    assert!(
        matches!(error, Error::TooLarge { cap_bytes: MIB, .. }),
        "{error:?}"
    );
    let left = raw::number(&place.database(), "SELECT count(*) FROM staged_state", []);
    assert_eq!(left, 3, "what was staged is not lost");
    let (place, store) = opened();
    store
        .apply(barrier(vec![
            half(101, MIB / 2),
            half(102, MIB / 2 - 7),
            merge,
        ]))
        .unwrap();
    let bytes = raw::number(&place.database(), "SELECT length(value) FROM state", []);
    assert_eq!(usize::try_from(bytes).unwrap(), MIB);
}

#[test]
fn pins_queues_and_decisions_have_caps() {
    let (place, store) = opened();
    has_cap(&store, &place, MIB, |bytes| {
        enqueue(session_id(1), message_id(150), &text(bytes))
    });
    has_cap(&store, &place, MIB, |bytes| Change::EditQueued {
        message_id: message_id(150),
        text: text(bytes),
    });
    store.apply(barrier(vec![ask(call_id(100), 1)])).unwrap();
    let around = r#"{"type":"deny","reason":""}"#.len();
    has_cap(&store, &place, 6 * MIB + 64 * KIB, |bytes| {
        Change::DecideApproval {
            call_id: call_id(100),
            round: 1,
            to: ApprovalStatus::Denied,
            decision: Some(answer(Decision::Deny {
                reason: Some(text(bytes - around)),
            })),
        }
    });
    let stop = crate::sample::move_run(
        run_id(1),
        protocol::RunStatus::Running,
        protocol::RunStatus::Stopped,
    );
    store.apply(barrier(vec![stop])).unwrap();
    has_cap(&store, &place, 4 * MIB, |bytes| {
        let mut run = new_run(run_id(2), session_id(1), message_id(1));
        run.pin = Some(quoted(bytes));
        Change::CreateRun(run)
    });
}
