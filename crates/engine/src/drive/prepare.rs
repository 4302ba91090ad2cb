//! What a model is asked, and whether it fits.

use std::sync::Arc;

use protocol::{Block, BlockKind, ErrorClass, Fill, RunError, Usage};
use store::{Reader, RunFacts};

use super::{Call, failed};
use crate::Engine;
use crate::attachment;
use crate::decide::{Asking, Outcome};
use crate::history::{Fresh, History};
use crate::model::{Model, ModelRequest};
use crate::pin::Pin;
use crate::request::{self, weight, window};

/// Everything that a model call needs.
pub(super) struct Prepared {
    pub(super) model: Arc<dyn Model>,
    pub(super) request: ModelRequest,
    pub(super) asked: Asked,
}

/// What is asked, as far as the model's window is concerned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    /// How many tokens that is; nothing where the window is not known.
    tokens: Option<u64>,
    /// How many the window holds.
    window: Option<u64>,
}

impl Asked {
    /// How full the window is after the reply: as the provider counts, or estimated.
    pub(super) fn fill(self, usage: Usage, blocks: &[Block]) -> Option<Fill> {
        let of = self.window;
        if let (Some(input), Some(output)) = (usage.input_tokens, usage.output_tokens) {
            return Some(Fill {
                tokens: input.saturating_add(output),
                of,
                is_estimated: false,
            });
        }
        // Nothing is sent back of what a model only thought.
        let blocks = blocks
            .iter()
            .filter(|block| block.kind != BlockKind::Reasoning);
        let reply: u64 = blocks.map(|block| weight::of_text(&block.text)).sum();
        self.tokens.map(|asked| Fill {
            tokens: asked.saturating_add(reply),
            of,
            is_estimated: true,
        })
    }
}

pub(super) async fn prepare(engine: &Engine, call: Call) -> Result<Prepared, Outcome> {
    let held = engine.inner.histories.take(call.session_id, call.run_id);
    let (facts, history, is_final) = read(engine, call, held).await.map_err(failed)?;
    let model = model_of(engine, &facts).map_err(failed)?;
    let pin = Pin::read(facts.pin.as_deref());
    let info = model.info();
    let most = window::most(&info);
    let tokens = most.is_some().then(|| history.tokens(&pin));
    // After a compaction there is no more room to be made: whether it fits is the provider's to say.
    let is_over = tokens.zip(most).is_some_and(|(tokens, most)| tokens > most);
    if is_over && call.asking == Asking::Answer && history.can_be_cut(most) {
        return Err(Outcome::TooLong {
            error: full(),
            can_compact: true,
        });
    }
    let messages = attachment::shown(history.told(), &attachment::taken_by(&*model));
    let request = request::build(&facts.model, pin, messages);
    if is_final {
        engine.inner.histories.keep(call.session_id, history);
    }
    let asked = Asked {
        tokens,
        window: info.context_tokens,
    };
    Ok(Prepared {
        model,
        request,
        asked,
    })
}

/// What was pinned to the run, and the session as it is told.
pub(super) async fn read(
    engine: &Engine,
    call: Call,
    held: Option<History>,
) -> Result<(RunFacts, History, bool), RunError> {
    let is_short = held.is_some();
    let read = move |reader: &Reader<'_>| {
        let Some(facts) = reader.run_facts(call.run_id)? else {
            return Ok(None);
        };
        let branch = reader.shown_branch(call.session_id)?.unwrap_or(0);
        let held = History::of_branch(held, branch);
        let fresh = Fresh::read(reader, call.session_id, held.as_ref(), &facts.model)?;
        let (history, is_final) = History::with(held, (call.run_id, branch), &fresh);
        Ok(Some((facts, history, is_final)))
    };
    let known = if is_short {
        engine.read_short(read).await
    } else {
        engine.read(read).await
    };
    let known = known.map_err(|error| internal(error.message))?;
    known.ok_or_else(|| internal("The run is gone.".to_owned()))
}

pub(super) fn model_of(engine: &Engine, facts: &RunFacts) -> Result<Arc<dyn Model>, RunError> {
    engine.inner.model(&facts.model).ok_or_else(|| RunError {
        class: ErrorClass::InvalidRequest,
        message: format!("The model {} is not available any more.", facts.model),
    })
}

const fn internal(message: String) -> RunError {
    RunError {
        class: ErrorClass::Internal,
        message,
    }
}

fn full() -> RunError {
    RunError {
        class: ErrorClass::ContextLength,
        message: "The session no longer fits the model's window.".to_owned(),
    }
}
