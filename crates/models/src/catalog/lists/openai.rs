//! The list of those who speak Chat Completions: a name is all that is certain of it, and each adds
//! its own.

use serde_json::Value;

use super::super::card::{Capabilities, Known, ModelCard, tokens};
use super::super::price::Price;

/// The models of a list; nothing, if it is no such list.
pub(in super::super) fn read(list: &Value) -> Option<Vec<ModelCard>> {
    // Some send the list bare.
    let items = list["data"].as_array().or_else(|| list.as_array())?;
    let cards: Vec<ModelCard> = items.iter().filter_map(card).collect();
    // A list of other things is no list of models.
    (items.is_empty() || !cards.is_empty()).then_some(cards)
}

/// Whether the list is one that anybody may read: that it came says nothing of the key then.
pub(in super::super) fn is_open_to_all(list: &Value) -> bool {
    // OpenRouter alone describes its models so.
    list["data"][0]["canonical_slug"].is_string() && list["data"][0]["pricing"].is_object()
}

fn card(item: &Value) -> Option<ModelCard> {
    let card = ModelCard::named(&item["id"])?;
    let name = [&item["display_name"], &item["name"]];
    let name = name.into_iter().find(|name| name.is_string());
    let card = card.labelled(name.unwrap_or(&Value::Null));
    Some(ModelCard {
        context_tokens: first(
            item,
            &[
                "/top_provider/context_length",
                "/context_length",
                "/context_window",
                "/max_model_len",
                "/max_context_length",
            ],
        ),
        max_output_tokens: first(
            item,
            &[
                "/top_provider/max_completion_tokens",
                "/max_completion_tokens",
            ],
        ),
        capabilities: capabilities(item),
        price: price(&item["pricing"]),
        ..card
    })
}

fn first(item: &Value, places: &[&str]) -> Option<u64> {
    let values = places.iter().filter_map(|place| item.pointer(place));
    values.into_iter().find_map(tokens)
}

fn capabilities(item: &Value) -> Capabilities {
    let said = &item["capabilities"];
    let parameters = &item["supported_parameters"];
    let modalities = &item["architecture"]["input_modalities"];
    Capabilities {
        tools: Known::listed(parameters, "tools").or(Known::said(&said["function_calling"])),
        images: Known::listed(modalities, "image").or(Known::said(&said["vision"])),
        reasoning: Known::listed(parameters, "reasoning").or(Known::said(&said["reasoning"])),
    }
}

/// Dollars for one token, as text.
fn price(pricing: &Value) -> Option<Price> {
    let per_token = |name: &str| {
        let dollars: f64 = pricing[name].as_str()?.parse().ok()?;
        Price::microusd(dollars * 1e6)
    };
    Some(Price {
        input: per_token("prompt")?,
        output: per_token("completion")?,
        cache_read: per_token("input_cache_read"),
        cache_write: per_token("input_cache_write"),
        up_to_input_tokens: None,
    })
}
