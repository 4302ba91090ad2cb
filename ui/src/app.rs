//! The window: what is provided to everything in it, and which screen it shows.

use leptos::prelude::*;
use leptos::task::spawn_local;
use reactive_stores::Store;

use crate::actions::{Actions, use_actions, use_store};
use crate::browser;
use crate::connection::Connection;
use crate::hooks::use_hotkeys::use_hotkeys;
use crate::hooks::use_now::use_now;
use crate::state::{AppState, AppStateStoreFields, Panel, Phase, attention_ids};
use crate::views::agents::AgentsView;
use crate::views::banners::{ConnectionBanner, NoticeBanner};
use crate::views::first_run::FirstRunView;
use crate::views::models::ModelsView;
use crate::views::resume_panel::ResumePanel;
use crate::views::session_view::SessionView;
use crate::views::settings::SettingsView;
use crate::views::sidebar::Sidebar;
use crate::views::start_failed::StartFailed;
use crate::views::toasts::Toasts;
use crate::views::top_bar::TopBar;

/// The whole app.
#[component]
pub fn App() -> impl IntoView {
    let store = Store::new(AppState::default());
    let connection = Connection::new(store);
    let actions = Actions::new(store, connection);
    provide_context(store);
    provide_context(actions);
    use_now(store);
    use_hotkeys(store, actions);
    let waiting = Memo::new(move |_| attention_ids(store).len());
    Effect::new(move || {
        browser::set_title(&match waiting.get() {
            0 => "Holdfast".to_owned(),
            waiting => format!("({waiting}) Holdfast"),
        });
    });
    Effect::new(move || {
        let wanted = store.wanted_session().get();
        // The first thing that the window shows is its own choice.
        if let (Some(session_id), Phase::Ready) = (wanted, store.phase().get()) {
            store.wanted_session().set(None);
            actions.open_at_need(session_id);
        }
    });
    connection.start();

    let phase = Memo::new(move |_| store.phase().get());
    move || match phase.get() {
        // A moment: an empty window is calmer than a flash of something.
        Phase::Starting => view! { <main class="starting"><ConnectionBanner/></main> }.into_any(),
        Phase::Ready => view! { <Shell/> }.into_any(),
        Phase::Failed { error, backup } => view! { <StartFailed error backup/> }.into_any(),
    }
}

#[component]
fn Shell() -> impl IntoView {
    let store = use_store();
    let panel = Memo::new(move |_| store.panel().get());
    spawn_local(use_actions().load_agents());
    spawn_local(use_actions().load_providers());
    let middle = move || match panel.get() {
        Panel::None | Panel::Drawer => view! { <SessionView/> }.into_any(),
        Panel::Resume => view! { <ResumePanel/> }.into_any(),
        Panel::Agents => view! { <AgentsView/> }.into_any(),
        Panel::Settings => view! { <SettingsView/> }.into_any(),
        Panel::Models => view! { <ModelsView/> }.into_any(),
        Panel::FirstRun => view! { <FirstRunView/> }.into_any(),
    };
    view! {
        <div class="shell" class:shell--drawer=move || panel.get() == Panel::Drawer>
            <Sidebar/>
            <main class="shell__main">
                <TopBar/>
                <ConnectionBanner/>
                <NoticeBanner/>
                {middle}
            </main>
            <Toasts/>
        </div>
    }
}
