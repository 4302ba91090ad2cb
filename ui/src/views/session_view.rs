//! The middle: transcript or empty state, the run's line, the composer.

use leptos::prelude::*;

use super::empty_state::EmptyState;
use super::transcript::Transcript;
use crate::actions::{use_actions, use_store};
use crate::components::composer::Composer;
use crate::components::run_bar::RunBar;
use crate::state::{AppStateStoreFields, SessionStateStoreFields};

#[component]
pub(crate) fn SessionView() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let session = store.session();
    let session_id = Memo::new(move |_| session.session_id().get());
    let run = Memo::new(move |_| session.run().get());
    let is_running =
        Memo::new(move |_| run.with(|run| run.as_ref().is_some_and(|run| run.status.is_live())));
    let draft = Memo::new(move |_| {
        store
            .drafts()
            .read()
            .get(&session_id.get())
            .cloned()
            .unwrap_or_default()
    });
    let is_empty = Memo::new(move |_| {
        session.is_loaded().get()
            && session.messages().read().is_empty()
            && session.live().read().is_none()
    });

    view! {
        <section class="session-view" aria-label="Session">
            <Show when=move || is_empty.get() fallback=|| view! { <Transcript/> }>
                <EmptyState on_example=Callback::new(move |text: &'static str| actions.send_text(text))/>
            </Show>
            <div class="session-view__foot">
                <RunBar run/>
                <Composer
                    session_id
                    draft
                    is_running
                    on_input=Callback::new(move |(session_id, text)| {
                        actions.set_draft(session_id, text);
                    })
                    on_send=Callback::new(move |()| actions.send())
                />
            </div>
        </section>
    }
}
