//! Which needs a person is told of, and when: what happened in, what to show out. It has no clock
//! and no window; whether a session needs a person was decided by the engine.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use protocol::{Attention, AttentionKind, Push, RunId, RunReason, SessionId, SessionSummary};

/// How long things take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// What comes within this time is told as one.
    pub(super) gather: Duration,
    /// At the start the window first gets the chance to come to the front and show it all.
    pub(super) gather_at_start: Duration,
    /// What could not be shown is tried again after this time, if nothing happens before.
    pub(super) try_again: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            gather: Duration::from_secs(1),
            gather_at_start: Duration::from_secs(3),
            try_again: Duration::from_secs(60),
        }
    }
}

/// A person is told once per key.
pub(super) type Key = (RunId, AttentionKind);

/// What one session needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Need {
    pub(super) session_id: SessionId,
    pub(super) title: Option<String>,
    pub(super) kind: AttentionKind,
    /// The calls that it is about.
    pub(super) calls: usize,
    run_id: RunId,
    since_ms: u64,
}

/// What is known at the moment when something would be shown.
#[derive(Debug, Clone, Default)]
pub(super) struct Circumstances {
    /// The person looks at the window, which says it all.
    pub(super) is_focused: bool,
    /// The person wants no notifications.
    pub(super) is_silent: bool,
    /// What was shown by an earlier process.
    pub(super) shown: HashSet<Key>,
}

/// The sessions that need a person, and what of that is still to be told.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pace: Pace,
    needs: HashMap<SessionId, Entry>,
    /// When what is untold is to be shown; absent when nothing is.
    due_at: Option<Duration>,
    /// What this process has shown.
    shown: HashSet<Key>,
}

#[derive(Debug)]
struct Entry {
    need: Need,
    is_told: bool,
}

impl Plan {
    pub(super) fn new(pace: Pace) -> Self {
        Self {
            pace,
            ..Self::default()
        }
    }

    /// Takes all sessions that need a person, in place of what was known before.
    pub(super) fn seed(&mut self, sessions: &[SessionSummary], now: Duration) {
        let listed: HashSet<SessionId> = sessions.iter().map(|row| row.session_id).collect();
        self.needs
            .retain(|session_id, _| listed.contains(session_id));
        for session in sessions {
            self.put(session);
        }
        self.plan_for(now + self.pace.gather_at_start);
    }

    /// Takes what changed. What could not be shown before is tried again with it.
    pub(super) fn take(&mut self, pushes: &[Push], now: Duration) {
        for push in pushes {
            match push {
                Push::Session(session) => self.put(session),
                Push::Gone { session_id } => drop(self.needs.remove(session_id)),
                Push::Event(_) | Push::Delta(_) | Push::Show { .. } | Push::Ended { .. } => {}
            }
        }
        self.plan_for(now + self.pace.gather);
    }

    /// How many sessions need a person.
    pub(super) fn count(&self) -> usize {
        self.needs.len()
    }

    pub(super) const fn due_at(&self) -> Option<Duration> {
        self.due_at
    }

    /// What is still to be told.
    pub(super) fn untold(&self) -> Vec<Key> {
        let untold = self.needs.values().filter(|entry| !entry.is_told);
        untold.map(|entry| entry.need.key()).collect()
    }

    /// The needs to show now, the oldest first. What was shown before, what the person sees in the
    /// window, and what they do not want to be told of is over with this.
    pub(super) fn decide(&mut self, circumstances: &Circumstances) -> Vec<Need> {
        self.due_at = None;
        let is_quiet = circumstances.is_focused || circumstances.is_silent;
        for entry in self.needs.values_mut() {
            entry.is_told |= is_quiet || circumstances.shown.contains(&entry.need.key());
        }
        let untold = self.needs.values().filter(|entry| !entry.is_told);
        let mut needs: Vec<Need> = untold.map(|entry| entry.need.clone()).collect();
        needs.sort_unstable_by_key(|need| (need.since_ms, need.session_id));
        needs
    }

    /// These were shown.
    pub(super) fn note_shown(&mut self, keys: &[Key]) {
        self.shown.extend(keys);
        for entry in self.needs.values_mut() {
            entry.is_told |= keys.contains(&entry.need.key());
        }
        if self.needs.values().all(|entry| entry.is_told) {
            self.due_at = None;
        }
    }

    /// What was to be shown could not be.
    pub(super) fn note_unshown(&mut self, now: Duration) {
        self.plan_for(now + self.pace.try_again);
    }

    fn put(&mut self, session: &SessionSummary) {
        let Some(attention) = &session.attention else {
            self.needs.remove(&session.session_id);
            return;
        };
        let need = Need::of(session, attention);
        let before = self.needs.get(&need.session_id);
        let is_told = match before {
            Some(before) if before.need.key() == need.key() => before.is_told,
            Some(_) | None => !is_told_of(attention) || self.shown.contains(&need.key()),
        };
        self.needs.insert(need.session_id, Entry { need, is_told });
    }

    /// The earliest time counts, and only while there is something to tell.
    fn plan_for(&mut self, at: Duration) {
        let has_untold = self.needs.values().any(|entry| !entry.is_told);
        let due_at = self.due_at.map_or(at, |due_at| due_at.min(at));
        self.due_at = has_untold.then_some(due_at);
    }
}

impl Need {
    pub(super) const fn key(&self) -> Key {
        (self.run_id, self.kind)
    }

    fn of(session: &SessionSummary, attention: &Attention) -> Self {
        let calls = match attention.kind {
            AttentionKind::InDoubt => attention.unknown.len(),
            AttentionKind::Waiting
            | AttentionKind::Interrupted
            | AttentionKind::Stopped
            | AttentionKind::Failed => {
                let waiting = attention.not_started.iter().filter(|call| call.is_waiting);
                waiting.count()
            }
        };
        Self {
            session_id: session.session_id,
            title: session.title.clone(),
            kind: attention.kind,
            calls,
            run_id: attention.run_id,
            since_ms: attention.since_ms,
        }
    }
}

/// Whoever stopped a run knows of it.
fn is_told_of(attention: &Attention) -> bool {
    match attention.kind {
        AttentionKind::Interrupted
        | AttentionKind::Waiting
        | AttentionKind::InDoubt
        | AttentionKind::Failed => true,
        AttentionKind::Stopped => attention.reason.is_some_and(RunReason::is_limit),
    }
}

#[cfg(test)]
mod tests;
