//! A key is pasted: whose it is is recognised where that can be told, and confirmed by the person.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{ProviderView, Secret};

use super::fault_view::FaultView;
use super::key_store_question::KeyStoreQuestion;
use crate::actions::{Flaw, Order, Progress, use_actions};
use crate::model_words::{Fault, Place};
use crate::preset::{PRESETS, Preset};
use crate::testid;

#[component]
pub(crate) fn FirstKey(
    /// Called once it works and has listed its models.
    on_ready: Callback<ProviderView>,
) -> impl IntoView {
    let actions = use_actions();
    let key = RwSignal::new(String::new());
    let address = RwSignal::new(String::new());
    // What the person said goes before what was recognised.
    let said = RwSignal::new(None::<&'static Preset>);
    let service = Memo::new(move |_| {
        said.get()
            .or_else(|| key.with(|key| Preset::of_key(key)))
            .map(|preset| preset.name)
    });
    let progress = Progress::new(None);
    let is_busy = Memo::new(move |_| progress.stage.with(Option::is_some));
    // The key of one service is not tried at another.
    let begun = RwSignal::new(None::<&'static str>);
    let add = Callback::new(move |()| {
        let Some(preset) = service.get_untracked().and_then(Preset::named) else {
            progress.flaw.set(Some(Flaw::Fault(unknown())));
            return;
        };
        let same = begun.get_untracked() == Some(preset.name);
        begun.set(Some(preset.name));
        let order = Order {
            edited: progress.saved.get_untracked().filter(|_| same),
            ..order(preset, &address.get_untracked(), &key.get_untracked())
        };
        spawn_local(async move {
            let forget = move || {
                key.try_set(String::new());
            };
            said.try_set(Some(preset));
            if let Some(provider) = actions.set_up(order, progress, forget).await {
                on_ready.run(provider);
            }
        });
    });
    let fault = move || match progress.flaw.get() {
        Some(Flaw::Fault(fault)) => Some(view! { <FaultView fault/> }.into_any()),
        Some(Flaw::Stale(error)) => Some(
            view! { <p class="call__problem" role="alert">{error.message}" "{error.hint}</p> }
                .into_any(),
        ),
        Some(Flaw::NotKept(_)) | None => None,
    };
    let services = PRESETS
        .iter()
        .filter(|preset| preset.has_keys())
        .map(|preset| {
            let is_picked = move || service.get() == Some(preset.name);
            view! { <option value=preset.name selected=is_picked>{preset.name}</option> }
        });
    let recognised = move || {
        let recognised = key.with(|key| Preset::of_key(key))?;
        Some(format!("This looks like a key of {}.", recognised.name))
    };
    let wants_address = move || {
        let preset = service.get().and_then(Preset::named);
        preset.is_some_and(|preset| !preset.has_address())
    };
    view! {
        <form
            class="form"
            on:submit=move |event| {
                event.prevent_default();
                if !is_busy.get_untracked() {
                    add.run(());
                }
            }
        >
            <h3 class="form__title">"A service, with your key"</h3>
            <div class="first-run__service">
                {key_input(key)}
                <label class="form__field">
                    <span>"Service"</span>
                    <select
                        class="field"
                        data-testid=testid::FIRST_RUN_SERVICE
                        prop:value=move || service.get().unwrap_or_default()
                        on:change:target=move |event| said.set(Preset::named(&event.target().value()))
                    >
                        <option value="" selected=move || service.get().is_none()>"Choose…"</option>
                        {services.collect_view()}
                    </select>
                </label>
                <button
                    type="submit"
                    class="button button--primary"
                    data-testid=testid::FIRST_RUN_ADD
                    disabled=move || is_busy.get() || service.get().is_none()
                >
                    {move || progress.stage.get().unwrap_or("Add and test")}
                </button>
            </div>
            <Show when=wants_address>{move || address_input(address)}</Show>
            <p class="form__note" role="status">
                {move || recognised().unwrap_or_else(|| "It is kept in the system's keychain, and never shown again.".to_owned())}
            </p>
            {fault}
            <KeyStoreQuestion flaw=progress.flaw on_chosen=add/>
        </form>
    }
}

fn key_input(key: RwSignal<String>) -> impl IntoView {
    view! {
        <label class="form__field">
            <span>"Key"</span>
            <input
                class="field field--code"
                type="password"
                placeholder="Paste your key"
                autocomplete="off"
                spellcheck="false"
                data-testid=testid::FIRST_RUN_KEY
                prop:value=key
                on:input:target=move |event| key.set(event.target().value())
            />
        </label>
    }
}

fn address_input(address: RwSignal<String>) -> impl IntoView {
    view! {
        <label class="form__field">
            <span>"Address"</span>
            <input
                class="field field--code"
                required=true
                placeholder="https://api.example.com/v1"
                autocomplete="off"
                spellcheck="false"
                data-testid=testid::FIRST_RUN_ADDRESS
                prop:value=address
                on:input:target=move |event| address.set(event.target().value())
            />
        </label>
    }
}

/// A new provider of this kind, with what was written.
fn order(preset: &Preset, address: &str, key: &str) -> Order {
    let mut fields = preset.fields();
    if !preset.has_address() {
        address.trim().clone_into(&mut fields.base_url);
        fields.name = host_of(&fields.base_url);
    }
    let written = Some(key.trim()).filter(|key| !key.is_empty());
    let secrets = written.map(|key| (None, Secret::new(key)));
    Order {
        edited: None,
        fields,
        secrets: secrets.into_iter().collect(),
    }
}

fn unknown() -> Fault {
    Fault {
        place: Place::Whole,
        words: "Which service is this key for?".to_owned(),
        hint: "Choose one.",
        said: None,
    }
}

/// A name for a service that has none: its host.
fn host_of(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host.split(':').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn a_service_without_a_name_is_called_by_its_host() {
        for (address, name) in [
            ("https://api.example.com/v1", "api.example.com"),
            ("http://127.0.0.1:8080/v1", "127.0.0.1"),
            ("example.com", "example.com"),
        ] {
            assert_eq!(host_of(address), name);
        }
    }
}
