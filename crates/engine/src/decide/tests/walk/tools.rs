//! What is done to tool calls.

use protocol::{
    ApprovalStatus, ApprovalView, CallId, CallPreview, CallStatus, Decision as Choice, EffectClass,
    ErrorClass, MessageId, ToolResult,
};
use store::{CallRow, SessionState, StateChange};

use super::super::super::{
    CallEnd, DecideCall, Decision, PlannedCall, Settle, StartCall, call_outcome, checked_in_vain,
    decide_call, expire, refuse_call, settle_doubt, start_call, start_ready,
};
use super::super::{call as standing, session_id};
use super::{Decided, Walk};
use crate::digest::hex;
use crate::tool::{Intent, Output, ToolError};

/// What a call would run, as long as nothing about it changes.
fn digest(call: &CallRow) -> [u8; 32] {
    blake3::hash(format!("{} {}", call.view.call_id, call.view.arguments).as_bytes()).into()
}

impl Walk {
    /// Calls of all classes that touch one or two of three things.
    pub(super) fn plan(&mut self, state: &SessionState, message_id: MessageId) -> Vec<PlannedCall> {
        let count = u32::try_from(1 + self.dice.below(3)).unwrap();
        let run_id = state.run.as_ref().unwrap().run_id;
        let planned = (0..count).map(|ordinal| {
            let effect = *self.dice.pick(&EffectClass::ALL).unwrap();
            let status = match self.dice.below(10) {
                0 => CallStatus::Denied,
                1 => CallStatus::Failed,
                2..=5 => CallStatus::Waiting,
                _ => CallStatus::Ready,
            };
            let mut call = standing(ordinal, status, effect);
            call.view.call_id = CallId::from_uuid(self.id());
            call.view.session_id = session_id();
            call.view.run_id = run_id;
            call.view.message_id = message_id;
            call.view.approval = None;
            call.revision = 0;
            call.provider_id = call.view.call_id.to_string();
            call.digest = Some(digest(&call));
            let things = ["a", "b", "c"];
            call.resources = (0..=self.dice.below(2))
                .map(|_| (*self.dice.pick(&things).unwrap()).to_owned())
                .collect();
            let approval = (status == CallStatus::Waiting).then(|| ApprovalView {
                round: 1,
                status: ApprovalStatus::Pending,
                digest: hex(&digest(&call)),
                asked_at_ms: self.at_ms,
                expires_at_ms: self.dice.is_one_in(3).then_some(self.at_ms + 4_000),
                decision: None,
                consumed_at_ms: None,
            });
            PlannedCall { call, approval }
        });
        planned.collect()
    }

    /// Mostly one of the newest run in this status, sometimes any that ever was.
    fn any_call(&mut self, state: &SessionState, status: CallStatus) -> Option<CallRow> {
        let calls = state.run.iter().flat_map(|run| &run.calls);
        let fitting: Vec<CallId> = calls
            .filter(|call| call.view.status == status)
            .map(|call| call.view.call_id)
            .collect();
        let call_id = match self.dice.pick(&fitting).copied() {
            Some(call_id) if !self.dice.is_one_in(12) => call_id,
            _ => *self.dice.pick(&self.calls)?,
        };
        Some(self.call(call_id))
    }

    pub(super) fn start_call(&mut self, state: &SessionState) -> Decided {
        let Some(call) = self.any_call(state, CallStatus::Ready) else {
            return Ok(Decision::nothing());
        };
        let (run_id, call_id) = (call.view.run_id, call.view.call_id);
        if self.dice.is_one_in(10) {
            let error = ToolError::definite("It is gone.");
            return Ok(self.decide(|given| refuse_call(state, run_id, call_id, &error, given)));
        }
        if self.dice.is_one_in(10) {
            return Ok(self.decide(|given| start_ready(state, run_id, call_id, given)));
        }
        let mut input = StartCall {
            run_id,
            call_id,
            digest: digest(&call),
            preview: CallPreview {
                summary: "Walk".to_owned(),
                subject: None,
                parts: Vec::new(),
            },
            effect: call.view.effect,
            resources: call.resources.clone(),
            is_allowed: true,
            intent: Intent::default(),
            expires_at_ms: None,
        };
        if self.dice.is_one_in(10) {
            input.digest = [1; 32];
            input.is_allowed = false;
        }
        self.decide(|given| start_call(state, &input, given))
            .map(|(_, decision)| decision)
    }

