//! Commands about tool calls: reading them, deciding on them, settling doubt.

use std::time::Duration;

use protocol::{
    CallDecision, CallId, CallStatus, CommandError, DecidedCall, Decision as Choice, ErrorCode,
    Reply, Resolution, SessionId,
};
use store::{CallRow, Reader, SessionState};

use crate::Engine;
use crate::command_error::not_found;
use crate::decide::{self, Answer, DecideCall, Decision, PlannedCall, RESULT_BYTES, Settle};
use crate::tool::Checked;

/// A check takes no longer than this.
const CHECK_WITHIN: Duration = Duration::from_secs(30);

type Read = (Option<SessionState>, Option<CallRow>);

impl Engine {
    pub(super) async fn list_approvals(
        &self,
        session_id: Option<SessionId>,
    ) -> Result<Reply, CommandError> {
        let calls = self
            .read(move |reader| reader.open_calls(session_id))
            .await?;
        Ok(Reply::Calls { calls })
    }

    async fn call_row(&self, call_id: CallId) -> Result<CallRow, CommandError> {
        self.read(move |reader| reader.call(call_id))
            .await?
            .ok_or_else(|| not_found("tool call"))
    }

    pub(super) async fn call(&self, call_id: CallId) -> Result<Reply, CommandError> {
        let call = self.call_row(call_id).await?;
        Ok(Reply::Call(Box::new(call.view)))
    }

    pub(super) async fn result(&self, call_id: CallId, offset: u64) -> Result<Reply, CommandError> {
        let (text, total_bytes) = self
            .read(move |reader| reader.result_piece(call_id, offset, RESULT_BYTES as u64))
            .await?
            .ok_or_else(|| not_found("tool call with a result"))?;
        Ok(Reply::Result {
            call_id,
            offset,
            text,
            total_bytes,
        })
    }

    /// A decision that lost its race is answered with the one that stands; one that comes later is
    /// refused with it.
    pub(super) async fn decide_one(
        &self,
        call_id: CallId,
        digest: String,
        choice: Choice,
        from: Option<String>,
    ) -> Result<Reply, CommandError> {
        let decided = self.decide_call(call_id, digest, choice, from).await?;
        Ok(Reply::Decided {
            calls: vec![decided],
        })
    }

    /// Every decision gets its own answer; one that is refused keeps no other.
    pub(super) async fn decide_many(
        &self,
        decisions: Vec<CallDecision>,
        from: Option<String>,
    ) -> Result<Reply, CommandError> {
        let mut calls = Vec::with_capacity(decisions.len());
        for one in decisions {
            let call_id = one.call_id;
            let decided = self
                .decide_call(call_id, one.digest, one.decision, from.clone())
                .await;
            calls.push(decided.unwrap_or_else(|error| DecidedCall {
                call_id,
                approval: error.approval.as_deref().cloned(),
                error: Some(error),
            }));
        }
        Ok(Reply::Decided { calls })
    }

    async fn decide_call(
        &self,
        call_id: CallId,
        digest: String,
        choice: Choice,
        from: Option<String>,
    ) -> Result<DecidedCall, CommandError> {
        let call = self.call_row(call_id).await?;
        let edited = match &choice {
            Choice::EditAndAllow { arguments } => {
                Some(Box::new(self.plan_edited(&call, arguments).await?))
            }
            Choice::AllowOnce {}
            | Choice::AllowInSession { .. }
            | Choice::AllowAlways { .. }
            | Choice::Deny { .. } => None,
        };
        let input = DecideCall {
            call_id,
            digest,
            choice,
            from,
            edited,
        };
        let was_open = is_open(&call);
        let session_id = call.view.session_id;
        let answer = self
            .transact_in(
                session_id,
                read_call(session_id, call_id),
                |(state, call)| {
                    let (state, call) = both(state.as_ref(), call.as_ref())?;
                    decide::decide_call(state, call, &input, &self.inner.given())
                },
            )
            .await?;
        match answer {
            Answer::Recorded(approval) => Ok(decided(call_id, approval)),
            // It was open when this began: another answer was quicker, and both get that one.
            Answer::TooLate(approval) if was_open => Ok(decided(call_id, approval)),
            Answer::TooLate(approval) => Err(CommandError::new(
                ErrorCode::NotActionable,
                "This was decided already.",
                "The decision that stands is shown with the call.",
            )
            .about_run(call.view.run_id)
            .with_approval(approval)),
        }
    }

