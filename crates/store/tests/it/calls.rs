//! Tool calls: written whole, moved along their table, read with all that belongs to them.

use protocol::{ApprovalStatus, CallStatus, FileChange, MessageStatus, ToolResult};
use store::{CallRow, Change, Error, Store};

use crate::fixture::{Place, barrier};
use crate::raw;
use crate::sample::{create_session, message_id, run_id, session_id, step_id, stored};
use crate::sample_call::{
    add_call, answer, ask, call, call_id, decide, full_call, question, save_call, start_body,
    with_calls,
};
use crate::sample_whole::{at, checkpoint, delete_session, everything};

fn read(store: &Store, number: u64) -> CallRow {
    store
        .read(|reader| reader.call(call_id(number)))
        .unwrap()
        .unwrap()
}

fn result(text: &str, total_bytes: u64) -> ToolResult {
    ToolResult {
        text: text.to_owned(),
        is_error: false,
        class: None,
        total_bytes,
    }
}

/// EFF-2: a call is read as it was written, with its question, its files and its attempt, and with
/// the hash of exactly the arguments that would run.
#[test]
fn a_call_reads_back_as_it_was_written() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 1))).unwrap();
    store.apply(barrier(start_body(1))).unwrap();
    let mut expected = call(1, 0);
    expected.revision = 1;
    assert_eq!(read(&store, 100), expected);

    let mut full = full_call(1, 1);
    full.attempt = 1;
    store
        .apply(barrier(vec![
            add_call(full.clone()),
            ask(call_id(101), 1),
            decide(call_id(101), 1, ApprovalStatus::Superseded),
            ask(call_id(101), 2),
            decide(call_id(101), 2, ApprovalStatus::Allowed),
            Change::ConsumeApproval {
                call_id: call_id(101),
                round: 2,
                at_ms: 23,
            },
            Change::AddCheckpoint {
                call_id: call_id(101),
                checkpoint: checkpoint("notes.md", Some(b"before")),
            },
        ]))
        .unwrap();
    full.revision = 1;
    let mut approval = question(2);
    approval.status = ApprovalStatus::Allowed;
    approval.decision = Some(answer(protocol::Decision::AllowOnce {}));
    approval.consumed_at_ms = Some(23);
    full.view.approval = Some(approval);
    full.view.files = vec![FileChange {
        path: "notes.md".to_owned(),
        before: Some(blake3_of(b"before")),
        after: "04".repeat(32),
        undone_at_ms: None,
    }];
    assert_eq!(read(&store, 101), full);

    let stored_call = raw::number(
        &place.database(),
        "SELECT count(*) FROM tool_calls
         WHERE id = ?1 AND effect_key = ?2 AND hex(argument_hash) = upper(?3)",
        (
            stored(call_id(101).uuid()),
            call_id(101).to_string(),
            blake3_of(full.view.arguments.as_bytes()),
        ),
    );
    assert_eq!(stored_call, 1);
}

fn blake3_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// RUN-7: from every status to every status; what the table does not allow changes nothing, and a
/// change without a move is none.
#[test]
fn calls_move_along_their_table_and_no_other_way() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 0))).unwrap();
    let mut ordinal = 0;
    for from in CallStatus::ALL {
        for to in CallStatus::ALL {
            let row = call(1, ordinal);
            ordinal += 1;
            store
                .apply(barrier(vec![add_call(at(row.clone(), 0, from))]))
                .unwrap();
            let before = raw::rows(&place.database());
            let moved = store.apply(barrier(vec![save_call(at(row, 1, to), from)]));
            if from == to || from.may_become(to) {
                moved.unwrap();
                let now = read(&store, 100 + u64::from(ordinal) - 1);
                assert_eq!((now.view.status, now.revision), (to, 2));
            } else {
                assert!(
                    matches!(moved, Err(Error::IllegalMove(_))),
                    "{from:?} {to:?}"
                );
                assert!(before == raw::rows(&place.database()), "{from:?} {to:?}");
            }
        }
    }
}

/// STO-4: what was decided on an older state of a call is refused, whichever of the two differs.
#[test]
fn a_call_that_changed_meanwhile_is_not_overwritten() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 1))).unwrap();
    let ready = at(call(1, 0), 1, CallStatus::Ready);
    store
        .apply(barrier(vec![save_call(
            ready.clone(),
            CallStatus::Proposed,
        )]))
        .unwrap();
    let before = raw::rows(&place.database());
    let stale = [
        save_call(ready, CallStatus::Proposed),
        save_call(at(call(1, 0), 1, CallStatus::Running), CallStatus::Ready),
        save_call(at(call(1, 0), 2, CallStatus::Ready), CallStatus::Proposed),
        save_call(at(call(1, 0), 3, CallStatus::Running), CallStatus::Ready),
        add_call(call(1, 0)),
    ];
    for change in stale {
        let error = store.apply(barrier(vec![change.clone()])).unwrap_err();
        assert!(matches!(error, Error::Conflict(_)), "{change:?}: {error:?}");
        assert!(before == raw::rows(&place.database()));
    }
}

