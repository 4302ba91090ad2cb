//! The engine: a cheap handle on the store, the models and the tasks that are going.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use protocol::{CommandError, ErrorCode, ModelInfo, RunId, SessionId};
use store::{SessionState, Store, Transition};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::bus::Bus;
use crate::clock::Clock;
use crate::command_error::from_store;
use crate::decide::{Decision, Effect};
use crate::ids::Ids;
use crate::model::Model;
use crate::recovery::Recovered;
use crate::{effects, recovery};

/// A decision that loses its race is made again, at most so often.
const TRIES: u32 = 64;
/// What is going gets this long to end before the database closes.
const CLOSE_WITHIN: Duration = Duration::from_secs(3);

/// What an engine is made of. Everything that varies is passed in.
#[derive(Debug)]
pub struct Options {
    /// Where everything is kept; the engine is its only writer.
    pub store: Store,
    /// What was found on opening it.
    pub opened: store::Opened,
    /// Who can answer; the first one answers new runs.
    pub models: Vec<Arc<dyn Model>>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Ids.
    pub ids: Arc<dyn Ids>,
    /// Told to whoever asks.
    pub app_version: String,
}

/// Why an engine could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There must be someone to answer.
    #[error("an engine needs at least one model")]
    NoModel,
    /// The sweep could not be written.
    #[error("recovery failed: {0}")]
    Recovery(#[from] store::Error),
}

/// The engine. Cheap to clone; every clone is the same engine.
#[derive(Debug, Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) app_version: String,
    pub(crate) tasks: TaskTracker,
    models: HashMap<String, Arc<dyn Model>>,
    default_model: ModelInfo,
    /// Handles to the model calls that are going; not the truth about them.
    calls: Mutex<HashMap<RunId, CancellationToken>>,
    is_closing: AtomicBool,
}

impl Engine {
    /// Takes up what an earlier process left, then accepts commands.
    pub fn open(options: Options) -> Result<(Self, Recovered), OpenError> {
        let default_model = options.models.first().ok_or(OpenError::NoModel)?.info();
        let models = options
            .models
            .into_iter()
            .map(|model| (model.info().id, model))
            .collect();
        let engine = Self {
            inner: Arc::new(Inner {
                store: options.store,
                bus: Bus::default(),
                clock: options.clock,
                ids: options.ids,
                app_version: options.app_version,
                tasks: TaskTracker::new(),
                models,
                default_model,
                calls: Mutex::default(),
                is_closing: AtomicBool::new(false),
            }),
        };
        let recovered = recovery::recover(&engine, options.opened)?;
        Ok((engine, recovered))
    }

    /// Waits until no model call is going.
    pub async fn idle(&self) {
        // A tracker that is closed still takes new tasks; it only says that waiting may end.
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }

    /// Starts no new work and interrupts what is going. What is stored can still be read, so
    /// that whoever watches can be told. Runs that were going can be resumed after the next start.
    pub async fn halt(&self) {
        self.inner.is_closing.store(true, Ordering::SeqCst);
        recovery::interrupt_all(self).await;
        for (_, call) in self.inner.calls().drain() {
            call.cancel();
        }
        if tokio::time::timeout(CLOSE_WITHIN, self.idle()).await.is_err() {
            tracing::warn!(name: "engine.close.overdue", tasks = self.inner.tasks.len());
        }
    }

    /// Halts, and closes the database.
    pub async fn close(&self) -> Result<(), CommandError> {
        self.halt().await;
        self.inner.bus.close();
        let store = self.inner.store.clone();
        store.close().map_err(|error| from_store(&error))
    }

    /// Copies the database while it is in use.
    pub fn backup(&self) -> Result<protocol::BackupInfo, CommandError> {
        let at_ms = self.inner.clock.now_ms();
        self.inner
            .store
            .backup(at_ms)
            .map_err(|error| from_store(&error))
    }
}

impl Inner {
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }

    pub(crate) fn model(&self, id: &str) -> Option<Arc<dyn Model>> {
        self.models.get(id).cloned()
    }

    pub(crate) const fn default_model(&self) -> &ModelInfo {
        &self.default_model
    }

    pub(crate) fn calls(&self) -> std::sync::MutexGuard<'_, HashMap<RunId, CancellationToken>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    pub(crate) fn new_id(&self) -> uuid::Uuid {
        self.ids.next(self.now_ms())
    }
}

impl Engine {
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&store::Reader<'_>) -> Result<T, store::Error>,
    ) -> Result<T, CommandError> {
        self.inner
            .store
            .read(read)
            .map_err(|error| from_store(&error))
    }

    /// Writes a transition, and wakes whoever watches before the caller hears of it.
    pub(crate) async fn commit(&self, transition: Transition) -> Result<(), store::Error> {
        let (sender, receiver) = oneshot::channel();
        let inner = Arc::clone(&self.inner);
        let wake = transition.clone();
        self.inner.store.submit(transition, move |result| {
            if result.is_ok() {
                inner.bus.publish(&wake);
            }
            // A caller that no longer waits has lost nothing: the commit stands.
            drop(sender.send(result));
        });
        receiver.await.unwrap_or(Err(store::Error::Closed))
    }

    /// Decides on what is stored, writes the decision, and only then lets its effects begin. If
    /// the state changed in between, it is read and decided again.
    pub(crate) async fn transact<T>(
        &self,
        session_id: SessionId,
        decide: impl Fn(Option<&SessionState>) -> Result<(T, Decision), CommandError>,
    ) -> Result<T, CommandError> {
        for _ in 0..TRIES {
            let state = self.read(|reader| reader.session_state(session_id))?;
            let (reply, decision) = decide(state.as_ref())?;
            let (transition, effects) = decision.into_transition();
            let Some(transition) = transition else {
                return Ok(reply);
            };
            match self.commit(transition).await {
                Ok(()) => {
                    self.perform(effects);
                    return Ok(reply);
                }
                Err(store::Error::Conflict(_)) => {}
                Err(error) => return Err(from_store(&error)),
            }
        }
        tracing::warn!(name: "engine.decision.starved", %session_id, tries = TRIES);
        Err(CommandError::new(
            ErrorCode::Conflict,
            "The session keeps changing while this is decided.",
            "Try again.",
        ))
    }

    fn perform(&self, effects: Vec<Effect>) {
        for effect in effects {
            effects::perform(self, effect);
        }
    }
}
