//! One tool call, from "it may start" to its outcome. What it needs is read from the store; what
//! it does is written before it is done.

mod body;

use std::sync::Arc;

use protocol::{
    CallId, CallStatus, CommandError, ErrorClass, ErrorCode, RunId, SessionId, StepId, Verdict,
};
use store::faults::{self, Mutant, Point};
use store::{CallRow, SessionState};
use tokio_util::sync::CancellationToken;

use crate::Engine;
use crate::decide::{self, CallEnd, PlannedCall, StartCall};
use crate::patience::{Patience, is_passing};
use crate::planning::{Facts, expiry, guarded};
use crate::policy::{self, Withheld};
use crate::tool::{CallInput, FileIntent, Intent, Plan, Tool, ToolError};

/// The call that is worked on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job {
    pub(crate) session_id: SessionId,
    pub(crate) run_id: RunId,
    pub(crate) call_id: CallId,
}

/// A call that was looked at right before it starts, and what its body needs.
#[derive(Debug)]
pub(crate) struct Looked {
    call: CallRow,
    tool: Arc<dyn Tool>,
    input: CallInput,
    intent: Intent,
    state: std::collections::BTreeMap<String, serde_json::Value>,
    withheld: Withheld,
}

/// Starts the call, if it may still start, and writes down how it ended.
pub(crate) async fn work(engine: &Engine, job: Job, cancel: &CancellationToken) {
    let Some((call, facts)) = load_when_possible(engine, job, cancel).await else {
        return;
    };
    let (start_call, looked) = match prepare(engine, job, call, facts).await {
        Ok(prepared) => prepared,
        Err(error) => return refuse(engine, job, error, cancel).await,
    };
    if faults::is_mutant(Mutant::ToolBeforeCommit) {
        let end = body::run(engine, &looked, cancel).await;
        if let Some(attempt) = start(engine, job, &start_call, cancel).await {
            settle(engine, job, attempt, end, looked.tool.can_check()).await;
        }
        return;
    }
    if let Some(attempt) = start(engine, job, &start_call, cancel).await {
        run_body(engine, job, &looked, attempt, cancel).await;
    }
}

/// Runs the body of a call whose intent is committed, and writes down how it ended.
pub(crate) async fn run_body(
    engine: &Engine,
    job: Job,
    looked: &Looked,
    attempt: (StepId, u32),
    cancel: &CancellationToken,
) {
    faults::pass(Point::BodyBefore);
    let end = body::run(engine, looked, cancel).await;
    faults::pass(Point::BodyAfter);
    settle(engine, job, attempt, end, looked.tool.can_check()).await;
}

/// The one call of a reply, if it is allowed and its tool has nothing to look at: it was planned just
/// now, and its intent is written together with the reply. What must be looked at first, or kept with
/// the intent, goes the longer way: the reply does not wait for it, and its failure is the call's
/// alone.
pub(crate) fn look_with_reply(
    engine: &Engine,
    planned: &[PlannedCall],
    facts: Facts,
) -> Option<Box<StartCall>> {
    let [PlannedCall { call, .. }] = planned else {
        return None;
    };
    let digest = call.digest?;
    let preview = call.view.preview.clone()?;
    if call.view.status != CallStatus::Ready || faults::is_mutant(Mutant::ToolBeforeCommit) {
        return None;
    }
    let tool = engine.tool_of(&call.view.tool, &facts.pin).ok()?;
    if tool.looks_first() {
        return None;
    }
    let input = engine.call_input(call, &facts.workspace);
    let intent = Intent::default();
    let withheld = Withheld::of(&facts.rules, &call.view.tool, preview.subject.as_deref());
    let start = StartCall {
        run_id: call.view.run_id,
        call_id: call.view.call_id,
        digest,
        preview,
        effect: call.view.effect,
        resources: call.resources.clone(),
        is_allowed: true,
        intent: intent.clone(),
        expires_at_ms: None,
    };
    let looked = Looked {
        call: call.clone(),
        tool,
        input,
        intent,
        state: facts.state,
        withheld,
    };
    engine.inner.jobs.park(call.view.call_id, looked);
    Some(Box::new(start))
}

/// A decision that came while this job was ending may have wanted it to begin again. Nobody else
/// would look: while the disk refuses it is tried again.
pub(crate) async fn look_again(engine: &Engine, job: Job) {
    let mut patience = Patience::new();
    while !engine.inner.is_closing() {
        let result = engine
            .transact(job.session_id, |state| {
                let decision = state.map_or_else(decide::Decision::nothing, |state| {
                    decide::start_ready(state, job.run_id, job.call_id, &engine.inner.given())
                });
                Ok(((), decision))
            })
            .await;
        let Err(error) = result else { return };
        tracing::warn!(name: "engine.call.not_looked_at", code = ?error.code);
        if !is_passing(&error) {
            return;
        }
        if !patience.wait(&engine.inner.closing).await {
            return;
        }
    }
}

