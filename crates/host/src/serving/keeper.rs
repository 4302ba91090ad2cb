//! Keeps one process going: starts it, looks after it, starts it again a few times, ends it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engine::Clock;
use store::DataFolder;

use super::child::Child;
use super::{leftover, program};

/// How often a living process is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// So often it is started again by itself, after a second, two and four.
const MOST_RESTARTS: u32 = 3;
const FIRST_WAIT_MS: u64 = 1_000;
/// What lived so long did not fail at its start: it may be started again as often.
const STEADY_MS: u64 = 60_000;

/// What the thread is told.
#[derive(Debug)]
pub(super) enum Told {
    /// This file is served from now on, or none.
    Want(Option<PathBuf>),
    /// What was given up is tried once more.
    Again,
    /// Everything ends.
    End,
}

/// How the served model stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    /// Where its process listens, while there is one.
    pub(crate) port: Option<u16>,
    /// How often it was started again since it last ran well.
    pub(crate) restarts: u32,
    /// Why its process ended the last time, if it did.
    pub(crate) last_error: Option<String>,
    /// It is not started again by itself.
    pub(crate) is_given_up: bool,
}

#[derive(Debug)]
pub(super) struct Keeper {
    folder: DataFolder,
    programs: OsString,
    clock: Arc<dyn Clock>,
    told: Receiver<Told>,
    shown: Arc<Mutex<Option<Shown>>>,
    now: Option<Shown>,
    child: Option<Child>,
    started_at_ms: u64,
    /// When it is started, if it has no process.
    start_at_ms: u64,
}

impl Keeper {
    pub(super) fn new(
        folder: DataFolder,
        programs: OsString,
        clock: Arc<dyn Clock>,
        told: Receiver<Told>,
        shown: Arc<Mutex<Option<Shown>>>,
    ) -> Self {
        Self {
            folder,
            programs,
            clock,
            told,
            shown,
            now: None,
            child: None,
            started_at_ms: 0,
            start_at_ms: 0,
        }
    }

    /// Until it is told to end, or nobody is left to tell it anything.
    pub(super) fn run(mut self) {
        let mut is_first = true;
        loop {
            let told = if self.is_busy() {
                self.told.recv_timeout(LOOK_EVERY)
            } else {
                self.told.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match told {
                Ok(Told::Want(path)) => {
                    // Only now is the folder ours, and what an earlier process left nobody's.
                    if std::mem::take(&mut is_first) {
                        leftover::end(&self.folder);
                    }
                    self.want(path);
                }
                Ok(Told::Again) => self.again(),
                Ok(Told::End) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.look();
            self.show();
        }
        self.end_child();
        self.now = None;
        self.show();
    }

    /// Whether there is something to look after.
    fn is_busy(&self) -> bool {
        self.child.is_some() || self.now.as_ref().is_some_and(|now| !now.is_given_up)
    }

    fn want(&mut self, path: Option<PathBuf>) {
        if self.now.as_ref().map(|now| &now.path) == path.as_ref() {
            return;
        }
        self.end_child();
        self.start_at_ms = 0;
        self.now = path.map(|path| Shown {
            name: program::model_name(&path),
            path,
            port: None,
            restarts: 0,
            last_error: None,
            is_given_up: false,
        });
    }

    fn again(&mut self) {
        if let Some(now) = self.now.as_mut().filter(|now| now.is_given_up) {
            now.is_given_up = false;
            now.restarts = 0;
            self.start_at_ms = 0;
        }
    }

    /// Starts what is due, and notices what has ended.
    fn look(&mut self) {
        let Some(child) = &mut self.child else {
            self.start_if_due();
            return;
        };
        if !child.has_ended() {
            return;
        }
        if let Some(child) = self.child.take() {
            let words = child.last_words();
            let status = child.finish();
            let lived_ms = self.clock.now_ms().saturating_sub(self.started_at_ms);
            if lived_ms >= STEADY_MS
                && let Some(now) = &mut self.now
            {
                now.restarts = 0;
            }
            let message = match words.as_str() {
                "" => format!("llama-server ended ({status})."),
                words => format!("llama-server ended ({status}): {words}"),
            };
            self.failed(message);
        }
    }

    fn start_if_due(&mut self) {
        let is_due = self.clock.now_ms() >= self.start_at_ms;
        let Some(now) = self.now.as_mut().filter(|now| is_due && !now.is_given_up) else {
            return;
        };
        let started = leftover::new_mark(&self.folder)
            .and_then(|mark| Child::start(&now.path, &now.name, &self.programs, &mark));
        match started {
            Ok(child) => {
                tracing::info!(name: "host.serving.started", pid = child.id(), port = child.port);
                now.port = Some(child.port);
                self.started_at_ms = self.clock.now_ms();
                self.child = Some(child);
            }
            Err(error) => self.failed(format!("llama-server cannot be started: {error}.")),
        }
    }

    /// Once more in a while, or not at all.
    fn failed(&mut self, message: String) {
        let Some(now) = &mut self.now else { return };
        now.port = None;
        now.last_error = Some(message);
        if now.restarts >= MOST_RESTARTS {
            now.is_given_up = true;
        } else {
            self.start_at_ms = self.clock.now_ms() + (FIRST_WAIT_MS << now.restarts);
            now.restarts += 1;
        }
        tracing::warn!(name: "host.serving.ended", restarts = now.restarts, is_given_up = now.is_given_up);
    }

    fn end_child(&mut self) {
        if let Some(child) = self.child.take() {
            child.end();
            leftover::forget(&self.folder);
        }
    }

    fn show(&self) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if *shown != self.now {
            shown.clone_from(&self.now);
        }
    }
}
