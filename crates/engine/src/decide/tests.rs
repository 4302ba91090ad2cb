//! Pure tests of every decision: plain values in, a decision out.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test picks out what it asks about"
)]

/// What a run does next.
mod advancing;
/// The state that a decision leads to.
mod after;
/// Answers to questions.
mod approving;
/// Going on from an earlier place.
mod branching;
/// Tool calls as a state holds them.
mod calls;
/// Forks and imports.
/// Older messages are summarised.
mod compacting;
mod copying;
/// Doubt is settled.
mod doubting;
/// How a model call ended.
mod ending;
/// Nobody answers in time.
mod expiring;
/// Stop, interrupt, cancel.
mod halting;
/// How the body of a tool call ended.
mod outcomes;
/// Messages that wait.
mod queueing;
/// The same calls again and again.
mod repeating;
/// Resume.
mod resuming;
/// A failed model call is made again.
mod retrying;
/// A message is sent, whatever the session is doing.
mod sending;
/// Sessions, and what holds for every decision.
mod sessions;
/// A tool call starts.
mod starting_calls;
/// A run starts.
mod starting_runs;
/// Taking up what a dead process left.
mod sweeping;
/// A decision in short.
mod telling;
/// Random inputs against a real store: only legal moves, dense events, one end per run.
mod walk;

use std::sync::atomic::{AtomicU64, Ordering};

use protocol::{
    AgentFields, AgentId, Block, BlockKind, CommandError, ErrorCode, MessageId, RunId, RunLimits,
    RunStatus, SessionId, StepId, StepStatus,
};
use store::{CallRow, RunState, SessionState, StepState, Used};
use uuid::Uuid;

use super::{Decision, Effect, Given, StartRun};
use crate::ids::Ids;
use crate::pin::Pin;

pub(super) use after::after;
pub(super) use calls::{asking, call, call_id, touching};
pub(super) use telling::{events, told};

const AT_MS: u64 = 5_000;
const BEFORE: u128 = 0xb;
const NEW: u128 = 0xe;

/// Ids in order, from 100 in hexadecimal.
#[derive(Debug, Default)]
struct Numbered(AtomicU64);

impl Ids for Numbered {
    fn next(&self, _now_ms: u64) -> Uuid {
        Uuid::from_u128(0x100 + u128::from(self.0.fetch_add(1, Ordering::Relaxed)))
    }
}

/// Decides at the usual time.
fn decide<T>(decide: impl FnOnce(&Given<'_>) -> T) -> T {
    decide_at(AT_MS, decide)
}

fn decide_at<T>(at_ms: u64, decide: impl FnOnce(&Given<'_>) -> T) -> T {
    decide(&Given {
        at_ms,
        ids: &Numbered::default(),
        default_model: "model-b".into(),
        tools: &[],
    })
}

fn session_id() -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(1))
}

fn agent_id() -> AgentId {
    AgentId::from_uuid(Uuid::from_u128(2))
}

fn run_id(number: u128) -> RunId {
    RunId::from_uuid(Uuid::from_u128(number))
}

fn step_id(number: u128) -> StepId {
    StepId::from_uuid(Uuid::from_u128(number))
}

fn message_id() -> MessageId {
    MessageId::from_uuid(Uuid::from_u128(3))
}

fn agent() -> AgentFields {
    AgentFields {
        name: "Pilot".to_owned(),
        instructions: Some("Be brief.".to_owned()),
        model: None,
        tools: None,
        limits: RunLimits::default(),
    }
}

/// A session with a title and two messages, without a run.
fn quiet() -> SessionState {
    SessionState {
        session_id: session_id(),
        agent_id: agent_id(),
        agent: agent(),
        model: None,
        title: Some("Tides".to_owned()),
        workspace: "shore".to_owned(),
        branch: 0,
        branches: 1,
        message_count: 2,
        is_archived: false,
        deleted_at_ms: None,
        queue: Vec::new(),
        doubts: Vec::new(),
        run: None,
    }
}

