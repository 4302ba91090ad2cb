//! What llama.cpp's server says of itself and its model.

use serde_json::Value;

use super::super::card::{Known, ModelCard, tokens};
use super::openai;

/// Whether this is what llama.cpp says of itself.
pub(in super::super) fn are_props(props: &Value) -> bool {
    props["default_generation_settings"].is_object() && props["total_slots"].is_u64()
}

/// Whether this list of models is llama.cpp's.
pub(in super::super) fn is_list(list: &Value) -> bool {
    list["data"][0]["owned_by"] == "llamacpp"
}

/// The models of its list, with what it says of itself where it has one model alone.
pub(in super::super) fn read(list: &Value, props: Option<&Value>) -> Option<Vec<ModelCard>> {
    let mut cards = openai::read(list)?;
    let items = list["data"].as_array().map(Vec::as_slice);
    for card in &mut cards {
        let item = items.unwrap_or_default().iter();
        let item = item.into_iter().find(|item| item["id"] == card.name);
        let window = item.and_then(|item| tokens(&item["meta"]["n_ctx"]));
        card.context_tokens = card.context_tokens.or(window);
        card.label = file_name(&card.name).to_owned();
    }
    if let ([card], Some(props)) = (cards.as_mut_slice(), props) {
        describe(card, props);
    }
    Some(cards)
}

fn describe(card: &mut ModelCard, props: &Value) {
    let window = tokens(&props["default_generation_settings"]["n_ctx"]);
    card.context_tokens = window.or(card.context_tokens);
    let images = Known::said(&props["modalities"]["vision"]);
    card.capabilities.images = images.or(card.capabilities.images);
    // A template that has no place for tools is no reason not to try: the server has its own way then.
    if props["chat_template_caps"]["supports_tools"] == true {
        card.capabilities.tools = Known::Yes;
    }
}

/// Without another name a model is called by its file.
fn file_name(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.strip_suffix(".gguf").unwrap_or(name)
}
