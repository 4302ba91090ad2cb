//! What few people need to set of a provider.

use leptos::prelude::*;
use protocol::{Dialect, KeyHeader, ProviderView};

use super::headers::Headers;
use super::written::Written;
use crate::testid;

/// How a provider is spoken to, in words that its own pages use.
const STYLES: [(Dialect, &str); 5] = [
    (Dialect::ChatCompletions, "OpenAI-compatible"),
    (Dialect::Responses, "OpenAI Responses"),
    (Dialect::Anthropic, "Anthropic"),
    (Dialect::Ollama, "Ollama"),
    (Dialect::Gemini, "Gemini"),
];

const KEY_HEADERS: [(Option<KeyHeader>, &str, &str); 4] = [
    (None, "", "As usual for this API style"),
    (Some(KeyHeader::Bearer), "bearer", "Authorization: Bearer"),
    (Some(KeyHeader::XApiKey), "x_api_key", "x-api-key"),
    (
        Some(KeyHeader::XGoogApiKey),
        "x_goog_api_key",
        "x-goog-api-key",
    ),
];

const CALLS_IN_TEXT: [(Option<bool>, &str, &str); 3] = [
    (None, "", "Count from servers on this computer"),
    (Some(true), "yes", "Count"),
    (Some(false), "no", "Stay text"),
];

#[component]
pub(super) fn Advanced(written: Written, provider: Memo<Option<ProviderView>>) -> impl IntoView {
    let styles = STYLES.map(|(dialect, words)| {
        let is_picked = move || written.dialect.get() == dialect;
        view! { <option value=dialect.as_str() selected=is_picked>{words}</option> }
    });
    let places = KEY_HEADERS.map(|(header, value, words)| {
        let is_picked = move || written.key_header.get() == header;
        view! { <option value=value selected=is_picked>{words}</option> }
    });
    let set_style = move |value: &str| {
        if let Some(dialect) = Dialect::parse(value) {
            written.dialect.set(dialect);
        }
    };
    let set_place = move |value: &str| {
        let found = KEY_HEADERS.iter().find(|(_, known, _)| *known == value);
        written
            .key_header
            .set(found.and_then(|(header, ..)| *header));
    };
    let counted = CALLS_IN_TEXT.map(|(counts, value, words)| {
        let is_picked = move || written.calls_in_text.get() == counts;
        view! { <option value=value selected=is_picked>{words}</option> }
    });
    let set_counted = move |value: &str| {
        let found = CALLS_IN_TEXT.iter().find(|(_, known, _)| *known == value);
        written
            .calls_in_text
            .set(found.and_then(|(counts, ..)| *counts));
    };
    view! {
        <details class="form__advanced">
            <summary data-testid=testid::PROVIDER_ADVANCED>"Advanced"</summary>
            <div class="form__advanced-body">
                <div class="form__grid">
                    <label class="form__field">
                        <span>"API style"</span>
                        <select
                            class="field"
                            data-testid=testid::PROVIDER_DIALECT
                            on:change:target=move |event| set_style(&event.target().value())
                        >
                            {styles.into_iter().collect_view()}
                        </select>
                    </label>
                    <label class="form__field">
                        <span>"Where the key goes"</span>
                        <select
                            class="field"
                            data-testid=testid::PROVIDER_KEY_HEADER
                            on:change:target=move |event| set_place(&event.target().value())
                        >
                            {places.into_iter().collect_view()}
                        </select>
                    </label>
                    {text("API version", "The newest", testid::PROVIDER_VERSION, written.version)}
                    {text(
                        "Longest reply, in tokens",
                        "The model's own limit",
                        testid::PROVIDER_MAX_OUTPUT,
                        written.max_output,
                    )}
                    <label class="form__field">
                        <span>"Tool calls written as text"</span>
                        <select
                            class="field"
                            data-testid=testid::PROVIDER_CALLS_IN_TEXT
                            on:change:target=move |event| set_counted(&event.target().value())
                        >
                            {counted.into_iter().collect_view()}
                        </select>
                    </label>
                </div>
                <Headers written provider/>
            </div>
        </details>
    }
}

fn text(
    words: &'static str,
    placeholder: &'static str,
    testid: &'static str,
    value: RwSignal<String>,
) -> impl IntoView {
    view! {
        <label class="form__field">
            <span>{words}</span>
            <input
                class="field"
                placeholder=placeholder
                autocomplete="off"
                spellcheck="false"
                data-testid=testid
                prop:value=value
                on:input:target=move |event| value.set(event.target().value())
            />
        </label>
    }
}
