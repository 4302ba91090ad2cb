//! A session grows past its model's window: older messages are summarised for the model, in a step
//! of its own, and the model is asked again.

use protocol::{ErrorClass, Event, RunError, StepStatus, SummaryView, Usage};
use store::{Change, StepKind};

use super::draft::Draft;

/// Tries of one compaction whose own request is too long: each tells half as much as the one before.
const MAX_HALVINGS: u32 = 3;

impl Draft<'_> {
    /// Room is made once; if that was not enough, or there is nothing to make it of, the run fails
    /// and says what to do.
    pub(super) fn too_long(&mut self, error: &RunError, can_compact: bool) {
        let Some(step) = self.run.step.as_ref() else {
            return;
        };
        if step.is_compaction {
            if step.attempt < MAX_HALVINGS {
                self.end_model_call(StepStatus::Interrupted, Some(error.clone()));
                self.start_model_attempt();
                return;
            }
        } else if can_compact && !step.follows_compaction {
            self.end_model_call(StepStatus::Failed, Some(error.clone()));
            self.start_step(StepKind::Compaction);
            return;
        }
        self.model_failed(&advised(error), None);
    }

    /// The summary holds from now on, and the model is asked.
    pub(super) fn summarised(&mut self, summary: &SummaryView, usage: Usage) {
        let Some(step) = self.run.step.clone().filter(|step| step.is_compaction) else {
            return;
        };
        self.end_well(&step, usage, None);
        let summary = SummaryView {
            model: self.run.model.clone(),
            created_at_ms: self.given.at_ms,
            ..summary.clone()
        };
        let session_id = self.session_id();
        self.change(Change::AddSummary {
            session_id,
            summary: summary.clone(),
        });
        self.event(Event::HistorySummarised {
            run_id: self.run.run_id,
            step_id: Some(step.step_id),
            attempt: Some(step.attempt),
            summary,
            usage: Some(usage),
        });
        self.ask_within_limits();
    }

    /// Nothing came of it. What is told may fit all the same: the model is asked, once.
    pub(super) fn unsummarised(&mut self, error: &RunError, usage: Usage) {
        if self
            .run
            .step
            .as_ref()
            .is_some_and(|step| step.is_compaction)
        {
            self.end_call(StepStatus::Failed, Some(error.clone()), usage);
            self.use_up(usage);
            self.ask_within_limits();
        }
    }
}

/// What went wrong, and what a person can do about it.
fn advised(error: &RunError) -> RunError {
    let said = error.message.trim_end();
    RunError {
        class: ErrorClass::ContextLength,
        message: format!(
            "{said} Choose a model with a larger window and try again, or go on in a new session."
        ),
    }
}