/// The same with a run and its step; the attempt has streamed `text`.
fn with_run(status: RunStatus, step: StepStatus, text: &str) -> SessionState {
    let blocks = if text.is_empty() {
        Vec::new()
    } else {
        vec![block(BlockKind::Text, text)]
    };
    SessionState {
        run: Some(RunState {
            run_id: run_id(BEFORE),
            status,
            reason: None,
            model: "model-a".to_owned(),
            agent_id: agent_id(),
            message_id: message_id(),
            pin: None,
            used: Used::default(),
            retry: None,
            retry_failed: 0,
            crashes: 0,
            crashes_total: 0,
            updated_at_ms: 1_000,
            is_dismissed: false,
            step: Some(StepState {
                step_id: step_id(BEFORE),
                position: 1,
                is_compaction: false,
                follows_compaction: false,
                status: step,
                attempt: 2,
                streamed_bytes: text.len() as u64,
                blocks,
            }),
            calls: Vec::new(),
            same_round: None,
        }),
        ..quiet()
    }
}

fn block(kind: BlockKind, text: &str) -> Block {
    Block {
        kind,
        text: text.to_owned(),
    }
}

fn running(text: &str) -> SessionState {
    with_run(RunStatus::Running, StepStatus::Running, text)
}

fn halted(status: RunStatus) -> SessionState {
    with_run(status, StepStatus::Interrupted, "")
}

/// A run whose model call is over and asked for these calls.
fn with_calls(status: RunStatus, calls: Vec<CallRow>) -> SessionState {
    let mut state = with_run(status, StepStatus::Completed, "");
    state.doubts = calls
        .iter()
        .filter(|call| call.view.status == protocol::CallStatus::InDoubt)
        .map(|call| call.view.call_id)
        .collect();
    run_of(&mut state).calls = calls;
    state
}

fn run_of(state: &mut SessionState) -> &mut RunState {
    state.run.as_mut().unwrap()
}

/// Limits as they are pinned to a run.
fn limited(state: &mut SessionState, limits: RunLimits) {
    let agent = AgentFields { limits, ..agent() };
    run_of(state).pin = Pin::of(&agent, &[]).to_text();
}

/// Each status a run can have, with the step as it then is.
fn every_run() -> Vec<SessionState> {
    RunStatus::ALL
        .into_iter()
        .map(|status| {
            let step = match status {
                RunStatus::Queued => StepStatus::Planned,
                RunStatus::Running => StepStatus::Running,
                RunStatus::Waiting | RunStatus::Completed => StepStatus::Completed,
                RunStatus::Stopped | RunStatus::Interrupted => StepStatus::Interrupted,
                RunStatus::Failed => StepStatus::Failed,
                RunStatus::Cancelled => StepStatus::Cancelled,
            };
            with_run(status, step, "")
        })
        .collect()
}

fn status_of(state: &SessionState) -> RunStatus {
    state.run.as_ref().unwrap().status
}

fn input() -> StartRun {
    StartRun {
        session_id: session_id(),
        message_id: message_id(),
        run_id: run_id(NEW),
        agent: (agent_id(), agent()),
        text: "# When is high water?\nand where".to_owned(),
        attachments: Vec::new(),
        request_key: Some("key".to_owned()),
    }
}

/// The calls that a decision has started.
fn started(decision: &Decision) -> Vec<protocol::CallId> {
    let starts = decision.effects.iter().filter_map(|effect| match effect {
        Effect::StartCall { call_id, .. } => Some(*call_id),
        _ => None,
    });
    starts.collect()
}

/// Whether a decision asks the model.
fn asks_model(decision: &Decision) -> bool {
    let asks = |effect: &Effect| matches!(effect, Effect::CallModel { .. });
    decision.effects.iter().any(asks)
}

fn changes_nothing(decision: &Decision) -> bool {
    decision.changes.is_empty() && decision.effects.is_empty()
}

/// The code of a refusal and the run it is about.
fn refused<T: std::fmt::Debug>(result: Result<T, CommandError>) -> (ErrorCode, Option<RunId>) {
    let error = result.expect_err("it should be refused");
    (error.code, error.run_id)
}
