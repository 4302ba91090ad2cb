//! Commands about sessions as a whole.

use protocol::{AgentId, CommandError, Message, MessageId, Reply, SessionId, SessionSummary};
use store::Reader;

use crate::Engine;
use crate::command_error::not_found;
use crate::decide::{self, Decision};
use crate::summary::{messages_page, summary};
use crate::timekeeper::UNDO_MS;

impl Engine {
    pub(super) async fn list_sessions(
        &self,
        limit: u32,
        after: Option<SessionId>,
        archived: bool,
    ) -> Result<Reply, CommandError> {
        self.read(move |reader| {
            let mut rows = match after {
                None => reader.session_rows(limit + 1, archived)?,
                Some(after) if reader.session_row(after)?.is_none() => return Ok(None),
                Some(after) => reader.session_rows_after(after, limit + 1, archived)?,
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

    /// Every session that needs a person, the oldest need first.
    pub(super) async fn list_attention(&self) -> Result<Reply, CommandError> {
        self.read(|reader| {
            let mut sessions = Vec::new();
            for session_id in reader.attention_sessions()? {
                if let Some(row) = reader.session_row(session_id)? {
                    sessions.push(summary(reader, row)?);
                }
            }
            sessions.retain(|session| session.attention.is_some());
            Ok(Reply::Sessions {
                sessions,
                has_more: false,
            })
        })
        .await
    }

    pub(super) async fn list_messages(
        &self,
        session_id: SessionId,
        before: u64,
        limit: Option<u32>,
    ) -> Result<Reply, CommandError> {
        self.read(move |reader| {
            if reader.session_row(session_id)?.is_none() {
                return Ok(None);
            }
            let (messages, has_earlier) = messages_page(reader, session_id, before, limit)?;
            let calls = reader.calls_of(session_id, &ids_of(&messages))?;
            Ok(Some(Reply::Messages {
                messages,
                has_earlier,
                calls,
            }))
        })
        .await?
        .ok_or_else(|| not_found("session"))
    }

    pub(super) async fn session(&self, session_id: SessionId) -> Result<Reply, CommandError> {
        self.read(move |reader| match reader.session_row(session_id)? {
            Some(row) => {
                summary(reader, row).map(|session| Some(Reply::Session(Box::new(session))))
            }
            None => Ok(None),
        })
        .await?
        .ok_or_else(|| not_found("session"))
    }

    pub(super) async fn create_session(
        &self,
        session_id: Option<SessionId>,
        title: Option<&str>,
        agent_id: Option<AgentId>,
    ) -> Result<Reply, CommandError> {
        let session_id = session_id.unwrap_or_else(|| SessionId::from_uuid(self.inner.new_id()));
        let agent = self.agent(agent_id).await?;
        let title = title.map(str::trim);
        let read = move |reader: &Reader<'_>| reader.session_state(session_id);
        self.transact_in(session_id, read, |state| {
            let state = state.as_ref();
            // An id that is taken by a deleted session stays so until it is purged.
            if state.is_some_and(|state| state.deleted_at_ms.is_some()) {
                return Err(not_found("session"));
            }
            let given = self.inner.given();
            let decision = decide::create_session(state, session_id, agent.clone(), title, &given);
            Ok(((), decision))
        })
        .await?;
        self.session(session_id).await
    }

    pub(super) async fn rename_session(
        &self,
        session_id: SessionId,
        title: &str,
    ) -> Result<Reply, CommandError> {
        let at_ms = self.inner.now_ms();
        self.transact_beside(session_id, |state| {
            let state = state.ok_or_else(|| not_found("session"))?;
            Ok(((), decide::rename_session(state, title, at_ms)))
        })
        .await?;
        self.session(session_id).await
    }

    pub(super) async fn archive_session(
        &self,
        session_id: SessionId,
        is_archived: bool,
    ) -> Result<Reply, CommandError> {
        self.transact_beside(session_id, |state| {
            let state = state.ok_or_else(|| not_found("session"))?;
            let given = self.inner.given();
            Ok(((), decide::archive_session(state, is_archived, &given)))
        })
        .await?;
        self.session(session_id).await
    }

    pub(super) async fn delete_session(
        &self,
        session_id: SessionId,
    ) -> Result<Reply, CommandError> {
        let read = move |reader: &Reader<'_>| reader.session_state(session_id);
        let deleted_at_ms = self
            .transact_attempt_on(session_id, read, |state| {
                let state = state.as_ref().ok_or_else(|| not_found("session"))?;
                // Deleting it twice is deleting it once, with the time that was said first.
                if let Some(deleted_at_ms) = state.deleted_at_ms {
                    return Ok((deleted_at_ms, Decision::nothing()));
                }
                let given = self.inner.given();
                Ok((given.at_ms, decide::delete_session(state, &given)))
            })
            .await?;
        Ok(Reply::Deleted {
            session_id,
            restorable_until_ms: deleted_at_ms + UNDO_MS,
        })
    }

    pub(super) async fn restore_session(
        &self,
        session_id: SessionId,
    ) -> Result<Reply, CommandError> {
        let read = move |reader: &Reader<'_>| reader.session_state(session_id);
        self.transact_in(session_id, read, |state| {
            let state = state.as_ref().ok_or_else(|| not_found("session"))?;
            Ok(((), decide::restore_session(state)))
        })
        .await?;
        self.session(session_id).await
    }

    pub(super) async fn set_session_agent(
        &self,
        session_id: SessionId,
        agent_id: AgentId,
    ) -> Result<Reply, CommandError> {
        self.agent(Some(agent_id)).await?;
        self.transact(session_id, |state| {
            let state = state.ok_or_else(|| not_found("session"))?;
            Ok(((), decide::set_agent(state, agent_id, &self.inner.given())))
        })
        .await?;
        self.session(session_id).await
    }

    /// A run that is going keeps the model it began with; the next one has this.
    pub(super) async fn set_session_model(
        &self,
        session_id: SessionId,
        model: Option<String>,
    ) -> Result<Reply, CommandError> {
        if let Some(model) = &model {
            self.check_model(model)?;
        }
        self.transact(session_id, |state| {
            let state = state.ok_or_else(|| not_found("session"))?;
            let given = self.inner.given();
            Ok(((), decide::set_model(state, model.as_deref(), &given)))
        })
        .await?;
        self.session(session_id).await
    }

    pub(super) async fn select_branch(
        &self,
        session_id: SessionId,
        branch: u32,
    ) -> Result<Reply, CommandError> {
        self.transact(session_id, |state| {
            let state = state.ok_or_else(|| not_found("session"))?;
            let given = self.inner.given();
            Ok(((), decide::select_branch(state, branch, &given)?))
        })
        .await?;
        self.session(session_id).await
    }

    /// Changes what belongs to no session.
    pub(super) async fn change_app(&self, change: store::Change) -> Result<(), CommandError> {
        let decision = || Decision {
            changes: vec![change.clone()],
            ..Decision::nothing()
        };
        self.transact_on(|_: &Reader<'_>| Ok(()), |()| Ok(((), decision())))
            .await
    }
}

pub(super) fn ids_of(messages: &[Message]) -> Vec<MessageId> {
    messages.iter().map(|message| message.message_id).collect()
}
