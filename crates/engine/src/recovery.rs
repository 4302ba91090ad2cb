//! Taking up what a dead process left, and leaving things resumable when this one closes.

use protocol::{ErrorCode, MessageId, RunReason, SessionId};
use store::{Change, Opened, Sync, Transition};

use crate::transact::{log_moves, moved_runs};
use crate::{Engine, decide};

/// What recovery found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Runs that were going when the process before this one ended, now interrupted.
    pub interrupted: usize,
}

/// One transaction for all sessions where that can be; doing it twice changes nothing the second
/// time. One session that cannot be taken up must not keep the others, or the app, from going on.
pub(crate) fn recover(engine: &Engine, opened: Opened) -> Result<Recovered, store::Error> {
    let sweeps = decide_sweeps(engine)?;
    let count = sweeps.len();
    let whole = sweeps.into_iter().flat_map(|sweep| sweep.changes).collect();
    let interrupted = match apply(engine, whole) {
        Ok(()) => count,
        Err(error) if is_of_one_session(&error) => decide_sweeps(engine)?
            .into_iter()
            .filter_map(|sweep| apply_one(engine, sweep))
            .count(),
        Err(error) => return Err(error),
    };
    tracing::info!(
        name: "engine.recovery.done",
        epoch = opened.epoch,
        was_clean = opened.was_clean,
        interrupted,
    );
    Ok(Recovered { interrupted })
}

/// What takes up the run of one session.
struct Sweep {
    session_id: SessionId,
    changes: Vec<Change>,
}

fn decide_sweeps(engine: &Engine) -> Result<Vec<Sweep>, store::Error> {
    let store = &engine.inner.store;
    let at_ms = engine.inner.now_ms();
    let mut sweeps = Vec::new();
    for session_id in store.read(|reader| reader.live_sessions())? {
        let state = match store.read(|reader| reader.session_state(session_id)) {
            Ok(Some(state)) => state,
            Ok(None) => continue,
            Err(error) if is_of_one_session(&error) => {
                tracing::error!(name: "engine.recovery.unreadable", %session_id, %error);
                continue;
            }
            Err(error) => return Err(error),
        };
        let message_id = MessageId::from_uuid(engine.inner.new_id());
        let changes = decide::interrupt(&state, RunReason::AppEnded, message_id, at_ms).changes;
        if !changes.is_empty() {
            sweeps.push(Sweep {
                session_id,
                changes,
            });
        }
    }
    Ok(sweeps)
}

/// Errors that say something about the rows of a session and nothing about the database.
const fn is_of_one_session(error: &store::Error) -> bool {
    matches!(
        error,
        store::Error::Unreadable { .. }
            | store::Error::Conflict(_)
            | store::Error::IllegalMove(_)
            | store::Error::TooLarge { .. }
    )
}

fn apply(engine: &Engine, changes: Vec<Change>) -> Result<(), store::Error> {
    if changes.is_empty() {
        return Ok(());
    }
    let transition = Transition {
        sync: Sync::Barrier,
        changes,
    };
    let moved = moved_runs(&transition);
    engine.inner.store.apply(transition)?;
    log_moves(&moved);
    Ok(())
}

fn apply_one(engine: &Engine, sweep: Sweep) -> Option<()> {
    let session_id = sweep.session_id;
    apply(engine, sweep.changes)
        .inspect_err(|error| tracing::error!(name: "engine.recovery.refused", %session_id, %error))
        .ok()
}

/// Interrupts every run that is going, because the app closes.
pub(crate) async fn interrupt_all(engine: &Engine) {
    let sessions = match engine.read(|reader| reader.live_sessions()).await {
        Ok(sessions) => sessions,
        // It is closed already.
        Err(error) if error.code == ErrorCode::Unavailable => return,
        Err(error) => {
            tracing::error!(name: "engine.close.unread", message = error.message);
            return;
        }
    };
    for session_id in sessions {
        interrupt_one(engine, session_id).await;
    }
}

async fn interrupt_one(engine: &Engine, session_id: SessionId) {
    let at_ms = engine.inner.now_ms();
    let message_id = MessageId::from_uuid(engine.inner.new_id());
    let result = engine
        .transact_attempt(session_id, |state| {
            let decision = state.map_or_else(decide::Decision::nothing, |state| {
                decide::interrupt(state, RunReason::AppClosed, message_id, at_ms)
            });
            Ok(((), decision))
        })
        .await;
    if let Err(error) = result {
        // The next start finds it running and interrupts it then.
        tracing::warn!(name: "engine.close.not_interrupted", %session_id, message = error.message);
    }
}
