//! Pure tests of every decision: plain values in, a decision out.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test picks out what it asks about"
)]

/// How a model call ended.
mod ending;
/// Stop, interrupt, cancel.
mod halting;
/// Resume.
mod resuming;
/// Sessions, and what holds for every decision.
mod sessions;
/// A message is sent.
mod starting;
/// Random inputs against a real store: only legal moves, dense events, one end per run.
mod walk;

use protocol::{
    AgentId, Block, BlockKind, CommandError, ErrorCode, MessageId, RunId, RunStatus, SessionId,
    StepId, StepStatus,
};
use store::{Change, RunState, SessionState, StepState};
use uuid::Uuid;

use super::{Decision, Effect, StartRun};

const AT_MS: u64 = 5_000;
const BEFORE: u128 = 0xb;
const NEW: u128 = 0xe;

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

/// A session with a title and two messages, without a run.
fn quiet() -> SessionState {
    SessionState {
        session_id: session_id(),
        agent_id: agent_id(),
        instructions: Some("Be brief.".to_owned()),
        title: Some("Tides".to_owned()),
        message_count: 2,
        run: None,
    }
}

/// The same with a run and its step; the attempt has streamed `text`.
fn with_run(status: RunStatus, step: StepStatus, text: &str) -> SessionState {
    let blocks = if text.is_empty() {
        Vec::new()
    } else {
        vec![Block {
            kind: BlockKind::Text,
            text: text.to_owned(),
        }]
    };
    SessionState {
        run: Some(RunState {
            run_id: run_id(BEFORE),
            status,
            model: "model-a".to_owned(),
            step: Some(StepState {
                step_id: step_id(BEFORE),
                position: 1,
                status: step,
                attempt: 2,
                streamed_bytes: text.len() as u64,
                blocks,
            }),
        }),
        ..quiet()
    }
}

fn running(text: &str) -> SessionState {
    with_run(RunStatus::Running, StepStatus::Running, text)
}

fn halted(status: RunStatus) -> SessionState {
    with_run(status, StepStatus::Interrupted, "")
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
        step_id: step_id(NEW),
        agent_id: agent_id(),
        text: "# When is high water?\nand where".to_owned(),
        request_key: Some("key".to_owned()),
        model: "model-b".to_owned(),
        at_ms: AT_MS,
    }
}

/// A decision in short: its changes in order, then its effects.
fn told(decision: &Decision) -> Vec<String> {
    let changes = decision.changes.iter().map(change_told);
    changes
        .chain(decision.effects.iter().map(effect_told))
        .collect()
}

fn change_told(change: &Change) -> String {
    match change {
        Change::CreateSession { title, .. } => format!("create session {title:?}"),
        Change::RenameSession { title, .. } => format!("rename session {title:?}"),
        Change::AddMessage { message, .. } => format!(
            "add {:?} {:?} message {} {:?}",
            message.status,
            message.role,
            message.position,
            message.text()
        ),
        Change::CreateRun(run) => format!("create run {}", short(run.run_id.uuid())),
        Change::MoveRun {
            run_id,
            from,
            to,
            reason,
            ..
        } => {
            let reason = reason.map_or("-", protocol::RunReason::as_str);
            format!(
                "run {} {} -> {} {reason}",
                short(run_id.uuid()),
                from.as_str(),
                to.as_str()
            )
        }
        Change::CreateStep {
            step_id, position, ..
        } => format!("create step {} at {position}", short(step_id.uuid())),
        Change::MoveStep {
            step_id, from, to, ..
        } => format!(
            "step {} {} -> {}",
            short(step_id.uuid()),
            from.as_str(),
            to.as_str()
        ),
        Change::StartAttempt { attempt, .. } => format!("start attempt {attempt}"),
        Change::AppendDeltas { .. } => "append deltas".to_owned(),
        Change::EndAttempt {
            attempt,
            to,
            streamed_bytes,
            ..
        } => format!(
            "end attempt {attempt} {} at {streamed_bytes} bytes",
            to.as_str()
        ),
        Change::AppendEvent { event, .. } => format!("event {}", kind(event)),
    }
}

/// The wire's own name of an event.
fn kind(event: &protocol::Event) -> String {
    let name = format!("{event:?}");
    let name = name.split([' ', '{']).next().unwrap_or_default();
    let mut kind = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !kind.is_empty() {
            kind.push('_');
        }
        kind.extend(letter.to_lowercase());
    }
    kind
}

fn effect_told(effect: &Effect) -> String {
    match effect {
        Effect::CallModel {
            run_id,
            step_id,
            attempt,
            ..
        } => format!(
            "call model for run {} step {} attempt {attempt}",
            short(run_id.uuid()),
            short(step_id.uuid())
        ),
        Effect::HaltModel { run_id, .. } => format!("halt model of run {}", short(run_id.uuid())),
    }
}

fn short(uuid: Uuid) -> String {
    format!("{:x}", uuid.as_u128())
}

/// The code of a refusal and the run it is about.
fn refused(result: Result<Decision, CommandError>) -> (ErrorCode, Option<RunId>) {
    let error = result.expect_err("it should be refused");
    (error.code, error.run_id)
}
