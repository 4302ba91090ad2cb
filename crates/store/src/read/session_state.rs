//! A session's state as a decision needs it.

use std::sync::LazyLock;

use protocol::{
    AgentFields, AgentId, Block, CallId, MessageId, QueuedMessage, RunId, RunReason, RunStatus,
    SessionId, StepId, StepStatus,
};
use rusqlite::params;

use super::Reader;
use super::agents::{FIELD_COLUMNS, agent_fields};
use super::row::{Row, agent_id, get, get_or_drop, message_id, optional_uuid, step_id, unreadable};
use super::runs::{retry, run_reason, run_status};
use crate::{CallRow, Error, Retry, SameRound};

/// What is decided on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    /// The session.
    pub session_id: SessionId,
    /// Its agent.
    pub agent_id: AgentId,
    /// The agent, as it is now.
    pub agent: AgentFields,
    /// The model that was chosen for it, before its agent's.
    pub model: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// The name of its workspace.
    pub workspace: String,
    /// The branch that is shown.
    pub branch: u32,
    /// How many branches there are.
    pub branches: u32,
    /// How many messages the branch that is shown has.
    pub message_count: u64,
    /// Whether it is put away.
    pub is_archived: bool,
    /// When it was deleted.
    pub deleted_at_ms: Option<u64>,
    /// Messages that wait, in order.
    pub queue: Vec<QueuedMessage>,
    /// Every call of the session that is in doubt, the oldest first, whatever its run.
    pub doubts: Vec<CallId>,
    /// The newest run of the branch that is shown.
    pub run: Option<RunState>,
}

/// The newest run of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunState {
    /// The run.
    pub run_id: RunId,
    /// Where it stands.
    pub status: RunStatus,
    /// Why.
    pub reason: Option<RunReason>,
    /// The model it was started with.
    pub model: String,
    /// The agent it was started with.
    pub agent_id: AgentId,
    /// The message that started it.
    pub message_id: MessageId,
    /// What was pinned to it, as the engine's JSON text.
    pub pin: Option<String>,
    /// What is used of its budget.
    pub used: Used,
    /// Present while a failed model call waits to be made again.
    pub retry: Option<Retry>,
    /// Tries of the current model call that failed.
    pub retry_failed: u32,
    /// How often the app ended since its last completed step.
    pub crashes: u32,
    /// How often the app ended while it ran, in all.
    pub crashes_total: u32,
    /// When its status last changed.
    pub updated_at_ms: u64,
    /// Whether the person has seen that it failed.
    pub is_dismissed: bool,
    /// Its newest model call or compaction.
    pub step: Option<StepState>,
    /// The calls of the newest message of the run that has any, in order.
    pub calls: Vec<CallRow>,
    /// The calls right before those, where they asked for the same.
    pub same_round: Option<SameRound>,
}

/// What is used of a run's budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Completed steps.
    pub steps: u32,
    /// Milliseconds of work.
    pub ms: u64,
    /// Tokens read and written, as far as they are known.
    pub tokens: u64,
    /// Cost in millionths of a dollar, as far as it is known.
    pub cost_microusd: u64,
}

/// The newest step of a run with its newest attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepState {
    /// The step.
    pub step_id: StepId,
    /// Its place in the run, from 1.
    pub position: u32,
    /// Whether it has the model summarise older messages.
    pub is_compaction: bool,
    /// Whether the step right before it did.
    pub follows_compaction: bool,
    /// Where it stands.
    pub status: StepStatus,
    /// The newest attempt, from 1; 0 if there was none.
    pub attempt: u32,
    /// Bytes that the attempt has streamed.
    pub streamed_bytes: u64,
    /// What the attempt has streamed, while it runs.
    pub blocks: Vec<Block>,
}

/// Completed steps before anybody asks whether a run repeats itself.
const REPEATS_FROM: u32 = 3;

pub(super) const NEWEST_STEP: &str = "
    SELECT steps.id, steps.position, steps.status,
           steps.kind = 'compaction' AS is_compaction,
           coalesce((SELECT before.kind = 'compaction' FROM steps AS before
                     WHERE before.run_id = steps.run_id
                       AND before.position = steps.position - 1), 0) AS follows_compaction,
           coalesce(attempts.attempt, 0) AS attempt,
           coalesce(attempts.streamed_bytes, 0) AS streamed_bytes
    FROM steps LEFT JOIN attempts ON attempts.step_id = steps.id
    WHERE steps.run_id = ?1 AND steps.kind <> 'tool_call'
    ORDER BY steps.position DESC, attempts.attempt DESC
    LIMIT 1";

