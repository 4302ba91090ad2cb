//! Whether anything is sent to a provider. A refusal of its key, or no credit, closes the gate for
//! everyone: whoever met it says so, the others wait.

use std::sync::{Mutex, PoisonError};

use engine::ModelError;
use protocol::{ErrorClass, RunError};

/// Lost with the process, which costs one request; runs that wait know it from their rows.
#[derive(Debug, Default)]
pub(super) struct Gate {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    paused: Option<RunError>,
    /// Counted up when it is opened: what was sent before says nothing of it.
    opened: u64,
}

/// When something was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passed(u64);

impl Gate {
    /// Lets a request through, or says why it must wait.
    pub(super) fn pass(&self, name: &str) -> Result<Passed, ModelError> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &state.paused {
            Some(error) => Err(held(name, error)),
            None => Ok(Passed(state.opened)),
        }
    }

    /// A request failed: the first refusal closes the gate and is told as it is. Others that were
    /// under way wait like everyone else. One from before the gate was opened is told, and no more.
    pub(super) fn met(&self, name: &str, passed: Passed, error: ModelError) -> ModelError {
        if !is_refusal(error.class) {
            return error;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if passed.0 != state.opened {
            return error;
        }
        if let Some(before) = &state.paused {
            return held(name, before);
        }
        state.paused = Some(RunError {
            class: error.class,
            message: error.message.clone(),
        });
        tracing::warn!(name: "host.provider.paused", provider = name, class = error.class.as_str());
        error
    }

    pub(super) fn pause(&self, error: RunError) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.paused.get_or_insert(error);
    }

    /// Whether it was closed.
    pub(super) fn resume(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.opened += 1;
        state.paused.take().is_some()
    }

    pub(super) fn paused(&self) -> Option<RunError> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.paused.clone()
    }
}

/// What no second try mends, whoever makes it. A lack of permission is no such thing: it is often
/// about one model or one text, and the key is good for others.
pub(super) const fn is_refusal(class: ErrorClass) -> bool {
    matches!(class, ErrorClass::Auth | ErrorClass::Billing)
}

fn held(name: &str, error: &RunError) -> ModelError {
    let mut held = ModelError::new(error.class, said(name, &error.message));
    held.is_held = true;
    held
}

/// A run that waits over a restart says what it said: not once more around it.
fn said(name: &str, message: &str) -> String {
    let beginning = format!("{name} is paused: ");
    if message.starts_with(&beginning) {
        return message.to_owned();
    }
    format!("{beginning}{message}")
}
