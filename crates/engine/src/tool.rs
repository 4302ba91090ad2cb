//! What the engine asks of a tool, and what it hears back.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use protocol::{CallId, CallPreview, EffectClass, ErrorClass, SessionId, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::StateChange;
use tokio_util::sync::CancellationToken;

use crate::policy::Withheld;

/// What a tool's work comes as.
pub type ToolFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ToolError>> + Send + 'a>>;

/// Something that an agent can call. It holds nothing of a single call: two sessions that use it
/// do not see each other.
///
/// A call goes through [`Tool::plan`] when it is proposed (and again right before it starts, to
/// see that it is still what was allowed), [`Tool::prepare`], then its intent is committed, then
/// [`Tool::run`]. After a crash a call that may be run again gets `run` with the stored intent.
pub trait Tool: std::fmt::Debug + Send + Sync + 'static {
    /// Its name, what the model is told of it, and what its arguments look like.
    fn spec(&self) -> ToolSpec;

    /// Reads the arguments and says what would happen. Changes nothing.
    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan>;

    /// Looks at what is there now, right before the call starts. Changes nothing.
    fn prepare<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Intent> {
        let _: &CallInput = call;
        Box::pin(async { Ok(Intent::default()) })
    }

    /// Whether [`Tool::prepare`] has anything to look at. Where it has not, a call that is allowed
    /// starts together with the reply that asks for it: intent and reply are one commit.
    fn looks_first(&self) -> bool {
        true
    }

    /// Does it. Ends soon after `context.cancel`; what it did until then is reported.
    fn run<'a>(
        &'a self,
        call: &'a CallInput,
        intent: &'a Intent,
        context: &'a ToolContext,
    ) -> ToolFuture<'a, Output>;

    /// Whether [`Tool::check`] can find out what happened.
    fn can_check(&self) -> bool {
        false
    }

    /// Finds out whether a call in doubt happened. Never performs the effect.
    fn check<'a>(&'a self, call: &'a CallInput, intent: &'a Intent) -> ToolFuture<'a, Checked> {
        let _: (&CallInput, &Intent) = (call, intent);
        Box::pin(async { Ok(Checked::Unknown) })
    }

    /// How long a body may take.
    fn deadline(&self) -> Duration {
        Duration::from_secs(120)
    }
}

/// What a model is told of a tool. Pinned to every run that may use it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: Value,
}

impl ToolSpec {
    /// The hash of the definition: another one asks again.
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let parameters = self.parameters.to_string();
        for part in [&self.name, &self.description, &parameters] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().into()
    }
}

/// One call, as a tool sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallInput {
    /// The session.
    pub session_id: SessionId,
    /// The call.
    pub call_id: CallId,
    /// The arguments, exactly: a JSON object.
    pub arguments: String,
    /// The folder that the tool is confined to. It may not exist yet.
    pub workspace: PathBuf,
}

impl CallInput {
    /// The same for every body of this call: whoever gets it twice does the effect once.
    pub fn effect_key(&self) -> String {
        self.call_id.to_string()
    }
}

/// What a call would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Whether it may be run again.
    pub effect: EffectClass,
    /// What happens where no rule says otherwise.
    pub verdict: Verdict,
    /// What will really run, for the person.
    pub preview: CallPreview,
    /// What it touches: calls that share one of these run one after the other, unless all of
    /// them only read.
    pub resources: Vec<String>,
    /// Anything else that an approval is bound to: a program's path and hash, a sandbox profile.
    pub binding: Vec<u8>,
}

/// What was found right before a call started. Committed before its body runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Intent {
    /// The files that it is about to change.
    pub files: Vec<FileIntent>,
    /// Anything else that the tool wants to find again after a crash.
    pub detail: Value,
}

/// A file that is about to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileIntent {
    /// The path, relative to the workspace, with `/`.
    pub path: String,
    /// What the file holds now; nothing if it does not exist. This is the way back.
    pub before: Option<Vec<u8>>,
    /// The BLAKE3 hash of what it will hold.
    pub after: [u8; 32],
}

/// What a body is given.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// Ends the call early.
    pub cancel: CancellationToken,
    /// The session's state as it was when this call's message was written.
    pub state: BTreeMap<String, Value>,
    /// What rules keep from it, where it looks at many paths.
    pub withheld: Withheld,
}

/// What a call gave back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// The text, verbatim.
    pub text: String,
    /// What it changes in the session's state, merged when all calls of its message are over.
    pub state: Vec<StateChange>,
}

impl Output {
    /// Only text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            state: Vec::new(),
        }
    }
}

/// What a check found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// It happened, with this result.
    Happened(String),
    /// It did not happen, and cannot happen any more.
    DidNotHappen,
    /// Still unknown.
    Unknown,
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// What kind of failure.
    pub class: ErrorClass,
    /// What the model and the person are told.
    pub message: String,
    /// Whether the end was observed. If not, a call that must not be repeated is in doubt.
    pub is_definite: bool,
}

impl ToolError {
    /// Nothing happened, or the end of what happened was seen.
    pub fn definite(message: impl Into<String>) -> Self {
        Self {
            class: ErrorClass::Tool,
            message: message.into(),
            is_definite: true,
        }
    }

    /// Whether it happened is not known: a lost connection, a remote timeout.
    pub fn unobserved(message: impl Into<String>) -> Self {
        Self {
            class: ErrorClass::Tool,
            message: message.into(),
            is_definite: false,
        }
    }

    /// The same with another class.
    #[must_use]
    pub fn of(mut self, class: ErrorClass) -> Self {
        self.class = class;
        self
    }
}