/// Put together once: every decision begins with it.
static SESSION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT sessions.newest_run_id, sessions.agent_id, {FIELD_COLUMNS},
                sessions.model AS chosen_model, sessions.title, sessions.workspace,
                sessions.branch,
                (SELECT count(*) FROM branches
                 WHERE branches.session_id = sessions.id) AS branches,
                sessions.message_count, sessions.archived_at_ms, sessions.deleted_at_ms
         FROM sessions JOIN agents ON agents.id = sessions.agent_id
         WHERE sessions.id = ?1"
    )
});

impl Reader<'_> {
    /// The state of a session, or nothing if there is no such session. One that is marked as
    /// deleted has a state.
    pub fn session_state(&self, session_id: SessionId) -> Result<Option<SessionState>, Error> {
        let found = self.one(&SESSION, params![session_id.uuid().as_bytes()], |row| {
            let newest = optional_uuid(row, "newest_run_id")?.map(RunId::from_uuid);
            let state = SessionState {
                session_id,
                agent_id: agent_id(row, "agent_id")?,
                agent: agent_fields(row)?,
                model: get_or_drop(row, "chosen_model"),
                title: get(row, "title")?,
                workspace: get(row, "workspace")?,
                branch: get(row, "branch")?,
                branches: get(row, "branches")?,
                message_count: get(row, "message_count")?,
                is_archived: get::<Option<i64>>(row, "archived_at_ms")?.is_some(),
                deleted_at_ms: get(row, "deleted_at_ms")?,
                queue: Vec::new(),
                doubts: Vec::new(),
                run: None,
            };
            Ok((state, newest))
        })?;
        let Some((mut state, newest)) = found else {
            return Ok(None);
        };
        state.queue = self.queue(session_id)?;
        state.doubts = self.doubts(session_id)?;
        state.run = newest.map(|run_id| self.run_state(run_id)).transpose()?;
        Ok(Some(state))
    }

    fn run_state(&self, run_id: RunId) -> Result<RunState, Error> {
        let found = self.one(
            "SELECT runs.status, runs.reason, runs.model, runs.agent_id, runs.message_id,
                    pins.body AS pin, runs.used_steps, runs.used_ms, runs.used_tokens,
                    runs.used_cost_microusd, runs.retry_at_ms, runs.retry_failed,
                    runs.retry_class, runs.retry_message, runs.crashes, runs.crashes_total,
                    runs.updated_at_ms, runs.dismissed_at_ms
             FROM runs LEFT JOIN pins ON pins.hash = runs.pin
             WHERE runs.id = ?1",
            params![run_id.uuid().as_bytes()],
            |row| run_state(run_id, row),
        )?;
        let mut run = found.ok_or_else(|| unreadable("run", &"it is gone"))?;
        run.step = self.newest_step(run_id)?;
        run.calls = self.newest_calls(run_id)?;
        // Shorter runs have not said anything often enough to matter.
        if run.used.steps >= REPEATS_FROM {
            run.same_round = self.same_round(run_id, &run.calls)?;
        }
        Ok(run)
    }

    fn newest_step(&self, run_id: RunId) -> Result<Option<StepState>, Error> {
        let values = [run_id.uuid().into_bytes()];
        let found = self.one(NEWEST_STEP, values, |row| {
            Ok(StepState {
                step_id: step_id(row, "id")?,
                position: get(row, "position")?,
                is_compaction: get(row, "is_compaction")?,
                follows_compaction: get(row, "follows_compaction")?,
                status: StepStatus::parse(&get::<String>(row, "status")?)
                    .map_err(|error| unreadable("step", &error))?,
                attempt: get(row, "attempt")?,
                streamed_bytes: get(row, "streamed_bytes")?,
                blocks: Vec::new(),
            })
        })?;
        let Some(mut step) = found else {
            return Ok(None);
        };
        step.blocks = self
            .blocks_of(step.step_id, step.attempt)?
            .into_iter()
            .map(|(_, kind, text)| Block { kind, text })
            .collect();
        Ok(Some(step))
    }
}

/// Everything but its newest step and calls.
fn run_state(run_id: RunId, row: &Row<'_>) -> Result<RunState, Error> {
    Ok(RunState {
        run_id,
        status: run_status(row, "status")?,
        reason: run_reason(row, "reason"),
        model: get(row, "model")?,
        agent_id: agent_id(row, "agent_id")?,
        message_id: message_id(row, "message_id")?,
        pin: get(row, "pin")?,
        used: Used {
            steps: get(row, "used_steps")?,
            ms: get(row, "used_ms")?,
            tokens: get(row, "used_tokens")?,
            cost_microusd: get(row, "used_cost_microusd")?,
        },
        retry: retry(row)?,
        retry_failed: get(row, "retry_failed")?,
        crashes: get(row, "crashes")?,
        crashes_total: get(row, "crashes_total")?,
        updated_at_ms: get(row, "updated_at_ms")?,
        is_dismissed: get::<Option<i64>>(row, "dismissed_at_ms")?.is_some(),
        step: None,
        calls: Vec::new(),
        same_round: None,
    })
}
