//! Gemini's list of models.

use serde_json::Value;

use super::super::card::{Capabilities, Known, ModelCard, tokens};
use super::{Page, escaped};

pub(super) fn path(after: Option<&str>) -> String {
    match after {
        Some(after) => format!("models?pageSize=1000&pageToken={}", escaped(after)),
        None => "models?pageSize=1000".to_owned(),
    }
}

/// A page of the list; nothing, if it is none. Models that only count or measure are left out.
pub(super) fn read(page: &Value) -> Option<Page> {
    let items = page["models"].as_array()?;
    let is_known = |item: &&Value| item["supportedGenerationMethods"].is_array();
    if !items.is_empty() && !items.iter().any(|item| is_known(&item)) {
        return None;
    }
    let writes = |item: &&Value| {
        Known::listed(&item["supportedGenerationMethods"], "generateContent") == Known::Yes
    };
    let cards = items.iter().filter(writes).filter_map(card).collect();
    let next = page["nextPageToken"].as_str();
    let next = next.filter(|next| !next.is_empty()).map(str::to_owned);
    Some((cards, next))
}

fn card(item: &Value) -> Option<ModelCard> {
    let name = item["name"].as_str()?;
    let name = name.strip_prefix("models/").unwrap_or(name);
    let card = ModelCard::named(&Value::from(name))?.labelled(&item["displayName"]);
    Some(ModelCard {
        context_tokens: tokens(&item["inputTokenLimit"]),
        max_output_tokens: tokens(&item["outputTokenLimit"]),
        capabilities: Capabilities {
            reasoning: Known::said(&item["thinking"]),
            ..Capabilities::default()
        },
        ..card
    })
}
