//! A model call ended: its message and the tool calls it asks for are written, or its error is.

use std::sync::Arc;

use protocol::{
    ApprovalView, Block, BlockKind, CallId, EffectClass, Ending, Event, Fill, MessageId,
    MessageStatus, Native, RunError, RunStatus, StepId, StepStatus, SummaryView, Usage,
};
use store::{CallRow, Change, SessionState, StepState};

use super::call_start::{StartCall, start_with_reply};
use super::draft::Draft;
use super::{Decision, Given};

/// How an attempt at a model call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Completed {
        message_id: MessageId,
        said: Said,
        usage: Usage,
        /// The tool calls, understood and judged, in order.
        calls: Vec<PlannedCall>,
        /// The one call that can start at once, looked at just now: its intent is written together
        /// with the reply.
        start: Option<Box<StartCall>>,
    },
    Failed {
        error: RunError,
        /// How long the provider asks to wait.
        retry_after_ms: Option<u64>,
    },
    /// The provider takes nothing at present: the call waits until the person has mended that.
    Held { error: RunError },
    /// What is told does not fit the model's window.
    TooLong {
        error: RunError,
        /// There are older messages that a summary can take the place of.
        can_compact: bool,
    },
    /// Older messages are summarised.
    Summarised { summary: SummaryView, usage: Usage },
    /// What came is no summary: the model is asked without one.
    Unsummarised { error: RunError, usage: Usage },
}

/// A whole reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) blocks: Vec<Block>,
    pub(crate) ending: Ending,
    /// The same in the provider's own words, if they are kept.
    pub(crate) native: Option<Arc<Native>>,
    /// How full the model's window is with it.
    pub(crate) fill: Option<Fill>,
}

impl Outcome {
    /// The call that starts together with the reply, if one can.
    pub(crate) fn starting(&self) -> Option<CallId> {
        match self {
            Self::Completed { start, .. } => start.as_ref().map(|start| start.call_id),
            Self::Failed { .. }
            | Self::Held { .. }
            | Self::TooLong { .. }
            | Self::Summarised { .. }
            | Self::Unsummarised { .. } => None,
        }
    }
}

/// A tool call as it will be written: ready, waiting, denied or failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedCall {
    pub(crate) call: CallRow,
    /// The question to the person, if it waits.
    pub(crate) approval: Option<ApprovalView>,
}

/// An outcome that comes after the attempt was halted changes nothing.
pub(crate) fn model_outcome(
    state: &SessionState,
    step_id: StepId,
    attempt: u32,
    result: &Outcome,
    given: &Given<'_>,
) -> Decision {
    let is_current = |step: &StepState| {
        step.step_id == step_id && step.attempt == attempt && step.status == StepStatus::Running
    };
    let Some(mut draft) = Draft::of(state, given).filter(|draft| {
        draft.run.status == RunStatus::Running && draft.run.step.as_ref().is_some_and(is_current)
    }) else {
        return Decision::nothing();
    };
    match result {
        Outcome::Completed {
            message_id,
            said,
            usage,
            calls,
            start,
        } => {
            let start = start.as_deref();
            let is_started = complete(&mut draft, *message_id, said, *usage, calls, start);
            if !is_started {
                go_on(&mut draft, calls);
            }
        }
        Outcome::Failed {
            error,
            retry_after_ms,
        } => draft.model_failed(error, *retry_after_ms),
        Outcome::Held { error } => draft.model_held(error),
        Outcome::TooLong { error, can_compact } => draft.too_long(error, *can_compact),
        Outcome::Summarised { summary, usage } => draft.summarised(summary, *usage),
        Outcome::Unsummarised { error, usage } => draft.unsummarised(error, *usage),
    }
    draft.decision
}

/// Whether its call is started with it.
fn complete(
    draft: &mut Draft<'_>,
    message_id: MessageId,
    said: &Said,
    usage: Usage,
    calls: &[PlannedCall],
    start: Option<&StartCall>,
) -> bool {
    let Some(step) = draft.run.step.clone() else {
        return false;
    };
    draft.end_well(&step, usage, said.fill);
    let blocks = said
        .blocks
        .iter()
        .filter(|block| block.kind != BlockKind::Arguments)
        .cloned()
        .collect();
    let mut message = draft.agent_message(&step, message_id, MessageStatus::Complete, blocks);
    message.ending = said.ending;
    draft.add_message(message.clone(), said.native.clone());
    draft.begin_round(calls.iter().map(|planned| planned.call.clone()).collect());
    let is_started = start.is_some_and(|start| start_with_reply(draft, start));
    add_calls(draft, calls);
    draft.event(Event::StepCompleted {
        run_id: draft.run.run_id,
        step_id: step.step_id,
        attempt: step.attempt,
        message,
        calls: draft
            .run
            .calls
            .iter()
            .map(|call| call.view.clone())
            .collect(),
        usage,
        fill: said.fill,
    });
    is_started
}

fn go_on(draft: &mut Draft<'_>, calls: &[PlannedCall]) {
    if calls.is_empty() {
        draft.complete_run();
        return;
    }
    draft.advance();
    // What is only read can be read again, after a reply that is asked for again.
    let is_read =
        |one: &PlannedCall| one.call.view.effect == EffectClass::Read && one.approval.is_none();
    draft.decision.is_relaxed = calls.iter().all(is_read) && draft.run.status == RunStatus::Running;
}

impl Draft<'_> {
    /// Ends the running attempt, and with it its step, well.
    pub(super) fn end_well(&mut self, step: &StepState, usage: Usage, fill: Option<Fill>) {
        let at_ms = self.given.at_ms;
        self.change(Change::EndAttempt {
            step_id: step.step_id,
            attempt: step.attempt,
            to: StepStatus::Completed,
            streamed_bytes: step.streamed_bytes,
            usage,
            fill,
            error: None,
            at_ms,
        });
        self.change(Change::MoveStep {
            step_id: step.step_id,
            from: StepStatus::Running,
            to: StepStatus::Completed,
            at_ms,
        });
        if let Some(step) = &mut self.run.step {
            step.status = StepStatus::Completed;
        }
        self.run.used.steps += 1;
        self.use_up(usage);
    }

    /// Counts what was said in what is used of the run's budget.
    pub(super) fn use_up(&mut self, usage: Usage) {
        let used = &mut self.run.used;
        used.tokens += usage.input_tokens.unwrap_or(0) + usage.output_tokens.unwrap_or(0);
        used.cost_microusd += usage.cost_microusd.unwrap_or(0);
    }
}

/// The calls of the draft, as they stand.
fn add_calls(draft: &mut Draft<'_>, calls: &[PlannedCall]) {
    for (call, planned) in draft.run.calls.iter_mut().zip(calls) {
        draft
            .decision
            .change(Change::AddCall(Box::new(call.clone())));
        call.revision = 1;
        if let Some(approval) = &planned.approval {
            draft.decision.change(Change::AddApproval {
                call_id: call.view.call_id,
                approval: approval.clone(),
            });
            call.view.approval = Some(approval.clone());
        }
    }
}