    pub(super) fn end_call(&mut self, state: &SessionState) -> Decided {
        let Some(call) = self.any_call(state, CallStatus::Running) else {
            return Ok(Decision::nothing());
        };
        let Some(step_id) = call.step_id else {
            return Ok(Decision::nothing());
        };
        let attempt = call.attempt - u32::from(self.dice.is_one_in(10)).min(call.attempt - 1);
        let end = match self.dice.below(8) {
            0 => CallEnd::Failed(ToolError::definite("No.")),
            1 => CallEnd::Stopped,
            2 => CallEnd::Interrupted,
            3..=4 => CallEnd::Unseen {
                class: ErrorClass::Timeout,
                reason: "Lost.".to_owned(),
            },
            _ => CallEnd::Completed(Output {
                text: "done".to_owned(),
                state: vec![StateChange::Add {
                    key: "count".to_owned(),
                    by: 1,
                }],
            }),
        };
        let attempt = (step_id, attempt);
        Ok(self.decide(|given| call_outcome(state, &call, attempt, &end, true, given)))
    }

    pub(super) fn answer(&mut self, state: &SessionState) -> Decided {
        let Some(call) = self.any_call(state, CallStatus::Waiting) else {
            return Ok(Decision::nothing());
        };
        let asked = call.view.approval.as_ref();
        let mut input = DecideCall {
            call_id: call.view.call_id,
            digest: asked.map_or_else(String::new, |approval| approval.digest.clone()),
            choice: Choice::AllowOnce {},
            from: None,
            edited: None,
        };
        match self.dice.below(8) {
            0..=1 => input.choice = Choice::Deny { reason: None },
            2 => input.choice = Choice::AllowInSession { pattern: None },
            3 => {
                let arguments = format!(r#"{{"at":{}}}"#, self.at_ms);
                let mut edited = call.clone();
                edited.view.arguments.clone_from(&arguments);
                edited.resources = vec!["c".to_owned()];
                edited.digest = Some(digest(&edited));
                input.choice = Choice::EditAndAllow { arguments };
                input.edited = Some(Box::new(PlannedCall {
                    call: edited,
                    approval: None,
                }));
            }
            4 => input.digest = hex(&[2; 32]),
            _ => {}
        }
        self.decide(|given| decide_call(state, &call, &input, given))
            .map(|(_, decision)| decision)
    }

    pub(super) fn expire(&mut self, state: &SessionState) -> Decided {
        match self.any_call(state, CallStatus::Waiting) {
            Some(call) => Ok(self.decide(|given| expire(state, &call, given))),
            None => Ok(Decision::nothing()),
        }
    }

    pub(super) fn settle(&mut self, state: &SessionState) -> Decided {
        // The doubts of other branches are shown as well.
        let call_id = match state.doubts.first() {
            Some(call_id) if !self.dice.is_one_in(4) => *call_id,
            _ => match self.any_call(state, CallStatus::InDoubt) {
                Some(call) => call.view.call_id,
                None => return Ok(Decision::nothing()),
            },
        };
        let call = self.call(call_id);
        let settle = match self.dice.below(6) {
            0 => Settle::Happened("It did.".to_owned()),
            1 => Settle::Skip,
            2 => return Ok(self.decide(|given| checked_in_vain(&call, "Unknown.", given))),
            _ => Settle::RunAgain,
        };
        let decision = self.decide(|given| settle_doubt(state, &call, &settle, given))?;
        if settle == Settle::RunAgain {
            *self.again.entry(call_id).or_default() += 1;
        }
        Ok(decision)
    }
}

/// A result that a model may be told.
pub(super) fn has_result(call: &CallRow) -> bool {
    let result: Option<&ToolResult> = call.view.result.as_ref();
    call.view.status.is_terminal() && result.is_some()
}
