//! Carrying out commands: each is checked, decided, written, and only then answered.

use protocol::{
    AppInfo, Command, CommandError, ErrorCode, MessageId, Reply, RunId, RunStatus, RunView,
    SessionId, SessionSummary, StepId, limits,
};
use store::{DEFAULT_AGENT, Reader, SessionState};

use crate::Engine;
use crate::command_error::not_found;
use crate::decide::{self, Decision, StartRun};
use crate::summary::{messages_page, snapshot, summary};

impl Engine {
    /// Carries out one command. What the reply says is on disk; an error means that nothing
    /// was changed. Subscriptions need somewhere to send to: use [`Engine::subscribe`] and
    /// [`Engine::watch_sessions`] for those.
    pub async fn execute(&self, command: Command) -> Result<Reply, CommandError> {
        command.validate()?;
        let _admitted = self.inner.admit()?;
        match command {
            Command::GetApp {} => Ok(Reply::App(self.app_info())),
            Command::ListSessions { limit, after, .. } => {
                self.list_sessions(limit.unwrap_or(limits::PAGE), after)
                    .await
            }
            Command::CreateSession {
                session_id, title, ..
            } => self.create_session(session_id, title.as_deref()).await,
            Command::RenameSession { session_id, title } => {
                self.rename_session(session_id, &title).await
            }
            Command::GetSession { session_id, limit } => self
                .read(move |reader| snapshot(reader, session_id, limit))
                .await?
                .map(|s| Reply::Snapshot(Box::new(s)))
                .ok_or_else(|| not_found("session")),
            Command::ListMessages {
                session_id,
                before,
                limit,
            } => self.list_messages(session_id, before, limit).await,
            Command::StartRun {
                session_id,
                text,
                request_key,
            } => self.start_run(session_id, text, request_key).await,
            Command::GetRun { run_id } => self.run(run_id).await.map(Reply::Run),
            Command::StopRun { run_id } => self.stop_run(run_id).await,
            Command::ResumeRun { run_id } => self.resume_run(run_id).await,
            Command::CancelRun { run_id } => self.cancel_run(run_id).await,
            _ => Err(CommandError::new(
                ErrorCode::InvalidCommand,
                "A subscription needs a channel to send to.",
                "Subscribe through the window or headless.",
            )),
        }
    }

    /// The app: its version, its folder, who answers.
    pub fn app_info(&self) -> AppInfo {
        AppInfo {
            version: self.inner.app_version.clone(),
            data_dir: self.inner.store.folder().root().display().to_string(),
            model: self.inner.default_model().clone(),
            models: Vec::new(),
            tools: Vec::new(),
        }
    }

    async fn list_sessions(
        &self,
        limit: u32,
        after: Option<SessionId>,
    ) -> Result<Reply, CommandError> {
        self.read(move |reader| {
            let mut rows = match after {
                None => reader.session_rows(limit + 1)?,
                Some(after) if reader.head_seq(after)?.is_none() => return Ok(None),
                Some(after) => reader.session_rows_after(after, limit + 1)?,
            };
            let has_more = rows.len() > limit as usize;
            rows.truncate(limit as usize);
            let sessions: Result<Vec<SessionSummary>, _> =
                rows.into_iter().map(|row| summary(reader, row)).collect();
            Ok(Some(Reply::Sessions {
                sessions: sessions?,
                has_more,
            }))
        })
        .await?
        .ok_or_else(|| not_found("session"))
    }

    async fn list_messages(
        &self,
        session_id: SessionId,
        before: u64,
        limit: Option<u32>,
    ) -> Result<Reply, CommandError> {
        self.read(move |reader| {
            if reader.head_seq(session_id)?.is_none() {
                return Ok(None);
            }
            let (messages, has_earlier) = messages_page(reader, session_id, before, limit)?;
            Ok(Some(Reply::Messages {
                messages,
                has_earlier,
                calls: Vec::new(),
            }))
        })
        .await?
        .ok_or_else(|| not_found("session"))
    }

