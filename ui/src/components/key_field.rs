//! A key, as it goes in: it is never read back, and the page forgets it once it is kept.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{KeyPlace, ProviderView};

use super::confirm_button::ConfirmButton;
use crate::actions::use_actions;
use crate::testid;

#[component]
pub(crate) fn KeyField(
    /// What is written.
    key: RwSignal<String>,
    /// The provider, once it is there.
    provider: Memo<Option<ProviderView>>,
    /// Where a key is found.
    note: Option<String>,
    /// Whether it is the first thing to be written.
    is_first: bool,
) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    Effect::new(move || {
        if let Some(input) = input.get().filter(|_| is_first) {
            input.focus().ok();
        }
    });
    let place = Memo::new(move |_| {
        provider.with(|provider| {
            let mut secrets = provider.as_ref()?.secrets.iter();
            Some(secrets.find(|secret| secret.header.is_none())?.place)
        })
    });
    let placeholder = move || match place.get() {
        Some(_) => "Kept. Write here to replace it.",
        None => "Paste your key",
    };
    view! {
        <div class="form__field">
            <label for="provider-key">"Key"</label>
            <input
                id="provider-key"
                class="field field--code"
                type="password"
                placeholder=placeholder
                autocomplete="off"
                spellcheck="false"
                data-testid=testid::PROVIDER_KEY
                node_ref=input
                prop:value=key
                on:input:target=move |event| key.set(event.target().value())
            />
            {note.map(|note| view! { <p class="form__note">{note}</p> })}
            {move || place.get().map(|place| view! { <Kept place provider/> })}
        </div>
    }
}

/// That there is a key, and where: never which.
#[component]
fn Kept(place: KeyPlace, provider: Memo<Option<ProviderView>>) -> impl IntoView {
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let words = match place {
        KeyPlace::Keychain => "A key is kept in the keychain.",
        KeyPlace::File => "A key is kept in an encrypted file.",
    };
    let forget = Callback::new(move |()| {
        let Some(id) = provider.with_untracked(|one| Some(one.as_ref()?.provider_id)) else {
            return;
        };
        is_busy.set(true);
        spawn_local(async move {
            if let Err(error) = actions.forget_key(id).await {
                actions.say_problem(&error);
            }
            is_busy.try_set(false);
        });
    });
    view! {
        <div class="form__kept">
            <span class="form__note" data-testid=testid::PROVIDER_KEY_KEPT>{words}</span>
            <ConfirmButton
                label="Forget it"
                question="Forget the key?"
                confirm="Forget"
                decline="Keep"
                testid=testid::PROVIDER_KEY_FORGET
                class="button button--small button--quiet"
                disabled=is_busy
                on_confirm=forget
            />
        </div>
    }
}
