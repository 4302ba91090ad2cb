//! Commands about runs.

use protocol::{
    AgentId, CommandError, ErrorCode, MessageId, Reply, RunId, RunStatus, RunView, SessionId,
};
use store::{Reader, SessionState};

use crate::Engine;
use crate::command_error::not_found;
use crate::decide::{self, Decision, MAX_TRIES, StartRun};

impl Engine {
    /// Everything that a message needs to start a run, ids included.
    pub(super) async fn start_input(
        &self,
        session_id: Option<SessionId>,
        text: String,
        request_key: Option<String>,
        agent_id: Option<AgentId>,
    ) -> Result<StartRun, CommandError> {
        Ok(StartRun {
            session_id: session_id.unwrap_or_else(|| SessionId::from_uuid(self.inner.new_id())),
            message_id: MessageId::from_uuid(self.inner.new_id()),
            run_id: RunId::from_uuid(self.inner.new_id()),
            agent: self.agent(agent_id).await?,
            text,
            attachments: Vec::new(),
            request_key,
        })
    }

    pub(super) async fn run(&self, run_id: RunId) -> Result<RunView, CommandError> {
        let mut run = self
            .read(move |reader| reader.run(run_id))
            .await?
            .ok_or_else(|| not_found("run"))?;
        say_tries(&mut run);
        Ok(run)
    }

    pub(super) async fn start_run(
        &self,
        input: StartRun,
        must_exist: bool,
    ) -> Result<Reply, CommandError> {
        let (session_id, key) = (input.session_id, input.request_key.clone());
        if must_exist {
            self.calls_settled(session_id).await?;
        }
        self.once(session_id, key, |state| {
            if must_exist && state.is_none() {
                return Err(not_found("session"));
            }
            let reply = Reply::RunStarted {
                session_id: input.session_id,
                message_id: input.message_id,
                run_id: input.run_id,
            };
            Ok((
                reply,
                decide::start_run(state, &input, &self.inner.given())?,
            ))
        })
        .await
    }

    /// Starts a run, unless the same request has started one before. The key is looked up at
    /// every try: the race may be lost to the very same request.
    pub(super) async fn once(
        &self,
        session_id: SessionId,
        request_key: Option<String>,
        decide: impl Fn(Option<&SessionState>) -> Result<(Reply, Decision), CommandError>,
    ) -> Result<Reply, CommandError> {
        let read = move |reader: &Reader<'_>| {
            let before = match &request_key {
                Some(key) => reader.run_of_request_key(key)?,
                None => None,
            };
            let state = reader.session_state(session_id)?;
            Ok((before, state))
        };
        self.transact_in(session_id, read, |(before, state)| {
            if let Some(before) = before {
                let reply = Reply::RunStarted {
                    session_id: before.session_id,
                    message_id: before.message_id,
                    run_id: before.run_id,
                };
                return Ok((reply, Decision::nothing()));
            }
            decide(existing(state.as_ref())?)
        })
        .await
    }

    pub(super) async fn stop_run(&self, run_id: RunId) -> Result<Reply, CommandError> {
        self.move_run(run_id, |state| {
            Ok(decide::stop_run(state, run_id, &self.inner.given()))
        })
        .await
    }

    pub(super) async fn resume_run(&self, run_id: RunId) -> Result<Reply, CommandError> {
        self.move_run(run_id, |state| {
            decide::resume_run(state, run_id, &self.inner.given())
        })
        .await
    }

    /// A run that failed is over already: discarding it only means that it was seen.
    pub(super) async fn cancel_run(&self, run_id: RunId) -> Result<Reply, CommandError> {
        self.move_run(run_id, |state| {
            let given = self.inner.given();
            match decide::dismiss_run(state, run_id, &given) {
                Some(decision) => Ok(decision),
                None => decide::cancel_run(state, run_id, &given),
            }
        })
        .await
    }

    /// Decides on the run's session and answers with where the run stands afterwards.
    async fn move_run(
        &self,
        run_id: RunId,
        decide: impl Fn(&SessionState) -> Result<Decision, CommandError>,
    ) -> Result<Reply, CommandError> {
        let session_id = self.run(run_id).await?.session_id;
        let moved = self
            .transact_attempt(session_id, |state| {
                let state = state.ok_or_else(|| not_found("run"))?;
                let decision = decide(state)?;
                Ok((moved_to(&decision, run_id), decision))
            })
            .await?;
        let status = match moved {
            Some(status) => status,
            None => self.run(run_id).await?.status,
        };
        Ok(Reply::RunMoved { run_id, status })
    }
}

/// A deleted session is not there; its id is not free either.
pub(super) fn existing(
    state: Option<&SessionState>,
) -> Result<Option<&SessionState>, CommandError> {
    match state {
        Some(state) if state.deleted_at_ms.is_some() => Err(CommandError::new(
            ErrorCode::NotFound,
            "This session was deleted.",
            "Restore it first, or start another one.",
        )),
        other => Ok(other),
    }
}

/// How many tries there are is the engine's to say.
pub(crate) fn say_tries(run: &mut RunView) {
    if let Some(retry) = &mut run.retry {
        retry.of = MAX_TRIES;
    }
}

/// Where a decision takes a run: what is answered is what was decided, not what came after.
fn moved_to(decision: &Decision, run: RunId) -> Option<RunStatus> {
    let mut moves = decision.changes.iter().rev();
    moves.find_map(|change| {
        if let store::Change::MoveRun { run_id, to, .. } = change
            && *run_id == run
        {
            return Some(*to);
        }
        None
    })
}
