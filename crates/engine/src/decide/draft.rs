//! A decision in the making: the run as it will be, and the changes that lead there.

use std::sync::Arc;

use protocol::{
    ApprovalStatus, CallId, CallStatus, DecisionView, Ending, ErrorClass, Event, Message,
    MessageId, MessageStatus, Native, Role, RunError, RunId, RunReason, RunStatus, SessionId,
    StepStatus, ToolResult, Usage,
};
use store::{CallRow, Change, RunState, SessionState, StepState};

use super::{Decision, Effect, Given};

/// The state of a session with its newest run, changed step by step together with what is written.
pub(super) struct Draft<'a> {
    pub(super) given: &'a Given<'a>,
    /// Without its run, which is `run`.
    pub(super) state: SessionState,
    pub(super) run: RunState,
    pub(super) decision: Decision,
}

impl<'a> Draft<'a> {
    /// Nothing if the session has no run.
    pub(super) fn of(state: &SessionState, given: &'a Given<'a>) -> Option<Self> {
        let mut state = state.clone();
        let run = state.run.take()?;
        Some(Self {
            given,
            state,
            run,
            decision: Decision::nothing(),
        })
    }

    /// The same, if its newest run is this one.
    pub(super) fn of_run(
        state: &SessionState,
        run_id: RunId,
        given: &'a Given<'a>,
    ) -> Option<Self> {
        Self::of(state, given).filter(|draft| draft.run.run_id == run_id)
    }

    pub(super) const fn session_id(&self) -> SessionId {
        self.state.session_id
    }

    pub(super) fn change(&mut self, change: Change) {
        self.decision.change(change);
    }

    pub(super) fn event(&mut self, event: Event) {
        let session_id = self.session_id();
        self.decision.event(session_id, self.given.at_ms, event);
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.decision.effects.push(effect);
    }

    /// Moves the run. Whoever calls this says so with an event.
    pub(super) fn move_run(
        &mut self,
        to: RunStatus,
        reason: Option<RunReason>,
        error: Option<RunError>,
    ) {
        self.change(Change::MoveRun {
            run_id: self.run.run_id,
            from: self.run.status,
            to,
            reason,
            error,
            at_ms: self.given.at_ms,
        });
        self.run.status = to;
        self.run.reason = reason;
    }

    /// Changes a call and tells everyone.
    pub(super) fn save_call(&mut self, index: usize, change: impl FnOnce(&mut CallRow)) {
        self.save_call_with(index, None, change);
    }

    /// The same, with the whole of a result that is cut.
    pub(super) fn save_call_with(
        &mut self,
        index: usize,
        result_whole: Option<String>,
        change: impl FnOnce(&mut CallRow),
    ) {
        let Some(call) = self.run.calls.get_mut(index) else {
            return;
        };
        save(&mut self.decision, call, result_whole, self.given, change);
    }

    /// A call ends without having run, with a result that says why.
    pub(super) fn end_unstarted(&mut self, index: usize, to: CallStatus, text: &str) {
        let class = match to {
            CallStatus::Denied => ErrorClass::Permission,
            CallStatus::Proposed
            | CallStatus::Waiting
            | CallStatus::Ready
            | CallStatus::Running
            | CallStatus::Completed
            | CallStatus::Failed
            | CallStatus::Skipped
            | CallStatus::InDoubt
            | CallStatus::Cancelled => ErrorClass::Cancelled,
        };
        let at_ms = self.given.at_ms;
        self.save_call(index, |call| {
            call.view.status = to;
            call.view.result = Some(error_result(class, text));
            call.view.ended_at_ms = Some(at_ms);
        });
    }

    /// Answers the pending question of a call, in whatever way. The call itself is saved by the
    /// caller, after this.
    pub(super) fn answer(
        &mut self,
        index: usize,
        to: ApprovalStatus,
        decision: Option<DecisionView>,
    ) {
        let Some(call) = self.run.calls.get_mut(index) else {
            return;
        };
        let call_id = call.view.call_id;
        let Some(approval) = call
            .view
            .approval
            .as_mut()
            .filter(|approval| approval.status == ApprovalStatus::Pending)
        else {
            return;
        };
        approval.status = to;
        approval.decision.clone_from(&decision);
        let round = approval.round;
        self.change(Change::DecideApproval {
            call_id,
            round,
            to,
            decision,
        });
    }

