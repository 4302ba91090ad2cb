//! Questions to the person: asked in rounds, answered once, used once.

use std::thread;

use protocol::{ApprovalStatus, ApprovalView, Decision};
use store::{Change, Error, Store};

use crate::fixture::{Place, barrier};
use crate::raw;
use crate::sample_call::{answer, ask, call_id, decide, question, with_calls};

fn approval(store: &Store, number: u64) -> Option<ApprovalView> {
    let found = store.read(|reader| reader.call(call_id(number))).unwrap();
    found.unwrap().view.approval
}

/// APR-2: many answers at once; one is recorded, and the others are told that it was.
#[test]
fn of_many_decisions_one_is_recorded() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 1))).unwrap();
    store.apply(barrier(vec![ask(call_id(100), 1)])).unwrap();
    let results: Vec<Result<(), Error>> = thread::scope(|scope| {
        let callers: Vec<_> = (0..16)
            .map(|caller| {
                let store = &store;
                let to = if caller % 2 == 0 {
                    ApprovalStatus::Allowed
                } else {
                    ApprovalStatus::Denied
                };
                scope.spawn(move || store.apply(barrier(vec![decide(call_id(100), 1, to)])))
            })
            .collect();
        callers
            .into_iter()
            .map(|caller| caller.join().unwrap())
            .collect()
    });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for result in results.into_iter().filter(Result::is_err) {
        assert!(matches!(result, Err(Error::Conflict(_))), "{result:?}");
    }
    let first = approval(&store, 100).unwrap();
    let recorded = first.decision.clone().unwrap().decision;
    if first.status == ApprovalStatus::Allowed {
        assert_eq!(recorded, Decision::AllowOnce {});
    } else {
        assert_eq!(first.status, ApprovalStatus::Denied);
        assert!(matches!(recorded, Decision::Deny { .. }), "{recorded:?}");
    }
}

/// APR-7: who decided what, when and from where is kept, in every form a decision can have.
#[test]
fn every_decision_reads_back() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 1))).unwrap();
    let decisions = [
        Decision::AllowOnce {},
        Decision::AllowInSession {
            pattern: Some("notes/*".to_owned()),
        },
        Decision::AllowAlways { pattern: None },
        Decision::EditAndAllow {
            arguments: "{ \"path\":\t\"b\" }".to_owned(),
        },
        Decision::Deny { reason: None },
    ];
    for (round, decision) in (1..).zip(decisions) {
        let to = if matches!(decision, Decision::Deny { .. }) {
            ApprovalStatus::Denied
        } else {
            ApprovalStatus::Allowed
        };
        let mut asked = question(round);
        asked.expires_at_ms = Some(90);
        store
            .apply(barrier(vec![
                Change::AddApproval {
                    call_id: call_id(100),
                    approval: asked.clone(),
                },
                Change::DecideApproval {
                    call_id: call_id(100),
                    round,
                    to,
                    decision: Some(answer(decision.clone())),
                },
            ]))
            .unwrap();
        let expected = ApprovalView {
            status: to,
            decision: Some(answer(decision)),
            ..asked
        };
        assert_eq!(approval(&store, 100), Some(expected));
    }
}

/// RUN-7: from every status to every status; an answer stands.
#[test]
fn approvals_move_along_their_table_and_no_other_way() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 36))).unwrap();
    let mut number = 100;
    for from in ApprovalStatus::ALL {
        for to in ApprovalStatus::ALL {
            let id = call_id(number);
            number += 1;
            store.apply(barrier(vec![ask(id, 1)])).unwrap();
            if from != ApprovalStatus::Pending {
                store.apply(barrier(vec![decide(id, 1, from)])).unwrap();
            }
            let before = raw::rows(&place.database());
            let moved = store.apply(barrier(vec![decide(id, 1, to)]));
            if from.may_become(to) {
                moved.unwrap();
            } else {
                // To pending there is no way; out of an answer there is none either.
                let error = moved.unwrap_err();
                if to == ApprovalStatus::Pending {
                    assert!(matches!(error, Error::IllegalMove(_)), "{error}");
                } else {
                    assert!(matches!(error, Error::Conflict(_)), "{error}");
                }
                assert!(before == raw::rows(&place.database()), "{from:?} {to:?}");
            }
        }
    }
}

/// APR-1, APR-3: rounds follow each other, one is open at a time, and only what was allowed is used,
/// once.
#[test]
fn a_question_out_of_turn_is_refused() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 2))).unwrap();
    let id = call_id(100);
    let consume = |round| Change::ConsumeApproval {
        call_id: id,
        round,
        at_ms: 70,
    };
    let refused = |change: Change| {
        let before = raw::rows(&place.database());
        let error = store.apply(barrier(vec![change.clone()])).unwrap_err();
        assert!(matches!(error, Error::Conflict(_)), "{change:?}: {error:?}");
        assert!(before == raw::rows(&place.database()), "{change:?}");
    };
    let accepted = |change| store.apply(barrier(vec![change])).unwrap();
    refused(ask(id, 2));
    accepted(ask(id, 1));
    refused(ask(id, 1));
    refused(ask(id, 2));
    refused(consume(1));
    refused(decide(id, 2, ApprovalStatus::Allowed));
    accepted(decide(id, 1, ApprovalStatus::Denied));
    refused(consume(1));
    accepted(ask(id, 2));
    accepted(decide(id, 2, ApprovalStatus::Allowed));
    accepted(consume(2));
    refused(consume(2));
    refused(decide(call_id(404), 1, ApprovalStatus::Allowed));
    refused(ask(call_id(404), 1));
    assert_eq!(approval(&store, 101), None);
    let mut answered = question(1);
    answered.status = ApprovalStatus::Allowed;
    let error = store
        .apply(barrier(vec![Change::AddApproval {
            call_id: call_id(101),
            approval: answered,
        }]))
        .unwrap_err();
    assert!(matches!(error, Error::IllegalMove(_)), "{error:?}");
}
