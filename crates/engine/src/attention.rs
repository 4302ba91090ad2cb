//! The one function that says whether a session needs a person.

use protocol::{Attention, AttentionAction, AttentionKind, RunStatus, RunView};
use store::AttentionFacts;

use crate::title::first_line;

/// Enough of the question to recognise it.
const ASKED_CHARS: usize = 120;

/// What kind of attention a run's status asks for, if any. Panel, badge and list all follow this.
pub(crate) const fn attention_kind(status: RunStatus) -> Option<AttentionKind> {
    match status {
        RunStatus::Interrupted => Some(AttentionKind::Interrupted),
        RunStatus::Stopped => Some(AttentionKind::Stopped),
        RunStatus::Queued
        | RunStatus::Running
        | RunStatus::Waiting
        | RunStatus::Completed
        | RunStatus::Failed
        | RunStatus::Cancelled => None,
    }
}

pub(crate) fn attention(kind: AttentionKind, run: &RunView, facts: &AttentionFacts) -> Attention {
    Attention {
        kind,
        run_id: run.run_id,
        since_ms: run.updated_at_ms,
        asked: first_line(&facts.asked, ASKED_CHARS),
        steps_completed: run.steps_completed,
        steps_interrupted: facts.steps_interrupted,
        partial_chars: facts.partial_chars,
        last_done: None,
        unknown: Vec::new(),
        not_started: Vec::new(),
        reason: run.reason,
        error: run.error.clone(),
        crashes: run.crashes,
        actions: vec![AttentionAction::Resume, AttentionAction::Discard],
    }
}