/// A call that may start and cannot be read stays as it is until the disk lets it be read: nobody
/// else would start it.
async fn load_when_possible(
    engine: &Engine,
    job: Job,
    cancel: &CancellationToken,
) -> Option<(CallRow, Facts)> {
    let mut patience = Patience::new();
    loop {
        match load(engine, job).await {
            Ok(loaded) => return loaded,
            Err(error) if is_passing(&error) => {
                tracing::warn!(name: "engine.call.unread", code = ?error.code, message = error.message);
                if !patience.wait(cancel).await {
                    return None;
                }
            }
            Err(error) => {
                tracing::error!(name: "engine.call.unread", code = ?error.code, message = error.message);
                return None;
            }
        }
    }
}

async fn load(engine: &Engine, job: Job) -> Result<Option<(CallRow, Facts)>, CommandError> {
    let call = engine
        .read_short(move |reader| reader.call(job.call_id))
        .await?;
    match call.filter(|call| call.view.status == CallStatus::Ready) {
        Some(call) => {
            let facts = engine
                .planning_facts(job.session_id, job.run_id, Vec::new())
                .await?;
            Ok(Some((call, facts)))
        }
        None => Ok(None),
    }
}

/// Looks at everything once more: what runs must be what was allowed.
async fn prepare(
    engine: &Engine,
    job: Job,
    call: CallRow,
    facts: Facts,
) -> Result<(StartCall, Looked), ToolError> {
    let tool = engine.tool_of(&call.view.tool, &facts.pin)?;
    let (plan, tool_hash) = match planned_before(&call, tool.spec().hash()) {
        Some(planned) => planned,
        None => engine.plan_one(&call, &facts).await?,
    };
    let verdict = refuse_denied(&call, &facts, &plan)?;
    let is_same = call.view.bodies > 0 && call.tool_hash == Some(tool_hash);
    let digest = match call.digest.filter(|_| is_same) {
        Some(digest) => digest,
        None => engine.digest_of(&call, &facts, &plan, tool_hash),
    };
    let is_allowed = is_same || verdict == Verdict::Allow && call.tool_hash == Some(tool_hash);
    let input = engine.call_input(&call, &facts.workspace);
    let intent = if call.view.bodies == 0 {
        guarded("prepare", || tool.prepare(&input)).await?
    } else {
        stored_intent(engine, &call).await?
    };
    let subject = plan.preview.subject.as_deref();
    let withheld = Withheld::of(&facts.rules, &call.view.tool, subject);
    let start = StartCall {
        run_id: job.run_id,
        call_id: job.call_id,
        digest,
        preview: plan.preview,
        effect: plan.effect,
        resources: plan.resources,
        is_allowed,
        intent: intent.clone(),
        expires_at_ms: expiry(&facts.settings, engine.inner.now_ms()),
    };
    let looked = Looked {
        call,
        tool,
        input,
        intent,
        state: facts.state,
        withheld,
    };
    Ok((start, looked))
}

/// What a body that runs again was started with the first time. It is not planned anew: what the
/// first body did may already be there, and would look like another call, or like one that cannot
/// be made.
fn planned_before(call: &CallRow, tool_hash: [u8; 32]) -> Option<(Plan, [u8; 32])> {
    let is_same = call.view.bodies > 0 && call.tool_hash == Some(tool_hash);
    if !is_same || call.digest.is_none() {
        return None;
    }
    let plan = Plan {
        effect: call.view.effect,
        verdict: Verdict::Allow,
        preview: call.view.preview.clone()?,
        resources: call.resources.clone(),
        binding: Vec::new(),
    };
    Some((plan, tool_hash))
}

/// A denial wins, also one that came after the person's answer.
fn refuse_denied(call: &CallRow, facts: &Facts, plan: &Plan) -> Result<Verdict, ToolError> {
    let subject = plan.preview.subject.as_deref();
    let now = policy::verdict(&facts.rules, &call.view.tool, subject, plan.verdict);
    if now.verdict == Verdict::Deny {
        let text = format!("{}.", now.explanation);
        return Err(ToolError::definite(text).of(ErrorClass::Permission));
    }
    Ok(now.verdict)
}

/// What the first body of this call was started with.
async fn stored_intent(engine: &Engine, call: &CallRow) -> Result<Intent, ToolError> {
    let call_id = call.view.call_id;
    let files = engine
        .read(move |reader| reader.checkpoints_of_call(call_id))
        .await
        .map_err(|error| ToolError::definite(error.message))?;
    Ok(Intent {
        files: files
            .into_iter()
            .map(|file| FileIntent {
                path: file.path,
                before: file.before,
                after: file.after,
            })
            .collect(),
        detail: call.detail.clone().unwrap_or_default(),
    })
}

