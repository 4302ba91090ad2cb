//! Following the list of sessions: each one that is new or changed, as the list shows it.

use std::sync::Arc;

use protocol::{CommandError, Push};

use crate::Engine;
use crate::bus::Dirty;
use crate::command_error::closing;
use crate::summary::summary;

/// One follower of the list.
#[derive(Debug)]
pub struct SessionWatch {
    engine: Engine,
    dirty: Arc<Dirty>,
}

impl Engine {
    /// Follows every session from now on.
    pub fn watch_sessions(&self) -> Result<SessionWatch, CommandError> {
        let dirty = self.inner.bus.watch().ok_or_else(closing)?;
        Ok(SessionWatch {
            engine: self.clone(),
            dirty,
        })
    }
}

impl SessionWatch {
    /// Waits for a change and returns the sessions that changed, as they are now.
    pub async fn next(&mut self) -> Result<Vec<Push>, CommandError> {
        loop {
            let changed = self.dirty.take().await.ok_or_else(closing)?;
            let sessions = self.engine.read(|reader| {
                let mut sessions = Vec::with_capacity(changed.len());
                for session_id in changed {
                    if let Some(row) = reader.session_row(session_id)? {
                        sessions.push(Push::Session(summary(reader, row)?));
                    }
                }
                Ok(sessions)
            })?;
            if !sessions.is_empty() {
                return Ok(sessions);
            }
        }
    }
}