/// A result that is cut can be read whole, piece by piece, never through a character.
#[test]
fn a_long_result_is_read_in_pieces_between_characters() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 2))).unwrap();
    let piece = |number, offset, max| {
        store
            .read(|reader| reader.result_piece(call_id(number), offset, max))
            .unwrap()
    };
    assert_eq!(piece(100, 0, 10), None, "no result yet");
    assert_eq!(piece(404, 0, 10), None, "no such call");
    let whole = "tide: ~äß→𝄞 ".repeat(50);
    let mut over = at(call(1, 0), 1, CallStatus::Failed);
    over.view.result = Some(result("tide", whole.len() as u64));
    store
        .apply(barrier(vec![Change::SaveCall {
            call: Box::new(over.clone()),
            from: CallStatus::Proposed,
            result_whole: Some(whole.clone()),
        }]))
        .unwrap();
    // A later change of the call, as when a file of it is undone, keeps the whole.
    over.revision = 2;
    store
        .apply(barrier(vec![save_call(over, CallStatus::Failed)]))
        .unwrap();
    for max in [1, 3, 4, 5, 7, 64, 10_000] {
        let mut read = String::new();
        while (read.len() as u64) < whole.len() as u64 {
            let (text, total) = piece(100, read.len() as u64, max).unwrap();
            assert_eq!(total, whole.len() as u64);
            assert!(!text.is_empty() && text.len() as u64 <= max.max(4));
            read.push_str(&text);
        }
        assert_eq!(read, whole, "pieces of {max}");
    }
    let past = (String::new(), whole.len() as u64);
    assert_eq!(piece(100, 1 << 40, 10), Some(past));
    let inside = whole.find('→').unwrap() as u64 + 1;
    assert!(piece(100, inside, 8).unwrap().0.starts_with('𝄞'));

    let mut short = at(call(1, 1), 1, CallStatus::Failed);
    short.view.result = Some(result("", 0));
    store
        .apply(barrier(vec![save_call(short, CallStatus::Proposed)]))
        .unwrap();
    assert_eq!(piece(101, 0, 10), Some((String::new(), 0)));
    assert_eq!(read_text(&store, 101), Some(String::new()));
}

fn read_text(store: &Store, number: u64) -> Option<String> {
    read(store, number).view.result.map(|result| result.text)
}

/// Calls are read for the messages that are asked about, in their order, and of no other session.
#[test]
fn calls_are_listed_in_the_order_of_their_messages() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 3))).unwrap();
    store.apply(barrier(with_calls(2, 2))).unwrap();
    let ids = |calls: Vec<protocol::ToolCallView>| -> Vec<_> {
        calls.into_iter().map(|call| call.call_id).collect()
    };
    let of = |session, messages: &[protocol::MessageId]| {
        ids(store
            .read(|reader| reader.calls_of(session_id(session), messages))
            .unwrap())
    };
    let expected = [call_id(100), call_id(101), call_id(102)];
    assert_eq!(of(1, &[message_id(100), message_id(1)]), expected);
    assert_eq!(of(1, &[message_id(200)]), []);
    assert_eq!(of(1, &[]), []);
    let path = store
        .read(|reader| reader.call_rows_of_path(session_id(1)))
        .unwrap();
    let path: Vec<_> = path.iter().map(|call| call.view.call_id).collect();
    assert_eq!(path, expected);
    let asked = ["toolu_2_0", "toolu_1_0", "toolu_2_1"].map(str::to_owned);
    let taken = store
        .read(|reader| reader.provider_ids(session_id(2), &asked))
        .unwrap();
    let named = ["toolu_2_0", "toolu_2_1"].map(str::to_owned);
    assert_eq!(taken, named.into_iter().collect());
}

