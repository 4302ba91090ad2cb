//! Following the list of sessions: each one that is new or changed, as the list shows it.

use std::collections::HashSet;
use std::sync::Arc;

use protocol::{CommandError, Push, SessionId};

use crate::Engine;
use crate::bus::Dirty;
use crate::command_error::closing;
use crate::summary::summary;

/// One follower of the list.
#[derive(Debug)]
pub struct SessionWatch {
    engine: Engine,
    dirty: Arc<Dirty>,
    /// Taken from the bus and not yet returned.
    unread: HashSet<SessionId>,
}

impl Engine {
    /// Follows every session from now on.
    pub fn watch_sessions(&self) -> Result<SessionWatch, CommandError> {
        let dirty = self.inner.bus.watch().ok_or_else(closing)?;
        Ok(SessionWatch {
            engine: self.clone(),
            dirty,
            unread: HashSet::new(),
        })
    }
}

impl SessionWatch {
    /// Waits for a change and returns the sessions that changed, as they are now. Safe to drop
    /// and call again: nothing is taken before it is returned.
    pub async fn next(&mut self) -> Result<Vec<Push>, CommandError> {
        loop {
            if self.unread.is_empty() {
                self.unread = self.dirty.take().await.ok_or_else(closing)?;
            }
            let sessions = self.read_unread().await?;
            if !sessions.is_empty() {
                return Ok(sessions);
            }
        }
    }

    /// What changed up to this moment, without waiting for more; empty when nothing did.
    pub async fn take_new(&mut self) -> Result<Vec<Push>, CommandError> {
        self.unread.extend(self.dirty.take_now());
        self.read_unread().await
    }

    async fn read_unread(&mut self) -> Result<Vec<Push>, CommandError> {
        let unread = self.unread.clone();
        let sessions = self
            .engine
            .read(move |reader| {
                let mut sessions = Vec::with_capacity(unread.len());
                for session_id in unread {
                    sessions.push(match reader.session_row(session_id)? {
                        Some(row) => Push::Session(Box::new(summary(reader, row)?)),
                        None => Push::Gone { session_id },
                    });
                }
                Ok(sessions)
            })
            .await?;
        self.unread.clear();
        Ok(sessions)
    }
}