    async fn session(&self, session_id: SessionId) -> Result<Reply, CommandError> {
        self.read(move |reader| match reader.session_row(session_id)? {
            Some(row) => {
                summary(reader, row).map(|session| Some(Reply::Session(Box::new(session))))
            }
            None => Ok(None),
        })
        .await?
        .ok_or_else(|| not_found("session"))
    }

    async fn run(&self, run_id: RunId) -> Result<RunView, CommandError> {
        self.read(move |reader| reader.run(run_id))
            .await?
            .ok_or_else(|| not_found("run"))
    }

    async fn create_session(
        &self,
        session_id: Option<SessionId>,
        title: Option<&str>,
    ) -> Result<Reply, CommandError> {
        let session_id = session_id.unwrap_or_else(|| SessionId::from_uuid(self.inner.new_id()));
        let at_ms = self.inner.now_ms();
        let title = title.map(str::trim);
        self.transact(session_id, |state| {
            Ok((
                (),
                decide::create_session(state, session_id, DEFAULT_AGENT, title, at_ms),
            ))
        })
        .await?;
        self.session(session_id).await
    }

    async fn rename_session(
        &self,
        session_id: SessionId,
        title: &str,
    ) -> Result<Reply, CommandError> {
        let at_ms = self.inner.now_ms();
        self.transact(session_id, |state| {
            let state = state.ok_or_else(|| not_found("session"))?;
            Ok(((), decide::rename_session(state, title, at_ms)))
        })
        .await?;
        self.session(session_id).await
    }

    async fn start_run(
        &self,
        session_id: Option<SessionId>,
        text: String,
        request_key: Option<String>,
    ) -> Result<Reply, CommandError> {
        let input = StartRun {
            session_id: session_id.unwrap_or_else(|| SessionId::from_uuid(self.inner.new_id())),
            message_id: MessageId::from_uuid(self.inner.new_id()),
            run_id: RunId::from_uuid(self.inner.new_id()),
            step_id: StepId::from_uuid(self.inner.new_id()),
            agent_id: DEFAULT_AGENT,
            text,
            request_key,
            model: self.inner.default_model().id.clone(),
            at_ms: self.inner.now_ms(),
        };
        let must_exist = session_id.is_some();
        let (session_id, key) = (input.session_id, input.request_key.clone());
        // The key is looked up at every try: the race may be lost to the very same request.
        let read = move |reader: &Reader<'_>| {
            let before = match &key {
                Some(key) => reader.run_of_request_key(key)?,
                None => None,
            };
            Ok((before, reader.session_state(session_id)?))
        };
        self.transact_on(read, |(before, state)| {
            if let Some(before) = before {
                let reply = Reply::RunStarted {
                    session_id: before.session_id,
                    message_id: before.message_id,
                    run_id: before.run_id,
                };
                return Ok((reply, Decision::nothing()));
            }
            if must_exist && state.is_none() {
                return Err(not_found("session"));
            }
            let reply = Reply::RunStarted {
                session_id: input.session_id,
                message_id: input.message_id,
                run_id: input.run_id,
            };
            Ok((reply, decide::start_run(state.as_ref(), &input)?))
        })
        .await
    }

    async fn stop_run(&self, run_id: RunId) -> Result<Reply, CommandError> {
        let (at_ms, message_id) = (self.inner.now_ms(), self.new_message_id());
        self.move_run(run_id, |state| {
            Ok(decide::stop_run(state, run_id, message_id, at_ms))
        })
        .await
    }

    async fn resume_run(&self, run_id: RunId) -> Result<Reply, CommandError> {
        let at_ms = self.inner.now_ms();
        self.move_run(run_id, |state| decide::resume_run(state, run_id, at_ms))
            .await
    }

    async fn cancel_run(&self, run_id: RunId) -> Result<Reply, CommandError> {
        let (at_ms, message_id) = (self.inner.now_ms(), self.new_message_id());
        self.move_run(run_id, |state| {
            decide::cancel_run(state, run_id, message_id, at_ms)
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
                let state = state.ok_or_else(|| not_found("session"))?;
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

    fn new_message_id(&self) -> MessageId {
        MessageId::from_uuid(self.inner.new_id())
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
