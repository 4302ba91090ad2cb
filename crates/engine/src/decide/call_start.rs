//! A tool call starts: its intent is written before its body runs.

use protocol::{
    ApprovalStatus, ApprovalView, CallId, CallPreview, CallStatus, CommandError, EffectClass,
    ErrorClass, ErrorCode, RunId, RunStatus, StepId, StepStatus,
};
use store::faults::{self, Mutant};
use store::{CallRow, Change, Checkpoint, SessionState, StepKind};

use super::draft::{Draft, error_result};
use super::{Decision, Effect, Given};
use crate::digest::hex;
use crate::tool::{Intent, ToolError};

/// Bodies that a call may have which runs again by itself: one that is cut off again and again is
/// given up. One that must not repeat has every further body from the person's own word.
const MAX_BODIES: u32 = 3;

/// What was found right before the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StartCall {
    pub(crate) run_id: RunId,
    pub(crate) call_id: CallId,
    /// The digest of what would run now.
    pub(crate) digest: [u8; 32],
    /// The same for a person to read.
    pub(crate) preview: CallPreview,
    /// Whether it may be run again, as it is now.
    pub(crate) effect: EffectClass,
    /// What it touches now.
    pub(crate) resources: Vec<String>,
    /// Whether it may run without an answer of the person's.
    pub(crate) is_allowed: bool,
    pub(crate) intent: Intent,
    /// When a question that must be asked again expires.
    pub(crate) expires_at_ms: Option<u64>,
}

/// Whether a session may act: the one answer for every tool path.
pub(super) fn may_act(draft: &Draft<'_>) -> Result<(), CommandError> {
    if draft.run.status == RunStatus::Running && draft.state.deleted_at_ms.is_none() {
        return Ok(());
    }
    Err(CommandError::new(
        ErrorCode::NotActionable,
        "This run is not going any more.",
        "Resume it first.",
    )
    .about_run(draft.run.run_id))
}

/// The attempt whose body may run now, if one may.
pub(crate) fn start_call(
    state: &SessionState,
    input: &StartCall,
    given: &Given<'_>,
) -> Result<(Option<(StepId, u32)>, Decision), CommandError> {
    let Some(draft) = Draft::of_run(state, input.run_id, given) else {
        return Ok((None, Decision::nothing()));
    };
    may_act(&draft)?;
    let ready = ready_call(state, input.run_id, input.call_id, given);
    let Some((mut draft, index)) = ready.filter(may_start) else {
        return Ok((None, Decision::nothing()));
    };
    let call = &draft.run.calls[index];
    if call.view.bodies >= MAX_BODIES && call.view.effect != EffectClass::Once {
        give_up(&mut draft, index);
        return Ok((None, draft.decision));
    }
    if !is_allowed(call, input) {
        ask_again(&mut draft, index, input);
        return Ok((None, draft.decision));
    }
    let attempt = start(&mut draft, index, input);
    Ok((Some(attempt), draft.decision))
}

/// Starts a call in the same breath as the reply that asks for it, before the call itself is written:
/// it is written as running. Whether it did: a call whose turn has not come, that needs an answer, or
/// whose intent has more to it, takes the longer way.
pub(super) fn start_with_reply(draft: &mut Draft<'_>, input: &StartCall) -> bool {
    let Some(index) = draft.index_of(input.call_id) else {
        return false;
    };
    let call = &draft.run.calls[index];
    let may_start = call.view.status == CallStatus::Ready
        && call.view.bodies == 0
        && input.intent.files.is_empty()
        && is_allowed(call, input)
        && call.digest == Some(input.digest)
        && draft.startable().contains(&input.call_id);
    if !may_start {
        return false;
    }
    let (step_id, attempt) = begin_attempt(draft, index);
    let at_ms = draft.given.at_ms;
    begun(
        &mut draft.run.calls[index],
        input,
        (step_id, attempt),
        at_ms,
    );
    say_started(draft, index);
    let (session_id, run_id) = (draft.session_id(), draft.run.run_id);
    draft.effect(Effect::RunCall {
        session_id,
        run_id,
        call_id: input.call_id,
        step_id,
        attempt,
    });
    true
}

/// An answer is bound to what was shown, and used once. A call that may be run again and was cut
/// off uses the answer that its first body used.
fn is_allowed(call: &CallRow, input: &StartCall) -> bool {
    let Some(approval) = &call.view.approval else {
        return input.is_allowed;
    };
    let is_unused = approval.consumed_at_ms.is_none() || call.view.bodies > 0;
    approval.status == ApprovalStatus::Allowed && is_unused && approval.digest == hex(&input.digest)
}

fn give_up(draft: &mut Draft<'_>, index: usize) {
    let at_ms = draft.given.at_ms;
    let text = format!("Given up: it was started {MAX_BODIES} times and cut off each time.");
    draft.save_call(index, |call| {
        call.view.status = CallStatus::Failed;
        call.view.result = Some(error_result(ErrorClass::Tool, &text));
        call.view.ended_at_ms = Some(at_ms);
    });
    draft.advance();
}

/// What would run is not what was allowed: the person is asked about what would run now.
fn ask_again(draft: &mut Draft<'_>, index: usize, input: &StartCall) {
    let call = &mut draft.run.calls[index];
    let round = call.view.approval.as_ref().map_or(0, |a| a.round) + 1;
    let approval = ApprovalView {
        round,
        status: ApprovalStatus::Pending,
        digest: hex(&input.digest),
        asked_at_ms: draft.given.at_ms,
        expires_at_ms: input.expires_at_ms,
        decision: None,
        consumed_at_ms: None,
    };
    call.view.approval = Some(approval.clone());
    let call_id = call.view.call_id;
    draft.change(Change::AddApproval { call_id, approval });
    draft.save_call(index, |call| {
        call.view.status = CallStatus::Waiting;
        call.view.preview = Some(input.preview.clone());
        call.view.effect = input.effect;
        call.resources.clone_from(&input.resources);
        call.digest = Some(input.digest);
    });
    draft.advance();
}

