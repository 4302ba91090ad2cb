//! A provider with everything that one can have.

use protocol::{
    Dialect, KeyHeader, KeyPlace, ModelPrice, ProviderFields, ProviderHeader, ProviderId,
    ProviderModel, ProviderOptions, ProviderSecret,
};
use store::ProviderRow;
use uuid::Uuid;

pub(crate) fn provider_id(number: u64) -> ProviderId {
    ProviderId::from_uuid(Uuid::from_u128(
        (0x0192_0000_0000_7000_8000_u128 << 48) | (8 << 40) | u128::from(number),
    ))
}

pub(crate) fn provider_fields(name: &str) -> ProviderFields {
    let header = |name: &str, value: Option<&str>| ProviderHeader {
        name: name.to_owned(),
        value: value.map(str::to_owned),
    };
    let request = serde_json::json!({ "temperature": 0.5 });
    let prices = [("large".to_owned(), PRICE)].into();
    ProviderFields {
        name: name.to_owned(),
        dialect: Dialect::Anthropic,
        base_url: "https://api.example.com/v1".to_owned(),
        headers: vec![header("X-Title", Some("Holdfast")), header("X-Team", None)],
        options: ProviderOptions {
            api_version: Some("2026-10-21".to_owned()),
            key_header: Some(KeyHeader::XApiKey),
            max_output_tokens: Some(4_096),
            calls_in_text: Some(false),
            silence_seconds: Some(60),
            request: request.as_object().unwrap().clone(),
            prices,
        },
        is_enabled: true,
    }
}

const PRICE: ModelPrice = ModelPrice {
    input: 3,
    output: 15,
    cache_read: Some(1),
    cache_write: None,
    up_to_input_tokens: Some(200_000),
};

pub(crate) fn provider_model(name: &str) -> ProviderModel {
    ProviderModel {
        name: name.to_owned(),
        label: name.to_uppercase(),
        context_tokens: Some(128_000),
        max_output_tokens: None,
        tools: Some(true),
        images: Some(false),
        reasoning: None,
        price: Some(PRICE),
    }
}

pub(crate) fn secrets() -> Vec<ProviderSecret> {
    vec![
        ProviderSecret {
            header: None,
            place: KeyPlace::Keychain,
        },
        ProviderSecret {
            header: Some("X-Team".to_owned()),
            place: KeyPlace::File,
        },
    ]
}

pub(crate) fn provider(number: u64, name: &str) -> ProviderRow {
    ProviderRow {
        provider_id: provider_id(number),
        fields: provider_fields(name),
        secrets: Vec::new(),
        revision: 1,
        models: Vec::new(),
        listed_at_ms: None,
        created_at_ms: 5,
        updated_at_ms: 5,
    }
}