    /// The call with the arguments that the person wrote. What a rule denies stays denied.
    async fn plan_edited(
        &self,
        call: &CallRow,
        arguments: &str,
    ) -> Result<PlannedCall, CommandError> {
        let facts = self
            .planning_facts(call.view.session_id, call.view.run_id, Vec::new())
            .await?;
        let mut edited = call.clone();
        arguments.clone_into(&mut edited.view.arguments);
        edited.view.status = CallStatus::Proposed;
        let planned = self.judge(edited, &facts).await;
        match planned.call.view.status {
            CallStatus::Waiting | CallStatus::Ready => Ok(planned),
            CallStatus::Proposed
            | CallStatus::Running
            | CallStatus::Completed
            | CallStatus::Failed
            | CallStatus::Denied
            | CallStatus::Skipped
            | CallStatus::InDoubt
            | CallStatus::Cancelled => {
                let result = planned.call.view.result;
                let text = result.map_or_else(String::new, |result| result.text);
                Err(CommandError::new(
                    ErrorCode::InvalidValue,
                    format!("These arguments cannot run: {text}"),
                    "Mend the arguments, or deny the call.",
                ))
            }
        }
    }

    pub(super) async fn resolve_call(
        &self,
        call_id: CallId,
        resolution: Resolution,
    ) -> Result<Reply, CommandError> {
        let settle = match resolution {
            Resolution::Check {} => {
                self.check_call(call_id).await?;
                return self.call(call_id).await;
            }
            Resolution::Happened { result } => Settle::Happened(
                result.unwrap_or_else(|| "It happened, says the person.".to_owned()),
            ),
            Resolution::RunAgain {} => Settle::RunAgain,
            Resolution::Skip {} => Settle::Skip,
        };
        self.settle_call(call_id, &settle).await?;
        self.call(call_id).await
    }

    async fn settle_call(&self, call_id: CallId, settle: &Settle) -> Result<(), CommandError> {
        let session_id = self.call_row(call_id).await?.view.session_id;
        self.transact_in(
            session_id,
            read_call(session_id, call_id),
            |(state, call)| {
                let (state, call) = both(state.as_ref(), call.as_ref())?;
                let given = self.inner.given();
                Ok(((), decide::settle_doubt(state, call, settle, &given)?))
            },
        )
        .await
    }

    /// Lets the tool of a call in doubt look what happened.
    pub(crate) async fn check_call(&self, call_id: CallId) -> Result<(), CommandError> {
        let call = self.call_row(call_id).await?;
        let tool = self
            .inner
            .tool(&call.view.tool)
            .filter(|tool| tool.can_check());
        let (Some(tool), CallStatus::InDoubt) = (tool, call.view.status) else {
            return Err(CommandError::new(
                ErrorCode::NotActionable,
                "This call cannot be checked.",
                "Say whether it happened, run it again, or skip it.",
            )
            .about_run(call.view.run_id));
        };
        let facts = self
            .planning_facts(call.view.session_id, call.view.run_id, Vec::new())
            .await?;
        let input = self.call_input(&call, &facts.workspace);
        let intent = crate::tool::Intent {
            files: Vec::new(),
            detail: call.detail.clone().unwrap_or_default(),
        };
        let check = crate::planning::guarded("check", || tool.check(&input, &intent));
        let reason = match tokio::time::timeout(CHECK_WITHIN, check).await {
            Ok(Ok(Checked::Happened(text))) => {
                return self.settle_call(call_id, &Settle::Happened(text)).await;
            }
            Ok(Ok(Checked::DidNotHappen)) => {
                match self.settle_call(call_id, &Settle::RunAgain).await {
                    Err(error) if error.code == ErrorCode::NotActionable => {
                        "It did not happen, and its run is over.".to_owned()
                    }
                    settled => return settled,
                }
            }
            Ok(Ok(Checked::Unknown)) => "The check could not tell whether it happened.".to_owned(),
            Ok(Err(error)) => format!("The check failed: {}", error.message),
            Err(_) => "The check took too long.".to_owned(),
        };
        let session_id = call.view.session_id;
        self.transact_in(session_id, read_call(session_id, call_id), |(_, call)| {
            let decision = call.as_ref().map_or_else(Decision::nothing, |call| {
                decide::checked_in_vain(call, &reason, &self.inner.given())
            });
            Ok(((), decision))
        })
        .await
    }
}

fn is_open(call: &CallRow) -> bool {
    let approval = call.view.approval.as_ref();
    approval.is_some_and(|approval| approval.status == protocol::ApprovalStatus::Pending)
}

const fn decided(call_id: CallId, approval: protocol::ApprovalView) -> DecidedCall {
    DecidedCall {
        call_id,
        approval: Some(approval),
        error: None,
    }
}

fn read_call(
    session_id: SessionId,
    call_id: CallId,
) -> impl Fn(&Reader<'_>) -> Result<Read, store::Error> + Clone + Send + 'static {
    move |reader| {
        let state = reader.session_state(session_id)?;
        let state = state.filter(|state| state.deleted_at_ms.is_none());
        Ok((state, reader.call(call_id)?))
    }
}

fn both<'a>(
    state: Option<&'a SessionState>,
    call: Option<&'a CallRow>,
) -> Result<(&'a SessionState, &'a CallRow), CommandError> {
    state.zip(call).ok_or_else(|| not_found("tool call"))
}
