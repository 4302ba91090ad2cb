//! An engine on real files in a folder of its own, its models and its clock in the test's hands.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use engine::{Clock, Engine, Ids, Model, Options, RandomIds, Recovered, Tool};
use protocol::{
    Command, CommandError, Envelope, ErrorCode, Message, MessageId, Push, Reply, RunId, RunStatus,
    RunView, SessionId, SessionSnapshot, SessionSummary,
};
use store::{DataFolder, Store};
use tempfile::TempDir;
use tools::ScratchWorkspaces;

use crate::scripted::Script;

/// Waits for what must come. The deadline is for a machine that hangs, not for one that is slow.
pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), what)
        .await
        .expect("it never came")
}

/// A data folder.
#[derive(Debug)]
pub(crate) struct Home {
    dir: TempDir,
}

/// A clock that moves when it is told to, and is wrong when it is told to be.
#[derive(Debug)]
pub(crate) struct FakeClock {
    now_ms: AtomicU64,
    wrong: AtomicU32,
    moved: Arc<tokio::sync::Notify>,
}

impl FakeClock {
    pub(crate) fn advance(&self, ms: u64) {
        self.now_ms.fetch_add(ms, Ordering::SeqCst);
        self.moved.notify_waiters();
    }

    /// The next answers are times that no database can hold: whatever is written with them fails.
    pub(crate) fn be_wrong(&self, times: u32) {
        self.wrong.store(times, Ordering::SeqCst);
    }
}

impl Clock for FakeClock {
    fn now_ms(&self) -> u64 {
        let wrong = self
            .wrong
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        match wrong {
            Ok(_) => u64::MAX,
            Err(_) => self.now_ms.load(Ordering::SeqCst),
        }
    }

    /// Ends whenever the clock is moved; whoever waits looks at the time again.
    fn wait_until(&self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        // Noted before the time is looked at: a clock that is moved in between wakes it.
        let moved = Arc::clone(&self.moved).notified_owned();
        if self.now_ms.load(Ordering::SeqCst) >= at_ms {
            return Box::pin(std::future::ready(()));
        }
        Box::pin(moved)
    }
}

/// An open engine.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) recovered: Recovered,
    pub(crate) clock: Arc<FakeClock>,
    /// The model that answers, unless the test brought its own.
    pub(crate) script: Script,
}

/// What `start_run` answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Started {
    pub(crate) session_id: SessionId,
    pub(crate) message_id: MessageId,
    pub(crate) run_id: RunId,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { dir }
    }

    /// What the tools of this folder's engines did, whatever their databases say.
    pub(crate) fn ledger(&self) -> PathBuf {
        self.path().join("ledger.jsonl")
    }

    pub(crate) fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let tools = tools::built_in().into_iter();
        tools.chain(testkit::test_tools(&self.ledger())).collect()
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// What a process that ended at this instant would leave behind.
    pub(crate) fn copy(&self) -> Self {
        let copy = Self::new();
        // The database before its log: the log only ever says more than the database.
        for name in ["holdfast.db", "holdfast.db-wal"] {
            let from = self.path().join(name);
            if from.exists() {
                std::fs::copy(from, copy.path().join(name)).unwrap();
            }
        }
        copy
    }

    pub(crate) fn store(&self) -> (Store, store::Opened) {
        Store::open(&store::Options {
            folder: DataFolder::create(self.path()).unwrap(),
            app_version: "0.0.0".to_owned(),
            pid: std::process::id(),
            now_ms: 1_000_000,
        })
        .unwrap()
    }

    pub(crate) fn open(&self) -> World {
        let script = Script::new("script");
        self.open_with(
            Arc::new(script.clone()),
            script,
            Arc::new(RandomIds::default()),
        )
    }

    pub(crate) fn open_model(&self, model: Arc<dyn Model>) -> World {
        self.open_with(model, Script::new("unused"), Arc::new(RandomIds::default()))
    }

    pub(crate) fn open_ids(&self, ids: Arc<dyn Ids>) -> World {
        let script = Script::new("script");
        self.open_with(Arc::new(script.clone()), script, ids)
    }

    fn open_with(&self, model: Arc<dyn Model>, script: Script, ids: Arc<dyn Ids>) -> World {
        self.open_from(vec![model], self.tools(), script, ids, 1_000_000)
    }

    /// With these models and tools, at this time.
    pub(crate) fn open_from(
        &self,
        models: Vec<Arc<dyn Model>>,
        tools: Vec<Arc<dyn Tool>>,
        script: Script,
        ids: Arc<dyn Ids>,
        now_ms: u64,
    ) -> World {
        let (store, opened) = self.store();
        let mut models = models.into_iter();
        let first = models.next().unwrap();
        let clock = Arc::new(FakeClock {
            now_ms: AtomicU64::new(now_ms),
            wrong: AtomicU32::new(0),
            moved: Arc::default(),
        });
        let (engine, recovered) = Engine::open(Options {
            store,
            opened,
            models: Arc::new(engine::FixedModels::new(first, models.collect())),
            tools,
            workspaces: Arc::new(ScratchWorkspaces::new(self.path().join("workspaces"))),
            clock: Arc::<FakeClock>::clone(&clock),
            ids,
            app_version: "0.0.0".to_owned(),
        })
        .unwrap();
        World {
            engine,
            recovered,
            clock,
            script,
        }
    }
}

