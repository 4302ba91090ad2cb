//! Taking up what a dead process left, and leaving things resumable when this one closes.

use protocol::{MessageId, RunReason, SessionId};
use store::{Opened, Sync, Transition};

use crate::{Engine, decide};

/// What recovery found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Runs that were going when the process before this one ended, now interrupted.
    pub interrupted: usize,
}

/// One transaction for all sessions: either every run of the dead process is taken up or none is,
/// and doing it twice changes nothing the second time.
pub(crate) fn recover(engine: &Engine, opened: Opened) -> Result<Recovered, store::Error> {
    let store = &engine.inner.store;
    let at_ms = engine.inner.now_ms();
    let mut changes = Vec::new();
    let mut interrupted = 0;
    for session_id in store.read(|reader| reader.live_sessions())? {
        let state = match store.read(|reader| reader.session_state(session_id)) {
            Ok(state) => state,
            // One session that cannot be read must not keep the others from being recovered.
            Err(error) => {
                tracing::error!(name: "engine.recovery.unreadable", %session_id, %error);
                continue;
            }
        };
        let Some(state) = state else { continue };
        let message_id = MessageId::from_uuid(engine.inner.new_id());
        let decision = decide::interrupt(&state, RunReason::AppEnded, message_id, at_ms);
        interrupted += usize::from(!decision.changes.is_empty());
        changes.extend(decision.changes);
    }
    if !changes.is_empty() {
        store.apply(Transition {
            sync: Sync::Barrier,
            changes,
        })?;
    }
    tracing::info!(
        name: "engine.recovery.done",
        epoch = opened.epoch,
        was_clean = opened.was_clean,
        interrupted,
    );
    Ok(Recovered { interrupted })
}

/// Interrupts every run that is going, because the app closes.
pub(crate) async fn interrupt_all(engine: &Engine) {
    let sessions = match engine.read(|reader| reader.live_sessions()) {
        Ok(sessions) => sessions,
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
        .transact(session_id, |state| {
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
