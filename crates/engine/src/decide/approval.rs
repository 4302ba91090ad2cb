//! The person answers an approval, or nobody does in time.

use protocol::{
    ApprovalStatus, ApprovalView, CallId, CallStatus, CommandError, Decision as Choice,
    DecisionView, ErrorCode, RuleId, RuleScope, RuleView, Verdict,
};
use store::{CallRow, Change, SessionState};

use super::draft::Draft;
use super::model_outcome::PlannedCall;
use super::{Decision, Given};
use crate::policy;

/// An answer to one approval.
#[derive(Debug, Clone)]
pub(crate) struct DecideCall {
    pub(crate) call_id: CallId,
    /// The digest of what was shown.
    pub(crate) digest: String,
    pub(crate) choice: Choice,
    pub(crate) from: Option<String>,
    /// The call with the arguments that the person wrote, understood and judged.
    pub(crate) edited: Option<Box<PlannedCall>>,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It stands.
    Recorded(ApprovalView),
    /// Another one came first and stands.
    TooLate(ApprovalView),
}

/// `call` is the call as it is stored, whatever has become of its run.
pub(crate) fn decide_call(
    state: &SessionState,
    call: &CallRow,
    input: &DecideCall,
    given: &Given<'_>,
) -> Result<(Answer, Decision), CommandError> {
    let approval = asked(call)?;
    if approval.status != ApprovalStatus::Pending {
        return Ok((Answer::TooLate(approval.clone()), Decision::nothing()));
    }
    // Its time is over, and only nobody has said so yet.
    if is_overdue(approval, given) {
        let expired = ApprovalView {
            status: ApprovalStatus::Expired,
            ..approval.clone()
        };
        return Ok((Answer::TooLate(expired), expire(state, call, given)));
    }
    let Some((mut draft, index)) = Draft::of_run(state, call.view.run_id, given)
        .filter(|draft| !draft.run.status.is_terminal())
        .and_then(|draft| Some((draft.index_of(input.call_id)?, draft)))
        .map(|(index, draft)| (draft, index))
    else {
        return Err(over(call));
    };
    if approval.digest != input.digest {
        return Err(wrong_digest(call));
    }
    record(&mut draft, index, input)?;
    let answer = draft.run.calls[index]
        .view
        .approval
        .clone()
        .map(Answer::Recorded)
        .ok_or_else(|| never_asked(call))?;
    draft.proceed();
    Ok((answer, draft.decision))
}

fn asked(call: &CallRow) -> Result<&ApprovalView, CommandError> {
    if call.view.status == CallStatus::InDoubt {
        return Err(CommandError::new(
            ErrorCode::NotActionable,
            "This call is in doubt; it does not wait for an approval.",
            "Say what happened with resolve_call.",
        )
        .about_run(call.view.run_id));
    }
    call.view.approval.as_ref().ok_or_else(|| never_asked(call))
}

fn never_asked(call: &CallRow) -> CommandError {
    CommandError::new(
        ErrorCode::NotActionable,
        "This call never asked for an approval.",
        "There is nothing to decide.",
    )
    .about_run(call.view.run_id)
}

fn over(call: &CallRow) -> CommandError {
    CommandError::new(
        ErrorCode::NotActionable,
        "The run of this call is over.",
        "There is nothing left to decide.",
    )
    .about_run(call.view.run_id)
}

fn wrong_digest(call: &CallRow) -> CommandError {
    let error = CommandError::new(
        ErrorCode::WrongDigest,
        "What would run is not what was shown.",
        "Look at the call again and decide anew.",
    )
    .about_run(call.view.run_id);
    match &call.view.approval {
        Some(approval) => error.with_approval(approval.clone()),
        None => error,
    }
}

fn record(draft: &mut Draft<'_>, index: usize, input: &DecideCall) -> Result<(), CommandError> {
    let given = draft.given;
    let decision = DecisionView {
        decision: input.choice.clone(),
        at_ms: given.at_ms,
        from: input.from.clone(),
    };
    match &input.choice {
        Choice::Deny { reason } => {
            draft.answer(index, ApprovalStatus::Denied, Some(decision));
            let text = match reason.as_deref().map(str::trim) {
                Some(reason) if !reason.is_empty() => {
                    format!("The person denied this call: {reason}")
                }
                Some(_) | None => "The person denied this call.".to_owned(),
            };
            draft.end_unstarted(index, CallStatus::Denied, &text);
        }
        Choice::AllowOnce {} => allow(draft, index, decision),
        Choice::AllowInSession { pattern } => {
            let session_id = draft.session_id();
            let scope = RuleScope::Session { session_id };
            remember(draft, index, pattern.as_deref(), scope)?;
            allow(draft, index, decision);
        }
        Choice::AllowAlways { pattern } => {
            remember(draft, index, pattern.as_deref(), RuleScope::Global {})?;
            allow(draft, index, decision);
        }
        Choice::EditAndAllow { .. } => {
            let Some(edited) = &input.edited else {
                return Err(CommandError::internal("The edited call was not prepared."));
            };
            allow_edited(draft, index, decision, edited);
        }
    }
    Ok(())
}

