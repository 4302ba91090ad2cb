//! What else goes with every request to a provider; a secret value is kept like a key.

use leptos::prelude::*;
use protocol::{ProviderView, limits};

use super::written::{HeaderRow, Written};
use crate::components::icon::{Icon, Shape};
use crate::testid;

#[component]
pub(super) fn Headers(written: Written, provider: Memo<Option<ProviderView>>) -> impl IntoView {
    let add = move |_| {
        written.headers.update(|rows| {
            let number = rows.iter().map(|row| row.number + 1).max().unwrap_or(0);
            rows.push(HeaderRow::new(number, None));
        });
    };
    let remove = Callback::new(move |number: usize| {
        written
            .headers
            .update(|rows| rows.retain(|row| row.number != number));
    });
    view! {
        <fieldset class="form__group">
            <legend>"Extra headers"</legend>
            <For
                each=move || written.headers.get()
                key=|row| row.number
                children=move |row| view! { <HeaderFields row provider remove/> }
            />
            <div class="form__actions">
                <button type="button" class="button button--small" data-testid=testid::HEADER_ADD on:click=add>
                    "Add a header"
                </button>
            </div>
        </fieldset>
    }
}

#[component]
fn HeaderFields(
    row: HeaderRow,
    provider: Memo<Option<ProviderView>>,
    remove: Callback<usize>,
) -> impl IntoView {
    let is_kept = Memo::new(move |_| {
        let name = row.name.get();
        provider.with(|provider| {
            let secrets = provider.as_ref().map(|one| one.secrets.as_slice());
            let mut kept = secrets.unwrap_or_default().iter();
            kept.any(|secret| {
                let header = secret.header.as_ref();
                header.is_some_and(|header| header.eq_ignore_ascii_case(name.trim()))
            })
        })
    });
    let placeholder = move || match (row.is_secret.get(), is_kept.get()) {
        (true, true) => "Kept. Write here to replace it.",
        (true, false) => "Kept like a key",
        (false, _) => "Value",
    };
    view! {
        <div class="form__header">
            <input
                class="field field--code"
                aria-label="Header name"
                placeholder="x-name"
                maxlength=limits::HEADER_NAME_BYTES.to_string()
                autocomplete="off"
                spellcheck="false"
                data-testid=testid::HEADER_NAME
                prop:value=row.name
                on:input:target=move |event| row.name.set(event.target().value())
            />
            <input
                class="field field--code"
                type=move || if row.is_secret.get() { "password" } else { "text" }
                aria-label="Header value"
                placeholder=placeholder
                maxlength=limits::HEADER_VALUE_BYTES.to_string()
                autocomplete="off"
                spellcheck="false"
                data-testid=testid::HEADER_VALUE
                prop:value=row.value
                on:input:target=move |event| row.value.set(event.target().value())
            />
            <label class="form__check">
                <input
                    type="checkbox"
                    data-testid=testid::HEADER_SECRET
                    prop:checked=row.is_secret
                    on:change:target=move |event| row.is_secret.set(event.target().checked())
                />
                <span>"Secret"</span>
            </label>
            <button
                type="button"
                class="icon-button"
                aria-label="Remove this header"
                title="Remove"
                data-testid=testid::HEADER_REMOVE
                on:click=move |_| remove.run(row.number)
            >
                <Icon shape=Shape::Close/>
            </button>
        </div>
    }
}
