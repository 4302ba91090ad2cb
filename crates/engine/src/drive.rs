//! One model call: its text is committed piece by piece, its outcome at the end.

mod compaction;
mod native;
mod prepare;
mod settle;

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use protocol::{
    Block, BlockKind, Ending, ErrorClass, MessageId, Native, RunError, RunId, SessionId, StepId,
    Usage, limits,
};
use store::faults::{self, Point};
use store::{Change, Piece, Sync, Transition};
use tokio::time::{Instant, sleep_until};

use crate::Engine;
use crate::calls::CallHandle;
use crate::decide::{Asking, Outcome, Said};
use crate::model::{ModelError, ModelEvent, ModelStream};
use crate::planning::{self, Place};
use crate::work::look_with_reply;
pub(crate) use native::kept;
use prepare::{Asked, Prepared, prepare};
pub(crate) use settle::settle;

/// Text is committed this often while it streams; the first piece at once.
const FLUSH_EVERY: Duration = Duration::from_millis(20);
/// Or as soon as so much has gathered.
const FLUSH_BYTES: usize = 2 * 1024;
/// A model that says nothing for so long has been lost. A large local one may think for minutes
/// before its first word.
const SILENCE: Duration = Duration::from_secs(10 * 60);
/// A reply with more calls than this is not a reply.
const MOST_CALLS: usize = 1_000;
/// What is kept of the text of an error: enough to read, whatever a provider sends.
const ERROR_CHARS: usize = 2_000;

/// The attempt that is being made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) session_id: SessionId,
    pub(crate) run_id: RunId,
    pub(crate) step_id: StepId,
    pub(crate) attempt: u32,
    pub(crate) asking: Asking,
}

/// Calls the model and writes down what comes, until it ends or is halted.
pub(crate) async fn drive(engine: &Engine, call: Call, handle: &CallHandle) {
    let cancel = &handle.cancel;
    if call.asking == Asking::Summary {
        if let Some(outcome) = compaction::summarise(engine, call, handle).await {
            settle(engine, call, outcome, cancel).await;
        }
        return;
    }
    let Prepared {
        model,
        request,
        asked,
    } = match prepare(engine, call).await {
        Ok(prepared) => prepared,
        Err(outcome) => return settle(engine, call, outcome, cancel).await,
    };
    if cancel.is_cancelled() {
        return;
    }
    tracing::info!(name: "engine.model.called", "a model call starts");
    faults::pass(Point::ModelBefore);
    let mut writing = Writing::new(engine, call, handle);
    match writing.follow(model.stream(request)).await {
        Ended::Whole(end) => {
            faults::pass(Point::ModelAfter);
            let (blocks, calls) = (writing.blocks, writing.calls);
            let planned = tokio::select! {
                () = cancel.cancelled() => return,
                planned = plan(engine, call, blocks, calls, end, asked) => planned,
            };
            let parked = planned.starting();
            settle(engine, call, planned, cancel).await;
            // Nothing is left of a call that did not start with its reply.
            parked.and_then(|call_id| engine.inner.jobs.unpark(call_id));
        }
        Ended::Failed(error, _) if error.class == ErrorClass::ContextLength => {
            let can_compact = compaction::is_possible(engine, call).await;
            let outcome = Outcome::TooLong { error, can_compact };
            settle(engine, call, outcome, cancel).await;
        }
        Ended::Failed(error, retry_after_ms) => {
            let outcome = Outcome::Failed {
                error,
                retry_after_ms,
            };
            settle(engine, call, outcome, cancel).await;
        }
        Ended::Held(error) => settle(engine, call, Outcome::Held { error }, cancel).await,
        Ended::Halted => tracing::info!(name: "engine.model.halted", "the model call was halted"),
    }
}