fn allow(draft: &mut Draft<'_>, index: usize, decision: DecisionView) {
    draft.answer(index, ApprovalStatus::Allowed, Some(decision));
    draft.save_call(index, |call| call.view.status = CallStatus::Ready);
}

/// What was shown is answered; what the person wrote instead is a question of its own that is
/// answered in the same breath, so that the digest of what runs is the one that was allowed.
fn allow_edited(draft: &mut Draft<'_>, index: usize, decision: DecisionView, edited: &PlannedCall) {
    let at_ms = draft.given.at_ms;
    draft.answer(index, ApprovalStatus::Allowed, Some(decision.clone()));
    let digest = edited.call.digest.unwrap_or_default();
    let call = &mut draft.run.calls[index];
    let call_id = call.view.call_id;
    let round = call.view.approval.as_ref().map_or(0, |a| a.round) + 1;
    let mut approval = ApprovalView {
        round,
        status: ApprovalStatus::Pending,
        digest: crate::digest::hex(&digest),
        asked_at_ms: at_ms,
        expires_at_ms: None,
        decision: None,
        consumed_at_ms: None,
    };
    draft.change(Change::AddApproval {
        call_id,
        approval: approval.clone(),
    });
    draft.change(Change::DecideApproval {
        call_id,
        round,
        to: ApprovalStatus::Allowed,
        decision: Some(decision.clone()),
    });
    approval.status = ApprovalStatus::Allowed;
    approval.decision = Some(decision);
    draft.save_call(index, |call| {
        let before =
            std::mem::replace(&mut call.view.arguments, edited.call.view.arguments.clone());
        call.view.proposed_arguments.get_or_insert(before);
        call.view.effect = edited.call.view.effect;
        call.view.preview.clone_from(&edited.call.view.preview);
        call.view.approval = Some(approval);
        call.view.status = CallStatus::Ready;
        call.resources.clone_from(&edited.call.resources);
        call.digest = Some(digest);
    });
}

/// A rule that allows calls like this one from now on.
fn remember(
    draft: &mut Draft<'_>,
    index: usize,
    pattern: Option<&str>,
    scope: RuleScope,
) -> Result<(), CommandError> {
    if let Some(pattern) = pattern
        && !policy::is_pattern(pattern)
    {
        return Err(CommandError::new(
            ErrorCode::InvalidValue,
            "The pattern cannot be read.",
            "Use a path with * for anything in a folder, or ** for folders too.",
        ));
    }
    let call = &draft.run.calls[index].view;
    let subject = call.preview.as_ref().and_then(|p| p.subject.as_deref());
    let pattern = pattern.map(str::to_owned).or(subject.map(policy::exactly));
    let rule = RuleView {
        rule_id: RuleId::from_uuid(draft.given.new_id()),
        verdict: Verdict::Allow,
        tool: call.tool.clone(),
        pattern,
        scope,
        made_by: Some(call.call_id),
        created_at_ms: draft.given.at_ms,
    };
    draft.change(Change::AddRule(rule));
    Ok(())
}

fn is_overdue(approval: &ApprovalView, given: &Given<'_>) -> bool {
    let expires = approval.expires_at_ms;
    approval.status == ApprovalStatus::Pending && expires.is_some_and(|at| at <= given.at_ms)
}

/// Nobody answered in time: it counts as denied. An answer that came meanwhile stands.
pub(crate) fn expire(state: &SessionState, call: &CallRow, given: &Given<'_>) -> Decision {
    let approval = call.view.approval.as_ref();
    let is_overdue = approval.is_some_and(|approval| is_overdue(approval, given));
    let Some(mut draft) = Draft::of_run(state, call.view.run_id, given).filter(|_| is_overdue)
    else {
        return Decision::nothing();
    };
    let Some(index) = draft.index_of(call.view.call_id) else {
        return Decision::nothing();
    };
    draft.answer(index, ApprovalStatus::Expired, None);
    let text = "Denied: nobody answered in time (expired).";
    draft.end_unstarted(index, CallStatus::Denied, text);
    draft.proceed();
    draft.decision
}
