//! What was done and can be taken back, and what went well.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::actions::{use_actions, use_store};
use crate::browser;
use crate::components::icon::{Icon, Shape};
use crate::components::session_row::UNTITLED;
use crate::state::{AppStateStoreFields, DeletedSession};
use crate::testid;

const SAID_FOR: Duration = Duration::from_secs(5);
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

#[component]
pub(crate) fn Toasts() -> impl IntoView {
    let store = use_store();
    let said = move || {
        store.said().get().map(|words| {
            set_timeout(
                move || {
                    store.said().set(None);
                },
                SAID_FOR,
            );
            view! { <div class="toast" role="status" data-testid=testid::TOAST><span class="toast__words">{words}</span></div> }
        })
    };
    view! {
        <div class="toasts">
            <For
                each=move || store.deleted().get()
                key=|deleted| (deleted.session_id, deleted.until_ms)
                children=|deleted| view! { <DeletedToast deleted/> }
            />
            {said}
        </div>
    }
}

/// A deleted session, for as long as it can be taken back.
#[component]
fn DeletedToast(deleted: DeletedSession) -> impl IntoView {
    let actions = use_actions();
    let DeletedSession {
        session_id,
        title,
        until_ms,
    } = deleted;
    // A timer holds no more than some days.
    let left_ms = until_ms.saturating_sub(browser::now_ms()).min(LONGEST_MS);
    let ending = set_timeout_with_handle(
        move || actions.forget_deleted(session_id),
        Duration::from_millis(left_ms),
    );
    on_cleanup(move || {
        if let Ok(ending) = ending {
            ending.clear();
        }
    });
    let title = title.unwrap_or_else(|| UNTITLED.to_owned());
    view! {
        <div class="toast" role="status" data-testid=testid::TOAST>
            <span class="toast__words">{format!("Deleted “{title}”")}</span>
            <button
                type="button"
                class="button button--small"
                data-testid=testid::TOAST_UNDO
                on:click=move |_| spawn_local(actions.restore(session_id))
            >
                "Undo"
            </button>
            <button
                type="button"
                class="icon-button"
                aria-label="Close"
                on:click=move |_| actions.forget_deleted(session_id)
            >
                <Icon shape=Shape::Close/>
            </button>
        </div>
    }
}
