//! The models of a provider: what they can hold, do and cost, and when that was asked.

mod price_form;
mod row;

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, ProviderModel, ProviderView};

use crate::actions::{use_actions, use_store};
use crate::model_words::model_count;
use crate::state::AppStateStoreFields;
use crate::{testid, time};
use row::ModelRow;

/// More than this is filtered, not scrolled through.
const MANY: usize = 8;
/// Rows that are shown at once: the page stays light.
const ROWS: usize = 60;

#[component]
pub(super) fn ProviderModels(provider: Memo<Option<ProviderView>>) -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let is_open = RwSignal::new(false);
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let filter = RwSignal::new(String::new());
    let models =
        Memo::new(move |_| provider.with(|one| one.as_ref().map(|one| one.models.clone())));
    let count = move || models.with(|models| models.as_ref().map_or(0, Vec::len));
    let listed = move || {
        let at_ms = provider.with(|one| one.as_ref().and_then(|one| one.listed_at_ms));
        match at_ms {
            Some(at_ms) => format!("listed {}", time::ago(store.now_ms().get(), at_ms)),
            None => "never listed".to_owned(),
        }
    };
    let refresh = move |_| {
        let Some(provider_id) = provider.with_untracked(|one| Some(one.as_ref()?.provider_id))
        else {
            return;
        };
        is_busy.set(true);
        error.set(None);
        spawn_local(async move {
            let answer = actions.refresh_models(provider_id).await;
            is_busy.try_set(false);
            error.try_set(answer.err());
        });
    };
    let fitting = Memo::new(move |_| {
        let written = filter.get().to_lowercase();
        let fits = |model: &ProviderModel| {
            model.label.to_lowercase().contains(&written)
                || model.name.to_lowercase().contains(&written)
        };
        let all = models.get().unwrap_or_default();
        all.into_iter().filter(fits).collect::<Vec<_>>()
    });
    let shown = move || {
        let fitting = fitting.get();
        fitting.into_iter().take(ROWS).collect::<Vec<_>>()
    };
    let hidden = move || {
        let more = fitting.with(Vec::len).saturating_sub(ROWS);
        (more > 0).then(|| format!("{more} more. Write in the filter to find them."))
    };
    let rows = move || {
        view! {
            <Show when=move || { count() > MANY }>
                <input
                    class="field"
                    type="search"
                    placeholder="Filter"
                    aria-label="Filter models"
                    autocomplete="off"
                    spellcheck="false"
                    data-testid=testid::MODELS_FILTER
                    prop:value=filter
                    on:input:target=move |event| filter.set(event.target().value())
                />
            </Show>
            <ul class="models">
                <For
                    each=shown
                    // What is known of a model changes with the list.
                    key=|model| format!("{model:?}")
                    children=move |model| view! { <ModelRow model provider/> }
                />
            </ul>
            <p class="form__note">{hidden}</p>
        }
    };
    view! {
        <details
            class="provider-models"
            on:toggle:target=move |event| is_open.set(event.target().open())
        >
            <summary data-testid=testid::PROVIDER_MODELS>
                {move || format!("{}, {}", model_count(count()), listed())}
            </summary>
            <div class="provider-models__body">
                <div class="form__actions">
                    <button
                        type="button"
                        class="button button--small"
                        data-testid=testid::MODELS_REFRESH
                        aria-busy=move || is_busy.get().to_string()
                        disabled=move || is_busy.get()
                        on:click=refresh
                    >
                        {move || if is_busy.get() { "Asking…" } else { "Ask again" }}
                    </button>
                </div>
                <p class="call__problem" role="alert">
                    {move || error.get().map(|error| format!("{} {}", error.message, error.hint))}
                </p>
                <Show when=move || is_open.get()>{rows}</Show>
            </div>
        </details>
    }
}