/// Understands the tool calls of a whole reply. All of them are written with the reply, before any
/// of them starts.
async fn plan(
    engine: &Engine,
    call: Call,
    blocks: Vec<Block>,
    calls: Vec<planning::Asked>,
    end: End,
    asked: Asked,
) -> Outcome {
    let usage = end.usage;
    let said = Said {
        fill: asked.fill(usage, &blocks),
        blocks,
        ending: end.ending,
        native: end.native,
    };
    if calls.is_empty() && said.blocks.iter().all(|block| block.text.trim().is_empty()) {
        return failed(RunError {
            class: ErrorClass::Internal,
            message: "The model sent an empty reply.".to_owned(),
        });
    }
    let message_id = MessageId::from_uuid(engine.inner.new_id());
    let place = Place {
        session_id: call.session_id,
        run_id: call.run_id,
        message_id,
    };
    if calls.is_empty() {
        return Outcome::Completed {
            message_id,
            said,
            usage,
            calls: Vec::new(),
            start: None,
        };
    }
    match engine.plan_calls(&place, calls).await {
        Ok((calls, facts)) => Outcome::Completed {
            message_id,
            said,
            usage,
            start: look_with_reply(engine, &calls, facts),
            calls,
        },
        Err(error) => failed(RunError {
            class: ErrorClass::Internal,
            message: error.message,
        }),
    }
}

pub(crate) const fn failed(error: RunError) -> Outcome {
    Outcome::Failed {
        error,
        retry_after_ms: None,
    }
}

/// What is said at the end of a whole reply.
struct End {
    usage: Usage,
    ending: Ending,
    native: Option<Arc<Native>>,
}

enum Ended {
    Whole(End),
    /// With how long the provider asks to wait.
    Failed(RunError, Option<u64>),
    /// Its provider takes nothing at present.
    Held(RunError),
    /// Stopped, interrupted or cancelled: whoever did that has written it.
    Halted,
}

/// What has been received, and how much of it is committed.
struct Writing<'a> {
    engine: &'a Engine,
    call: Call,
    handle: &'a CallHandle,
    blocks: Vec<Block>,
    /// The tool calls that are whole.
    calls: Vec<planning::Asked>,
    /// Received, not committed.
    pending: Vec<Piece>,
    pending_bytes: usize,
    committed_bytes: u64,
    next_flush: Instant,
    /// What comes is for nobody to read yet: it is gathered, not committed, and no longer than this.
    most_gathered: Option<usize>,
}

impl<'a> Writing<'a> {
    fn new(engine: &'a Engine, call: Call, handle: &'a CallHandle) -> Self {
        Self {
            engine,
            call,
            handle,
            blocks: Vec::new(),
            calls: Vec::new(),
            pending: Vec::new(),
            pending_bytes: 0,
            committed_bytes: 0,
            next_flush: Instant::now(),
            most_gathered: None,
        }
    }

    fn gathering(engine: &'a Engine, call: Call, handle: &'a CallHandle, most: usize) -> Self {
        Self {
            most_gathered: Some(most),
            ..Self::new(engine, call, handle)
        }
    }

