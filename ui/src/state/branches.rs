//! Which branches a person can choose between, and where.

use std::collections::BTreeMap;

use protocol::BranchView;

/// The ways that history goes on from one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fork {
    /// Which of them is shown, from 0.
    pub(crate) shown: usize,
    /// For each of them, the branch to select.
    pub(crate) ways: Vec<u32>,
}

/// The ways that history goes on at `position` of the branch that is shown; `None` if there is one.
pub(crate) fn fork_at(branches: &[BranchView], shown: u32, position: u64) -> Option<Fork> {
    let before = |branch| (position > 1).then(|| owner(branches, branch, position - 1));
    let mut ways: BTreeMap<u32, u32> = BTreeMap::new();
    for branch in branches {
        if before(branch.branch) == before(shown) {
            // The newest one that goes this way is most likely where the person was.
            let newest = ways
                .entry(owner(branches, branch.branch, position))
                .or_insert(branch.branch);
            *newest = branch.branch.max(*newest);
        }
    }
    let own = owner(branches, shown, position);
    let shown = ways.keys().position(|way| *way == own)?;
    (ways.len() > 1).then(|| Fork {
        shown,
        ways: ways.into_values().collect(),
    })
}

/// The branch that the message at `position` was written in, as seen from `branch`.
fn owner(branches: &[BranchView], branch: u32, position: u64) -> u32 {
    let mut owner = branch;
    // A parent is older than its children, so this ends; the bound is for data that is not so.
    for _ in 0..branches.len() {
        let view = branches.iter().find(|view| view.branch == owner);
        match view {
            Some(BranchView {
                parent: Some(parent),
                from_position,
                ..
            }) if position < *from_position => owner = *parent,
            Some(_) | None => break,
        }
    }
    owner
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch(branch: u32, parent: Option<u32>, from_position: u64) -> BranchView {
        BranchView {
            branch,
            parent,
            from_position,
            created_at_ms: 1,
        }
    }

    /// RUN-23: the old branch stays reachable, from exactly the place where it was left.
    #[test]
    fn ways_are_offered_where_history_parts() {
        // 0: 1 2 3 4    1 leaves 0 at 3    2 leaves 1 at 5    3 leaves 0 at 3
        let branches = [
            branch(0, None, 1),
            branch(1, Some(0), 3),
            branch(2, Some(1), 5),
            branch(3, Some(0), 3),
        ];
        let fork = |shown, position| {
            fork_at(&branches, shown, position).map(|fork| (fork.shown, fork.ways))
        };
        assert_eq!(fork(0, 2), None);
        assert_eq!(fork(0, 3), Some((0, vec![0, 2, 3])));
        assert_eq!(fork(1, 3), Some((1, vec![0, 2, 3])));
        assert_eq!(fork(3, 3), Some((2, vec![0, 2, 3])));
        assert_eq!(fork(0, 4), None);
        assert_eq!(fork(2, 5), Some((1, vec![1, 2])));
        assert_eq!(fork(3, 5), None);
    }

    #[test]
    fn the_first_message_can_part_too() {
        let branches = [branch(0, None, 1), branch(1, Some(0), 1)];
        assert_eq!(
            fork_at(&branches, 1, 1),
            Some(Fork {
                shown: 1,
                ways: vec![0, 1]
            })
        );
        assert_eq!(fork_at(&[], 0, 1), None);
    }
}
