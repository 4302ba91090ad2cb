//! Anthropic's list of models.

use serde_json::Value;

use super::super::card::{Capabilities, Known, ModelCard, tokens};
use super::{Page, escaped};

pub(super) fn path(after: Option<&str>) -> String {
    match after {
        Some(after) => format!("models?limit=1000&after_id={}", escaped(after)),
        None => "models?limit=1000".to_owned(),
    }
}

/// A page of the list; nothing, if it is none.
pub(super) fn read(page: &Value) -> Option<Page> {
    let items = page["data"].as_array()?;
    if !items.is_empty() && !items.iter().any(|item| card(item).is_some()) {
        return None;
    }
    // Some remain in the list when nobody can ask them any more.
    let is_there = |item: &&Value| item["lifecycle"] != "retired";
    let cards = items.iter().filter(is_there).filter_map(card).collect();
    let next = page["last_id"]
        .as_str()
        .filter(|_| page["has_more"] == true);
    Some((cards, next.map(str::to_owned)))
}

fn card(item: &Value) -> Option<ModelCard> {
    let card = ModelCard::named(&item["id"])?.labelled(&item["display_name"]);
    let can = |name: &str| Known::said(&item["capabilities"][name]["supported"]);
    Some(ModelCard {
        context_tokens: tokens(&item["max_input_tokens"]),
        max_output_tokens: tokens(&item["max_tokens"]),
        capabilities: Capabilities {
            // The list does not speak of them.
            tools: Known::Unknown,
            images: can("image_input"),
            reasoning: can("thinking"),
        },
        ..card
    })
}