/// Writes the intent. Nothing if the call may not start any more.
async fn start(
    engine: &Engine,
    job: Job,
    input: &StartCall,
    cancel: &CancellationToken,
) -> Option<(StepId, u32)> {
    let write = || {
        engine.transact(job.session_id, |state| match state {
            Some(state) => decide::start_call(state, input, &engine.inner.given()),
            None => Ok((None, decide::Decision::nothing())),
        })
    };
    let mut patience = Patience::new();
    loop {
        match write().await {
            Ok(attempt) => return attempt,
            Err(error) if is_passing(&error) => {
                tracing::warn!(name: "engine.call.delayed", code = ?error.code, message = error.message);
                if !patience.wait(cancel).await {
                    return None;
                }
            }
            // The run was halted meanwhile, or everything closes.
            Err(error) if is_halted(&error) => {
                tracing::info!(name: "engine.call.not_started", code = ?error.code);
                return None;
            }
            Err(error) => {
                tracing::error!(name: "engine.intent.refused", code = ?error.code, message = error.message);
                let text = format!("It could not be started: {}", error.message);
                refuse(engine, job, unkept(&error, text), cancel).await;
                return None;
            }
        }
    }
}

/// Writes that a call failed before it could start.
async fn refuse(engine: &Engine, job: Job, error: ToolError, cancel: &CancellationToken) {
    let mut patience = Patience::new();
    loop {
        let written = engine
            .transact(job.session_id, |state| {
                let decision = state.map_or_else(decide::Decision::nothing, |state| {
                    let given = engine.inner.given();
                    decide::refuse_call(state, job.run_id, job.call_id, &error, &given)
                });
                Ok(((), decision))
            })
            .await;
        match written {
            Err(error) if is_passing(&error) => {
                if !patience.wait(cancel).await {
                    return;
                }
            }
            Ok(()) | Err(_) => return,
        }
    }
}

/// Writes how a body ended. While the disk refuses it is tried again: what happened, happened.
async fn settle(
    engine: &Engine,
    job: Job,
    attempt: (StepId, u32),
    mut end: CallEnd,
    can_check: bool,
) {
    let mut patience = Patience::new();
    let mut is_refused = false;
    loop {
        let read = move |reader: &store::Reader<'_>| {
            let state = reader.session_state(job.session_id)?;
            let call = match state.as_ref().and_then(|state| call_of(state, job.call_id)) {
                Some(call) => Some(call.clone()),
                // Its run is not the newest any more.
                None => reader.call(job.call_id)?,
            };
            Ok((state, call))
        };
        let written = engine
            .transact_in(job.session_id, read, |(state, call)| {
                let decision = match (state, call) {
                    (Some(state), Some(call)) => {
                        let given = engine.inner.given();
                        decide::call_outcome(state, call, attempt, &end, can_check, &given)
                    }
                    (_, None) | (None, _) => decide::Decision::nothing(),
                };
                Ok(((), decision))
            })
            .await;
        match written {
            Ok(()) => return,
            Err(error) if is_passing(&error) => {
                tracing::warn!(name: "engine.outcome.delayed", code = ?error.code, message = error.message);
                patience.pause().await;
            }
            // What it left cannot be kept; that it ended can.
            Err(error) if !is_refused && !is_halted(&error) => {
                tracing::error!(name: "engine.outcome.refused", code = ?error.code, message = error.message);
                let text = format!(
                    "It ended, but what it left cannot be kept: {}",
                    error.message
                );
                end = CallEnd::Failed(unkept(&error, text));
                is_refused = true;
            }
            // The rows still say `running`; the next start finds them.
            Err(error) => {
                tracing::error!(name: "engine.outcome.unwritten", code = ?error.code, message = error.message);
                return;
            }
        }
    }
}

fn call_of(state: &SessionState, call_id: CallId) -> Option<&CallRow> {
    let mut calls = state.run.as_ref()?.calls.iter();
    calls.find(|call| call.view.call_id == call_id)
}

/// Something that cannot be written, and never could be.
fn unkept(error: &CommandError, text: String) -> ToolError {
    let class = if error.code == ErrorCode::TooLarge {
        ErrorClass::Limit
    } else {
        ErrorClass::Internal
    };
    ToolError::definite(text).of(class)
}

const fn is_halted(error: &CommandError) -> bool {
    matches!(
        error.code,
        ErrorCode::NotActionable | ErrorCode::NotFound | ErrorCode::Unavailable
    )
}
