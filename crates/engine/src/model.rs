//! What the engine asks of a model, and what it hears back.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::Stream;
use protocol::{BlockKind, Ending, ErrorClass, ModelInfo, Native, Usage};

use crate::tool::ToolSpec;

/// Something that answers. Implementations do no retries of their own.
pub trait Model: std::fmt::Debug + Send + Sync + 'static {
    /// How a person meets it; the id is stored with every run.
    fn info(&self) -> ModelInfo;

    /// Whether it can look at images, and at which.
    fn images(&self) -> ImageLimits {
        ImageLimits::default()
    }

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
    /// The session so far, oldest first. Every call has its result right after its message. Shared,
    /// because a long session is told again with every step.
    pub messages: Arc<Vec<RequestMessage>>,
    /// The tools that may be called, as pinned to the run.
    pub tools: Vec<ToolSpec>,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestMessage {
    /// Written by the person.
    User {
        /// What was given along with it, in order: told before the text.
        parts: Vec<RequestPart>,
        /// What it says.
        text: String,
    },
    /// Written by the model.
    Agent {
        /// What it says; may be empty when there are calls.
        text: String,
        /// The tools it called.
        calls: Vec<RequestCall>,
        /// The same in its provider's own words, where that was kept. It counts only for a model
        /// that speaks so, and only where it says the same as the text and the calls.
        native: Option<Arc<Native>>,
    },
    /// What a tool call gave back.
    Result {
        /// The id of the call, as in [`RequestCall::id`].
        call_id: String,
        /// The tool.
        tool: String,
        /// What it gave back.
        text: String,
        /// Whether it failed.
        is_error: bool,
    },
}

/// Something that was given along with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestPart {
    /// Text, delimited and named.
    Text(Arc<str>),
    /// An image, told by its name first.
    Image(Arc<RequestImage>),
}

/// An image in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestImage {
    /// What it is called, as a model is told it.
    pub label: String,
    /// PNG, JPEG, GIF or WebP, as a media type.
    pub media_type: String,
    /// Its width and height in pixels.
    pub size: (u32, u32),
    /// Its bytes in Base64.
    pub data: String,
}

/// Which images a model takes. What is not said is not known, and tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImageLimits {
    /// Whether it takes any.
    pub seen: Option<bool>,
    /// The most characters of Base64 of one.
    pub data_bytes: Option<u64>,
    /// The most pixels of either side.
    pub side: Option<u32>,
    /// Media types that its provider does not take.
    pub refused_types: &'static [&'static str],
}

/// A tool call in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestCall {
    /// The provider's id, unique in the session.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments: a JSON object, as the model wrote it.
    pub arguments: String,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEvent {
    /// Text of a block. Blocks are counted from 0; a block keeps its kind. The arguments of a
    /// tool call arrive here while they are written, in a block of their own.
    Text {
        /// Which block.
        block: u32,
        /// What it holds.
        kind: BlockKind,
        /// The text.
        text: String,
    },
    /// A tool call is whole.
    Call {
        /// The provider's id; empty if it sent none.
        id: String,
        /// The tool.
        tool: String,
        /// The arguments, exactly as they came.
        arguments: String,
    },
    /// A block is whole.
    BlockEnded,
    /// The answer is whole.
    Finished {
        /// What it cost, as far as it was said.
        usage: Usage,
        /// Why it ended here.
        ending: Ending,
        /// The reply in the provider's own words, if it must be sent back so.
        native: Option<Native>,
    },
}

impl ModelEvent {
    /// The end of an answer that said all it had to say.
    #[must_use]
    pub const fn finished(usage: Usage) -> Self {
        Self::Finished {
            usage,
            ending: Ending::Complete,
            native: None,
        }
    }
}

/// A model call that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What kind of failure.
    pub class: ErrorClass,
    /// One sentence for a person.
    pub message: String,
    /// How long the provider asks to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The provider takes nothing at present, and somebody was told so before: the call waits until
    /// the person has done something about it.
    pub is_held: bool,
}

impl ModelError {
    /// An error without a wish to wait.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
            retry_after_ms: None,
            is_held: false,
        }
    }
}
