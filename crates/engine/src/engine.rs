//! The engine: a cheap handle on the store, the models and the tasks that are going.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use protocol::{CommandError, ModelInfo};
use store::Store;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::bus::Bus;
use crate::calls::Calls;
use crate::clock::Clock;
use crate::command_error::{closing, from_store};
use crate::decide::{self, Given};
use crate::held;
use crate::history::Histories;
use crate::ids::Ids;
use crate::jobs::Jobs;
use crate::model::Model;
use crate::read_result::ReadResult;
use crate::recovery::{self, Recovered};
use crate::registry::Models;
use crate::timekeeper;
use crate::tool::{Tool, ToolSpec};
use crate::turns::Turns;
use crate::workspaces::Workspaces;

/// What is going gets this long to end before the database closes: longer than a tool call that was
/// told to end.
const CLOSE_WITHIN: Duration = Duration::from_secs(7);

/// What an engine is made of. Everything that varies is passed in.
#[derive(Debug)]
pub struct Options {
    /// Where everything is kept; the engine is its only writer.
    pub store: Store,
    /// What was found on opening it.
    pub opened: store::Opened,
    /// Who can answer.
    pub models: Arc<dyn Models>,
    /// What agents can do.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The folders that tools are confined to.
    pub workspaces: Arc<dyn Workspaces>,
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
    /// Two tools have the same name.
    #[error("there are two tools called {0}")]
    SameTool(String),
    /// It was not opened inside a runtime.
    #[error("an engine needs a runtime")]
    NoRuntime,
    /// The sweep could not be written.
    #[error("recovery failed: {0}")]
    Recovery(#[from] store::Error),
}

/// What an engine holds in memory beside the store: all zero when nothing is going and nobody
/// watches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Held {
    /// Tasks of model calls and tool calls.
    pub tasks: usize,
    /// Handles to model calls.
    pub calls: usize,
    /// Handles to tool calls.
    pub jobs: usize,
    /// Sessions that are being decided about.
    pub turns: usize,
    /// Sessions that somebody follows.
    pub followed_sessions: usize,
    /// Followers of the list.
    pub watches: usize,
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
    /// The model calls that are going, to be waited for.
    pub(crate) tasks: TaskTracker,
    pub(crate) calls: Calls,
    /// The tool calls that are going.
    pub(crate) jobs: Jobs,
    pub(crate) turns: Turns,
    /// What the runs that are going have told their models.
    pub(crate) histories: Histories,
    pub(crate) workspaces: Arc<dyn Workspaces>,
    /// Wakes whoever waits for the next stored time.
    pub(crate) wake: Arc<Notify>,
    pub(crate) closing: CancellationToken,
    tools: HashMap<String, Arc<dyn Tool>>,
    /// What models are told of the tools, in the order they were given.
    tool_specs: Vec<ToolSpec>,
    /// The commands that are being carried out, to be waited for.
    commands: TaskTracker,
    pub(crate) models: Arc<dyn Models>,
    /// Commands about providers take turns.
    pub(crate) provider_turn: tokio::sync::Mutex<()>,
    is_closing: AtomicBool,
}

impl Engine {
    /// Takes up what an earlier process left, then accepts commands.
    pub fn open(options: Options) -> Result<(Self, Recovered), OpenError> {
        let runtime = Handle::try_current().map_err(|_| OpenError::NoRuntime)?;
        held::take_over(&options)?;
        let mut offered = options.tools;
        offered.push(Arc::new(ReadResult::new(options.store.clone())));
        let tool_specs: Vec<ToolSpec> = offered.iter().map(|tool| tool.spec()).collect();
        let mut tools = HashMap::new();
        for (tool, spec) in offered.into_iter().zip(&tool_specs) {
            if tools.insert(spec.name.clone(), tool).is_some() {
                return Err(OpenError::SameTool(spec.name.clone()));
            }
        }
        let engine = Self {
            inner: Arc::new(Inner {
                store: options.store,
                bus: Bus::default(),
                clock: options.clock,
                ids: options.ids,
                app_version: options.app_version,
                tasks: TaskTracker::new(),
                calls: Calls::default(),
                jobs: Jobs::default(),
                turns: Turns::default(),
                histories: Histories::default(),
                workspaces: options.workspaces,
                wake: Arc::default(),
                closing: CancellationToken::new(),
                tools,
                tool_specs,
                commands: TaskTracker::new(),
                models: options.models,
                provider_turn: tokio::sync::Mutex::new(()),
                is_closing: AtomicBool::new(false),
            }),
        };
        let recovered = recovery::recover(&engine, options.opened, &runtime)?;
        timekeeper::start(&engine, &runtime);
        Ok((engine, recovered))
    }

