//! Asks for the rest of a reply that ended early, as long as it is the last thing that was said.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::MessageId;

use crate::actions::{use_actions, use_store};
use crate::state::{AppStateStoreFields, SessionStateStoreFields};
use crate::testid;

#[component]
pub(crate) fn ContinueButton(message_id: MessageId) -> impl IntoView {
    let session = use_store().session();
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let is_last = Memo::new(move |_| {
        let messages = session.messages().read();
        let run = session.run().read();
        let is_live = run.as_ref().is_some_and(|run| run.status.is_live());
        let last = messages.last().map(|row| row.message.message_id);
        last == Some(message_id) && !is_live
    });
    let go_on = move |_| {
        is_busy.set(true);
        spawn_local(async move {
            actions.ask_for_more().await;
            is_busy.try_set(false);
        });
    };
    view! {
        <Show when=move || is_last.get()>
            <button
                type="button"
                class="button button--small"
                data-testid=testid::MESSAGE_CONTINUE
                disabled=move || is_busy.get()
                on:click=go_on
            >
                "Continue"
            </button>
        </Show>
    }
}
