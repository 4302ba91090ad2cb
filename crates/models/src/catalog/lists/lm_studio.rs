//! LM Studio's own lists, which say more than the one that it shares with others.

use serde_json::Value;

use super::super::card::{Capabilities, Known, ModelCard, tokens};

/// The models of its list; nothing, if it is not LM Studio's.
pub(in super::super) fn read(list: &Value) -> Option<Vec<ModelCard>> {
    let items = list["models"].as_array()?;
    let is_own = |item: &Value| item["key"].is_string() && item["loaded_instances"].is_array();
    if items.is_empty() || !items.iter().all(is_own) {
        return None;
    }
    let answers = |item: &&Value| item["type"] == "llm";
    Some(items.iter().filter(answers).filter_map(card).collect())
}

fn card(item: &Value) -> Option<ModelCard> {
    let card = ModelCard::named(&item["key"])?.labelled(&item["display_name"]);
    // What it was loaded with is what it has.
    let window = tokens(&item["loaded_instances"][0]["config"]["context_length"]);
    let said = &item["capabilities"];
    Some(ModelCard {
        context_tokens: window.or_else(|| tokens(&item["max_context_length"])),
        capabilities: Capabilities {
            tools: Known::said(&said["trained_for_tool_use"]),
            images: Known::said(&said["vision"]),
            // Where it can be chosen there is some. What is left out was not asked about.
            reasoning: if said["reasoning"].is_object() {
                Known::Yes
            } else {
                Known::Unknown
            },
        },
        ..card
    })
}

/// The same of the list of older versions.
pub(in super::super) fn read_older(list: &Value) -> Option<Vec<ModelCard>> {
    if list["object"] != "list" {
        return None;
    }
    let items = list["data"].as_array()?;
    let is_own = |item: &Value| item["state"].is_string() && item["type"].is_string();
    if !items.iter().all(is_own) {
        return None;
    }
    let answers = |item: &&Value| item["type"] == "llm" || item["type"] == "vlm";
    Some(
        items
            .iter()
            .filter(answers)
            .filter_map(older_card)
            .collect(),
    )
}

fn older_card(item: &Value) -> Option<ModelCard> {
    let card = ModelCard::named(&item["id"])?;
    let window = tokens(&item["loaded_context_length"]);
    Some(ModelCard {
        context_tokens: window.or_else(|| tokens(&item["max_context_length"])),
        capabilities: Capabilities {
            tools: Known::listed(&item["capabilities"], "tool_use"),
            images: (item["type"] == "vlm").into(),
            reasoning: Known::Unknown,
        },
        ..card
    })
}
