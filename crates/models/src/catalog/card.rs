//! What is known of a model.

use serde_json::Value;

use super::price::Price;

/// Longer names are no names.
const NAME_BYTES: usize = 512;
const LABEL_CHARS: usize = 120;
/// More tokens than any window has.
const MOST_TOKENS: u64 = 1_000_000_000;

/// A model as its provider describes it. What it does not say is absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCard {
    /// Its name at the provider.
    pub name: String,
    /// Its name on screen.
    pub label: String,
    /// How much a session may hold.
    pub context_tokens: Option<u64>,
    /// How long a reply may be.
    pub max_output_tokens: Option<u64>,
    /// What it can do.
    pub capabilities: Capabilities,
    /// What it costs, where its provider says so.
    pub price: Option<Price>,
}

/// What a model can do besides text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// Call tools.
    pub tools: Known,
    /// Look at images.
    pub images: Known,
    /// Think before it answers.
    pub reasoning: Known,
}

/// Whether something is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Known {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// Nobody said.
    #[default]
    Unknown,
}

impl From<bool> for Known {
    fn from(is_so: bool) -> Self {
        if is_so { Self::Yes } else { Self::No }
    }
}

impl Known {
    /// This, or the other where this is unknown.
    pub(super) const fn or(self, other: Self) -> Self {
        match self {
            Self::Yes | Self::No => self,
            Self::Unknown => other,
        }
    }

    /// What a yes or no of JSON says; anything else says nothing.
    pub(super) fn said(value: &Value) -> Self {
        value.as_bool().map_or(Self::Unknown, Self::from)
    }

    /// Whether a list of names has this one; no list says nothing.
    pub(super) fn listed(list: &Value, name: &str) -> Self {
        list.as_array().map_or(Self::Unknown, |list| {
            list.iter().any(|item| item == name).into()
        })
    }
}

impl ModelCard {
    /// A model of which nothing else is known. Nothing, if that is no name.
    pub(super) fn named(name: &Value) -> Option<Self> {
        let name = name.as_str()?;
        let is_name =
            !name.trim().is_empty() && name.len() <= NAME_BYTES && !name.contains(char::is_control);
        is_name.then(|| Self {
            name: name.to_owned(),
            label: label(name),
            context_tokens: None,
            max_output_tokens: None,
            capabilities: Capabilities::default(),
            price: None,
        })
    }

    /// The same under another label, if that is one.
    pub(super) fn labelled(mut self, said: &Value) -> Self {
        if let Some(said) = said.as_str().map(label).filter(|said| !said.is_empty()) {
            self.label = said;
        }
        self
    }
}

/// What fits on a line.
fn label(text: &str) -> String {
    let text = text.trim().chars().filter(|c| !c.is_control());
    text.take(LABEL_CHARS).collect()
}

/// A number of tokens that can be one.
pub(super) fn tokens(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .filter(|tokens| (1..=MOST_TOKENS).contains(tokens))
}

/// Each model once: the first one of a name counts.
pub(super) fn each_once(cards: Vec<ModelCard>) -> Vec<ModelCard> {
    let mut seen = std::collections::HashSet::new();
    cards
        .into_iter()
        .filter(|card| seen.insert(card.name.clone()))
        .collect()
}
