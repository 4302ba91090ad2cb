//! The keys that work everywhere.

use leptos::ev::{self, KeyboardEvent};
use leptos::prelude::{GetUntracked, on_cleanup, window_event_listener};
use leptos::task::spawn_local;
use reactive_stores::Store;

use crate::actions::Actions;
use crate::state::{AppState, AppStateStoreFields, Panel, SessionStateStoreFields};

/// Where a key that finds a session puts the focus.
pub(crate) const FILTER_ID: &str = "session-filter";

pub(crate) fn use_hotkeys(store: Store<AppState>, actions: Actions) {
    let listening = window_event_listener(ev::keydown, move |event: KeyboardEvent| {
        if event.default_prevented() || event.is_composing() {
            return;
        }
        let has_command = event.ctrl_key() || event.meta_key();
        match event.key().as_str() {
            "n" | "N" if has_command => {
                event.prevent_default();
                actions.new_session();
            }
            "k" | "K" if has_command => {
                event.prevent_default();
                focus(FILTER_ID);
            }
            "m" | "M" if has_command && event.shift_key() => {
                event.prevent_default();
                actions.toggle_panel(Panel::Models);
            }
            "F2" => {
                event.prevent_default();
                actions.set_renaming(store.session().session_id().get_untracked());
            }
            "Escape" => escape(store, actions),
            _ => {}
        }
    });
    on_cleanup(move || listening.remove());
}

/// Closes what lies on top; with nothing on top, stops what runs.
fn escape(store: Store<AppState>, actions: Actions) {
    match store.panel().get_untracked() {
        Panel::None => spawn_local(actions.stop()),
        Panel::Resume
        | Panel::Drawer
        | Panel::Agents
        | Panel::Settings
        | Panel::Models
        | Panel::FirstRun => actions.close_panel(),
    }
}

fn focus(id: &str) {
    let element = leptos::prelude::document().get_element_by_id(id);
    if let Some(element) = element {
        wasm_bindgen::JsCast::unchecked_into::<web_sys::HtmlElement>(element)
            .focus()
            .ok();
    }
}
