//! One model call: its text is committed piece by piece, its outcome at the end.

use std::time::Duration;

use futures_util::StreamExt;
use protocol::{
    Block, BlockKind, ErrorClass, MessageId, RunError, RunId, SessionId, StepId, limits,
};
use store::{Change, Piece, Sync, Transition};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::Engine;
use crate::decide::{self, Outcome};
use crate::model::{ModelError, ModelEvent, ModelStream};
use crate::request;

/// Text is committed this often while it streams; the first piece at once.
const FLUSH_EVERY: Duration = Duration::from_millis(20);
/// Or as soon as so much has gathered.
const FLUSH_BYTES: usize = 2 * 1024;

/// The attempt that is being made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) session_id: SessionId,
    pub(crate) run_id: RunId,
    pub(crate) step_id: StepId,
    pub(crate) attempt: u32,
}

/// Calls the model and writes down what comes, until it ends or is halted.
pub(crate) async fn drive(engine: &Engine, call: Call, cancel: &CancellationToken) {
    tracing::info!(name: "engine.model.called", "a model call starts");
    let stream = match begin(engine, call) {
        Ok(stream) => stream,
        Err(error) => return settle(engine, call, Outcome::Failed(error)).await,
    };
    let mut writing = Writing::new(engine, call);
    match writing.follow(stream, cancel).await {
        Ended::Whole(usage) => {
            let blocks = writing.into_blocks();
            settle(engine, call, Outcome::Completed { blocks, usage }).await;
        }
        Ended::Failed(error) => settle(engine, call, Outcome::Failed(error)).await,
        Ended::Halted => tracing::info!(name: "engine.model.halted", "the model call was halted"),
    }
}

/// Writes how an attempt ended.
pub(crate) async fn settle(engine: &Engine, call: Call, outcome: Outcome) {
    let at_ms = engine.inner.now_ms();
    let message_id = MessageId::from_uuid(engine.inner.new_id());
    match &outcome {
        Outcome::Completed { usage, .. } => {
            tracing::info!(name: "engine.model.completed", ?usage);
        }
        Outcome::Failed(error) => {
            tracing::warn!(name: "engine.model.failed", class = error.class.as_str(), message = error.message);
        }
    }
    let result = engine
        .transact(call.session_id, |state| {
            let decision = state.map_or_else(decide::Decision::nothing, |state| {
                decide::outcome(
                    state,
                    call.step_id,
                    call.attempt,
                    &outcome,
                    message_id,
                    at_ms,
                )
            });
            Ok(((), decision))
        })
        .await;
    if let Err(error) = result {
        // The rows still say `running`; the next start finds them and offers to resume.
        tracing::error!(name: "engine.outcome.unwritten", code = ?error.code, message = error.message);
    }
}

fn begin(engine: &Engine, call: Call) -> Result<ModelStream, RunError> {
    let internal = |message: String| RunError {
        class: ErrorClass::Internal,
        message,
    };
    let (facts, messages) = engine
        .read(|reader| {
            let facts = reader.run_facts(call.run_id)?;
            let (messages, _) =
                reader.messages_before(call.session_id, limits::INTEGER, u32::MAX)?;
            Ok((facts, messages))
        })
        .map_err(|error| internal(error.message))?;
    let facts = facts.ok_or_else(|| internal("The run is gone.".to_owned()))?;
    let model = engine.inner.model(&facts.model).ok_or_else(|| RunError {
        class: ErrorClass::InvalidRequest,
        message: format!("The model {} is not available any more.", facts.model),
    })?;
    Ok(model.stream(request::build(
        &facts.model,
        facts.instructions.as_deref(),
        &messages,
    )))
}

enum Ended {
    Whole(protocol::Usage),
    Failed(RunError),
    /// Stopped, interrupted or cancelled: whoever did that has written it.
    Halted,
}

/// What has been received, and how much of it is committed.
struct Writing<'a> {
    engine: &'a Engine,
    call: Call,
    blocks: Vec<Block>,
    /// Received, not committed.
    pending: Vec<Piece>,
    pending_bytes: usize,
    committed_bytes: u64,
    next_flush: Instant,
}

