//! A provider's list of models.

pub(super) mod anthropic;
pub(super) mod gemini;
pub(super) mod llama_cpp;
pub(super) mod lm_studio;
pub(super) mod ollama;
pub(super) mod openai;

use std::sync::Arc;

use engine::{Clock, ModelError};
use protocol::ErrorClass;
use serde_json::Value;

use super::card::{ModelCard, each_once};
use super::source::{Dialect, Source, in_time};
use crate::endpoint::Endpoint;
use crate::wire::{self, FetchError, Limits};

/// More pages than any list has: a server that always has another one is not followed for ever.
const MOST_PAGES: usize = 20;

/// The models that a provider has, in its order. The endpoint's own model does not matter.
pub async fn list_models(
    dialect: Dialect,
    endpoint: &Endpoint,
    limits: Limits,
    clock: Arc<dyn Clock>,
) -> Result<Vec<ModelCard>, ModelError> {
    let source = Source::new(dialect, endpoint, limits, clock)
        .map_err(|error| ModelError::new(ErrorClass::InvalidRequest, error.to_string()))?;
    let cards = in_time(limits, fetch(dialect, &source)).await;
    cards.map_err(FetchError::into_model_error)
}

/// The same from a source that is there already.
pub(super) async fn fetch(dialect: Dialect, source: &Source) -> Result<Vec<ModelCard>, FetchError> {
    let cards = match dialect {
        Dialect::ChatCompletions | Dialect::Responses => {
            openai::read(&source.get("models").await?).ok_or(FetchError::NotJson)?
        }
        Dialect::Anthropic => pages(source, anthropic::path, anthropic::read).await?,
        Dialect::Gemini => pages(source, gemini::path, gemini::read).await?,
        Dialect::Ollama => ollama::fetch(source).await?,
    };
    Ok(each_once(cards))
}

/// One page of a list, and the mark of the next one.
pub(super) type Page = (Vec<ModelCard>, Option<String>);

async fn pages(
    source: &Source,
    path: fn(Option<&str>) -> String,
    read: fn(&Value) -> Option<Page>,
) -> Result<Vec<ModelCard>, FetchError> {
    let mut cards = Vec::new();
    let mut mark: Option<String> = None;
    for _ in 0..MOST_PAGES {
        let page = source.get(&path(mark.as_deref())).await?;
        let (more, next) = read(&page).ok_or(FetchError::NotJson)?;
        cards.extend(more);
        if next.is_none() || next == mark {
            break;
        }
        mark = next;
    }
    Ok(cards)
}

/// A mark as a part of a query.
fn escaped(mark: &str) -> String {
    wire::escaped(mark, b"-._~")
}

#[cfg(test)]
mod tests;
