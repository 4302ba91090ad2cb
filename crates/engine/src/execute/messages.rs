//! Commands about messages that are sent, and about those that wait.

use std::time::Duration;

use protocol::{
    CommandError, ErrorCode, MessageId, QueuedMessage, Reply, RunStatus, SentOutcome, SessionId,
};
use store::{Reader, SessionState};

use super::runs::existing;
use crate::Engine;
use crate::bus::Look;
use crate::command_error::not_found;
use crate::decide::{self, Decision, SendMessage, StartRun};

/// Tool calls that were told to end are waited for this long before a message goes ahead.
const SETTLE_WITHIN: Duration = Duration::from_secs(6);

impl Engine {
    pub(super) async fn send_message(
        &self,
        start: StartRun,
        must_exist: bool,
        stop_first: bool,
    ) -> Result<Reply, CommandError> {
        let (session_id, key) = (start.session_id, start.request_key.clone());
        if stop_first && must_exist {
            self.stop_live(session_id, key.clone()).await?;
        }
        if must_exist {
            self.calls_settled(session_id).await?;
        }
        let input = SendMessage { start, stop_first };
        let read = move |reader: &Reader<'_>| {
            let before = match &key {
                Some(key) => sent_before(reader, key)?,
                None => None,
            };
            Ok((before, reader.session_state(session_id)?))
        };
        self.transact_attempt_on(session_id, read, |(before, state)| {
            if let Some(before) = before {
                return Ok((before.clone(), Decision::nothing()));
            }
            let state = existing(state.as_ref())?;
            if must_exist && state.is_none() {
                return Err(not_found("session"));
            }
            let given = self.inner.given();
            let (outcome, decision) = decide::send_message(state, &input, &given)?;
            let reply = Reply::Sent {
                session_id,
                message_id: input.start.message_id,
                outcome,
            };
            Ok((reply, decision))
        })
        .await
    }

    /// Stops the live run, if there is one. Whoever wants to send at once wants that first. A
    /// request that was made before must not stop what it started then.
    async fn stop_live(
        &self,
        session_id: SessionId,
        key: Option<String>,
    ) -> Result<(), CommandError> {
        let read = move |reader: &Reader<'_>| {
            let is_made = match &key {
                Some(key) => sent_before(reader, key)?.is_some(),
                None => false,
            };
            Ok((is_made, reader.session_state(session_id)?))
        };
        self.transact_attempt_on(session_id, read, |(is_made, state)| {
            let state = existing(state.as_ref())?;
            let decision = match state.and_then(|state| Some((state, state.run.as_ref()?))) {
                Some((state, run)) if run.status == RunStatus::Running && !is_made => {
                    decide::stop_run(state, run.run_id, &self.inner.given())
                }
                Some(_) | None => Decision::nothing(),
            };
            Ok(((), decision))
        })
        .await
    }

    /// Waits until the calls of a halted run have ended, so that their results are known.
    pub(super) async fn calls_settled(&self, session_id: SessionId) -> Result<(), CommandError> {
        let mut listener = match self.inner.bus.listen(session_id) {
            Some(listener) => listener,
            None => return Ok(()),
        };
        let mut settling = Settling {
            engine: self,
            session_id,
        };
        // One that takes longer makes the message wait in the queue instead.
        match tokio::time::timeout(SETTLE_WITHIN, listener.until(&mut settling)).await {
            Ok(Err(error)) => Err(error),
            Ok(Ok(_)) | Err(_) => Ok(()),
        }
    }

    pub(super) async fn edit_queued(
        &self,
        message_id: MessageId,
        text: &str,
    ) -> Result<Reply, CommandError> {
        self.change_queue(message_id, |state| {
            decide::edit_queued(state, message_id, text, &self.inner.given())
        })
        .await
    }

    pub(super) async fn remove_queued(&self, message_id: MessageId) -> Result<Reply, CommandError> {
        self.change_queue(message_id, |state| {
            decide::remove_queued(state, message_id, &self.inner.given())
        })
        .await
    }

    pub(super) async fn send_queued(&self, session_id: SessionId) -> Result<Reply, CommandError> {
        self.calls_settled(session_id).await?;
        let queue = self
            .transact(session_id, |state| {
                let state = state.ok_or_else(|| not_found("session"))?;
                decide::send_queued(state, &self.inner.given())
            })
            .await?;
        Ok(Reply::Queue { queue })
    }

    async fn change_queue(
        &self,
        message_id: MessageId,
        decide: impl Fn(&SessionState) -> Result<(Vec<QueuedMessage>, Decision), CommandError>,
    ) -> Result<Reply, CommandError> {
        let session_id = self
            .read(move |reader| reader.queued_message(message_id))
            .await?
            .ok_or_else(no_longer_queued)?;
        let queue = self
            .transact(session_id, |state| {
                decide(state.ok_or_else(no_longer_queued)?)
            })
            .await?;
        Ok(Reply::Queue { queue })
    }
}

/// Calls of a halted run that have not ended yet.
struct Settling<'a> {
    engine: &'a Engine,
    session_id: SessionId,
}

impl Look for Settling<'_> {
    type Found = ();
    type Error = CommandError;

    /// Found once they have.
    async fn look(&mut self) -> Result<Option<()>, CommandError> {
        let session_id = self.session_id;
        let read = move |reader: &Reader<'_>| reader.session_state(session_id);
        let state = self.engine.read(read).await?;
        Ok((!state.as_ref().is_some_and(is_settling)).then_some(()))
    }
}

fn is_settling(state: &SessionState) -> bool {
    state.run.as_ref().is_some_and(|run| {
        !run.status.is_live()
            && run
                .calls
                .iter()
                .any(|call| call.view.status == protocol::CallStatus::Running)
    })
}

fn no_longer_queued() -> CommandError {
    CommandError::new(
        ErrorCode::NotFound,
        "There is no such message waiting.",
        "It was sent or removed already.",
    )
}

/// What the same request was answered with before.
pub(super) fn sent_before(reader: &Reader<'_>, key: &str) -> Result<Option<Reply>, store::Error> {
    if let Some(run) = reader.run_of_request_key(key)? {
        return Ok(Some(Reply::Sent {
            session_id: run.session_id,
            message_id: run.message_id,
            outcome: SentOutcome::Started { run_id: run.run_id },
        }));
    }
    let Some((session_id, message_id)) = reader.request(key)? else {
        return Ok(None);
    };
    let message = reader.message(message_id)?;
    let run_id = message.and_then(|(_, message)| message.run_id);
    let run = run_id.map(|run_id| reader.run_facts(run_id)).transpose()?;
    let outcome = match run.flatten() {
        // It waited, and had its turn since.
        Some(run) if run.message_id == message_id => SentOutcome::Started { run_id: run.run_id },
        Some(run) => SentOutcome::Joined { run_id: run.run_id },
        None => SentOutcome::Queued {},
    };
    Ok(Some(Reply::Sent {
        session_id,
        message_id,
        outcome,
    }))
}
