//! Starting and closing: folder, store, engine, the daily backup.

use std::path::PathBuf;
use std::sync::Arc;

use engine::{Clock, Engine, Options, RandomIds, Recovered, SystemClock, command_error};
use models::{Guide, GuideOptions};
use protocol::{BackupInfo, CommandError, ErrorCode, StartState};
use store::{DataFolder, Opened, Store};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// What a host is started with.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// The folder that holds everything.
    pub data_dir: PathBuf,
    /// How the built-in guide speaks.
    pub guide: GuideOptions,
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
    /// Opens the folder and takes up what an earlier process left.
    pub fn start(options: &HostOptions) -> Result<Self, StartFailure> {
        let plain = |error: &store::Error| StartFailure {
            error: command_error(error),
            backup: None,
        };
        let folder = DataFolder::create(&options.data_dir).map_err(|error| plain(&error))?;
        let clock = Arc::new(SystemClock);
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
            models: vec![Arc::new(Guide::new(options.guide))],
            clock,
            ids: Arc::new(RandomIds::default()),
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
        })
        .map_err(|error| open_failure(&folder, &error))?;
        let host = Self {
            engine,
            opened,
            recovered,
        };
        host.back_up_daily(folder);
        Ok(host)
    }

    /// What a window shows.
    pub fn state(&self) -> StartState {
        StartState::Ready {
            app: self.engine.app_info(),
        }
    }

    /// Interrupts what is going and closes the database.
    pub async fn close(&self) -> Result<(), CommandError> {
        self.engine.close().await
    }

    /// Restores the newest sound backup of a folder that nobody uses.
    pub fn restore(options: &HostOptions) -> Result<BackupInfo, CommandError> {
        let folder =
            DataFolder::create(&options.data_dir).map_err(|error| command_error(&error))?;
        store::restore_newest_backup(&folder, std::process::id(), SystemClock.now_ms())
            .map_err(|error| command_error(&error))
    }

    /// Beside everything else: a start must not wait for it.
    fn back_up_daily(&self, folder: DataFolder) {
        if self.opened.is_new {
            return;
        }
        let engine = self.engine.clone();
        let spawned = std::thread::Builder::new()
            .name("daily-backup".to_owned())
            .spawn(move || {
                let now_ms = SystemClock.now_ms();
                let is_due = store::newest_backup(&folder)
                    .is_none_or(|newest| now_ms.saturating_sub(newest.created_at_ms) >= DAY_MS);
                if is_due && let Err(error) = engine.backup() {
                    tracing::warn!(name: "host.backup.failed", message = error.message);
                }
            });
        if let Err(error) = spawned {
            tracing::warn!(name: "host.backup.not_started", %error);
        }
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
        engine::OpenError::NoModel => StartFailure {
            error: CommandError::new(ErrorCode::Internal, error.to_string(), "The log says more."),
            backup: None,
        },
    }
}
