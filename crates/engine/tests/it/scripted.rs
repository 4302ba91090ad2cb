//! Models in the test's hands: one that says what it is told to, when it is told to, and one that
//! says everything at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use engine::{Model, ModelError, ModelEvent, ModelRequest, ModelStream, RequestMessage};
use futures_util::{StreamExt, stream};
use protocol::{BlockKind, ErrorClass, ModelInfo, Usage};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::fixture::soon;

/// The text of a message in a request.
pub(crate) fn said(message: &RequestMessage) -> &str {
    match message {
        RequestMessage::User { text, .. }
        | RequestMessage::Agent { text, .. }
        | RequestMessage::Result { text, .. } => text,
    }
}

pub(crate) type Said = Result<ModelEvent, ModelError>;

/// A piece of the first block.
pub(crate) fn text(text: &str) -> Said {
    block(0, BlockKind::Text, text)
}

/// A piece of any block.
pub(crate) fn block(block: u32, kind: BlockKind, text: &str) -> Said {
    let text = text.to_owned();
    Ok(ModelEvent::Text { block, kind, text })
}

/// The end of a whole answer.
pub(crate) fn finished() -> Said {
    let usage = Usage::default();
    Ok(ModelEvent::finished(usage))
}

/// An error of a class.
pub(crate) fn failed(class: ErrorClass, message: &str) -> Said {
    let message = message.to_owned();
    Err(ModelError::new(class, message))
}

/// A model whose every call is answered by the test.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    id: String,
    begin: UnboundedSender<Call>,
    begun: Arc<tokio::sync::Mutex<UnboundedReceiver<Call>>>,
    /// The size of its window; 0 while nobody says.
    window: Arc<AtomicU64>,
}

/// One call of the model. Dropping it ends the answer without saying so.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) request: ModelRequest,
    acts: UnboundedSender<Act>,
}

#[derive(Debug)]
enum Act {
    Say(Said),
    Panic,
}

impl Script {
    pub(crate) fn new(id: &str) -> Self {
        let (begin, begun) = unbounded_channel();
        Self {
            id: id.to_owned(),
            begin,
            begun: Arc::new(tokio::sync::Mutex::new(begun)),
            window: Arc::default(),
        }
    }

    /// From now on it is known how many tokens it can hold.
    pub(crate) fn set_window(&self, tokens: u64) {
        self.window.store(tokens, Ordering::SeqCst);
    }

    /// The next call.
    pub(crate) async fn call(&self) -> Call {
        let mut begun = self.begun.lock().await;
        soon(begun.recv()).await.unwrap()
    }

    /// Whether a call was made that nobody has taken.
    pub(crate) async fn has_call(&self) -> bool {
        !self.begun.lock().await.is_empty()
    }
}

impl Call {
    /// Says one thing, unless nobody listens any more.
    pub(crate) fn say(&self, said: Said) {
        drop(self.acts.send(Act::Say(said)));
    }

    pub(crate) fn text(&self, piece: &str) {
        self.say(text(piece));
    }

    pub(crate) fn finish(&self) {
        self.say(finished());
    }

    pub(crate) fn panic(&self) {
        drop(self.acts.send(Act::Panic));
    }

    /// Waits until the engine has let go of the answer.
    pub(crate) async fn dropped(&self) {
        soon(self.acts.closed()).await;
    }
}

impl Model for Script {
    fn info(&self) -> ModelInfo {
        let window = self.window.load(Ordering::SeqCst);
        ModelInfo {
            context_tokens: Some(window).filter(|window| *window > 0),
            ..info(&self.id)
        }
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let (acts, told) = unbounded_channel();
        drop(self.begin.send(Call { request, acts }));
        Box::pin(stream::unfold(told, |mut told| async {
            match told.recv().await? {
                Act::Say(said) => Some((said, told)),
                Act::Panic => panic!("the model was told to panic"),
            }
        }))
    }
}

/// A model that answers every call at once, with the same things or with what follows from the
/// request.
#[derive(Debug)]
pub(crate) struct Eager {
    answer: fn(&ModelRequest) -> Vec<Said>,
    /// Every request it was asked.
    pub(crate) asked: Mutex<Vec<ModelRequest>>,
}

impl Eager {
    pub(crate) fn new(answer: fn(&ModelRequest) -> Vec<Said>) -> Arc<Self> {
        let asked = Mutex::default();
        Arc::new(Self { answer, asked })
    }

    /// Answers with the person's own words.
    pub(crate) fn echo() -> Arc<Self> {
        Self::new(|request| {
            let asked = said(request.messages.last().unwrap());
            vec![text("You said: "), text(asked), finished()]
        })
    }
}

impl Model for Eager {
    fn info(&self) -> ModelInfo {
        info("eager")
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let answer = (self.answer)(&request);
        self.asked.lock().unwrap().push(request);
        Box::pin(stream::iter(answer))
    }
}

/// A model that never pauses and never ends: every byte is a block end, and so a commit. It begins
/// with so much text that a decision takes longer than the next piece.
#[derive(Debug)]
pub(crate) struct Torrent;

impl Torrent {
    pub(crate) const FIRST_BYTES: usize = 3 * 1024 * 1024;
}

impl Model for Torrent {
    fn info(&self) -> ModelInfo {
        info("torrent")
    }

    fn stream(&self, _: ModelRequest) -> ModelStream {
        let first = stream::iter([text(&"x".repeat(Self::FIRST_BYTES))]);
        let piece = || stream::iter([text("x"), Ok(ModelEvent::BlockEnded)]);
        Box::pin(first.chain(stream::repeat_with(piece).flatten()))
    }
}

fn info(id: &str) -> ModelInfo {
    ModelInfo {
        is_scripted: true,
        ..ModelInfo::new(id, "Scripted")
    }
}
