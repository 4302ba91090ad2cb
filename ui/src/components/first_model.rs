//! Which model of a provider answers from now on.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, ProviderModel, ProviderView};

use crate::actions::use_actions;
use crate::model_words::{abilities, price};
use crate::testid;

#[component]
pub(crate) fn FirstModel(
    /// It works, and has listed its models.
    provider: ProviderView,
    /// Leads back to the other choices.
    on_back: Callback<()>,
) -> impl IntoView {
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let (id, name) = (provider.provider_id, provider.fields.name.clone());
    let first = provider.models.first().map(|model| model.name.clone());
    let chosen = RwSignal::new(first.unwrap_or_default());
    let models = StoredValue::new(provider.models);
    let about = move || {
        let chosen = chosen.get();
        models.with_value(|models| {
            let mut models = models.iter();
            models
                .find(|model| model.name == chosen)
                .map(|model| format!("{} · {}", abilities(model), price(model.price.as_ref())))
        })
    };
    let choose = move || {
        let model = format!("{id}/{}", chosen.get_untracked());
        is_busy.set(true);
        spawn_local(async move {
            let answer = actions.choose_default(Some(model)).await;
            is_busy.try_set(false);
            match answer {
                Ok(()) => actions.close_panel(),
                Err(refused) => {
                    error.try_set(Some(refused));
                }
            }
        });
    };
    let option = move |model: ProviderModel| {
        let name = model.name.clone();
        let is_picked = move || chosen.with(|chosen| *chosen == name);
        view! { <option value=model.name selected=is_picked>{model.label}</option> }
    };
    let options = models.get_value().into_iter().map(option).collect_view();
    let is_empty = models.with_value(Vec::is_empty);
    let words = if is_empty {
        format!("{name} works, but it has no models yet.")
    } else {
        format!("{name} works. Which of its models should answer?")
    };
    view! {
        <form
            class="form"
            on:submit=move |event| {
                event.prevent_default();
                choose();
            }
        >
            <label class="form__field">
                <span>{words}</span>
                <select
                    class="field"
                    data-testid=testid::FIRST_RUN_MODEL
                    on:change:target=move |event| chosen.set(event.target().value())
                >
                    {options}
                </select>
            </label>
            <p class="form__note">{about}</p>
            <p class="call__problem" role="alert">
                {move || error.get().map(|error| format!("{} {}", error.message, error.hint))}
            </p>
            <div class="form__actions">
                <button
                    type="submit"
                    class="button button--primary"
                    data-testid=testid::FIRST_RUN_USE
                    disabled=move || is_busy.get() || is_empty
                >
                    "Use this model"
                </button>
                <button type="button" class="button button--quiet" on:click=move |_| on_back.run(())>
                    "Choose something else"
                </button>
            </div>
        </form>
    }
}