fn start(draft: &mut Draft<'_>, index: usize, input: &StartCall) -> (StepId, u32) {
    let at_ms = draft.given.at_ms;
    consume(draft, index);
    let attempt = begin_attempt(draft, index);
    add_checkpoints(draft, index, &input.intent);
    draft.save_call(index, |call| begun(call, input, attempt, at_ms));
    say_started(draft, index);
    attempt
}

/// The attempt in which the body of a call runs, and its step if it is the first.
fn begin_attempt(draft: &mut Draft<'_>, index: usize) -> (StepId, u32) {
    let at_ms = draft.given.at_ms;
    let call = &draft.run.calls[index];
    let attempt = call.attempt + 1;
    let (step_id, from) = match call.step_id {
        Some(step_id) => (step_id, StepStatus::Interrupted),
        None => (StepId::from_uuid(draft.given.new_id()), StepStatus::Planned),
    };
    if from == StepStatus::Planned {
        draft.change(Change::CreateStep {
            step_id,
            run_id: draft.run.run_id,
            kind: StepKind::ToolCall,
            at_ms,
        });
    }
    draft.change(Change::MoveStep {
        step_id,
        from,
        to: StepStatus::Running,
        at_ms,
    });
    draft.change(Change::StartAttempt {
        step_id,
        attempt,
        at_ms,
    });
    (step_id, attempt)
}

/// The call once its body may run.
fn begun(call: &mut CallRow, input: &StartCall, attempt: (StepId, u32), at_ms: u64) {
    call.view.status = CallStatus::Running;
    call.view.bodies += 1;
    call.view.started_at_ms = Some(at_ms);
    (call.step_id, call.attempt) = (Some(attempt.0), attempt.1);
    // The first body's notes are the ones to go by: what is found later may be its own work.
    if call.detail.is_none() && !input.intent.detail.is_null() {
        call.detail = Some(input.intent.detail.clone());
    }
}

fn say_started(draft: &mut Draft<'_>, index: usize) {
    let call = &draft.run.calls[index];
    let (call_id, attempt) = (call.view.call_id, call.attempt);
    tracing::info!(name: "engine.call.started", trace_id = %draft.run.run_id, %call_id, attempt);
    let is_read = call.view.effect == EffectClass::Read;
    draft.decision.is_relaxed = is_read || faults::is_mutant(Mutant::IntentRelaxed);
}

fn consume(draft: &mut Draft<'_>, index: usize) {
    let at_ms = draft.given.at_ms;
    let call = &mut draft.run.calls[index];
    let call_id = call.view.call_id;
    if let Some(approval) = &mut call.view.approval
        && approval.consumed_at_ms.is_none()
    {
        approval.consumed_at_ms = Some(at_ms);
        let round = approval.round;
        draft.change(Change::ConsumeApproval {
            call_id,
            round,
            at_ms,
        });
    }
}

fn add_checkpoints(draft: &mut Draft<'_>, index: usize, intent: &Intent) {
    for file in &intent.files {
        let call = &mut draft.run.calls[index];
        let call_id = call.view.call_id;
        if call.view.files.iter().any(|known| known.path == file.path) {
            continue;
        }
        let before = file.before.as_deref().map(blake3::hash);
        call.view.files.push(protocol::FileChange {
            path: file.path.clone(),
            before: before.map(|hash| hash.to_hex().to_string()),
            after: hex(&file.after),
            undone_at_ms: None,
        });
        draft.change(Change::AddCheckpoint {
            call_id,
            checkpoint: Checkpoint {
                path: file.path.clone(),
                before: file.before.clone(),
                after: file.after,
                undone_at_ms: None,
            },
        });
    }
}

/// Whether its turn has come. It was told to start before, and something else may have been told
/// since. Whatever it waits for names it again when it ends.
fn may_start((draft, index): &(Draft<'_>, usize)) -> bool {
    let call_id = draft.run.calls[*index].view.call_id;
    draft.startable().contains(&call_id)
}

/// A call that may start turned out not to be able to.
pub(crate) fn refuse_call(
    state: &SessionState,
    run_id: RunId,
    call_id: CallId,
    error: &ToolError,
    given: &Given<'_>,
) -> Decision {
    let Some((mut draft, index)) = ready_call(state, run_id, call_id, given) else {
        return Decision::nothing();
    };
    let at_ms = given.at_ms;
    draft.save_call(index, |call| {
        call.view.status = CallStatus::Failed;
        call.view.result = Some(error_result(error.class, &error.message));
        call.view.ended_at_ms = Some(at_ms);
    });
    draft.advance();
    draft.decision
}

/// Has a call that may start be started. Writes nothing.
pub(crate) fn start_ready(
    state: &SessionState,
    run_id: RunId,
    call_id: CallId,
    given: &Given<'_>,
) -> Decision {
    let mut decision = Decision::nothing();
    if let Some((draft, _)) = ready_call(state, run_id, call_id, given).filter(may_start) {
        decision.effects.push(Effect::StartCall {
            session_id: draft.session_id(),
            run_id,
            call_id,
        });
    }
    decision
}

fn ready_call<'a>(
    state: &SessionState,
    run_id: RunId,
    call_id: CallId,
    given: &'a Given<'a>,
) -> Option<(Draft<'a>, usize)> {
    let draft = Draft::of_run(state, run_id, given)?;
    may_act(&draft).ok()?;
    let index = draft.index_of(call_id)?;
    (draft.run.calls[index].view.status == CallStatus::Ready).then_some((draft, index))
}