impl<'a> Writing<'a> {
    fn new(engine: &'a Engine, call: Call) -> Self {
        Self {
            engine,
            call,
            blocks: Vec::new(),
            pending: Vec::new(),
            pending_bytes: 0,
            committed_bytes: 0,
            next_flush: Instant::now(),
        }
    }

    async fn follow(&mut self, mut stream: ModelStream, cancel: &CancellationToken) -> Ended {
        loop {
            let has_pending = !self.pending.is_empty();
            let event = tokio::select! {
                biased;
                () = cancel.cancelled() => return Ended::Halted,
                () = sleep_until(self.next_flush), if has_pending => {
                    match self.flush().await {
                        Ok(()) => continue,
                        Err(ended) => return ended,
                    }
                }
                event = stream.next() => event,
            };
            let is_block_end = matches!(event, Some(Ok(ModelEvent::BlockEnded)));
            let ended = match event {
                Some(Ok(ModelEvent::Text { block, kind, text })) => {
                    self.receive(block, kind, text).err()
                }
                Some(Ok(ModelEvent::BlockEnded)) => None,
                Some(Ok(ModelEvent::Finished { usage })) => Some(Ended::Whole(usage)),
                Some(Err(error)) => Some(Ended::Failed(run_error(error))),
                None => Some(Ended::Failed(cut_off())),
            };
            // Whatever ends it, what was received is kept first.
            let is_due = Instant::now() >= self.next_flush || self.pending_bytes >= FLUSH_BYTES;
            if (is_due || is_block_end || ended.is_some())
                && let Err(ended) = self.flush().await
            {
                return ended;
            }
            if let Some(ended) = ended {
                return ended;
            }
        }
    }

    fn receive(&mut self, block: u32, kind: BlockKind, text: String) -> Result<(), Ended> {
        if text.is_empty() {
            return Ok(());
        }
        let index = block as usize;
        if index > self.blocks.len() {
            return Err(Ended::Failed(out_of_order()));
        }
        if index == self.blocks.len() {
            self.blocks.push(Block {
                kind,
                text: String::new(),
            });
        }
        let whole = &mut self.blocks[index];
        if whole.kind != kind {
            return Err(Ended::Failed(out_of_order()));
        }
        let offset = whole.text.len() as u64;
        whole.text.push_str(&text);
        self.pending_bytes += text.len();
        match self.pending.last_mut() {
            Some(last) if last.block == block => last.text.push_str(&text),
            Some(_) | None => self.pending.push(Piece {
                block,
                kind,
                offset,
                text,
            }),
        }
        Ok(())
    }

    /// Commits what is pending. A conflict means that the attempt was ended by somebody else.
    async fn flush(&mut self) -> Result<(), Ended> {
        self.next_flush = Instant::now() + FLUSH_EVERY;
        if self.pending.is_empty() {
            return Ok(());
        }
        let added = std::mem::take(&mut self.pending_bytes) as u64;
        let change = Change::AppendDeltas {
            session_id: self.call.session_id,
            step_id: self.call.step_id,
            attempt: self.call.attempt,
            streamed_bytes: self.committed_bytes,
            pieces: std::mem::take(&mut self.pending),
        };
        let transition = Transition {
            sync: Sync::Relaxed,
            changes: vec![change],
        };
        match self.engine.commit(transition).await {
            Ok(()) => {
                self.committed_bytes += added;
                Ok(())
            }
            Err(store::Error::Conflict(_)) => Err(Ended::Halted),
            Err(error) => Err(Ended::Failed(unsaved(&error))),
        }
    }

    fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }
}

fn run_error(error: ModelError) -> RunError {
    RunError {
        class: error.class,
        message: error.message,
    }
}

fn cut_off() -> RunError {
    RunError {
        class: ErrorClass::Network,
        message: "The reply was cut off before its end.".to_owned(),
    }
}

fn out_of_order() -> RunError {
    RunError {
        class: ErrorClass::Internal,
        message: "The model sent its reply out of order.".to_owned(),
    }
}

fn unsaved(error: &store::Error) -> RunError {
    let class = match error {
        store::Error::TooLarge { .. } => ErrorClass::Limit,
        _ => ErrorClass::Internal,
    };
    RunError {
        class,
        message: format!("The reply could not be saved: {error}."),
    }
}