impl World {
    pub(crate) async fn execute(&self, command: Command) -> Result<Reply, CommandError> {
        soon(self.engine.execute(command)).await
    }

    /// The code of a refusal and the run it is about.
    pub(crate) async fn refused(&self, command: Command) -> (ErrorCode, Option<RunId>) {
        let error = self
            .execute(command)
            .await
            .expect_err("it should be refused");
        (error.code, error.run_id)
    }

    pub(crate) async fn create(&self) -> SessionId {
        let command = Command::CreateSession {
            session_id: None,
            title: None,
            agent_id: None,
        };
        match self.execute(command).await.unwrap() {
            Reply::Session(session) => session.session_id,
            other => panic!("{other:?}"),
        }
    }

    /// Sends a message into a new session.
    pub(crate) async fn start(&self, text: &str) -> Started {
        self.try_start(None, text, None).await.unwrap()
    }

    /// Sends a message into a session.
    pub(crate) async fn send(&self, session_id: SessionId, text: &str) -> Started {
        self.try_start(Some(session_id), text, None).await.unwrap()
    }

    pub(crate) async fn try_start(
        &self,
        session_id: Option<SessionId>,
        text: &str,
        key: Option<&str>,
    ) -> Result<Started, CommandError> {
        let command = Command::StartRun {
            session_id,
            text: text.to_owned(),
            request_key: key.map(str::to_owned),
        };
        match self.execute(command).await? {
            Reply::RunStarted {
                session_id,
                message_id,
                run_id,
            } => Ok(Started {
                session_id,
                message_id,
                run_id,
            }),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn stop(&self, run_id: RunId) -> RunStatus {
        moved(self.execute(Command::StopRun { run_id }).await.unwrap())
    }

    pub(crate) async fn resume(&self, run_id: RunId) -> RunStatus {
        moved(self.execute(Command::ResumeRun { run_id }).await.unwrap())
    }

    pub(crate) async fn cancel(&self, run_id: RunId) -> RunStatus {
        moved(self.execute(Command::CancelRun { run_id }).await.unwrap())
    }

    pub(crate) async fn rename(&self, session_id: SessionId, title: &str) {
        let title = title.to_owned();
        let command = Command::RenameSession { session_id, title };
        self.execute(command).await.unwrap();
    }

    pub(crate) async fn run(&self, run_id: RunId) -> RunView {
        match self.execute(Command::GetRun { run_id }).await.unwrap() {
            Reply::Run(run) => run,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn sessions(&self) -> Vec<SessionSummary> {
        match self
            .execute(Command::ListSessions {
                limit: None,
                after: None,
                archived: false,
            })
            .await
            .unwrap()
        {
            Reply::Sessions { sessions, .. } => sessions,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn snapshot(&self, session_id: SessionId) -> SessionSnapshot {
        let command = Command::GetSession {
            session_id,
            limit: None,
        };
        match self.execute(command).await.unwrap() {
            Reply::Snapshot(snapshot) => *snapshot,
            other => panic!("{other:?}"),
        }
    }

    /// What was said, by whom, and whether it is whole.
    pub(crate) async fn transcript(&self, session_id: SessionId) -> Vec<String> {
        let messages = self.snapshot(session_id).await.messages;
        messages.iter().map(told).collect()
    }

    /// Every event of a session.
    pub(crate) async fn events(&self, session_id: SessionId) -> Vec<Envelope> {
        let mut subscription = self.engine.subscribe(session_id, 0).unwrap();
        let mut events = Vec::new();
        loop {
            let batch = soon(subscription.take_new()).await.unwrap();
            if batch.is_empty() {
                return events;
            }
            events.extend(batch.into_iter().filter_map(|push| match push {
                Push::Event(envelope) => Some(envelope),
                _ => None,
            }));
        }
    }

    pub(crate) async fn kinds(&self, session_id: SessionId) -> Vec<String> {
        self.events(session_id).await.iter().map(kind).collect()
    }

    /// Waits until no model call is going.
    pub(crate) async fn idle(&self) {
        soon(self.engine.idle()).await;
    }

    pub(crate) async fn close(&self) {
        soon(self.engine.close()).await.unwrap();
    }
}

fn moved(reply: Reply) -> RunStatus {
    match reply {
        Reply::RunMoved { status, .. } => status,
        other => panic!("{other:?}"),
    }
}

/// A message in short.
pub(crate) fn told(message: &Message) -> String {
    format!(
        "{:?} {:?}: {}",
        message.role,
        message.status,
        message.text()
    )
}

/// The wire's own name of an event.
pub(crate) fn kind(envelope: &Envelope) -> String {
    let value = serde_json::to_value(&envelope.event).unwrap();
    value["type"].as_str().unwrap().to_owned()
}
