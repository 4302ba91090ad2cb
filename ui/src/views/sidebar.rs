//! The left: the mark, a new session, what needs a person, all sessions.

use leptos::ev::Targeted;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::HtmlInputElement;

use super::session_list::SessionList;
use crate::actions::{use_actions, use_store};
use crate::browser;
use crate::components::brand_mark::BrandMark;
use crate::components::icon::{Icon, Shape};
use crate::hooks::use_hotkeys::FILTER_ID;
use crate::state::{AppStateStoreFields, Panel, attention_ids};
use crate::testid;

#[component]
pub(crate) fn Sidebar() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let filter = RwSignal::new(String::new());
    let new_session = NodeRef::<html::Button>::new();
    // The keyboard follows into the drawer, once it can be seen.
    Effect::new(move || {
        if store.panel().get() == Panel::Drawer {
            browser::on_next_frame(move || {
                if let Some(button) = new_session.try_get_untracked().flatten() {
                    button.focus().ok();
                }
            });
        }
    });
    view! {
        <div class="scrim" on:click=move |_| actions.close_panel()></div>
        <aside class="sidebar" aria-label="Sessions">
            <div class="sidebar__brand"><BrandMark/><span>"Holdfast"</span></div>
            <button
                type="button"
                class="sidebar__new"
                data-testid=testid::NEW_SESSION
                title="Ctrl+N"
                node_ref=new_session
                on:click=move |_| actions.new_session()
            >
                <Icon shape=Shape::Plus/>
                <span>"New session"</span>
                <kbd class="sidebar__key">"Ctrl N"</kbd>
            </button>
            <AttentionBadge/>
            <label class="sidebar__filter">
                <Icon shape=Shape::Search/>
                <input
                    id=FILTER_ID
                    class="sidebar__filter-input"
                    type="search"
                    placeholder="Filter by title"
                    aria-label="Filter sessions by title"
                    autocomplete="off"
                    spellcheck="false"
                    on:input:target=move |event| filter.set(event.target().value())
                />
            </label>
            <ArchivedFilter/>
            <SessionList store filter/>
            <div class="sidebar__foot">
                <PanelLink panel=Panel::Agents words="Agents" shape=Shape::Agent testid=testid::OPEN_AGENTS/>
                <PanelLink panel=Panel::Models words="Models" shape=Shape::Model testid=testid::OPEN_MODELS/>
                <PanelLink panel=Panel::Settings words="Settings" shape=Shape::Settings testid=testid::OPEN_SETTINGS/>
                <ImportField/>
            </div>
        </aside>
    }
}

/// Shows what was put away instead of the rest.
#[component]
fn ArchivedFilter() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    view! {
        <button
            type="button"
            class="sidebar__link"
            data-testid=testid::ARCHIVED_FILTER
            aria-pressed=move || store.shows_archived().get().to_string()
            on:click=move |_| actions.set_shows_archived(!store.shows_archived().get_untracked())
        >
            <Icon shape=Shape::Archive/>
            "Archived"
        </button>
    }
}

#[component]
fn PanelLink(
    panel: Panel,
    words: &'static str,
    shape: Shape,
    testid: &'static str,
) -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    view! {
        <button
            type="button"
            class="sidebar__link"
            data-testid=testid
            aria-pressed=move || (store.panel().get() == panel).to_string()
            on:click=move |_| actions.toggle_panel(panel)
        >
            <Icon shape/>
            {words}
        </button>
    }
}

/// Chooses an exported session and makes a new one of it.
#[component]
fn ImportField() -> impl IntoView {
    let actions = use_actions();
    let on_change = move |event: Targeted<leptos::ev::Event, HtmlInputElement>| {
        let input = event.target();
        let file = input.files().and_then(|files| files.get(0));
        // The same file can be chosen again.
        input.set_value("");
        if let Some(file) = file {
            spawn_local(actions.import_file(file));
        }
    };
    view! {
        <label class="sidebar__link">
            <input
                type="file"
                class="visually-hidden"
                accept=".json,application/json"
                data-testid=testid::SESSION_IMPORT
                on:change:target=on_change
            />
            <Icon shape=Shape::Import/>
            "Import a session"
        </label>
    }
}

#[component]
fn AttentionBadge() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let waiting = Memo::new(move |_| attention_ids(store).len());
    view! {
        <Show when=move || { waiting.get() > 0 }>
            <button
                type="button"
                class="sidebar__attention"
                data-testid=testid::ATTENTION_BADGE
                aria-pressed=move || (store.panel().get() == Panel::Resume).to_string()
                on:click=move |_| actions.toggle_panel(Panel::Resume)
            >
                <Icon shape=Shape::Bell/>
                <span>{move || format!("Needs you ({})", waiting.get())}</span>
            </button>
        </Show>
    }
}
