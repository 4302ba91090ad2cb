//! A window on a session: it follows it from its newest event and notes all that it gets.

use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use engine::Engine;
use protocol::{Command, Reply, SessionId};
use tokio::task::JoinHandle;

use crate::evidence::{Fact, Witness};

/// Opens one; it stays open until the engine closes.
pub(super) async fn open(
    engine: &Engine,
    session_id: SessionId,
    witness: Arc<dyn Witness>,
) -> Result<JoinHandle<()>> {
    let limit = Some(1);
    let snapshot = engine
        .execute(Command::GetSession { session_id, limit })
        .await
        .map_err(|error| anyhow!(error.message))?;
    let Reply::Snapshot(snapshot) = snapshot else {
        bail!("not a snapshot")
    };
    let engine = engine.clone();
    let follow = async move {
        let Ok(mut subscription) = engine.subscribe(session_id, snapshot.seq) else {
            return;
        };
        while let Ok(pushes) = subscription.next().await {
            for fact in pushes.iter().filter_map(Fact::shown) {
                witness.note(fact);
            }
        }
    };
    Ok(tokio::spawn(follow))
}
