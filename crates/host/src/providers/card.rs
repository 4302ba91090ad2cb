//! Between what `models` says of providers and what people and the store are told.

use std::collections::BTreeMap;

use engine::ProviderRow;
use models::{Capabilities, KeyCheck, Known, ModelCard, Price, PriceTable, Proxy};
use protocol::{
    Dialect, ErrorClass, KeyHeader, ModelPrice, ProviderFields, ProviderModel, ProviderTest,
    ProxySetting, RunError,
};

pub(super) const fn dialect(dialect: Dialect) -> models::Dialect {
    match dialect {
        Dialect::ChatCompletions => models::Dialect::ChatCompletions,
        Dialect::Responses => models::Dialect::Responses,
        Dialect::Anthropic => models::Dialect::Anthropic,
        Dialect::Ollama => models::Dialect::Ollama,
        Dialect::Gemini => models::Dialect::Gemini,
    }
}

pub(super) const fn spoken(dialect: models::Dialect) -> Dialect {
    match dialect {
        models::Dialect::ChatCompletions => Dialect::ChatCompletions,
        models::Dialect::Responses => Dialect::Responses,
        models::Dialect::Anthropic => Dialect::Anthropic,
        models::Dialect::Ollama => Dialect::Ollama,
        models::Dialect::Gemini => Dialect::Gemini,
    }
}

pub(super) fn proxy(setting: &ProxySetting) -> Proxy {
    match setting {
        ProxySetting::System {} => Proxy::System,
        ProxySetting::None {} => Proxy::None,
        ProxySetting::Url { url } => Proxy::Url(url.clone()),
    }
}

pub(super) const fn key_header(header: KeyHeader) -> models::KeyHeader {
    match header {
        KeyHeader::Bearer => models::KeyHeader::Bearer,
        KeyHeader::XApiKey => models::KeyHeader::XApiKey,
        KeyHeader::XGoogApiKey => models::KeyHeader::XGoogApiKey,
    }
}

/// As it is stored: without what the table of prices says, which may grow.
pub(super) fn model(card: ModelCard) -> ProviderModel {
    ProviderModel {
        name: card.name,
        label: card.label,
        context_tokens: card.context_tokens,
        max_output_tokens: card.max_output_tokens,
        tools: known(card.capabilities.tools),
        images: known(card.capabilities.images),
        reasoning: known(card.capabilities.reasoning),
        price: card.price.map(shown),
    }
}

const fn known(known: Known) -> Option<bool> {
    match known {
        Known::Yes => Some(true),
        Known::No => Some(false),
        Known::Unknown => None,
    }
}

/// The same with its price: what the person wrote down, or what the provider or the table says.
pub(super) fn priced(
    model: &ProviderModel,
    fields: &ProviderFields,
    table: &PriceTable,
) -> ProviderModel {
    ProviderModel {
        price: find_price(model, fields, table).map(shown),
        ..model.clone()
    }
}

/// What a model costs, also one that is not in the list.
pub(super) fn price_of(name: &str, row: &ProviderRow, table: &PriceTable) -> Option<Price> {
    let listed = row.models.iter().find(|model| model.name == name);
    match listed {
        Some(model) => find_price(model, &row.fields, table),
        None => find_price(&unlisted(name), &row.fields, table),
    }
}

fn find_price(model: &ProviderModel, fields: &ProviderFields, table: &PriceTable) -> Option<Price> {
    let own: BTreeMap<String, Price> = fields
        .options
        .prices
        .iter()
        .map(|(name, price)| (name.clone(), counted(*price)))
        .collect();
    let card = ModelCard {
        name: model.name.clone(),
        label: model.label.clone(),
        context_tokens: None,
        max_output_tokens: None,
        capabilities: Capabilities::default(),
        price: model.price.map(counted),
    };
    table.price(&fields.base_url, &card, &own)
}

fn unlisted(name: &str) -> ProviderModel {
    ProviderModel {
        name: name.to_owned(),
        label: name.to_owned(),
        context_tokens: None,
        max_output_tokens: None,
        tools: None,
        images: None,
        reasoning: None,
        price: None,
    }
}

const fn shown(price: Price) -> ModelPrice {
    ModelPrice {
        input: price.input,
        output: price.output,
        cache_read: price.cache_read,
        cache_write: price.cache_write,
        up_to_input_tokens: price.up_to_input_tokens,
    }
}

const fn counted(price: ModelPrice) -> Price {
    Price {
        input: price.input,
        output: price.output,
        cache_read: price.cache_read,
        cache_write: price.cache_write,
        up_to_input_tokens: price.up_to_input_tokens,
    }
}

pub(super) fn test(found: KeyCheck) -> ProviderTest {
    match found {
        KeyCheck::Works { models } => ProviderTest::Works {
            models: u32::try_from(models).unwrap_or(u32::MAX),
        },
        KeyCheck::Unusable(error) => ProviderTest::Unusable {
            message: error.to_string(),
        },
        KeyCheck::NoNetwork(message) => ProviderTest::NoNetwork { message },
        KeyCheck::WrongServer(message) => ProviderTest::WrongServer { message },
        KeyCheck::KeyRefused(message) => ProviderTest::KeyRefused { message },
        KeyCheck::NoCredit(message) => ProviderTest::NoCredit { message },
        KeyCheck::Busy {
            message,
            retry_after_ms,
        } => ProviderTest::Busy {
            message,
            retry_after_ms,
        },
    }
}

/// What a test found out that closes the provider for everyone.
pub(super) fn refusal(found: &KeyCheck) -> Option<RunError> {
    let (class, message) = match found {
        KeyCheck::KeyRefused(message) => (ErrorClass::Auth, message),
        KeyCheck::NoCredit(message) => (ErrorClass::Billing, message),
        KeyCheck::Works { .. }
        | KeyCheck::Unusable(_)
        | KeyCheck::NoNetwork(_)
        | KeyCheck::WrongServer(_)
        | KeyCheck::Busy { .. } => return None,
    };
    Some(RunError {
        class,
        message: message.clone(),
    })
}
