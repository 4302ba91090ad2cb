//! Commands that go on from an earlier place.

use protocol::{CommandError, ErrorCode, Message, MessageId, Reply, Role, RunId, SessionId};
use store::{Reader, SessionState};

use crate::Engine;
use crate::command_error::not_found;
use crate::decide::{self, Again, Decision};

/// A message with what stands around it.
struct Found {
    message: Message,
    /// The person's message that it is, or that it answers.
    asked: MessageId,
}

impl Engine {
    pub(super) async fn edit_message(
        &self,
        message_id: MessageId,
        text: &str,
        request_key: Option<String>,
    ) -> Result<Reply, CommandError> {
        let new_message = MessageId::from_uuid(self.inner.new_id());
        self.again(
            message_id,
            request_key,
            new_message,
            |state, found, again| {
                decide::edit_message(state, &found.message, text, again, &self.inner.given())
            },
        )
        .await
    }

    pub(super) async fn regenerate(
        &self,
        message_id: MessageId,
        request_key: Option<String>,
    ) -> Result<Reply, CommandError> {
        self.again(
            message_id,
            request_key,
            message_id,
            |state, found, again| {
                let given = self.inner.given();
                decide::regenerate(state, &found.message, found.asked, again, &given)
            },
        )
        .await
    }

    async fn again(
        &self,
        message_id: MessageId,
        request_key: Option<String>,
        answered: MessageId,
        decide: impl Fn(&SessionState, &Found, &Again<'_>) -> Result<Decision, CommandError>,
    ) -> Result<Reply, CommandError> {
        let session_id = self.session_of(message_id).await?;
        self.calls_settled(session_id).await?;
        let run_id = RunId::from_uuid(self.inner.new_id());
        let key = request_key.clone();
        let read = move |reader: &Reader<'_>| {
            let before = match &key {
                Some(key) => reader.run_of_request_key(key)?,
                None => None,
            };
            let found = find(reader, session_id, message_id)?;
            Ok((before, reader.session_state(session_id)?, found))
        };
        self.transact_attempt_on(session_id, read, |(before, state, found)| {
            if let Some(before) = before {
                let reply = Reply::RunStarted {
                    session_id: before.session_id,
                    message_id: before.message_id,
                    run_id: before.run_id,
                };
                return Ok((reply, Decision::nothing()));
            }
            let state = state
                .as_ref()
                .filter(|state| state.deleted_at_ms.is_none())
                .ok_or_else(|| not_found("message"))?;
            let found = found.as_ref().ok_or_else(elsewhere)?;
            let again = Again {
                message_id: answered,
                run_id,
                request_key: request_key.as_deref(),
            };
            let decision = decide(state, found, &again)?;
            let reply = Reply::RunStarted {
                session_id,
                message_id: if answered == message_id {
                    found.asked
                } else {
                    answered
                },
                run_id,
            };
            Ok((reply, decision))
        })
        .await
    }

    pub(super) async fn retry_run(
        &self,
        run_id: RunId,
        request_key: Option<String>,
    ) -> Result<Reply, CommandError> {
        let session_id = self.run(run_id).await?.session_id;
        self.calls_settled(session_id).await?;
        let new_run = RunId::from_uuid(self.inner.new_id());
        let key = request_key.clone();
        self.once(session_id, key, |state| {
            let state = state.ok_or_else(|| not_found("run"))?;
            let message_id = state.run.as_ref().map(|run| run.message_id);
            let message_id = message_id.ok_or_else(|| not_found("run"))?;
            let again = Again {
                message_id,
                run_id: new_run,
                request_key: request_key.as_deref(),
            };
            let decision = decide::retry_run(state, run_id, &again, &self.inner.given())?;
            let reply = Reply::RunStarted {
                session_id,
                message_id,
                run_id: new_run,
            };
            Ok((reply, decision))
        })
        .await
    }

    pub(super) async fn session_of(
        &self,
        message_id: MessageId,
    ) -> Result<SessionId, CommandError> {
        self.read(move |reader| reader.message(message_id))
            .await?
            .map(|(session_id, _)| session_id)
            .ok_or_else(|| not_found("message"))
    }
}

/// A message of the branch that is shown, with the person's message before it. Nothing if it
/// stands in another branch.
fn find(
    reader: &Reader<'_>,
    session_id: SessionId,
    message_id: MessageId,
) -> Result<Option<Found>, store::Error> {
    let Some((_, message)) = reader.message(message_id)? else {
        return Ok(None);
    };
    let (path, _) = reader.messages_before(session_id, message.position + 1, u32::MAX)?;
    let is_shown = path
        .last()
        .is_some_and(|last| last.message_id == message_id);
    let asked = path
        .iter()
        .rev()
        .find(|one| one.role == Role::User)
        .map(|one| one.message_id);
    Ok(asked
        .filter(|_| is_shown)
        .map(|asked| Found { message, asked }))
}

fn elsewhere() -> CommandError {
    CommandError::new(
        ErrorCode::NotActionable,
        "This message is not in the branch that is shown.",
        "Go to its branch first.",
    )
}
