//! Who answers where neither the session nor its agent names a model.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::CommandError;

use super::model_options::ModelOptions;
use crate::actions::{use_actions, use_store};
use crate::state::{AppStateStoreFields, provider_of};
use crate::testid;

#[component]
pub(crate) fn DefaultModel() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let chosen = Memo::new(move |_| store.app().get().map(|app| app.model.id));
    let is_told = Memo::new(move |_| {
        let app = store.app().get();
        app.is_some_and(|app| !app.model.is_scripted && provider_of(&app.model.id).is_none())
    });
    let choose = move |id: String| {
        is_busy.set(true);
        spawn_local(async move {
            let answer = actions
                .choose_default(Some(id).filter(|id| !id.is_empty()))
                .await;
            is_busy.try_set(false);
            error.try_set(answer.err());
        });
    };
    view! {
        <div class="form">
            <label class="form__field">
                <span>"Answers by default"</span>
                <select
                    class="field"
                    data-testid=testid::DEFAULT_MODEL
                    disabled=move || is_busy.get()
                    on:change:target=move |event| choose(event.target().value())
                >
                    <ModelOptions chosen/>
                </select>
            </label>
            <p class="form__note">"An agent or a session can have a model of its own. A run keeps the one it began with."</p>
            <Show when=move || is_told.get()>
                <p class="form__note">"A model was given on the command line: it answers by default for as long as the app runs."</p>
            </Show>
            <p class="call__problem" role="alert">
                {move || error.get().map(|error| format!("{} {}", error.message, error.hint))}
            </p>
        </div>
    }
}
