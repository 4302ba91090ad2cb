//! Branches: the history that is shown is the way from its branch back to the beginning.

use protocol::RunStatus;
use store::{Change, Error, Store};

use crate::fixture::{Place, barrier};
use crate::raw;
use crate::sample::{
    add_message, create_session, message, message_id, move_run, new_run, run_id, session_id,
};
use crate::sample_call::{add_call, call};
use crate::sample_whole::start_branch;

fn add(branch: u32, position: u64) -> Change {
    let id = message_id(u64::from(branch) * 100 + position);
    let mut one = message(id, position, &format!("{branch}.{position}"));
    one.branch = branch;
    add_message(session_id(1), one)
}

fn select(from: u32, to: u32) -> Change {
    Change::SelectBranch {
        session_id: session_id(1),
        from,
        to,
    }
}

fn shown(store: &Store) -> String {
    let (messages, has_earlier) = store
        .read(|reader| reader.messages_before(session_id(1), u64::MAX, 1_000))
        .unwrap();
    assert!(!has_earlier);
    let texts: Vec<String> = messages.iter().map(protocol::Message::text).collect();
    for (position, message) in (1..).zip(&messages) {
        assert_eq!(message.position, position);
    }
    texts.join(" ")
}

fn count(store: &Store) -> u64 {
    let state = store
        .read(|reader| reader.session_state(session_id(1)))
        .unwrap();
    state.unwrap().message_count
}

/// Four branches: 1 leaves 0 at 3, 2 leaves 1 at 5, 3 leaves 2 at 2, which is before either began.
fn nested(store: &Store) {
    let apply = |changes| store.apply(barrier(changes)).unwrap();
    apply(vec![create_session(session_id(1))]);
    apply((1..=5).map(|position| add(0, position)).collect());
    apply(vec![start_branch(session_id(1), 1, 0, 3)]);
    apply((3..=6).map(|position| add(1, position)).collect());
    apply(vec![start_branch(session_id(1), 2, 1, 5)]);
    apply((5..=5).map(|position| add(2, position)).collect());
    apply(vec![start_branch(session_id(1), 3, 2, 2), add(3, 2)]);
}

const PATHS: [&str; 4] = [
    "0.1 0.2 0.3 0.4 0.5",
    "0.1 0.2 1.3 1.4 1.5 1.6",
    "0.1 0.2 1.3 1.4 2.5",
    "0.1 3.2",
];

/// RUN-23, STO-15: every branch stays reachable, shows its own way, and counts it.
#[test]
fn the_path_of_a_branch_goes_through_its_parents() {
    let place = Place::new();
    let store = place.open();
    nested(&store);
    assert_eq!(shown(&store), PATHS[3]);
    let mut at = 3;
    for to in [0, 1, 2, 3, 2, 1, 0, 0] {
        store.apply(barrier(vec![select(at, to)])).unwrap();
        assert_eq!(shown(&store), PATHS[to as usize]);
        assert_eq!(
            count(&store),
            PATHS[to as usize].split(' ').count() as u64,
            "{to}"
        );
        let violations = store
            .read(|reader| reader.violations(&[session_id(1)]))
            .unwrap();
        assert_eq!(violations, []);
        at = to;
    }
    let branches = store.read(|reader| reader.branches(session_id(1))).unwrap();
    let seen: Vec<_> = branches
        .iter()
        .map(|one| (one.branch, one.parent, one.from_position))
        .collect();
    assert_eq!(
        seen,
        [
            (0, None, 1),
            (1, Some(0), 3),
            (2, Some(1), 5),
            (3, Some(2), 2)
        ]
    );
}

/// A page may begin in one branch and end in another.
#[test]
fn pages_go_over_the_seams() {
    let place = Place::new();
    let store = place.open();
    nested(&store);
    store.apply(barrier(vec![select(3, 2)])).unwrap();
    let page = |before, limit| {
        let (messages, has_earlier) = store
            .read(|reader| reader.messages_before(session_id(1), before, limit))
            .unwrap();
        let texts: Vec<String> = messages.iter().map(protocol::Message::text).collect();
        (texts.join(" "), has_earlier)
    };
    assert_eq!(page(100, 2), ("1.4 2.5".to_owned(), true));
    assert_eq!(page(4, 2), ("0.2 1.3".to_owned(), true));
    assert_eq!(page(2, 2), ("0.1".to_owned(), false));
    assert_eq!(page(1, 2), (String::new(), false));
    assert_eq!(page(100, 0), (String::new(), false));
}

