//! Ollama's list of models, and what it says of each.

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use super::super::card::{Capabilities, Known, ModelCard, tokens};
use super::super::source::Source;
use crate::wire::FetchError;

/// So many are asked about at once, and so many at all.
const AT_ONCE: usize = 4;
const MOST_ASKED: usize = 200;

/// The list, with what the server says of each model.
pub(in super::super) async fn fetch(source: &Source) -> Result<Vec<ModelCard>, FetchError> {
    let list = source.get("api/tags").await?;
    let cards = read(&list).ok_or(FetchError::NotJson)?;
    Ok(described(source, cards).await.cards)
}

/// The models of a list; nothing, if it is no such list.
pub(in super::super) fn read(list: &Value) -> Option<Vec<ModelCard>> {
    let items = list["models"].as_array()?;
    let name = |item: &Value| ModelCard::named(&item["model"]).or(ModelCard::named(&item["name"]));
    let cards: Vec<ModelCard> = items.iter().filter_map(name).collect();
    (items.is_empty() || !cards.is_empty()).then_some(cards)
}

/// Models with what their server says of them.
#[derive(Debug)]
pub(in super::super) struct Described {
    pub(in super::super) cards: Vec<ModelCard>,
    /// Whether it said something of each.
    pub(in super::super) is_whole: bool,
}

pub(in super::super) async fn described(source: &Source, cards: Vec<ModelCard>) -> Described {
    let answers = cards.into_iter().enumerate().map(async |(at, card)| {
        if at >= MOST_ASKED {
            return (Some(card), true);
        }
        let asked = json!({"model": card.name});
        match source.post("api/show", &asked).await {
            Ok(shown) => (describe(card, &shown), true),
            // The model is there all the same.
            Err(_) => (Some(card), false),
        }
    });
    let answers = stream::iter(answers).buffered(AT_ONCE);
    let start = Described {
        cards: Vec::new(),
        is_whole: true,
    };
    answers
        .fold(start, async |mut all, (card, is_said)| {
            all.cards.extend(card);
            all.is_whole &= is_said;
            all
        })
        .await
}

/// A card with what the server says of its model; none for a model that only measures texts.
pub(super) fn describe(card: ModelCard, shown: &Value) -> Option<ModelCard> {
    let can = |name: &str| Known::listed(&shown["capabilities"], name);
    (can("completion") != Known::No).then(|| ModelCard {
        context_tokens: chosen_window(shown).or_else(|| trained_window(shown)),
        capabilities: Capabilities {
            tools: can("tools"),
            images: can("vision"),
            reasoning: can("thinking"),
        },
        ..card
    })
}

/// The window that whoever made the model chose for it.
fn chosen_window(shown: &Value) -> Option<u64> {
    let parameters = shown["parameters"].as_str()?;
    let line = parameters
        .lines()
        .find_map(|line| line.trim().strip_prefix("num_ctx"))?;
    let window: u64 = line.trim().parse().ok()?;
    tokens(&Value::from(window))
}

/// The window that the model was trained with, told under the name of its kind.
fn trained_window(shown: &Value) -> Option<u64> {
    let info = &shown["model_info"];
    let kind = info["general.architecture"].as_str()?;
    tokens(&info[format!("{kind}.context_length")])
}
