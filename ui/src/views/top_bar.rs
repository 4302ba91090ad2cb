//! The line above the transcript: which session this is; in a narrow window, the way to the others.

use leptos::prelude::*;

use crate::actions::{use_actions, use_store};
use crate::components::agent_picker::AgentPicker;
use crate::components::icon::{Icon, Shape};
use crate::components::meter::Meter;
use crate::components::session_row::UNTITLED;
use crate::state::{
    AppStateStoreFields, Panel, SessionStateStoreFields, attention_ids, summary_of,
};

#[component]
pub(crate) fn TopBar() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let waiting = Memo::new(move |_| attention_ids(store).len());
    let title = move || match store.panel().get() {
        Panel::Resume => "Needs you".to_owned(),
        Panel::Agents => "Agents".to_owned(),
        Panel::Settings => "Settings".to_owned(),
        Panel::Models => "Models".to_owned(),
        Panel::FirstRun => "Welcome".to_owned(),
        Panel::None | Panel::Drawer => store
            .session()
            .session_id()
            .get()
            .and_then(|session_id| summary_of(store, session_id)?.title)
            .unwrap_or_else(|| UNTITLED.to_owned()),
    };
    let workspace = move || {
        let workspace = store.session().workspace().get();
        (!workspace.is_empty()).then(|| format!("Workspace: {workspace}"))
    };
    let session = store.session();
    let is_session = move || matches!(store.panel().get(), Panel::None | Panel::Drawer);
    let fill = Memo::new(move |_| session.fill().get());
    let spent = Memo::new(move |_| session.usage().get());
    let run = Memo::new(move |_| {
        let summary = summary_of(store, session.session_id().get()?)?;
        summary.run.map(|run| run.usage)
    });
    view! {
        <header class="top-bar">
            <button
                type="button"
                class="icon-button top-bar__menu"
                aria-label="Sessions"
                aria-expanded=move || (store.panel().get() == Panel::Drawer).to_string()
                on:click=move |_| actions.toggle_panel(Panel::Drawer)
            >
                <Icon shape=Shape::Menu/>
                <Show when=move || { waiting.get() > 0 }>
                    <span class="top-bar__dot"></span>
                </Show>
            </button>
            <h1 class="top-bar__title" title=workspace>{title}</h1>
            <Show when=is_session>
                <Meter fill run session=spent/>
                <AgentPicker/>
            </Show>
            <button
                type="button"
                class="icon-button top-bar__new"
                aria-label="New session"
                title="New session (Ctrl+N)"
                on:click=move |_| actions.new_session()
            >
                <Icon shape=Shape::Plus/>
            </button>
        </header>
    }
}