    async fn follow(&mut self, mut stream: ModelStream) -> Ended {
        let mut lost_at = Instant::now() + SILENCE;
        loop {
            // A stream that is always ready must leave room for everyone else.
            tokio::task::consume_budget().await;
            let has_pending = !self.pending.is_empty();
            let event = tokio::select! {
                biased;
                () = self.handle.cancel.cancelled() => return Ended::Halted,
                () = sleep_until(self.next_flush), if has_pending => {
                    match self.flush().await {
                        Ok(()) => continue,
                        Err(ended) => return ended,
                    }
                }
                event = stream.next() => event,
                () = sleep_until(lost_at) => return Ended::Failed(lost(), None),
            };
            lost_at = Instant::now() + SILENCE;
            let is_block_end = matches!(event, Some(Ok(ModelEvent::BlockEnded)));
            let ended = match event {
                Some(Ok(ModelEvent::Text { block, kind, text })) => {
                    self.receive(block, kind, text).err()
                }
                Some(Ok(ModelEvent::Call {
                    id,
                    tool,
                    arguments,
                })) => {
                    self.calls.push(planning::Asked {
                        id,
                        tool,
                        arguments,
                    });
                    (self.calls.len() > MOST_CALLS).then(|| Ended::Failed(too_many(), None))
                }
                Some(Ok(ModelEvent::BlockEnded)) => None,
                Some(Ok(ModelEvent::Finished {
                    usage,
                    ending,
                    native,
                })) => Some(Ended::Whole(End {
                    usage: plausible(usage),
                    ending,
                    native: native.and_then(kept),
                })),
                Some(Err(error)) if error.is_held => Some(Ended::Held(run_error(error))),
                Some(Err(error)) => {
                    let retry_after_ms = error.retry_after_ms;
                    Some(Ended::Failed(run_error(error), retry_after_ms))
                }
                None => Some(Ended::Failed(cut_off(), None)),
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
            return Err(Ended::Failed(out_of_order(), None));
        }
        if index == self.blocks.len() {
            self.blocks.push(Block {
                kind,
                text: String::new(),
            });
        }
        let whole = &mut self.blocks[index];
        if whole.kind != kind {
            return Err(Ended::Failed(out_of_order(), None));
        }
        let offset = whole.text.len() as u64;
        whole.text.push_str(&text);
        if let Some(most) = self.most_gathered {
            let all: usize = self.blocks.iter().map(|block| block.text.len()).sum();
            return if all > most {
                Err(Ended::Failed(endless(most), None))
            } else {
                Ok(())
            };
        }
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
        if self.pending.is_empty() {
            return Ok(());
        }
        let _pen = self.handle.take_pen().await;
        // Whoever held the pen before may have ended the attempt.
        if self.handle.cancel.is_cancelled() {
            return Err(Ended::Halted);
        }
        self.next_flush = Instant::now() + FLUSH_EVERY;
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
        match self.engine.commit(transition, Vec::new()).await {
            Ok(()) => {
                self.committed_bytes += added;
                Ok(())
            }
            Err(store::Error::Conflict(_)) => Err(Ended::Halted),
            Err(error) => Err(Ended::Failed(unsaved(&error), None)),
        }
    }
}

fn run_error(error: ModelError) -> RunError {
    let mut message = error.message;
    if let Some((cut, _)) = message.char_indices().nth(ERROR_CHARS) {
        message.truncate(cut);
        message.push('…');
    }
    RunError {
        class: error.class,
        message,
    }
}

/// A count that no integer of ours can hold was not counted: it is unknown, and no reason to lose
/// the reply.
fn plausible(usage: Usage) -> Usage {
    let plausible = |tokens: Option<u64>| tokens.filter(|tokens| *tokens <= limits::INTEGER);
    Usage {
        input_tokens: plausible(usage.input_tokens),
        output_tokens: plausible(usage.output_tokens),
        cached_tokens: plausible(usage.cached_tokens),
        cache_write_tokens: plausible(usage.cache_write_tokens),
        cost_microusd: plausible(usage.cost_microusd),
    }
}

fn lost() -> RunError {
    let minutes = SILENCE.as_secs() / 60;
    RunError {
        class: ErrorClass::Timeout,
        message: format!("The model said nothing for {minutes} minutes."),
    }
}

fn cut_off() -> RunError {
    RunError {
        class: ErrorClass::Network,
        message: "The reply was cut off before its end.".to_owned(),
    }
}

fn too_many() -> RunError {
    RunError {
        class: ErrorClass::Limit,
        message: format!("The model asked for more than {MOST_CALLS} tool calls in one reply."),
    }
}

fn endless(most: usize) -> RunError {
    RunError {
        class: ErrorClass::Limit,
        message: format!("The model wrote more than {most} bytes where a summary was asked for."),
    }
}

fn out_of_order() -> RunError {
    RunError {
        class: ErrorClass::Internal,
        message: "The model sent its reply out of order.".to_owned(),
    }
}

fn unsaved(error: &store::Error) -> RunError {
    let class = if matches!(error, store::Error::TooLarge { .. }) {
        ErrorClass::Limit
    } else {
        ErrorClass::Internal
    };
    RunError {
        class,
        message: format!("The reply could not be saved: {error}."),
    }
}
