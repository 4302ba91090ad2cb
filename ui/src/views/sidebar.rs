//! The left: the mark, a new session, what needs a person, all sessions.

use leptos::html;
use leptos::prelude::*;
use protocol::SessionId;
use reactive_stores::Store;

use crate::actions::{use_actions, use_store};
use crate::browser;
use crate::components::brand_mark::BrandMark;
use crate::components::icon::{Icon, Shape};
use crate::components::session_row::{SessionRow, UNTITLED};
use crate::hooks::arrow_focus::arrow_focus;
use crate::hooks::use_hotkeys::FILTER_ID;
use crate::state::{
    AppState, AppStateStoreFields, Panel, SessionStateStoreFields, attention_ids, summary_of,
};
use crate::testid;
use crate::time::DayGroup;

/// Rows that are shown at first, and more with each click: the page stays light.
const ROWS: usize = 120;

type Groups = Vec<(DayGroup, Vec<SessionId>)>;

#[component]
pub(crate) fn Sidebar() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let filter = RwSignal::new(String::new());
    view! {
        <div class="scrim" on:click=move |_| actions.close_panel()></div>
        <aside class="sidebar" aria-label="Sessions">
            <div class="sidebar__brand"><BrandMark/><span>"Holdfast"</span></div>
            <button
                type="button"
                class="sidebar__new"
                data-testid=testid::NEW_SESSION
                title="Ctrl+N"
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
            <SessionList store filter/>
        </aside>
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

#[component]
fn SessionList(store: Store<AppState>, filter: RwSignal<String>) -> impl IntoView {
    let list = NodeRef::<html::Nav>::new();
    let shown = RwSignal::new(ROWS);
    let groups = Memo::new(move |_| group(store, &filter.read(), shown.get()));
    let has_more = Memo::new(move |_| store.sessions().read().len() > shown.get());
    let days = move || groups.with(|groups| groups.iter().map(|(day, _)| *day).collect::<Vec<_>>());
    let on_keydown = move |event: leptos::ev::KeyboardEvent| {
        if let Some(list) = list.get_untracked() {
            arrow_focus(&event, &list, ".session-row__button");
        }
    };
    let nothing = move || {
        let words = if store.sessions().read().is_empty() {
            "Your sessions will be listed here."
        } else {
            "No title matches."
        };
        groups
            .with(Vec::is_empty)
            .then(|| view! { <p class="sidebar__nothing">{words}</p> })
    };
    view! {
        <nav
            class="sidebar__list"
            aria-label="Session list"
            data-testid=testid::SESSION_LIST
            node_ref=list
            on:keydown=on_keydown
        >
            <For each=days key=|day| *day children=move |day| view! { <Day store groups day/> }/>
            {nothing}
            <Show when=move || has_more.get()>
                <button
                    type="button"
                    class="button button--quiet sidebar__more"
                    on:click=move |_| shown.update(|shown| *shown += ROWS)
                >
                    "Show more"
                </button>
            </Show>
        </nav>
    }
}

#[component]
fn Day(store: Store<AppState>, groups: Memo<Groups>, day: DayGroup) -> impl IntoView {
    let ids = move || {
        groups
            .with(|groups| {
                groups
                    .iter()
                    .find(|(group, _)| *group == day)
                    .map(|(_, ids)| ids.clone())
            })
            .unwrap_or_default()
    };
    view! {
        <section class="sidebar__day">
            <h2 class="sidebar__day-title">{day.label()}</h2>
            <ul class="sidebar__rows">
                <For each=ids key=|id| *id children=move |id| row(store, id)/>
            </ul>
        </section>
    }
}

fn row(store: Store<AppState>, session_id: SessionId) -> impl IntoView {
    let actions = use_actions();
    let summary = Memo::new(move |_| summary_of(store, session_id));
    let open_id = Memo::new(move |_| store.session().session_id().get());
    view! {
        <SessionRow
            session_id
            summary
            is_open=Signal::derive(move || open_id.get() == Some(session_id))
            now_ms=Signal::derive(move || store.now_ms().get())
            on_open=Callback::new(move |session_id| actions.open(session_id))
            on_rename=Callback::new(move |(session_id, title)| actions.rename(session_id, title))
        />
    }
}

/// Newest first, under the days they last moved in.
fn group(store: Store<AppState>, filter: &str, limit: usize) -> Groups {
    let filter = filter.trim().to_lowercase();
    let now_ms = store.now_ms().get();
    let offset = browser::offset_minutes();
    let sessions = store.sessions().read();
    let mut rows: Vec<(u64, SessionId)> = sessions
        .iter()
        .filter(|row| {
            let title = row.title.as_deref().unwrap_or(UNTITLED);
            filter.is_empty() || title.to_lowercase().contains(&filter)
        })
        .map(|row| (row.updated_at_ms, row.session_id))
        .collect();
    rows.sort_unstable_by(|one, other| other.cmp(one));
    let mut groups: Groups = Vec::new();
    for (updated_at_ms, session_id) in rows.into_iter().take(limit) {
        let day = DayGroup::of(now_ms, updated_at_ms, offset);
        match groups.last_mut() {
            Some((last, ids)) if *last == day => ids.push(session_id),
            Some(_) | None => groups.push((day, vec![session_id])),
        }
    }
    groups
}
