//! What concerns the whole window: a lost connection, a failure without a place.

use leptos::prelude::*;

use crate::actions::{use_actions, use_store};
use crate::components::icon::{Icon, Shape};
use crate::state::{AppStateStoreFields, Reach};
use crate::testid;

#[component]
pub(crate) fn ConnectionBanner() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    view! {
        <Show when=move || store.reach().get() == Reach::Lost>
            <div class="banner banner--lost" role="alert" data-testid=testid::CONNECTION_LOST>
                <span class="banner__words">"Connection to the engine lost. Trying again…"</span>
                <button type="button" class="button" on:click=move |_| actions.try_now()>
                    "Try now"
                </button>
            </div>
        </Show>
    }
}

#[component]
pub(crate) fn NoticeBanner() -> impl IntoView {
    let store = use_store();
    let close = move |_| store.notice().set(None);
    move || {
        store.notice().get().map(|words| {
            view! {
                <div class="banner" role="alert">
                    <span class="banner__words">{words}</span>
                    <button
                        type="button"
                        class="icon-button"
                        aria-label="Close"
                        on:click=close
                    >
                        <Icon shape=Shape::Close/>
                    </button>
                </div>
            }
        })
    }
}
