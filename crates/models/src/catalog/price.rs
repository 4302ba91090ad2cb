//! What tokens cost: a dated table, and a sum that says nothing where anything is unknown.

use std::collections::BTreeMap;

use protocol::Usage;
use serde::{Deserialize, Serialize};

use super::card::ModelCard;

/// The table that comes with the app.
const BUILT_IN: &str = include_str!("price/table.json");
/// A million of tokens, and of parts of a dollar.
const MILLION: u64 = 1_000_000;
/// More than anybody asks, in dollars for a million tokens.
const MOST_DOLLARS: f64 = 1e6;

/// What a million tokens cost, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Of what is read.
    pub input: u64,
    /// Of what is written.
    pub output: u64,
    /// Of what is read from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// Of what is written to the provider's cache, where that has a price of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Longer inputs have other prices, which are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to_input_tokens: Option<u64>,
}

impl Price {
    /// Dollars in millionths, if that is a price.
    pub(super) fn microusd(dollars_per_million: f64) -> Option<u64> {
        let is_price = (0.0..MOST_DOLLARS).contains(&dollars_per_million);
        is_price.then_some((dollars_per_million * 1e6).round() as u64)
    }
}

/// What a call cost in millionths of a dollar, or nothing if anything that is needed for it is not
/// known. What the provider says itself counts before anything else. How much was written to the
/// cache is needed only where that has a price of its own.
pub fn cost(usage: &Usage, price: &Price) -> Option<u64> {
    if usage.cost_microusd.is_some() {
        return usage.cost_microusd;
    }
    let (input, output) = (usage.input_tokens?, usage.output_tokens?);
    if price.up_to_input_tokens.is_some_and(|most| input > most) {
        return None;
    }
    let (read, read_price) = match (usage.cached_tokens, price.cache_read) {
        (Some(0), _) | (None, None) => (0, 0),
        (Some(read), Some(price)) => (read, price),
        // All at one price, whatever it was.
        (None, Some(cached)) if cached == price.input => (0, 0),
        (Some(_), None) | (None, Some(_)) => return None,
    };
    let (written, write_price) = match price.cache_write {
        Some(price) => (usage.cache_write_tokens?, price),
        None => (0, 0),
    };
    let plain = input.checked_sub(read)?.checked_sub(written)?;
    sum(&[
        (plain, price.input),
        (read, read_price),
        (written, write_price),
        (output, price.output),
    ])
}

/// Rounded once, at the end.
fn sum(parts: &[(u64, u64)]) -> Option<u64> {
    let mut total: u128 = 0;
    for (tokens, price) in parts {
        total = total.checked_add(u128::from(*tokens) * u128::from(*price))?;
    }
    let million = u128::from(MILLION);
    u64::try_from((total + million / 2) / million).ok()
}

/// Prices of providers, each as they were on a day.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PriceTable {
    /// By the host of the provider's address.
    providers: BTreeMap<String, Prices>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Prices {
    as_of: String,
    /// By the model's name.
    models: BTreeMap<String, Price>,
}

impl PriceTable {
    /// The table that comes with the app.
    pub fn built_in() -> Self {
        Self::read(BUILT_IN).unwrap_or_default()
    }

    /// The day on which these were the prices at this address, as in `2026-11-16`.
    pub fn as_of(&self, base_url: &str) -> Option<&str> {
        Some(&self.provider(base_url)?.as_of)
    }

    /// What a model costs at this address: what the person wrote down for its name, or what the
    /// provider says, or what is in the table.
    pub fn price(
        &self,
        base_url: &str,
        card: &ModelCard,
        own: &BTreeMap<String, Price>,
    ) -> Option<Price> {
        let own = own.get(&card.name).copied();
        own.or(card.price)
            .or_else(|| self.listed(base_url, &card.name))
    }

    /// A model of the same name elsewhere has another price, and one on this computer has none.
    fn listed(&self, base_url: &str, model: &str) -> Option<Price> {
        let models = &self.provider(base_url)?.models;
        let model = model.strip_prefix("models/").unwrap_or(model);
        let undated = || models.get(undated(model)?);
        models.get(model).or_else(undated).copied()
    }

    fn provider(&self, base_url: &str) -> Option<&Prices> {
        let url = reqwest::Url::parse(base_url.trim()).ok()?;
        self.providers.get(url.host_str()?)
    }

    fn read(text: &str) -> Option<Self> {
        let file: File = serde_json::from_str(text).ok()?;
        let mut providers = BTreeMap::new();
        for (host, provider) in file.providers {
            let mut models = BTreeMap::new();
            for (name, row) in provider.models {
                models.insert(name, row.price()?);
            }
            let as_of = provider.as_of;
            providers.insert(host, Prices { as_of, models });
        }
        Some(Self { providers })
    }
}

/// The name without the day of its release: `-20251001` or `-2026-03-05`.
fn undated(model: &str) -> Option<&str> {
    let is_day = |text: &str, dashes: &[usize]| {
        let fits = |(at, byte): (usize, u8)| match byte {
            b'-' => dashes.contains(&at),
            _ => byte.is_ascii_digit() && !dashes.contains(&at),
        };
        text.bytes().enumerate().all(fits)
    };
    [(9, &[0][..]), (11, &[0, 5, 8][..])]
        .into_iter()
        .find_map(|(length, dashes)| {
            let (name, day) = model.split_at_checked(model.len().checked_sub(length)?)?;
            (!name.is_empty() && is_day(day, dashes)).then_some(name)
        })
}

/// The table as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    providers: BTreeMap<String, Provider>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Provider {
    as_of: String,
    /// Where the prices are said.
    #[serde(rename = "source")]
    _source: String,
    models: BTreeMap<String, Row>,
}

/// Dollars for a million tokens.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    up_to_input_tokens: Option<u64>,
}

impl Row {
    fn price(&self) -> Option<Price> {
        let optional = |dollars: Option<f64>| match dollars {
            Some(dollars) => Price::microusd(dollars).map(Some),
            None => Some(None),
        };
        Some(Price {
            input: Price::microusd(self.input)?,
            output: Price::microusd(self.output)?,
            cache_read: optional(self.cache_read)?,
            cache_write: optional(self.cache_write)?,
            up_to_input_tokens: self.up_to_input_tokens,
        })
    }
}

#[cfg(test)]
mod tests;
