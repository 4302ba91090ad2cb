//! What the window's commands work on: the host, if it started, and the open subscriptions.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use host::{Engine, Host, HostOptions, Restore, StartFailure};
use protocol::{CommandError, ErrorCode, StartState};

use crate::subscriptions::Subscriptions;

/// The state behind the window.
#[derive(Debug)]
pub struct Shell {
    options: HostOptions,
    host: Mutex<Result<Host, StartFailure>>,
    pub(crate) subscriptions: Subscriptions,
}

impl Shell {
    /// Starts the host. A failure is kept to be shown: the window opens either way.
    pub fn start(options: HostOptions) -> Self {
        let host = start_host(&options);
        Self {
            options,
            host: Mutex::new(host),
            subscriptions: Subscriptions::default(),
        }
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.options.data_dir.clone()
    }

    pub(crate) fn state(&self) -> StartState {
        match &*self.lock() {
            Ok(host) => host.state(),
            Err(failure) => failure.clone().into_state(),
        }
    }

    pub(crate) fn engine(&self) -> Result<Engine, CommandError> {
        match &*self.lock() {
            Ok(host) => Ok(host.engine.clone()),
            Err(failure) => Err(failure.error.clone()),
        }
    }

    /// Puts the newest backup in place and starts; only ever after a start that failed.
    pub(crate) fn restore_backup(&self) -> Result<StartState, CommandError> {
        let mut host = self.lock();
        // The page could ask at any time; only a damaged database is ever replaced.
        let is_damaged = host
            .as_ref()
            .is_err_and(|failure| failure.error.code == ErrorCode::DamagedDatabase);
        if !is_damaged {
            return Err(CommandError::new(
                ErrorCode::NotActionable,
                "The database is not damaged; there is nothing to restore.",
                "To go back to a backup all the same, close Holdfast and run: holdfast restore --anyway",
            ));
        }
        Host::restore(&self.options, Restore::Anyway)?;
        *host = start_host(&self.options);
        drop(host);
        Ok(self.state())
    }

    /// Interrupts what is going and closes the database.
    pub fn close(&self) {
        self.subscriptions.end_all();
        let Ok(host) = self.lock().clone() else {
            return;
        };
        if let Err(error) = tauri::async_runtime::block_on(host.close()) {
            tracing::error!(name: "shell.close.failed", message = error.message);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Result<Host, StartFailure>> {
        self.host.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start_host(options: &HostOptions) -> Result<Host, StartFailure> {
    let runtime = tauri::async_runtime::handle();
    let _inside = runtime.inner().enter();
    Host::start(options).inspect_err(|failure| {
        tracing::error!(
            name: "shell.start.failed",
            code = ?failure.error.code,
            message = failure.error.message,
        );
    })
}
