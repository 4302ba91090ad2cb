//! Reading, deciding, writing: the one way in which anything changes.

use std::sync::Arc;

use protocol::{CommandError, ErrorCode, RunId, RunStatus, SessionId};
use store::faults::{self, Point};
use store::{Change, Reader, SessionState, Transition};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::command_error::{closing, from_store};
use crate::decide::{Decision, Effect};
use crate::turns::Turn;
use crate::{Engine, cause, effects, timekeeper};

/// A decision that loses its race is made again, at most so often. Each loss is somebody else's
/// success, so this many of them come together only if very many decide at once.
const TRIES: u32 = 64;

impl Engine {
    /// Reads, on a thread that may wait for the disk or for its turn.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Reader<'_>) -> Result<T, store::Error> + Send + 'static,
    ) -> Result<T, CommandError> {
        let store = self.inner.store.clone();
        match tokio::task::spawn_blocking(move || store.read(read)).await {
            Ok(result) => result.map_err(|error| from_store(&error)),
            Err(error) if error.is_panic() => Err(CommandError::new(
                ErrorCode::Internal,
                "Reading failed unexpectedly.",
                "This is a fault of ours. The log says more.",
            )),
            Err(_) => Err(closing()),
        }
    }

    /// The same for what is short: here and now, if a connection is free. Handing it to another thread
    /// would take longer than reading it.
    pub(crate) async fn read_short<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Reader<'_>) -> Result<T, store::Error> + Send + 'static,
    ) -> Result<T, CommandError> {
        match self.inner.store.read_at_once(read) {
            Ok(result) => result.map_err(|error| from_store(&error)),
            Err(read) => self.read(read).await,
        }
    }

    /// Writes a transition. Its effects begin and whoever watches is woken as soon as it is
    /// committed, in the order of the commits, also if the caller waits no longer.
    pub(crate) async fn commit(
        &self,
        transition: Transition,
        effects: Vec<Effect>,
    ) -> Result<(), store::Error> {
        self.commit_in(transition, effects, None).await
    }

    /// The same; the turn is over once it is committed, also if the caller waits no longer.
    async fn commit_in(
        &self,
        mut transition: Transition,
        effects: Vec<Effect>,
        turn: Option<Turn>,
    ) -> Result<(), store::Error> {
        cause::tell(&mut transition, self.inner.now_ms());
        let cause = cause::told(&transition);
        let (sender, receiver) = oneshot::channel();
        let touched = Touched::by(&transition);
        let moved = moved_runs(&transition);
        let is_move = !moved.is_empty();
        let is_timed = timekeeper::concerns(&transition);
        let (engine, runtime) = (self.clone(), Handle::current());
        self.inner.store.submit(transition, move |result| {
            if result.is_ok() {
                if is_move {
                    engine.inner.histories.forget(&touched.sessions);
                }
                faults::pass(Point::EffectsBefore);
                for effect in effects {
                    effects::perform(&engine, effect, &runtime);
                }
                faults::pass(Point::EffectsAfter);
                engine.inner.bus.publish(&touched.sessions, touched.is_text);
                if is_timed {
                    engine.inner.wake.notify_one();
                }
            }
            drop(turn);
            // A caller that no longer waits has lost nothing: the commit stands.
            drop(sender.send(result));
        });
        let result = receiver.await.unwrap_or(Err(store::Error::Closed));
        match &result {
            Ok(()) => log_moves(&moved),
            Err(_) => cause::untell(cause),
        }
        result
    }

    /// Decides on the state of a session and writes the decision.
    pub(crate) async fn transact<T>(
        &self,
        session_id: SessionId,
        decide: impl Fn(Option<&SessionState>) -> Result<(T, Decision), CommandError>,
    ) -> Result<T, CommandError> {
        let read = move |reader: &Reader<'_>| there(reader, session_id);
        self.transact_in(session_id, read, |state| decide(state.as_ref()))
            .await
    }

    /// The same for what has columns of its own and nothing to do with the run: it waits for no
    /// turn, so that many are written together.
    pub(crate) async fn transact_beside<T>(
        &self,
        session_id: SessionId,
        decide: impl Fn(Option<&SessionState>) -> Result<(T, Decision), CommandError>,
    ) -> Result<T, CommandError> {
        let read = move |reader: &Reader<'_>| there(reader, session_id);
        self.transact_on(read, |state| decide(state.as_ref())).await
    }

    /// The same on whatever else must be known to decide about a session.
    pub(crate) async fn transact_in<K: Send + 'static, T>(
        &self,
        session_id: SessionId,
        read: impl Fn(&Reader<'_>) -> Result<K, store::Error> + Clone + Send + 'static,
        decide: impl Fn(&K) -> Result<(T, Decision), CommandError>,
    ) -> Result<T, CommandError> {
        for _ in 0..TRIES {
            let turn = self.inner.turns.take(session_id).await;
            if let Some(reply) = self.try_once(read.clone(), &decide, Some(turn)).await? {
                return Ok(reply);
            }
        }
        Err(starved())
    }

    /// Decides on what is stored, writes the decision, and only then lets its effects begin. If
    /// the state changed in between, it is read and decided again.
    pub(crate) async fn transact_on<K: Send + 'static, T>(
        &self,
        read: impl Fn(&Reader<'_>) -> Result<K, store::Error> + Clone + Send + 'static,
        decide: impl Fn(&K) -> Result<(T, Decision), CommandError>,
    ) -> Result<T, CommandError> {
        for _ in 0..TRIES {
            if let Some(reply) = self.try_once(read.clone(), &decide, None).await? {
                return Ok(reply);
            }
        }
        Err(starved())
    }

    /// The same for decisions about the attempt that is going, if one is: no text is written
    /// between the read and the commit.
    pub(crate) async fn transact_attempt<T>(
        &self,
        session_id: SessionId,
        decide: impl Fn(Option<&SessionState>) -> Result<(T, Decision), CommandError>,
    ) -> Result<T, CommandError> {
        let read = move |reader: &Reader<'_>| there(reader, session_id);
        self.transact_attempt_on(session_id, read, |state| decide(state.as_ref()))
            .await
    }

    /// The same on whatever else must be known.
    pub(crate) async fn transact_attempt_on<K: Send + 'static, T>(
        &self,
        session_id: SessionId,
        read: impl Fn(&Reader<'_>) -> Result<K, store::Error> + Clone + Send + 'static,
        decide: impl Fn(&K) -> Result<(T, Decision), CommandError>,
    ) -> Result<T, CommandError> {
        for _ in 0..TRIES {
            // Taken anew for every try: a resume may have begun another attempt meanwhile.
            let _pen = self.inner.calls.take_pen(session_id).await;
            let turn = self.inner.turns.take(session_id).await;
            if let Some(reply) = self.try_once(read.clone(), &decide, Some(turn)).await? {
                return Ok(reply);
            }
        }
        Err(starved())
    }

    /// Nothing if the state changed between the read and the commit.
    async fn try_once<K: Send + 'static, T>(
        &self,
        read: impl FnOnce(&Reader<'_>) -> Result<K, store::Error> + Send + 'static,
        decide: impl FnOnce(&K) -> Result<(T, Decision), CommandError>,
        turn: Option<Turn>,
    ) -> Result<Option<T>, CommandError> {
        let known = self.read_short(read).await?;
        let (reply, decision) = decide(&known)?;
        let (transition, effects) = decision.into_transition();
        let Some(transition) = transition else {
            for effect in effects {
                effects::perform(self, effect, &Handle::current());
            }
            return Ok(Some(reply));
        };
        match self.commit_in(transition, effects, turn).await {
            Ok(()) => Ok(Some(reply)),
            Err(store::Error::Conflict(_)) => Ok(None),
            Err(error) => Err(from_store(&error)),
        }
    }
}

