//! All sessions, by the day they last moved in.

use leptos::html;
use leptos::prelude::*;
use protocol::SessionId;
use reactive_stores::Store;

use crate::actions::use_actions;
use crate::browser;
use crate::components::session_row::{SessionRow, UNTITLED};
use crate::hooks::arrow_focus::arrow_focus;
use crate::state::{AppState, AppStateStoreFields, SessionStateStoreFields, summary_of};
use crate::testid;
use crate::time::DayGroup;

/// Rows that are shown at first, and more with each click: the page stays light.
const ROWS: usize = 100;

type Groups = Vec<(DayGroup, Vec<SessionId>)>;

#[component]
pub(crate) fn SessionList(store: Store<AppState>, filter: RwSignal<String>) -> impl IntoView {
    let list = NodeRef::<html::Nav>::new();
    let shown = RwSignal::new(ROWS);
    let groups = Memo::new(move |_| group(store, &filter.read(), shown.get()));
    let has_more = Memo::new(move |_| {
        let shows_archived = store.shows_archived().get();
        let sessions = store.sessions().read();
        let fitting = sessions
            .iter()
            .filter(|row| row.is_archived == shows_archived);
        fitting.count() > shown.get()
    });
    let days = move || groups.with(|groups| groups.iter().map(|(day, _)| *day).collect::<Vec<_>>());
    let on_keydown = move |event: leptos::ev::KeyboardEvent| {
        if let Some(list) = list.get_untracked() {
            arrow_focus(&event, &list, ".session-row__button");
        }
    };
    let nothing = move || {
        let has_any = store
            .sessions()
            .read()
            .iter()
            .any(|row| row.is_archived == store.shows_archived().get());
        let words = match (has_any, store.shows_archived().get()) {
            (true, _) => "No title matches.",
            (false, true) => "Nothing is archived.",
            (false, false) => "Your sessions will be listed here.",
        };
        groups
            .with(Vec::is_empty)
            .then(|| view! { <p class="session-list__nothing">{words}</p> })
    };
    view! {
        <nav
            class="session-list"
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
                    class="button button--quiet session-list__more"
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
        <section>
            <h2 class="session-list__day">{day.label()}</h2>
            <ul class="session-list__rows">
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
            is_renaming=Memo::new(move |_| store.renaming().get() == Some(session_id))
            on_open=Callback::new(move |session_id| actions.open(session_id))
            on_renaming=Callback::new(move |renaming| actions.set_renaming(renaming))
            on_rename=Callback::new(move |(session_id, title)| actions.rename(session_id, title))
        />
    }
}

/// Newest first, under the days they last moved in.
fn group(store: Store<AppState>, filter: &str, limit: usize) -> Groups {
    let filter = filter.trim().to_lowercase();
    let now_ms = store.now_ms().get();
    let offset = browser::offset_minutes();
    let shows_archived = store.shows_archived().get();
    let sessions = store.sessions().read();
    let mut rows: Vec<(u64, SessionId)> = sessions
        .iter()
        .filter(|row| row.is_archived == shows_archived)
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
