//! A model file of the person's, served by llama.cpp's server: a process that the app starts, watches and
//! ends.
//!
//! Which file that is stands in the settings, so it is served again after a restart. A thread of its own
//! owns the process for as long as it lives: on Linux the system ends a process with the thread that
//! started it, if it was told so.

mod child;
mod environment;
mod keeper;
mod leftover;
mod program;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use engine::Clock;
use protocol::{CommandError, ErrorCode};
use store::DataFolder;

pub(crate) use keeper::Shown;
use keeper::{Keeper, Told};
pub(crate) use program::model_name;

/// The one model that is served, or none.
#[derive(Debug)]
pub(crate) struct Serving {
    /// Where programs are looked for.
    programs: OsString,
    tell: Sender<Told>,
    shown: Arc<Mutex<Option<Shown>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Serving {
    /// Serves nothing yet.
    pub(crate) fn new(folder: DataFolder, programs: OsString, clock: Arc<dyn Clock>) -> Self {
        let (tell, told) = channel();
        let shown: Arc<Mutex<Option<Shown>>> = Arc::default();
        let keeper = Keeper::new(folder, programs.clone(), clock, told, Arc::clone(&shown));
        let thread = std::thread::Builder::new()
            .name("served-model".to_owned())
            .spawn(move || keeper.run());
        if let Err(error) = &thread {
            tracing::error!(name: "host.serving.no_thread", %error);
        }
        Self {
            programs,
            tell,
            shown,
            thread: Mutex::new(thread.ok()),
        }
    }

    /// Serves this file from now on, or none. The same once more changes nothing.
    pub(crate) fn want(&self, path: Option<PathBuf>) {
        // Nobody listens once it has ended, which is what is wanted then.
        drop(self.tell.send(Told::Want(path)));
    }

    /// Starts once more what was given up.
    pub(crate) fn again(&self) {
        drop(self.tell.send(Told::Again));
    }

    /// How it stands.
    pub(crate) fn shown(&self) -> Option<Shown> {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.clone()
    }

    /// Whether there is a server to serve with.
    pub(crate) fn can_serve(&self) -> bool {
        program::find(program::SERVER, &self.programs).is_some()
    }

    /// Whether this file can be served at all. Looks at the file, so it may take its time.
    pub(crate) fn check(&self, path: &Path) -> Result<(), CommandError> {
        if !self.can_serve() {
            return Err(CommandError::new(
                ErrorCode::NotActionable,
                "There is no llama-server on this computer's PATH.",
                "Install llama.cpp, or start a server yourself and choose it.",
            ));
        }
        program::check_model_file(path)
    }

    /// Ends the process and waits for that.
    pub(crate) fn end(&self) {
        drop(self.tell.send(Told::End));
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take()
            && thread.join().is_err()
        {
            tracing::error!(name: "host.serving.panicked", "the thread of the served model failed");
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.end();
    }
}