/// A session that was deleted is not there for anyone.
fn there(reader: &Reader<'_>, session_id: SessionId) -> Result<Option<SessionState>, store::Error> {
    let state = reader.session_state(session_id)?;
    Ok(state.filter(|state| state.deleted_at_ms.is_none()))
}

fn starved() -> CommandError {
    tracing::warn!(name: "engine.decision.starved", tries = TRIES);
    CommandError::new(
        ErrorCode::Conflict,
        "The session keeps changing while this is decided.",
        "Try again.",
    )
}

/// Who must be told of a transition: noted before it is handed over, because a copy of it could be
/// as large as the longest reply.
#[derive(Debug)]
pub(crate) struct Touched {
    pub(crate) sessions: Arc<[SessionId]>,
    /// Streamed text changes nothing that the list shows.
    pub(crate) is_text: bool,
}

impl Touched {
    pub(crate) fn by(transition: &Transition) -> Self {
        Self {
            sessions: transition.sessions().into(),
            is_text: transition
                .changes
                .iter()
                .all(|change| matches!(change, Change::AppendDeltas { .. })),
        }
    }
}

pub(crate) fn moved_runs(transition: &Transition) -> Vec<(RunId, RunStatus)> {
    let moved = |change: &Change| {
        if let Change::CreateRun(run) = change {
            return Some((run.run_id, RunStatus::Running));
        }
        if let Change::MoveRun { run_id, to, .. } = change {
            return Some((*run_id, *to));
        }
        None
    };
    transition.changes.iter().filter_map(moved).collect()
}

/// Every move of a run is in the log under the run's trace id, whoever made it.
pub(crate) fn log_moves(moved: &[(RunId, RunStatus)]) {
    for (run_id, status) in moved {
        tracing::info!(name: "engine.run.moved", trace_id = %run_id, status = status.as_str());
    }
}