/// APR-8: what waits and what is in doubt can be asked for at any time, the oldest first, and not of
/// sessions that are deleted.
#[test]
fn open_calls_are_those_that_wait_or_are_in_doubt() {
    let place = Place::new();
    let store = place.open();
    for number in 1..=3 {
        store.apply(barrier(with_calls(number, 3))).unwrap();
        let [waits, doubted] =
            [(0, CallStatus::Waiting), (1, CallStatus::InDoubt)].map(|(ordinal, status)| {
                let row = at(call(number, ordinal), 1, CallStatus::Ready);
                let mut changes = vec![save_call(row, CallStatus::Proposed)];
                let mut next = at(call(number, ordinal), 2, status);
                if status == CallStatus::InDoubt {
                    next.view.status = CallStatus::Running;
                    changes.push(save_call(next.clone(), CallStatus::Ready));
                    next.revision = 3;
                    next.view.status = status;
                    next.view.doubt.clone_from(&full_call(1, 0).view.doubt);
                    changes.push(save_call(next, CallStatus::Running));
                } else {
                    changes.push(save_call(next, CallStatus::Ready));
                }
                changes
            });
        store.apply(barrier([waits, doubted].concat())).unwrap();
    }
    store
        .apply(barrier(vec![delete_session(session_id(3), Some(50))]))
        .unwrap();
    let open = |session| -> Vec<_> {
        let found = store.read(|reader| reader.open_calls(session)).unwrap();
        found.into_iter().map(|call| call.call_id).collect()
    };
    assert_eq!(open(Some(session_id(2))), [call_id(200), call_id(201)]);
    assert_eq!(open(Some(session_id(3))), []);
    assert_eq!(open(None), [100, 200, 101, 201].map(call_id));
    let state = store
        .read(|reader| reader.session_state(session_id(3)))
        .unwrap()
        .unwrap();
    assert_eq!(state.deleted_at_ms, Some(50));
    assert_eq!(state.doubts, [call_id(301)]);
    assert_eq!(state.run.unwrap().calls.len(), 3);
}

/// The state of a session holds the calls of the newest message that has any, and the newest model
/// call, whatever other steps came after it.
#[test]
fn a_session_state_holds_the_newest_calls_and_the_newest_model_call() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 2))).unwrap();
    store.apply(barrier(start_body(1))).unwrap();
    let state = store
        .read(|reader| reader.session_state(session_id(1)))
        .unwrap()
        .unwrap();
    let run = state.run.unwrap();
    assert_eq!(run.step.unwrap().step_id, step_id(1));
    let ordinals: Vec<u32> = run.calls.iter().map(|call| call.view.ordinal).collect();
    assert_eq!(ordinals, [0, 1]);
    assert_eq!(
        store
            .read(|reader| reader.live_step(session_id(1)))
            .unwrap(),
        None,
        "a body that runs streams nothing"
    );
    let (session, found) = store
        .read(|reader| reader.message(message_id(100)))
        .unwrap()
        .unwrap();
    assert_eq!((session, found.position), (session_id(1), 2));
    assert_eq!(found.status, MessageStatus::Complete);
}

/// EFF-9: the first before-image is the one to go back to; a change is undone once; files that held
/// the same share it.
#[test]
fn the_first_checkpoint_of_a_file_stays() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 2))).unwrap();
    let add = |call: u64, path: &str, before: Option<&[u8]>| Change::AddCheckpoint {
        call_id: call_id(call),
        checkpoint: checkpoint(path, before),
    };
    store
        .apply(barrier(vec![
            add(100, "a.md", Some(b"first")),
            add(100, "a.md", Some(b"second")),
            add(100, "b.md", None),
            add(100, "b.md", Some(b"third")),
            add(101, "c.md", Some(b"first")),
        ]))
        .unwrap();
    let undo = || {
        store.apply(barrier(vec![Change::MarkUndone {
            call_id: call_id(100),
            path: "a.md".to_owned(),
            at_ms: 60,
        }]))
    };
    undo().unwrap();
    assert!(matches!(undo(), Err(Error::Conflict(_))), "undone once");
    let mut undone = checkpoint("a.md", Some(b"first"));
    undone.undone_at_ms = Some(60);
    let of_first = [undone, checkpoint("b.md", None)];
    let of_second = [checkpoint("c.md", Some(b"first"))];
    store
        .read(|reader| {
            assert_eq!(reader.checkpoints_of_call(call_id(100))?, of_first);
            let of_run = reader.checkpoints_of_run(run_id(1))?;
            let expected: Vec<_> = of_second
                .iter()
                .map(|one| (call_id(101), one.clone()))
                .chain(of_first.iter().map(|one| (call_id(100), one.clone())))
                .collect();
            assert_eq!(of_run, expected, "the newest call first");
            Ok(())
        })
        .unwrap();
    let blobs = raw::number(&place.database(), "SELECT count(*) FROM blobs", []);
    assert_eq!(blobs, 1, "shared, and none that nobody goes back to");
}

/// A call belongs to what exists.
#[test]
fn a_call_of_nothing_is_a_conflict() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(everything(2))).unwrap();
    store
        .apply(barrier(vec![create_session(session_id(1))]))
        .unwrap();
    let error = store
        .apply(barrier(vec![add_call(call(1, 0))]))
        .unwrap_err();
    assert!(matches!(error, Error::Conflict(_)), "{error:?}");
}
