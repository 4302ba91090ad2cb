//! One provider, to be added or changed. Saving also tests it, and says beside its field what is wrong.

mod advanced;
mod headers;
mod written;

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, ProviderView, limits};

use super::fault_view::FaultView;
use super::key_field::KeyField;
use super::key_store_question::KeyStoreQuestion;
use crate::actions::{Flaw, Order, Progress, use_actions, use_store};
use crate::model_words::Place;
use crate::preset::Preset;
use crate::state::AppStateStoreFields;
use crate::testid;
use advanced::Advanced;
use written::Written;

#[component]
pub(crate) fn ProviderForm(
    /// The provider as it is; none for a new one.
    provider: Option<ProviderView>,
    /// What a new one is made of.
    preset: Option<&'static Preset>,
    /// Called when there is nothing more to do here.
    on_done: Callback<()>,
) -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let is_new = provider.is_none();
    let base = provider
        .as_ref()
        .map(|one| one.fields.clone())
        .or_else(|| preset.map(Preset::fields));
    let written = Written::of(base.unwrap_or_else(written::blank));
    let progress = Progress::new(provider.as_ref().map(|one| (one.provider_id, one.revision)));
    let key = RwSignal::new(String::new());
    // What is kept changes while this form is open.
    let current = Memo::new(move |_| {
        let id = progress.saved.get()?.0;
        let providers = store.providers().get()?;
        providers.into_iter().find(|one| one.provider_id == id)
    });
    let is_busy = Memo::new(move |_| progress.stage.with(Option::is_some));
    let save = Callback::new(move |()| {
        let fields = match written.fields() {
            Ok(fields) => fields,
            Err(fault) => {
                progress.flaw.set(Some(Flaw::Fault(fault)));
                return;
            }
        };
        let order = Order {
            edited: progress.saved.get_untracked(),
            fields,
            secrets: written.secrets(&key.get_untracked()),
        };
        spawn_local(async move {
            let forget = move || {
                key.try_set(String::new());
                written.forget_secrets();
            };
            if actions.set_up(order, progress, forget).await.is_some() {
                on_done.run(());
            }
        });
    });
    let reload = Callback::new(move |()| {
        spawn_local(async move {
            actions.load_providers().await;
            on_done.run(());
        });
    });
    let fault_at = move |place: Place| {
        move || match progress.flaw.get() {
            Some(Flaw::Fault(fault)) if fault.place == place => Some(view! { <FaultView fault/> }),
            _ => None,
        }
    };
    let name_field = NodeRef::<html::Input>::new();
    let is_key_first = preset.is_none_or(|preset| preset.has_keys() && preset.has_address());
    Effect::new(move || {
        if let Some(field) = name_field.get().filter(|_| !is_key_first) {
            field.focus().ok();
        }
    });
    let has_key_field = preset.is_none_or(|preset| preset.has_keys() || !preset.has_address());
    let note = preset
        .filter(|preset| preset.has_keys())
        .map(|preset| format!("You find your key at {}.", preset.keys_at));
    view! {
        <form
            class="form"
            data-testid=testid::PROVIDER_FORM
            // Escape closes panels: what is written here must not go with one.
            on:keydown=|event| {
                if event.key() == "Escape" {
                    event.stop_propagation();
                }
            }
            on:submit=move |event| {
                event.prevent_default();
                if !is_busy.get_untracked() {
                    save.run(());
                }
            }
        >
            <h3 class="form__title">{if is_new { "Add a provider" } else { "Edit provider" }}</h3>
            {name_and_address(written, name_field)}
            {fault_at(Place::Address)}
            {has_key_field.then(|| view! {
                <KeyField key provider=current note is_first=is_key_first/>
            })}
            {fault_at(Place::Key)}
            <KeyStoreQuestion flaw=progress.flaw on_chosen=save/>
            <Advanced written provider=current/>
            {fault_at(Place::Whole)}
            {move || match progress.flaw.get() {
                Some(Flaw::Stale(error)) => Some(stale(&error, reload)),
                _ => None,
            }}
            {actions_row(is_new, progress, on_done)}
        </form>
    }
}

fn name_and_address(written: Written, name_field: NodeRef<html::Input>) -> impl IntoView {
    view! {
        <label class="form__field">
            <span>"Name"</span>
            <input
                class="field"
                required=true
                maxlength=limits::NAME_BYTES.to_string()
                autocomplete="off"
                data-testid=testid::PROVIDER_NAME
                node_ref=name_field
                prop:value=written.name
                on:input:target=move |event| written.name.set(event.target().value())
            />
        </label>
        <label class="form__field">
            <span>"Address"</span>
            <input
                class="field field--code"
                required=true
                maxlength=limits::URL_BYTES.to_string()
                placeholder="https://api.example.com/v1"
                autocomplete="off"
                spellcheck="false"
                data-testid=testid::PROVIDER_ADDRESS
                prop:value=written.address
                on:input:target=move |event| written.address.set(event.target().value())
            />
        </label>
    }
}

/// Somebody else changed it: what is written here would overwrite that.
fn stale(error: &CommandError, reload: Callback<()>) -> impl IntoView + use<> {
    view! {
        <div class="fault" role="alert">
            <p>{format!("{} {}", error.message, error.hint)}</p>
            <div class="form__actions">
                <button
                    type="button"
                    class="button"
                    data-testid=testid::PROVIDER_RELOAD
                    on:click=move |_| reload.run(())
                >
                    "Take the newer version"
                </button>
            </div>
        </div>
    }
}

fn actions_row(is_new: bool, progress: Progress, on_done: Callback<()>) -> impl IntoView {
    view! {
        <div class="form__actions">
            <button
                type="submit"
                class="button button--primary"
                data-testid=testid::PROVIDER_SAVE
                disabled=move || progress.stage.with(Option::is_some)
            >
                {if is_new { "Add and test" } else { "Save and test" }}
            </button>
            <button type="button" class="button button--quiet" on:click=move |_| on_done.run(())>
                {move || if progress.saved.with(Option::is_some) { "Close" } else { "Cancel" }}
            </button>
            <span class="form__stage" role="status">{move || progress.stage.get()}</span>
        </div>
    }
}
