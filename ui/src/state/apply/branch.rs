//! Branches: history that goes on from an earlier place.

use leptos::prelude::{Set, Update};
use protocol::BranchView;

use super::super::session::SessionStateStoreFields;
use super::event::end_live;
use super::{Session, calls};

/// What stood at the new branch's first place and after it is in another branch now.
pub(super) fn start(session: Session, branch: BranchView) {
    let from_position = branch.from_position;
    session.messages().update(|rows| {
        rows.retain(|row| row.message.position < from_position);
    });
    session.summaries().update(|summaries| {
        summaries.retain(|summary| summary.position < from_position);
    });
    // What it held is not what it holds here.
    session.fill().set(None);
    calls::keep_shown(session);
    end_live(session);
    session.branch().set(branch.branch);
    session.branches().update(|branches| {
        if branches.is_empty() {
            branches.push(BranchView {
                branch: 0,
                parent: None,
                from_position: 1,
                created_at_ms: 0,
            });
        }
        branches.retain(|known| known.branch != branch.branch);
        branches.push(branch);
    });
}
