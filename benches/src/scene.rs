//! An engine on a folder, and the commands that the measurements give it.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use engine::{Clock, Engine, Model, Options, RandomIds, Recovered, SystemClock, Tool};
use protocol::{
    AgentFields, AgentId, Command, CommandError, Reply, RunId, RunLimits, RunStatus, SessionId,
};
use store::{DataFolder, Store};

use crate::actors::NoFiles;

/// More than any measurement uses.
const NO_LIMIT: u32 = 1_000_000;

/// An open engine.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) engine: Engine,
    pub(crate) store: Store,
    pub(crate) recovered: Recovered,
}

impl Scene {
    pub(crate) fn open(
        folder: &Path,
        model: Arc<dyn Model>,
        tools: Vec<Arc<dyn Tool>>,
    ) -> Result<Self> {
        let (store, opened) = Store::open(&store::Options {
            folder: DataFolder::create(folder)?,
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            now_ms: SystemClock.now_ms(),
        })?;
        let (engine, recovered) = Engine::open(Options {
            store: store.clone(),
            opened,
            models: engine::FixedModels::only(model),
            tools,
            workspaces: Arc::new(NoFiles),
            clock: Arc::new(SystemClock),
            ids: Arc::new(RandomIds::default()),
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
        })?;
        Ok(Self {
            engine,
            store,
            recovered,
        })
    }

    pub(crate) async fn execute(&self, command: Command) -> Result<Reply> {
        self.engine.execute(command).await.map_err(explained)
    }

    /// An agent whose runs reach no limit.
    pub(crate) async fn tireless_agent(&self) -> Result<AgentId> {
        let fields = AgentFields {
            name: "Tireless".to_owned(),
            instructions: None,
            model: None,
            tools: None,
            limits: RunLimits {
                steps: Some(NO_LIMIT),
                seconds: Some(NO_LIMIT),
                ..RunLimits::default()
            },
        };
        let reply = self.execute(Command::CreateAgent { fields }).await?;
        let Reply::Agent(agent) = reply else {
            bail!("an odd reply: {reply:?}");
        };
        Ok(agent.agent_id)
    }

    pub(crate) async fn create_session(&self, agent_id: Option<AgentId>) -> Result<SessionId> {
        let command = Command::CreateSession {
            session_id: None,
            title: Some("Measured".to_owned()),
            agent_id,
        };
        let reply = self.execute(command).await?;
        let Reply::Session(session) = reply else {
            bail!("an odd reply: {reply:?}");
        };
        Ok(session.session_id)
    }

    pub(crate) async fn start_run(&self, session_id: SessionId, text: &str) -> Result<RunId> {
        let command = Command::StartRun {
            session_id: Some(session_id),
            text: text.to_owned(),
            request_key: None,
        };
        let reply = self.execute(command).await?;
        let Reply::RunStarted { run_id, .. } = reply else {
            bail!("an odd reply: {reply:?}");
        };
        Ok(run_id)
    }

    /// The completed steps of a run that must have ended well.
    pub(crate) async fn steps_of(&self, run_id: RunId) -> Result<u32> {
        let reply = self.execute(Command::GetRun { run_id }).await?;
        let Reply::Run(run) = reply else {
            bail!("an odd reply: {reply:?}");
        };
        ensure!(
            run.status == RunStatus::Completed,
            "a run did not end well: {run:?}"
        );
        Ok(run.steps_completed)
    }

    pub(crate) async fn close(&self) -> Result<()> {
        self.engine.close().await.map_err(explained)
    }
}

fn explained(error: CommandError) -> anyhow::Error {
    anyhow::Error::msg(error.message).context("the engine refused")
}

/// Every one of these at once, in the order they were given.
pub(crate) async fn together<T: Send + 'static>(
    works: impl IntoIterator<Item = impl Future<Output = Result<T>> + Send + 'static>,
) -> Result<Vec<T>> {
    let started: Vec<_> = works.into_iter().map(tokio::spawn).collect();
    let mut results = Vec::with_capacity(started.len());
    for work in started {
        results.push(work.await.context("a measurement panicked")??);
    }
    Ok(results)
}
