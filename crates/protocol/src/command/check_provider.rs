//! What is checked of a provider: caps, and that no key is put where everybody can read it.

use super::check::{check_integer, check_line, check_model, check_size, invalid_value};
use crate::{
    CommandError, ModelPrice, ProviderFields, ProviderHeader, ProviderOptions, Secret, limits,
};

pub(super) fn check_provider(fields: &ProviderFields) -> Result<(), CommandError> {
    check_line("The name", &fields.name, limits::NAME_BYTES)?;
    check_address(&fields.base_url)?;
    if fields.headers.len() > limits::HEADERS {
        return Err(invalid_value(
            "The provider has too many headers.",
            "Use at most 32.",
        ));
    }
    for (at, header) in fields.headers.iter().enumerate() {
        check_header(header)?;
        let is_same = |other: &ProviderHeader| other.name.eq_ignore_ascii_case(&header.name);
        if fields.headers[..at].iter().any(is_same) {
            return Err(invalid_value(
                &format!("The header {} comes twice.", header.name),
                "Name each header once.",
            ));
        }
    }
    check_options(&fields.options)
}

/// An address is stored and shown, so no key may be in it.
fn check_address(address: &str) -> Result<(), CommandError> {
    check_line("The address", address, limits::URL_BYTES)?;
    let query = address.split_once(['?', '#']).map_or("", |(_, rest)| rest);
    if is_telling(query) {
        return Err(invalid_value(
            "The address looks like one that holds a key.",
            "Leave the key out of the address, and set it with set_provider_key.",
        ));
    }
    Ok(())
}

fn is_telling(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    TELLING.iter().any(|telling| text.contains(telling))
}

/// Names under which keys are sent: their values belong where keys are kept.
const TELLING: [&str; 6] = [
    "authorization",
    "key",
    "token",
    "secret",
    "password",
    "cookie",
];

fn check_header(header: &ProviderHeader) -> Result<(), CommandError> {
    check_line("A header's name", &header.name, limits::HEADER_NAME_BYTES)?;
    let Some(value) = &header.value else {
        return Ok(());
    };
    check_line("A header's value", value, limits::HEADER_VALUE_BYTES)?;
    if is_telling(&header.name) {
        return Err(invalid_value(
            &format!(
                "The header {} looks like one that holds a key.",
                header.name
            ),
            "Leave its value out here, and set it with set_provider_key.",
        ));
    }
    Ok(())
}

fn check_options(options: &ProviderOptions) -> Result<(), CommandError> {
    if let Some(version) = &options.api_version {
        check_line("The version", version, limits::HEADER_NAME_BYTES)?;
    }
    if options.max_output_tokens == Some(0) {
        return Err(invalid_value(
            "Replies of 0 tokens say nothing.",
            "Use a number from 1 on, or leave it out.",
        ));
    }
    check_integer("max_output_tokens", options.max_output_tokens.unwrap_or(0))?;
    if options
        .silence_seconds
        .is_some_and(|seconds| !limits::SILENCE_SECONDS.contains(&seconds))
    {
        return Err(invalid_value(
            "silence_seconds is out of range.",
            "Use a number from 1 to 3600, or leave it out.",
        ));
    }
    for (model, price) in &options.prices {
        check_model(model)?;
        check_price(price)?;
    }
    let text = serde_json::to_string(options).unwrap_or_default();
    check_size("The text of the options", &text, limits::OPTIONS_BYTES)
}

fn check_price(price: &ModelPrice) -> Result<(), CommandError> {
    let optional = [
        price.cache_read,
        price.cache_write,
        price.up_to_input_tokens,
    ];
    let values = [price.input, price.output].into_iter();
    values
        .chain(optional.into_iter().flatten())
        .try_for_each(|value| check_integer("The price", value))
}

/// The header whose value a secret is; nothing for the key.
pub(super) fn check_secret_name(header: Option<&str>) -> Result<(), CommandError> {
    header.map_or(Ok(()), |name| {
        check_line("The header's name", name, limits::HEADER_NAME_BYTES)
    })
}

/// The key is not repeated, whatever is wrong with it.
pub(super) fn check_key(key: &Secret) -> Result<(), CommandError> {
    let text = key.expose();
    check_size("The key", text, limits::KEY_BYTES)?;
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        return Err(invalid_value(
            "The key is empty or holds control characters.",
            "Paste the key again, without anything before or after it.",
        ));
    }
    Ok(())
}
