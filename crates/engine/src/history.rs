//! What a run has told its model so far, so that each step reads only what is new.
//!
//! It is a copy of rows that cannot change any more, and is used only where that can be seen: it is of
//! the same run and the same branch, messages are added and never changed, and every call in it has its
//! last status. Losing it costs a longer read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::{RunId, SessionId};
use store::{CallRow, MessageRow};

use crate::model::RequestMessage;
use crate::request;

/// The histories of runs that are going.
#[derive(Debug, Default)]
pub(crate) struct Histories {
    by_session: Mutex<HashMap<SessionId, History>>,
}

/// A session's history as a model is told it, up to a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct History {
    run_id: RunId,
    branch: u32,
    /// The last message that is in it; 0 for none.
    through: u64,
    told: Arc<Vec<RequestMessage>>,
}

impl Histories {
    /// Takes the history of a run out, if there is one.
    pub(crate) fn take(&self, session_id: SessionId, run_id: RunId) -> Option<History> {
        let taken = self.lock().remove(&session_id);
        taken.filter(|history| history.run_id == run_id)
    }

    pub(crate) fn keep(&self, session_id: SessionId, history: History) {
        self.lock().insert(session_id, history);
    }

    /// The run of a session moved: it begins anew if it goes on at all.
    pub(crate) fn forget(&self, sessions: &[SessionId]) {
        let mut histories = self.lock();
        for session_id in sessions {
            histories.remove(session_id);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, History>> {
        self.by_session
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl History {
    /// After which message of a branch is to be read.
    pub(crate) fn after(history: Option<&Self>, branch: u32) -> u64 {
        history
            .filter(|history| history.branch == branch)
            .map_or(0, |history| history.through)
    }

    /// The history with what was read after it, and whether it can be kept: only if nothing in it
    /// can still change.
    pub(crate) fn with(
        history: Option<Self>,
        (run_id, branch): (RunId, u32),
        messages: &[MessageRow],
        calls: &[CallRow],
    ) -> (Self, bool) {
        let held = history.filter(|history| history.branch == branch);
        let (mut told, through) =
            held.map_or_else(Default::default, |held| (held.told, held.through));
        // In place: the request before this one is gone, and with it the other handle.
        Arc::make_mut(&mut told).extend(request::tell(messages, calls));
        let history = Self {
            run_id,
            branch,
            through: messages
                .last()
                .map_or(through, |last| last.message.position),
            told,
        };
        let is_final = calls.iter().all(|call| call.view.status.is_terminal());
        (history, is_final)
    }

    pub(crate) fn told(&self) -> Arc<Vec<RequestMessage>> {
        Arc::clone(&self.told)
    }
}

#[cfg(test)]
mod tests {
    use protocol::{Block, BlockKind, Message, MessageId, MessageStatus, Native, Role};
    use uuid::Uuid;

    use super::*;

    fn run(number: u128) -> RunId {
        RunId::from_uuid(Uuid::from_u128(number))
    }

    fn said(position: u64) -> MessageRow {
        let role = if position % 2 == 1 {
            Role::User
        } else {
            Role::Agent
        };
        let message = Message {
            message_id: MessageId::from_uuid(Uuid::from_u128(position.into())),
            position,
            branch: 0,
            role,
            status: MessageStatus::Complete,
            blocks: vec![Block {
                kind: BlockKind::Text,
                text: format!("message {position}"),
            }],
            run_id: None,
            step_id: None,
            attempt: None,
            model: None,
            ending: protocol::Ending::Complete,
            created_at_ms: 1,
        };
        let native = (role == Role::Agent).then(|| {
            Arc::new(Native {
                dialect: "d".to_owned(),
                model: "m".to_owned(),
                items: format!("[{position}]"),
            })
        });
        MessageRow { message, native }
    }

    // RUN-20
    #[test]
    fn read_in_parts_it_is_what_it_is_read_whole() {
        let all: Vec<MessageRow> = (1..=9).map(said).collect();
        let (whole, _) = History::with(None, (run(1), 0), &all, &[]);
        let mut held = None;
        for cut in [2, 2, 5, 9] {
            let after = History::after(held.as_ref(), 0);
            let new: Vec<MessageRow> = all
                .iter()
                .filter(|row| row.message.position > after && row.message.position <= cut)
                .cloned()
                .collect();
            held = Some(History::with(held, (run(1), 0), &new, &[]).0);
        }
        assert_eq!(held, Some(whole));
    }

    #[test]
    fn another_branch_or_run_begins_anew() {
        let session_id = SessionId::from_uuid(Uuid::from_u128(7));
        let (history, is_final) = History::with(None, (run(1), 0), &[said(1)], &[]);
        assert!(is_final);
        assert_eq!(History::after(Some(&history), 0), 1);
        assert_eq!(History::after(Some(&history), 1), 0);
        let (other, _) = History::with(Some(history.clone()), (run(1), 1), &[said(1)], &[]);
        assert_eq!(other.told.len(), 1);
        let histories = Histories::default();
        histories.keep(session_id, history.clone());
        assert_eq!(histories.take(session_id, run(2)), None);
        histories.keep(session_id, history);
        histories.forget(&[session_id]);
        assert_eq!(histories.take(session_id, run(1)), None);
    }
}