    /// Waits until no model call and no tool call is going.
    pub async fn idle(&self) {
        // A tracker that is closed still takes new tasks; it only says that waiting may end.
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }

    /// Starts no new work and interrupts what is going. What is stored can still be read, so
    /// that whoever watches can be told. Runs that were going can be resumed after the next start.
    pub async fn halt(&self) {
        self.inner.is_closing.store(true, Ordering::SeqCst);
        self.inner.closing.cancel();
        // A command that was let in before that may still start a run: it is waited for.
        self.inner.commands.close();
        wait("commands", self.inner.commands.wait()).await;
        recovery::interrupt_all(self).await;
        self.inner.calls.halt_all();
        self.inner.jobs.halt_all();
        wait("calls", self.idle()).await;
    }

    /// Halts, and closes the database. Closing what is closed succeeds.
    pub async fn close(&self) -> Result<(), CommandError> {
        self.halt().await;
        self.inner.bus.close();
        let store = self.inner.store.clone();
        // It waits for reads under way and for the disk.
        tokio::task::spawn_blocking(move || store.close())
            .await
            .map_err(|_| closing())?
            .map_err(|error| from_store(&error))
    }

    /// What is held in memory at this moment.
    pub fn held(&self) -> Held {
        let (followed_sessions, watches) = self.inner.bus.counts();
        Held {
            tasks: self.inner.tasks.len(),
            calls: self.inner.calls.count(),
            jobs: self.inner.jobs.count(),
            turns: self.inner.turns.count(),
            followed_sessions,
            watches,
        }
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

async fn wait(what: &'static str, end: impl Future<Output = ()>) {
    if tokio::time::timeout(CLOSE_WITHIN, end).await.is_err() {
        tracing::warn!(name: "engine.close.overdue", what);
    }
}

impl Inner {
    /// Lets a command in, unless the engine closes. It counts as going until this is dropped.
    pub(crate) fn admit(&self) -> Result<TaskTrackerToken, CommandError> {
        // Counted before the check: `halt` sets the flag and then waits for whoever is counted.
        let token = self.commands.token();
        if self.is_closing() {
            return Err(closing());
        }
        Ok(token)
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }

    pub(crate) fn model(&self, id: &str) -> Option<Arc<dyn Model>> {
        self.models.get(id)
    }

    pub(crate) fn default_model(&self) -> ModelInfo {
        self.models.default_model()
    }

    pub(crate) fn tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.get(name).cloned()
    }

    pub(crate) fn tool_specs(&self) -> &[ToolSpec] {
        &self.tool_specs
    }

    /// Which tools can look what happened.
    pub(crate) fn checkable(&self) -> decide::Checkable {
        let tools = self.tools.iter();
        tools
            .map(|(name, tool)| (name.clone(), tool.can_check()))
            .collect()
    }

    /// What every decision is given beside the state.
    pub(crate) fn given(&self) -> Given<'_> {
        Given {
            at_ms: self.now_ms(),
            ids: &*self.ids,
            default_model: self.models.default_id(),
            tools: &self.tool_specs,
        }
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    pub(crate) fn new_id(&self) -> uuid::Uuid {
        self.ids.next(self.now_ms())
    }
}
