//! Branches: what is no longer on the shown one goes, and is not lost.

use protocol::BranchView;

use super::calls::asking;
use super::*;

fn branch(branch: u32, parent: Option<u32>, from_position: u64) -> BranchView {
    BranchView {
        branch,
        parent,
        from_position,
        created_at_ms: 1,
    }
}

/// RUN-23 and STR-4: rewound history tells the window to rewind.
#[test]
fn a_new_branch_drops_what_it_leaves() {
    let window = asking();
    let started = Event::BranchStarted {
        branch: branch(1, Some(0), 2),
    };
    window.events([(6, started)]);
    let session = window.store.session();
    let seen = window.seen();
    assert_eq!(
        seen.messages,
        [(Role::User, "Hello".to_owned(), Cut::Whole)]
    );
    assert_eq!((seen.live, seen.sync), (None, SyncState::Current));
    assert_eq!(session.calls().get_untracked(), []);
    assert_eq!(session.branch().get_untracked(), 1);
    let numbers: Vec<u32> = session
        .branches()
        .get_untracked()
        .iter()
        .map(|branch| branch.branch)
        .collect();
    assert_eq!(numbers, [0, 1]);
    // What follows is of the new branch.
    let reply = Message {
        branch: 1,
        ..message(2, Role::Agent, "Again.")
    };
    window.events([(7, step_started(2)), (8, step_completed(2, reply))]);
    assert_eq!(window.seen().messages.len(), 2);
}

/// The messages of another branch are not here.
#[test]
fn another_branch_takes_a_new_snapshot() {
    let window = asking();
    window.events([(6, Event::BranchSelected { branch: 0 })]);
    assert_eq!(window.seen().sync, SyncState::Snapshot);
    assert_eq!(window.seen().messages.len(), 2);
    let branches = vec![branch(0, None, 1), branch(1, Some(0), 1)];
    apply_snapshot(
        window.store,
        SessionSnapshot {
            branch: 1,
            branches: branches.clone(),
            ..snapshot(6, vec![message(1, Role::User, "Hi")])
        },
    );
    let session = window.store.session();
    assert_eq!(session.branch().get_untracked(), 1);
    assert_eq!(session.branches().get_untracked(), branches);
    assert_eq!(window.seen().sync, SyncState::Current);
    assert_eq!(window.seen().messages.len(), 1);
}
