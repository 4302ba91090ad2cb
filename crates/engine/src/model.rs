//! What the engine asks of a model, and what it hears back.

use std::pin::Pin;

use futures_util::Stream;
use protocol::{BlockKind, ErrorClass, ModelInfo, Role, Usage};

/// Something that answers. Implementations do no retries of their own.
pub trait Model: std::fmt::Debug + Send + Sync + 'static {
    /// How a person meets it; the id is stored with every run.
    fn info(&self) -> ModelInfo;

    /// Starts to answer. Dropping the stream ends the call.
    fn stream(&self, request: ModelRequest) -> ModelStream;
}

/// What arrives while a model answers. It ends with [`ModelEvent::Finished`] or an error; a stream
/// that ends without either was cut off.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// What a model is asked. The same session state gives the same request, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRequest {
    /// The model's id, as pinned to the run.
    pub model: String,
    /// The agent's instructions, as pinned to the run.
    pub instructions: Option<String>,
    /// The session so far, oldest first; the last one is the person's.
    pub messages: Vec<RequestMessage>,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestMessage {
    /// Who wrote it.
    pub role: Role,
    /// What it says.
    pub text: String,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEvent {
    /// Text of a block. Blocks are counted from 0; a block keeps its kind.
    Text {
        /// Which block.
        block: u32,
        /// What it holds.
        kind: BlockKind,
        /// The text.
        text: String,
    },
    /// A block is whole.
    BlockEnded,
    /// The answer is whole.
    Finished {
        /// What it cost, as far as it was said.
        usage: Usage,
    },
}

/// A model call that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What kind of failure.
    pub class: ErrorClass,
    /// One sentence for a person.
    pub message: String,
}
