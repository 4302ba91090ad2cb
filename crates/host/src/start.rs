//! Starting and closing: folder, store, engine, the daily backup.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use engine::{
    Clock, Engine, Model, Options, RandomIds, Recovered, SystemClock, Tool, command_error,
};
use models::{ChatCompletions, Endpoint, Guide, GuideOptions, Limits};
use protocol::{BackupInfo, CommandError, ErrorCode, StartState};
use store::{DataFolder, Opened, Store};
use tools::ScratchWorkspaces;

use crate::backups::DailyBackups;
use crate::keys::{KeyFile, Keychain, Keys};
use crate::providers::Registry;
use crate::serving::Serving;

/// What a host is started with.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// The folder that holds everything.
    pub data_dir: PathBuf,
    /// How the built-in guide speaks.
    pub guide: GuideOptions,
    /// A model that answers instead of the guide, which stays at hand.
    pub endpoint: Option<Endpoint>,
    /// Tools beside the built-in ones.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Where programs are looked for; the system's `PATH` when absent.
    pub programs: Option<OsString>,
    /// The keychain; the system's when absent.
    pub keychain: Option<Arc<dyn Keys>>,
}

impl HostOptions {
    /// A folder, with the built-in guide and the built-in tools.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            guide: GuideOptions::default(),
            endpoint: None,
            tools: Vec::new(),
            programs: None,
            keychain: None,
        }
    }
}

/// A running engine.
#[derive(Debug, Clone)]
pub struct Host {
    /// The engine.
    pub engine: Engine,
    /// What was found on opening.
    pub opened: Opened,
    /// What recovery took up.
    pub recovered: Recovered,
    backups: Arc<DailyBackups>,
    serving: Arc<Serving>,
}

/// A start that did not succeed. Nothing was overwritten.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{error}")]
pub struct StartFailure {
    /// Why, and what to do.
    pub error: CommandError,
    /// The newest backup, if the error is one that a backup mends.
    pub backup: Option<BackupInfo>,
}

impl StartFailure {
    /// What a window shows.
    pub fn into_state(self) -> StartState {
        StartState::Failed {
            error: self.error,
            backup: self.backup,
        }
    }
}

impl Host {
    /// Opens the folder and takes up what an earlier process left. Called inside a runtime: what
    /// goes on by itself goes on there.
    pub fn start(options: &HostOptions) -> Result<Self, StartFailure> {
        let plain = |error: &store::Error| StartFailure {
            error: command_error(error),
            backup: None,
        };
        let folder = DataFolder::create(&options.data_dir).map_err(|error| plain(&error))?;
        let clock = Arc::new(SystemClock);
        let programs = options.programs.clone();
        let programs = programs.or_else(|| std::env::var_os("PATH"));
        let serving = Arc::new(Serving::new(
            folder.clone(),
            programs.unwrap_or_default(),
            clock.clone(),
        ));
        let registry = models(options, &folder, &serving, clock.clone());
        let models = registry.map_err(|error| StartFailure {
            error,
            backup: None,
        })?;
        let tools = tools::built_in().into_iter();
        let workspaces = ScratchWorkspaces::new(folder.root().join("workspaces"));
        let (store, opened) = Store::open(&store::Options {
            folder: folder.clone(),
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            now_ms: clock.now_ms(),
        })
        .map_err(|error| failure(&folder, &error))?;
        let (engine, recovered) = Engine::open(Options {
            store,
            opened,
            models: Arc::new(models),
            tools: tools.chain(options.tools.iter().cloned()).collect(),
            workspaces: Arc::new(workspaces),
            clock,
            ids: Arc::new(RandomIds::default()),
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
        })
        .map_err(|error| open_failure(&folder, &error))?;
        let backups = DailyBackups::start(engine.clone(), folder, opened.is_new);
        Ok(Self {
            engine,
            opened,
            recovered,
            backups: Arc::new(backups),
            serving,
        })
    }

    /// What a window shows.
    pub fn state(&self) -> StartState {
        StartState::Ready {
            app: self.engine.app_info(),
        }
    }

    /// Interrupts what is going, closes the database and ends what was started.
    pub async fn close(&self) -> Result<(), CommandError> {
        self.backups.stop();
        let closed = self.engine.close().await;
        let serving = Arc::clone(&self.serving);
        if let Err(error) = tokio::task::spawn_blocking(move || serving.end()).await {
            tracing::error!(name: "host.serving.not_ended", %error);
        }
        closed
    }

    /// Restores the newest sound backup of a folder that nobody uses.
    pub fn restore(options: &HostOptions, when: Restore) -> Result<BackupInfo, CommandError> {
        let folder =
            DataFolder::create(&options.data_dir).map_err(|error| command_error(&error))?;
        if when == Restore::IfDamaged {
            refuse_sound(&folder)?;
        }
        store::restore_newest_backup(&folder, std::process::id(), SystemClock.now_ms())
            .map_err(|error| command_error(&error))
    }
}

/// The guide, the command line's model, and whatever is stored. No key is read yet.
fn models(
    options: &HostOptions,
    folder: &DataFolder,
    serving: &Arc<Serving>,
    clock: Arc<dyn Clock>,
) -> Result<Registry, CommandError> {
    let told = match options.endpoint.clone() {
        Some(endpoint) => Some(told(endpoint, Arc::clone(&clock))?),
        None => None,
    };
    let keychain = options.keychain.clone();
    Ok(Registry::new(
        told,
        Arc::new(Guide::new(options.guide)),
        keychain.unwrap_or_else(|| Arc::new(Keychain::default())),
        Arc::new(KeyFile::new(folder.clone())),
        Arc::clone(serving),
        clock,
    ))
}

/// The model that the command line names.
fn told(endpoint: Endpoint, clock: Arc<dyn Clock>) -> Result<Arc<dyn Model>, CommandError> {
    let model = ChatCompletions::new(endpoint, Limits::default(), clock).map_err(|error| {
        CommandError::new(
            ErrorCode::InvalidValue,
            error.to_string(),
            "Mend the address of the model (--model-url), or leave it out.",
        )
    })?;
    Ok(Arc::new(model))
}

/// When a backup may take the database's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restore {
    /// Only if the database cannot be used.
    IfDamaged,
    /// Also if it is sound: the person said so.
    Anyway,
}

/// A sound database holds more than any backup of it.
fn refuse_sound(folder: &DataFolder) -> Result<(), CommandError> {
    match store::inspect(folder.root()) {
        Ok(found) if found.finding.is_none() && found.schema > 0 => Err(CommandError::new(
            ErrorCode::NotActionable,
            "The database is sound; nothing was restored.",
            "To go back to the newest backup all the same: holdfast restore --anyway",
        )),
        Ok(_) | Err(_) => Ok(()),
    }
}

fn failure(folder: &DataFolder, error: &store::Error) -> StartFailure {
    let error = command_error(error);
    let backup = (error.code == ErrorCode::DamagedDatabase)
        .then(|| store::newest_backup(folder))
        .flatten();
    StartFailure { error, backup }
}

fn open_failure(folder: &DataFolder, error: &engine::OpenError) -> StartFailure {
    match error {
        engine::OpenError::Recovery(error) => failure(folder, error),
        engine::OpenError::NoRuntime | engine::OpenError::SameTool(_) => StartFailure {
            error: CommandError::new(ErrorCode::Internal, error.to_string(), "The log says more."),
            backup: None,
        },
    }
}
