//! A seeded workload on a real engine: a model that streams and asks for tools of every class, a
//! person who sends, decides, stops, resumes, cancels, forks and edits, and a window for each
//! session. Everything that is acknowledged, shown or done is noted by a witness.
//!
//! Run it in the process that a test wants to end, or inside a test under a file system that keeps
//! a record.

mod clock;
mod model;
mod person;
mod resting;
mod window;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use engine::{Engine, FixedModels, Options, RandomIds, Recovered};
use protocol::{Command, CommandError, EffectClass, Reply, SessionId};
use store::{DataFolder, Store};
use tokio::task::JoinHandle;
use tools::ScratchWorkspaces;

use crate::evidence::{Fact, Witness};
use crate::{Dice, Ledger, test_tools_with};

pub use clock::FastClock;
pub use model::WorkModel;

/// What is worked.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Fixes what the person and the model do.
    pub seed: u64,
    /// How many sessions the person begins with.
    pub sessions: usize,
    /// How often the person acts.
    pub acts: u32,
    /// The class of every tool call; all of them without one.
    pub class: Option<EffectClass>,
    /// Whether the person makes backups in between.
    pub backups: bool,
    /// Whether the model pauses for over a second, so that relaxed commits must be secured.
    pub pauses: bool,
    /// Whether the model is overloaded now and then.
    pub overloads: bool,
    /// Whether interrupted runs go on by themselves.
    pub resumes_alone: bool,
}

impl Plan {
    /// Four sessions, all classes.
    pub const fn new(seed: u64) -> Self {
        Self {
            seed,
            sessions: 4,
            acts: 60,
            class: None,
            backups: true,
            pauses: false,
            overloads: true,
            resumes_alone: false,
        }
    }
}

/// An engine at work, in a folder.
#[derive(Debug)]
pub struct World {
    engine: Engine,
    /// What the start found.
    pub recovered: Recovered,
    folder: PathBuf,
    plan: Plan,
    witness: Arc<dyn Witness>,
    dice: Dice,
    sendings: u64,
    windows: HashMap<SessionId, JoinHandle<()>>,
}

impl World {
    /// Opens the folder, takes up what is there, and opens a window on every session.
    pub async fn open(folder: &Path, plan: &Plan, witness: Arc<dyn Witness>) -> Result<Self> {
        let pid = std::process::id();
        witness.note(Fact::Began { pid });
        let (store, opened) = Store::open(&store::Options {
            folder: DataFolder::create(folder)?,
            app_version: "0.0.0".to_owned(),
            pid,
            now_ms: FastClock::shared().now(),
        })?;
        // Another one for every start: a person does not do the same again after a crash.
        let dice = Dice::new(plan.seed.wrapping_add(opened.epoch.wrapping_mul(0x1_0000)));
        let ledger = Ledger::witnessed(Arc::clone(&witness));
        let tools = tools::built_in().into_iter();
        let (engine, recovered) = Engine::open(Options {
            store,
            opened,
            models: FixedModels::only(Arc::new(WorkModel::new(plan, Arc::clone(&witness)))),
            tools: tools.chain(test_tools_with(&ledger)).collect(),
            workspaces: Arc::new(ScratchWorkspaces::new(folder.join("workspaces"))),
            clock: FastClock::shared(),
            ids: Arc::new(RandomIds::default()),
            app_version: "0.0.0".to_owned(),
        })?;
        let mut world = Self {
            engine,
            recovered,
            folder: folder.to_owned(),
            plan: plan.clone(),
            witness,
            dice,
            sendings: 0,
            windows: HashMap::new(),
        };
        match world.open_windows().await {
            Ok(()) => Ok(world),
            // Nobody would close it otherwise, and the folder would stay in use.
            Err(error) => {
                drop(world.close().await);
                Err(error)
            }
        }
    }

    async fn open_windows(&mut self) -> Result<()> {
        for session_id in self.sessions().await? {
            self.open_window(session_id).await?;
        }
        Ok(())
    }

    /// The engine.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Closes everything in order.
    pub async fn close(mut self) -> Result<()> {
        let closed = self.engine.close().await;
        for (_, window) in self.windows.drain() {
            window.abort();
        }
        closed.map_err(|error| anyhow!("{}", error.message))
    }

    /// Asks for something; the refusal of a command is an answer.
    async fn ask(&self, command: Command) -> std::result::Result<Reply, CommandError> {
        self.engine.execute(command).await
    }

    /// The ids of all sessions, oldest first.
    async fn sessions(&self) -> Result<Vec<SessionId>> {
        let list = Command::ListSessions {
            limit: Some(200),
            after: None,
            archived: false,
        };
        let reply = self.ask(list).await;
        let Reply::Sessions { sessions, .. } = reply.map_err(|error| anyhow!(error.message))?
        else {
            return Err(anyhow!("not a list"));
        };
        let mut ids: Vec<SessionId> = sessions.iter().map(|one| one.session_id).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    async fn open_window(&mut self, session_id: SessionId) -> Result<()> {
        if self.windows.contains_key(&session_id) {
            return Ok(());
        }
        let window = window::open(&self.engine, session_id, Arc::clone(&self.witness)).await;
        self.windows.insert(
            session_id,
            window.context("I1: a session that was answered is not there")?,
        );
        Ok(())
    }
}
