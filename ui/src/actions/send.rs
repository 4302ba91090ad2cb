//! Sending a message: the draft stays until it is known to be on disk.

use leptos::prelude::{GetUntracked, ReadUntracked, Set, Update};
use leptos::task::spawn_local;
use protocol::{AttachmentId, Command, Reply, SessionId};

use super::Actions;
use crate::browser;
use crate::ipc::{self, Failure};
use crate::state::{AppStateStoreFields, Draft, DraftProblem, Panel, SessionStateStoreFields};

/// Whether a message waits for the run that is going.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Urgency {
    WhenItsTurn,
    Now,
}

impl Actions {
    /// Keeps what the person typed.
    pub(crate) fn set_draft(self, session_id: Option<SessionId>, text: String) {
        self.update_draft(session_id, |draft| draft.set_text(text));
    }

    /// Sends this text at once, as if it had been typed.
    pub(crate) fn send_text(self, text: &str) {
        let session_id = self.store.session().session_id().get_untracked();
        self.set_draft(session_id, text.to_owned());
        self.send();
    }

    /// Sends the draft of the open session. While a run is going it waits for that run.
    pub(crate) fn send(self) {
        self.send_draft(Urgency::WhenItsTurn);
    }

    /// Stops the run that is going and sends the draft at once.
    pub(crate) fn stop_and_send(self) {
        self.send_draft(Urgency::Now);
    }

    fn send_draft(self, urgency: Urgency) {
        let session_id = self.store.session().session_id().get_untracked();
        let draft = self
            .store
            .drafts()
            .read_untracked()
            .get(&session_id)
            .cloned();
        let Some(draft) = draft.filter(is_sendable) else {
            return;
        };
        let request_key = draft.request_key.clone().unwrap_or_else(browser::fresh_key);
        let kept_key = request_key.clone();
        self.update_draft(session_id, move |draft| {
            draft.request_key = Some(kept_key);
            draft.is_sending = true;
            draft.problem = None;
        });
        let (sent, along) = (draft.text.clone(), draft.attachments());
        spawn_local(async move {
            let session_id = match self.begun_session(session_id).await {
                Ok(session_id) => session_id,
                Err(failure) => return self.take_answer(session_id, (&sent, &along), Err(failure)),
            };
            let new_agent = self.store.new_agent().get_untracked();
            let command = Command::SendMessage {
                session_id,
                text: draft.text,
                request_key: Some(request_key),
                stop_first: urgency == Urgency::Now,
                agent_id: new_agent.filter(|_| session_id.is_none()),
                attachments: along.clone(),
            };
            let answer = ipc::execute(&command).await;
            self.take_answer(session_id, (&sent, &along), answer);
        });
    }

    /// Where the draft goes: a new session with a model of its own is begun first, and the draft goes on in it.
    async fn begun_session(
        self,
        session_id: Option<SessionId>,
    ) -> Result<Option<SessionId>, Failure> {
        let model = self.store.new_model().get_untracked();
        let Some(model) = model.filter(|_| session_id.is_none()) else {
            return Ok(session_id);
        };
        let begun = self.begin_session(model).await.map_err(Failure::Refused)?;
        let begun = begun.ok_or(Failure::Lost)?;
        self.store.new_model().set(None);
        self.move_draft(begun);
        if self.store.session().session_id().get_untracked().is_none() {
            self.connection.open(begun);
        }
        Ok(Some(begun))
    }

    fn take_answer(
        self,
        session_id: Option<SessionId>,
        (sent, attachments): (&str, &[AttachmentId]),
        answer: Result<Reply, Failure>,
    ) {
        match answer {
            Ok(Reply::Sent {
                session_id: started_in,
                ..
            }) => {
                self.update_draft(session_id, |draft| {
                    *draft = draft.without(sent, attachments);
                });
                let is_still_here = self.store.session().session_id().get_untracked() == session_id;
                if session_id.is_none() && is_still_here {
                    self.move_draft(started_in);
                    self.connection.open(started_in);
                }
                self.store.panel().set(Panel::None);
            }
            Ok(_) => self.update_draft(session_id, |draft| draft.is_sending = false),
            Err(Failure::Refused(error)) => self.update_draft(session_id, |draft| {
                draft.is_sending = false;
                // It is known that nothing was written: the next try is a new one.
                draft.request_key = None;
                draft.problem = Some(DraftProblem {
                    message: error.message,
                    hint: error.hint,
                });
            }),
            Err(Failure::Lost) => {
                self.update_draft(session_id, |draft| {
                    draft.is_sending = false;
                    draft.problem = Some(DraftProblem {
                        message: "Not sent yet: the engine did not answer.".to_owned(),
                        hint: "Send it again; it will not be sent twice.".to_owned(),
                    });
                });
                self.connection.take_failure(Failure::Lost);
            }
        }
    }

    /// What was typed before the new session had an id goes on in it.
    fn move_draft(self, started_in: SessionId) {
        self.store.drafts().update(|drafts| {
            if let Some(draft) = drafts.remove(&None) {
                drafts.insert(Some(started_in), draft);
            }
        });
    }

    pub(super) fn update_draft(
        self,
        session_id: Option<SessionId>,
        change: impl FnOnce(&mut Draft),
    ) {
        self.store
            .drafts()
            .update(|drafts| change(drafts.entry(session_id).or_default()));
    }
}

fn is_sendable(draft: &Draft) -> bool {
    !draft.is_sending && !draft.text.trim().is_empty() && draft.is_whole()
}
