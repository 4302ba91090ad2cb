//! A decision, an intent and an outcome that were answered are there after the process was ended.

use std::path::Path;

use protocol::{ApprovalStatus, CallStatus, Decision, StepStatus};
use store::{CallRow, Change, StepKind, Store};

use crate::child::{Running, say};
use crate::fixture::{Dice, Place, barrier, open_when_free};
use crate::sample::{end_attempt, move_step, run_id, session_id, start_attempt, step_id};
use crate::sample_call::{add_call, ask, call, call_id, decide, save_call, with_calls};
use crate::sample_whole::{at, checkpoint};

/// Calls are counted from 0 over all rounds; ids are made of their number.
fn row(number: u32) -> CallRow {
    let mut row = call(1, number);
    row.step_id = Some(step_id(1_000 + u64::from(number)));
    row
}

fn id(number: u32) -> protocol::CallId {
    call_id(100 + u64::from(number))
}

/// In the child: one call after the other from its question to its end, each commit a barrier that
/// is told once it is answered.
pub(crate) fn call_for_ever(folder: &Path) {
    let store = open_when_free(folder);
    if store
        .read(|reader| reader.session_state(session_id(1)))
        .unwrap()
        .is_none()
    {
        store.apply(barrier(with_calls(1, 0))).unwrap();
    }
    let known = store
        .read(|reader| reader.call_rows_of_path(session_id(1)))
        .unwrap();
    for number in u32::try_from(known.len()).unwrap().. {
        one_call(&store, number);
    }
}

fn one_call(store: &Store, number: u32) {
    let step = step_id(1_000 + u64::from(number));
    let tell = |changes: Vec<Change>, what: &str| {
        store.apply(barrier(changes)).unwrap();
        say(&format!("{what} {number}"));
    };
    tell(
        vec![
            add_call(call(1, number)),
            save_call(
                at(call(1, number), 1, CallStatus::Waiting),
                CallStatus::Proposed,
            ),
            ask(id(number), 1),
        ],
        "asked",
    );
    tell(
        vec![
            decide(id(number), 1, ApprovalStatus::Allowed),
            save_call(
                at(call(1, number), 2, CallStatus::Ready),
                CallStatus::Waiting,
            ),
        ],
        "decided",
    );
    tell(
        vec![
            Change::ConsumeApproval {
                call_id: id(number),
                round: 1,
                at_ms: 30,
            },
            Change::CreateStep {
                step_id: step,
                run_id: run_id(1),
                kind: StepKind::ToolCall,
                at_ms: 30,
            },
            move_step(step, StepStatus::Planned, StepStatus::Running),
            start_attempt(step, 1),
            Change::AddCheckpoint {
                call_id: id(number),
                checkpoint: checkpoint("notes.md", Some(&number.to_le_bytes())),
            },
            save_call(at(row(number), 3, CallStatus::Running), CallStatus::Ready),
        ],
        "started",
    );
    tell(
        vec![
            end_attempt(step, 0, StepStatus::Completed),
            move_step(step, StepStatus::Running, StepStatus::Completed),
            save_call(
                at(row(number), 4, CallStatus::Completed),
                CallStatus::Running,
            ),
        ],
        "ended",
    );
}

/// APR-1, EFF-2, STO-3: fifteen times the process is ended between two instructions. What was
/// answered is there whole: no decision without its recorded answer, no start without its intent,
/// its attempt and its before-image, no end without its result.
#[test]
fn decisions_intents_and_outcomes_survive_the_end_of_the_process() {
    let place = Place::new();
    let mut dice = Dice(0x0ca_11ed);
    for round in 0..15 {
        let mut child = Running::start("call_for_ever", place.folder.root());
        let wanted = 1 + dice.roll(30);
        let mut said: Vec<String> = (0..wanted)
            .map(|_| child.heard().expect("the child goes on"))
            .collect();
        said.extend(child.kill());
        let store = place.open();
        for line in &said {
            let (what, number) = line.split_once(' ').unwrap();
            check(&store, what, number.parse().unwrap());
        }
        let violations = store
            .read(|reader| reader.violations(&[session_id(1)]))
            .unwrap();
        assert_eq!(violations, [], "round {round}");
        // Not closed: the next round begins after a crash as well.
        drop(store);
    }
}

fn check(store: &Store, what: &str, number: u32) {
    let found = store.read(|reader| reader.call(id(number))).unwrap();
    let row = found.expect("an answered call is there");
    let approval = row.view.approval.as_ref().expect("with its question");
    let is_started = row.view.bodies > 0 || row.step_id.is_some();
    // What came after may have been written as well: the process went on while it was ended.
    let reached = match what {
        "asked" => 2,
        "decided" => 3,
        "started" => 4,
        "ended" => 5,
        other => panic!("{other}"),
    };
    assert!(row.revision >= reached, "{what} {number}: {row:?}");
    if reached >= 3 {
        assert_eq!(approval.status, ApprovalStatus::Allowed);
        let decision = approval.decision.as_ref().expect("with the answer");
        assert_eq!(decision.decision, Decision::AllowOnce {});
    }
    if reached >= 4 {
        assert!(is_started && row.attempt == 1, "{row:?}");
        assert_eq!(approval.consumed_at_ms, Some(30));
        let images = store
            .read(|reader| reader.checkpoints_of_call(id(number)))
            .unwrap();
        assert_eq!(images[0].before.as_deref(), Some(&number.to_le_bytes()[..]));
    }
    if reached >= 5 {
        assert_eq!(row.view.status, CallStatus::Completed);
        assert!(row.view.result.is_some());
    }
}
