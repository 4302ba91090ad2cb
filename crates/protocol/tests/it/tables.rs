//! RUN-7: the closed tables of statuses, each walked whole.

use protocol::{ApprovalStatus, CallStatus, RunStatus, StepStatus};

/// Every status with all that may follow it.
fn table<T: Copy>(
    all: &[T],
    word: impl Fn(T) -> &'static str,
    may_become: impl Fn(T, T) -> bool,
) -> Vec<String> {
    all.iter()
        .map(|from| {
            let next: Vec<&str> = all
                .iter()
                .filter(|next| may_become(*from, **next))
                .map(|next| word(*next))
                .collect();
            format!("{} -> {}", word(*from), next.join(" "))
        })
        .collect()
}

#[test]
fn calls_move_along_a_closed_table() {
    assert_eq!(
        table(&CallStatus::ALL, CallStatus::as_str, CallStatus::may_become),
        [
            "proposed -> waiting ready failed denied cancelled",
            "waiting -> ready failed denied cancelled",
            "ready -> waiting running failed denied cancelled",
            "running -> ready completed failed in_doubt cancelled",
            "completed -> ",
            "failed -> ",
            "denied -> ",
            "skipped -> ",
            "in_doubt -> ready completed skipped",
            "cancelled -> ",
        ]
    );
}

#[test]
fn approvals_move_along_a_closed_table() {
    assert_eq!(
        table(
            &ApprovalStatus::ALL,
            ApprovalStatus::as_str,
            ApprovalStatus::may_become
        ),
        [
            "pending -> allowed denied expired superseded closed",
            "allowed -> ",
            "denied -> ",
            "expired -> ",
            "superseded -> ",
            "closed -> ",
        ]
    );
}

#[test]
fn steps_move_along_a_closed_table() {
    assert_eq!(
        table(&StepStatus::ALL, StepStatus::as_str, StepStatus::may_become),
        [
            "planned -> running cancelled",
            "running -> completed failed interrupted cancelled",
            "completed -> ",
            "failed -> ",
            "interrupted -> running cancelled",
            "cancelled -> ",
        ]
    );
}

/// Terminal statuses never change, not even into themselves, and only they are ends.
#[test]
fn what_is_over_stays_so() {
    for call in CallStatus::ALL {
        let can_move = CallStatus::ALL.iter().any(|next| call.may_become(*next));
        assert_eq!(can_move, !call.is_terminal(), "{call:?}");
        assert!(!call.may_become(call), "{call:?}");
    }
    for run in RunStatus::ALL {
        let can_move = RunStatus::ALL.iter().any(|next| run.may_become(*next));
        assert_eq!(can_move, !run.is_terminal(), "{run:?}");
        assert!(!run.may_become(run), "{run:?}");
    }
    for approval in ApprovalStatus::ALL {
        let can_move = ApprovalStatus::ALL
            .iter()
            .any(|next| approval.may_become(*next));
        assert_eq!(
            can_move,
            approval == ApprovalStatus::Pending,
            "{approval:?}"
        );
    }
}

/// A body starts only from `ready`, and a call that was never started is never in doubt.
#[test]
fn a_call_runs_only_when_it_is_ready() {
    for call in CallStatus::ALL {
        assert_eq!(
            call.may_become(CallStatus::Running),
            call == CallStatus::Ready,
            "{call:?}"
        );
        assert_eq!(
            call.may_become(CallStatus::InDoubt),
            call == CallStatus::Running,
            "{call:?}"
        );
        assert_eq!(
            call.may_become(CallStatus::Skipped),
            call == CallStatus::InDoubt,
            "{call:?}"
        );
    }
}
