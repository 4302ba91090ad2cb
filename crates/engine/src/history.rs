//! What a run has told its model so far, so that each step reads only what is new.
//!
//! It is a copy of rows that cannot change any more, and is used only where that can be seen: it is of
//! the same run and the same branch, messages are added and never changed, every call in it has its
//! last status, and a new summary makes it be forgotten. Losing it costs a longer read.

mod cut;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::{Message, MessageStatus, Role, RunId, SessionId, SummaryView, Usage};
use store::{CallRow, MessageRow, Reader};

use crate::model::RequestMessage;
use crate::pin::Pin;
use crate::request::{self, weight};

pub(crate) use cut::Cut;

/// What a provider counts may be less than what it was told: some count what they did not have yet.
/// Less than this part of the estimate is no count of the whole.
const LEAST_COUNTED: u64 = 3;

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
    /// The last message that its summary stands for, and when that was written.
    summarised: Option<(u64, u64)>,
    told: Arc<Vec<RequestMessage>>,
    /// What each of them weighs.
    weights: Vec<u64>,
    marks: Vec<Mark>,
    counted: Option<Counted>,
}

/// Where a message begins in what is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    position: u64,
    branch: u32,
    is_user: bool,
    start: usize,
}

/// What a provider said that everything up to here has in tokens, its own reply included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counted {
    end: usize,
    tokens: u64,
}

/// What is read to begin a history, or to go on with one.
#[derive(Debug, Default)]
pub(crate) struct Fresh {
    pub(crate) summary: Option<SummaryView>,
    /// The person's message that the summary keeps.
    pub(crate) kept: Option<MessageRow>,
    pub(crate) messages: Vec<MessageRow>,
    pub(crate) calls: Vec<CallRow>,
    /// What the newest of these replies by the same model cost, with its position.
    pub(crate) said: Option<(u64, Usage)>,
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

impl Fresh {
    /// Reads what is new after a history, or everything from the summary on.
    pub(crate) fn read(
        reader: &Reader<'_>,
        session_id: SessionId,
        held: Option<&History>,
        model: &str,
    ) -> Result<Self, store::Error> {
        let summary = match held {
            Some(_) => None,
            None => reader.summary(session_id)?,
        };
        let kept = match summary.as_ref().and_then(|summary| summary.kept) {
            Some(position) => reader.message_at(session_id, position)?,
            None => None,
        };
        let after = match held {
            Some(held) => held.through,
            None => summary.as_ref().map_or(0, |summary| summary.position),
        };
        let messages = reader.messages_after(session_id, after)?;
        let calls = reader.call_rows_after(session_id, after)?;
        let newest = messages.iter().rev().map(|row| &row.message);
        let mut newest = newest.filter(|message| is_reply(message));
        let newest = newest
            .next()
            .filter(|message| message.model.as_deref() == Some(model));
        let said =
            match newest.and_then(|reply| Some((reply.position, reply.step_id?, reply.attempt?))) {
                Some((position, step_id, attempt)) => {
                    let used = reader.attempt_use(step_id, attempt)?;
                    used.map(|used| (position, used.usage))
                }
                None => None,
            };
        Ok(Self {
            summary,
            kept,
            messages,
            calls,
            said,
        })
    }
}

fn is_reply(message: &Message) -> bool {
    message.role == Role::Agent && message.status == MessageStatus::Complete
}

impl History {
    /// The same, if it is of this branch.
    pub(crate) fn of_branch(history: Option<Self>, branch: u32) -> Option<Self> {
        history.filter(|history| history.branch == branch)
    }

    /// The history with what was read after it, and whether it can be kept: only if nothing in it
    /// can still change.
    pub(crate) fn with(
        history: Option<Self>,
        (run_id, branch): (RunId, u32),
        fresh: &Fresh,
    ) -> (Self, bool) {
        let mut whole = history.unwrap_or_else(|| Self {
            run_id,
            branch,
            through: 0,
            summarised: fresh
                .summary
                .as_ref()
                .map(|summary| (summary.position, summary.created_at_ms)),
            told: Arc::default(),
            weights: Vec::new(),
            marks: Vec::new(),
            counted: None,
        });
        whole.run_id = run_id;
        whole.tell(fresh.kept.as_slice(), &[]);
        whole.tell(&fresh.messages, &fresh.calls);
        if let Some(summary) = &fresh.summary {
            whole.begin_with(&summary.text);
            whole.through = whole.through.max(summary.position);
        }
        whole.count(fresh);
        let is_final = fresh
            .calls
            .iter()
            .all(|call| call.view.status.is_terminal());
        (whole, is_final)
    }

    fn tell(&mut self, messages: &[MessageRow], calls: &[CallRow]) {
        // In place: the request before this one is gone, and with it the other handle.
        let told = Arc::make_mut(&mut self.told);
        for (message, said) in request::tell_each(messages, calls) {
            self.through = message.position;
            if said.is_empty() {
                continue;
            }
            self.marks.push(Mark {
                position: message.position,
                branch: message.branch,
                is_user: message.role == Role::User,
                start: told.len(),
            });
            self.weights.extend(said.iter().map(weight::of));
            told.extend(said);
        }
    }

    /// What is told first. It is put in front of a message by the person, where one stands there:
    /// some models refuse two in a row.
    fn begin_with(&mut self, summary: &str) {
        let told = Arc::make_mut(&mut self.told);
        let text = request::summarised(summary);
        if let Some(RequestMessage::User { text: first, .. }) = told.first_mut() {
            *first = format!("{text}\n\n{first}");
        } else {
            let parts = Vec::new();
            told.insert(0, RequestMessage::User { parts, text });
            self.weights.insert(0, 0);
            for mark in &mut self.marks {
                mark.start += 1;
            }
        }
        if let (Some(weight), Some(first)) = (self.weights.first_mut(), told.first()) {
            *weight = weight::of(first);
        }
    }

    /// A count that was made without the summary says nothing of what is told now.
    fn count(&mut self, fresh: &Fresh) {
        let Some((position, usage)) = fresh.said else {
            return;
        };
        let (Some(input), Some(output)) = (usage.input_tokens, usage.output_tokens) else {
            return;
        };
        let Some(mark) = self.marks.iter().rfind(|mark| mark.position == position) else {
            return;
        };
        let mut messages = fresh.messages.iter().map(|row| &row.message);
        let at_ms = messages
            .find(|message| message.position == position)
            .map_or(0, |message| message.created_at_ms);
        if self
            .summarised
            .is_some_and(|(_, summed_up_at_ms)| at_ms <= summed_up_at_ms)
        {
            return;
        }
        self.counted = Some(Counted {
            end: mark.start + 1,
            tokens: input.saturating_add(output),
        });
    }

    pub(crate) fn told(&self) -> Arc<Vec<RequestMessage>> {
        Arc::clone(&self.told)
    }

    /// How many tokens are told, with what stands before them: from what was counted last and an
    /// estimate of what is new, or an estimate of all of it.
    pub(crate) fn tokens(&self, pin: &Pin) -> u64 {
        let weigh = |weights: &[u64]| weights.iter().sum::<u64>();
        match self.counted {
            Some(Counted { end, tokens }) => {
                let (before, after) = self.weights.split_at(end.min(self.weights.len()));
                tokens.max(weigh(before) / LEAST_COUNTED) + weigh(after)
            }
            None => weight::of_pin(pin) + weigh(&self.weights),
        }
    }
}