/// STO-4: a branch leaves the one that is shown, as it is shown; a message goes to its end.
#[test]
fn a_branch_from_another_state_is_a_conflict() {
    let place = Place::new();
    let store = place.open();
    nested(&store);
    let before = raw::rows(&place.database());
    let stale = [
        start_branch(session_id(1), 4, 2, 2),
        start_branch(session_id(1), 3, 3, 2),
        start_branch(session_id(1), 5, 3, 2),
        start_branch(session_id(1), 4, 3, 4),
        start_branch(session_id(404), 1, 0, 1),
        select(2, 0),
        select(3, 7),
        add(0, 3),
        add(3, 2),
        add(3, 4),
    ];
    for change in stale {
        let error = store.apply(barrier(vec![change.clone()])).unwrap_err();
        assert!(matches!(error, Error::Conflict(_)), "{change:?}: {error:?}");
        assert!(before == raw::rows(&place.database()), "{change:?}");
    }
    store
        .apply(barrier(vec![start_branch(session_id(1), 4, 3, 3)]))
        .unwrap();
    assert_eq!(count(&store), 2, "nothing of its own yet");
    store
        .apply(barrier(vec![select(4, 0), select(0, 4)]))
        .unwrap();
    assert_eq!((count(&store), shown(&store)), (2, PATHS[3].to_owned()));
}

/// STO-15: the newest run is that of the branch that is shown, by time and then by id; the calls are
/// those of its path.
#[test]
fn runs_and_calls_follow_the_branch_that_is_shown() {
    let place = Place::new();
    let store = place.open();
    nested(&store);
    let run = |number, branch, at_ms| {
        let mut run = new_run(run_id(number), session_id(1), message_id(1));
        run.branch = branch;
        run.at_ms = at_ms;
        let over = move_run(run_id(number), RunStatus::Running, RunStatus::Completed);
        vec![Change::CreateRun(run), over]
    };
    let asked = |number, branch: u64, position| {
        let mut row = call(1, 0);
        row.view.call_id = crate::sample_call::call_id(number);
        row.view.message_id = message_id(branch * 100 + position);
        row.view.run_id = run_id(number);
        vec![add_call(row)]
    };
    let apply = |changes| store.apply(barrier(changes)).unwrap();
    apply(run(1, 3, 10));
    apply(
        [
            vec![select(3, 1)],
            run(3, 1, 20),
            run(2, 1, 20),
            asked(2, 1, 6),
        ]
        .concat(),
    );
    apply([vec![select(1, 0)], run(4, 0, 5), asked(4, 0, 2)].concat());
    apply([vec![select(0, 2)], asked(3, 1, 4)].concat());
    let seen = |at, to| {
        apply(vec![select(at, to)]);
        let (state, calls) = store
            .read(|reader| {
                Ok((
                    reader.session_state(session_id(1))?.unwrap(),
                    reader.call_rows_of_path(session_id(1))?,
                ))
            })
            .unwrap();
        let calls: Vec<_> = calls.into_iter().map(|call| call.view.run_id).collect();
        (state.run.map(|run| run.run_id), calls)
    };
    let runs = |numbers: &[u64]| numbers.iter().copied().map(run_id).collect::<Vec<_>>();
    assert_eq!(seen(2, 0), (Some(run_id(4)), runs(&[4])));
    assert_eq!(seen(0, 1), (Some(run_id(3)), runs(&[4, 3, 2])));
    assert_eq!(seen(1, 2), (None, runs(&[4, 3])));
    assert_eq!(seen(2, 3), (Some(run_id(1)), runs(&[])));
    let elsewhere = run(9, 0, 30);
    let error = store.apply(barrier(elsewhere)).unwrap_err();
    assert!(matches!(error, Error::Conflict(_)), "{error:?}");
}
