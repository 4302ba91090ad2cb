//! The middle: transcript or empty state, the run's line, the composer.

use leptos::prelude::*;
use protocol::{CallStatus, RunStatus};
use reactive_stores::Store;

use super::empty_state::EmptyState;
use super::transcript::Transcript;
use crate::actions::{use_actions, use_store};
use crate::components::composer::{Composer, Fate};
use crate::components::model_picker::ModelPicker;
use crate::components::queue::Queue;
use crate::components::run_bar::RunBar;
use crate::components::tool_call::PendingCards;
use crate::components::waiting_bar::WaitingBar;
use crate::state::{
    AppState, AppStateStoreFields, SessionStateStoreFields, pending_calls, summary_of,
};
use crate::testid;

#[component]
pub(crate) fn SessionView() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let session = store.session();
    let session_id = Memo::new(move |_| session.session_id().get());
    let run = Memo::new(move |_| session.run().get());
    let is_live =
        Memo::new(move |_| run.with(|run| run.as_ref().is_some_and(|run| run.status.is_live())));
    let queue = Memo::new(move |_| session.queue().get());
    let is_held = Memo::new(move |_| !is_live.get());
    let fate = Memo::new(move |_| fate(store));
    let cards = PendingCards::new();
    provide_context(cards);
    let draft = Memo::new(move |_| {
        store
            .drafts()
            .read()
            .get(&session_id.get())
            .cloned()
            .unwrap_or_default()
    });
    let problem = Memo::new(move |_| summary_of(store, session_id.get()?)?.problem);
    let is_empty = Memo::new(move |_| {
        session.is_loaded().get()
            && session.messages().read().is_empty()
            && session.live().read().is_none()
    });

    view! {
        <section class="session-view" aria-label="Session">
            {move || problem.get().map(|words| view! {
                <p class="banner" role="alert" data-testid=testid::SESSION_PROBLEM>
                    {format!("Not all of this session can be read. {words}")}
                </p>
            })}
            <Show when=move || is_empty.get() fallback=|| view! { <Transcript/> }>
                <EmptyState on_example=Callback::new(move |text: &'static str| actions.send_text(text))/>
            </Show>
            <div class="session-view__foot">
                <WaitingBar cards/>
                <RunBar run/>
                <Queue session_id queue is_held/>
                <Composer
                    session_id
                    draft
                    fate
                    on_input=Callback::new(move |(session_id, text)| {
                        actions.set_draft(session_id, text);
                    })
                    on_send=Callback::new(move |()| actions.send())
                    on_stop_and_send=Callback::new(move |()| actions.stop_and_send())
                />
                <div class="session-view__tools"><ModelPicker/></div>
            </div>
        </section>
    }
}

/// What becomes of a message that is sent now.
fn fate(store: Store<AppState>) -> Fate {
    let has_doubt = pending_calls(store)
        .iter()
        .any(|call| call.status == CallStatus::InDoubt);
    let status = store.session().run().read().as_ref().map(|run| run.status);
    match status {
        _ if has_doubt => Fate::WaitsForDoubt,
        Some(RunStatus::Queued | RunStatus::Running) => Fate::Waits,
        Some(RunStatus::Waiting) => Fate::Supersedes,
        Some(RunStatus::Stopped | RunStatus::Interrupted) => Fate::Replaces,
        Some(RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled) | None => {
            Fate::Starts
        }
    }
}
