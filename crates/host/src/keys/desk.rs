//! Asking for keys without waiting for ever: a keychain may show a question to the person, or hang.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};

use super::{KeyError, Keys};

/// Long enough to type a password.
const WITHIN: Duration = Duration::from_secs(60);

/// One at a time, each on a thread of its own, so that one that hangs holds up neither the runtime
/// nor the end of the process.
#[derive(Debug, Clone)]
pub(crate) struct Desk {
    keys: Arc<dyn Keys>,
    turn: Arc<Semaphore>,
    within: Duration,
}

impl Desk {
    pub(crate) fn new(keys: Arc<dyn Keys>) -> Self {
        Self::with_limit(keys, WITHIN)
    }

    pub(crate) fn with_limit(keys: Arc<dyn Keys>, within: Duration) -> Self {
        Self {
            keys,
            turn: Arc::new(Semaphore::new(1)),
            within,
        }
    }

    #[cfg(test)]
    pub(crate) fn waiting(self, within: Duration) -> Self {
        Self { within, ..self }
    }

    /// Whoever waits longer than the limit is told so; what was asked may still happen.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&dyn Keys) -> Result<T, KeyError> + Send + 'static,
    ) -> Result<T, KeyError> {
        tokio::time::timeout(self.within, self.ask_unlimited(ask))
            .await
            .unwrap_or(Err(KeyError::TooSlow))
    }

    async fn ask_unlimited<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&dyn Keys) -> Result<T, KeyError> + Send + 'static,
    ) -> Result<T, KeyError> {
        let turn = Arc::clone(&self.turn).acquire_owned().await;
        let turn = turn.map_err(|_| KeyError::Failed)?;
        let keys = Arc::clone(&self.keys);
        let (answer, answered) = oneshot::channel();
        std::thread::Builder::new()
            .name("keys".to_owned())
            .spawn(move || {
                // Nobody may be waiting any more.
                drop(answer.send(ask(&*keys)));
                drop(turn);
            })
            .map_err(|_| KeyError::Failed)?;
        // A thread that panicked has answered nothing.
        answered.await.unwrap_or(Err(KeyError::Failed))
    }
}
