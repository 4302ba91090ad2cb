//! A session's state as a decision needs it.

use protocol::{
    AgentFields, AgentId, Block, CallId, MessageId, QueuedMessage, RunId, RunReason, RunStatus,
    SessionId, StepId, StepStatus,
};
use rusqlite::{OptionalExtension, params};

use super::Reader;
use super::row::{agent_id, get, optional_uuid, step_id, unreadable};
use super::runs::run_status;
use crate::{CallRow, Error, Retry};

/// What is decided on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    /// The session.
    pub session_id: SessionId,
    /// Its agent.
    pub agent_id: AgentId,
    /// The agent, as it is now.
    pub agent: AgentFields,
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
    /// Its newest model call.
    pub step: Option<StepState>,
    /// The calls of the newest message of the run that has any, in order.
    pub calls: Vec<CallRow>,
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
    /// Where it stands.
    pub status: StepStatus,
    /// The newest attempt, from 1; 0 if there was none.
    pub attempt: u32,
    /// Bytes that the attempt has streamed.
    pub streamed_bytes: u64,
    /// What the attempt has streamed, while it runs.
    pub blocks: Vec<Block>,
}

pub(super) const NEWEST_STEP: &str = "
    SELECT steps.id, steps.position, steps.status,
           coalesce(attempts.attempt, 0) AS attempt,
           coalesce(attempts.streamed_bytes, 0) AS streamed_bytes
    FROM steps LEFT JOIN attempts ON attempts.step_id = steps.id
    WHERE steps.run_id = ?1
    ORDER BY steps.position DESC, attempts.attempt DESC
    LIMIT 1";

impl Reader<'_> {
    /// The state of a session, or nothing if there is no such session.
    pub fn session_state(&self, session_id: SessionId) -> Result<Option<SessionState>, Error> {
        let found = self
            .transaction
            .prepare_cached(
                "SELECT sessions.agent_id, sessions.title, sessions.message_count,
                        agents.instructions, runs.id AS run_id, runs.status AS run_status,
                        runs.model AS run_model
                 FROM sessions
                 JOIN agents ON agents.id = sessions.agent_id
                 LEFT JOIN runs ON runs.id = sessions.newest_run_id
                 WHERE sessions.id = ?1",
            )?
            .query_row(params![session_id.uuid().as_bytes()], |row| {
                Ok((|| -> Result<SessionState, Error> {
                    let run = match optional_uuid(row, "run_id")? {
                        None => None,
                        Some(id) => Some(RunState {
                            run_id: RunId::from_uuid(id),
                            status: run_status(row, "run_status")?,
                            model: get(row, "run_model")?,
                            step: None,
                        }),
                    };
                    Ok(SessionState {
                        session_id,
                        agent_id: agent_id(row, "agent_id")?,
                        instructions: get(row, "instructions")?,
                        title: get(row, "title")?,
                        message_count: get(row, "message_count")?,
                        run,
                    })
                })())
            })
            .optional()?
            .transpose()?;
        let Some(mut state) = found else {
            return Ok(None);
        };
        if let Some(run) = &mut state.run {
            run.step = self.newest_step(run.run_id)?;
        }
        Ok(Some(state))
    }

    fn newest_step(&self, run_id: RunId) -> Result<Option<StepState>, Error> {
        let found = self
            .transaction
            .prepare_cached(NEWEST_STEP)?
            .query_row(params![run_id.uuid().as_bytes()], |row| {
                Ok((|| -> Result<StepState, Error> {
                    Ok(StepState {
                        step_id: step_id(row, "id")?,
                        position: get(row, "position")?,
                        status: StepStatus::parse(&get::<String>(row, "status")?)
                            .map_err(|error| unreadable("step", &error))?,
                        attempt: get(row, "attempt")?,
                        streamed_bytes: get(row, "streamed_bytes")?,
                        blocks: Vec::new(),
                    })
                })())
            })
            .optional()?
            .transpose()?;
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
