//! The one function that says whether a session needs a person.

use protocol::{Attention, AttentionAction, AttentionCall, AttentionKind, RunStatus, RunView};
use store::{AttentionFacts, SessionRow};

use crate::title::first_line;

/// Enough of the question to recognise it.
const ASKED_CHARS: usize = 120;

/// What kind of attention a session asks for, if any. Panel, badge, list and notifications all
/// follow this. What is put away needs nobody, and neither does a run that is tried again by
/// itself.
pub(crate) fn attention_kind(row: &SessionRow, is_dismissed: bool) -> Option<AttentionKind> {
    if row.is_archived {
        return None;
    }
    if row.has_doubt {
        return Some(AttentionKind::InDoubt);
    }
    match row.run.as_ref()?.status {
        RunStatus::Interrupted => Some(AttentionKind::Interrupted),
        RunStatus::Stopped => Some(AttentionKind::Stopped),
        RunStatus::Waiting => Some(AttentionKind::Waiting),
        RunStatus::Failed => (!is_dismissed).then_some(AttentionKind::Failed),
        RunStatus::Queued | RunStatus::Running | RunStatus::Completed | RunStatus::Cancelled => {
            None
        }
    }
}

pub(crate) fn attention(kind: AttentionKind, run: &RunView, facts: AttentionFacts) -> Attention {
    let is_asked = facts
        .not_started
        .iter()
        .any(|(_, _, is_waiting)| *is_waiting);
    Attention {
        kind,
        run_id: run.run_id,
        since_ms: run.updated_at_ms,
        asked: first_line(&facts.asked, ASKED_CHARS),
        last_done: facts.last_done,
        steps_completed: run.steps_completed,
        steps_interrupted: facts.steps_interrupted,
        unknown: facts
            .unknown
            .into_iter()
            .map(|(call_id, summary)| AttentionCall {
                call_id,
                summary,
                is_waiting: false,
            })
            .collect(),
        not_started: facts
            .not_started
            .into_iter()
            .map(|(call_id, summary, is_waiting)| AttentionCall {
                call_id,
                summary,
                is_waiting,
            })
            .collect(),
        partial_chars: facts.partial_chars,
        reason: run.reason,
        error: run.error.clone(),
        crashes: run.crashes,
        actions: actions(kind, is_asked),
    }
}

/// Only what would be accepted now. Questions that were open when the app ended still are.
fn actions(kind: AttentionKind, is_asked: bool) -> Vec<AttentionAction> {
    match kind {
        AttentionKind::Interrupted if is_asked => vec![
            AttentionAction::Resume,
            AttentionAction::Decide,
            AttentionAction::Discard,
        ],
        AttentionKind::Interrupted | AttentionKind::Stopped => {
            vec![AttentionAction::Resume, AttentionAction::Discard]
        }
        AttentionKind::Waiting => vec![AttentionAction::Decide, AttentionAction::Discard],
        AttentionKind::InDoubt => vec![AttentionAction::Decide],
        AttentionKind::Failed => vec![AttentionAction::Retry, AttentionAction::Discard],
    }
}