    /// Where a call stands among those of the run's newest message.
    pub(super) fn index_of(&self, call_id: CallId) -> Option<usize> {
        self.run
            .calls
            .iter()
            .position(|call| call.view.call_id == call_id)
    }

    /// Every call of the run that fits, by its place.
    pub(super) fn calls_that(&self, fits: impl Fn(CallStatus) -> bool) -> Vec<usize> {
        let calls = self.run.calls.iter().enumerate();
        calls
            .filter(|(_, call)| fits(call.view.status))
            .map(|(index, _)| index)
            .collect()
    }

    /// Ends the running model call, if there is one, and keeps its text as a partial message.
    pub(super) fn end_model_call(&mut self, to: StepStatus, error: Option<RunError>) {
        self.end_call(to, error, Usage::default());
    }

    /// The same, with what it cost.
    pub(super) fn end_call(&mut self, to: StepStatus, error: Option<RunError>, usage: Usage) {
        let Some(mut step) = self
            .run
            .step
            .clone()
            .filter(|step| step.status == StepStatus::Running)
        else {
            return;
        };
        let at_ms = self.given.at_ms;
        self.change(Change::EndAttempt {
            step_id: step.step_id,
            attempt: step.attempt,
            to: if error.is_some() {
                StepStatus::Failed
            } else {
                to
            },
            streamed_bytes: step.streamed_bytes,
            usage,
            fill: None,
            error: error.clone(),
            at_ms,
        });
        self.change(Change::MoveStep {
            step_id: step.step_id,
            from: StepStatus::Running,
            to,
            at_ms,
        });
        let message = self.partial_message(&step);
        if let Some(message) = &message {
            self.add_message(message.clone(), None);
        }
        step.status = to;
        let (run_id, step_id, attempt) = (self.run.run_id, step.step_id, step.attempt);
        self.run.step = Some(step);
        self.event(match error {
            None => Event::StepInterrupted {
                run_id,
                step_id,
                attempt,
                message,
            },
            Some(error) => Event::StepFailed {
                run_id,
                step_id,
                attempt,
                error,
                message,
            },
        });
    }

    /// Writes a message at the end of the branch that is shown.
    pub(super) fn add_message(&mut self, message: Message, native: Option<Arc<Native>>) {
        self.state.message_count = message.position;
        let session_id = self.session_id();
        self.change(Change::AddMessage {
            session_id,
            message,
            native,
        });
    }

    /// A message by the agent, from its running model call.
    pub(super) fn agent_message(
        &self,
        step: &StepState,
        message_id: MessageId,
        status: MessageStatus,
        blocks: Vec<protocol::Block>,
    ) -> Message {
        Message {
            message_id,
            position: self.state.message_count + 1,
            branch: self.state.branch,
            role: Role::Agent,
            status,
            blocks,
            attachments: Vec::new(),
            run_id: Some(self.run.run_id),
            step_id: Some(step.step_id),
            attempt: Some(step.attempt),
            model: Some(self.run.model.clone()),
            ending: Ending::Complete,
            created_at_ms: self.given.at_ms,
        }
    }

    /// What had arrived, if anything had. Half-written arguments are no text for a person.
    fn partial_message(&self, step: &StepState) -> Option<Message> {
        let blocks: Vec<_> = step
            .blocks
            .iter()
            .filter(|block| block.kind != protocol::BlockKind::Arguments)
            .cloned()
            .collect();
        let message_id = MessageId::from_uuid(self.given.new_id());
        (!blocks.is_empty())
            .then(|| self.agent_message(step, message_id, MessageStatus::Partial, blocks))
    }
}

/// Writes a changed call and tells everyone.
pub(super) fn save(
    decision: &mut Decision,
    call: &mut CallRow,
    result_whole: Option<String>,
    given: &Given<'_>,
    change: impl FnOnce(&mut CallRow),
) {
    let from = call.view.status;
    change(call);
    decision.change(Change::SaveCall {
        call: Box::new(call.clone()),
        from,
        result_whole,
    });
    call.revision += 1;
    let event = Event::ToolCallChanged {
        call: Box::new(call.view.clone()),
    };
    decision.event(call.view.session_id, given.at_ms, event);
}

/// A result that says why there is none.
pub(super) fn error_result(class: ErrorClass, text: &str) -> ToolResult {
    ToolResult {
        text: text.to_owned(),
        is_error: true,
        class: Some(class),
        total_bytes: text.len() as u64,
    }
}
