//! Which model answers in the open session. It can be changed at any time; a run keeps its own.

mod entries;
mod list;

use leptos::ev::FocusEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use reactive_stores::Store;
use wasm_bindgen::JsCast;
use web_sys::Node;

use super::icon::{Icon, Shape};
use crate::actions::{use_actions, use_store};
use crate::state::{
    AppState, AppStateStoreFields, SessionStateStoreFields, model_label, summary_of,
};
use crate::testid;
use list::ModelList;

/// What answers now, and where that is said.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    /// The session's own choice.
    pub(super) own: Option<String>,
    /// What answers without one: its agent's, or the default.
    pub(super) inherited: String,
    /// Whether that is the agent's.
    pub(super) is_of_agent: bool,
}

impl Chosen {
    pub(super) fn id(&self) -> &str {
        self.own.as_deref().unwrap_or(&self.inherited)
    }
}

#[component]
pub(crate) fn ModelPicker() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let is_open = RwSignal::new(false);
    let root = NodeRef::<html::Div>::new();
    let button = NodeRef::<html::Button>::new();
    let chosen = Memo::new(move |_| chosen(store));
    let label = move || {
        let app = store.app().get();
        chosen.with(|chosen| Some(model_label(app.as_ref(), chosen.as_ref()?.id())))
    };
    // The model of the run that is going, if it is another one.
    let going = Memo::new(move |_| {
        let run = summary_of(store, store.session().session_id().get()?)?.run?;
        let chosen = chosen.get()?;
        let is_other = run.status.is_live() && run.model != chosen.id();
        is_other.then_some(run.model)
    });
    let next_run = move || {
        let app = store.app().get();
        let model = model_label(app.as_ref(), &going.get()?);
        Some(format!(
            "From the next run on. This one goes on with {model}."
        ))
    };
    let close = Callback::new(move |()| {
        is_open.set(false);
        if let Some(button) = button.get_untracked() {
            button.focus().ok();
        }
    });
    let toggle = move |_| {
        let opens = !is_open.get_untracked();
        if opens {
            // What is paused or gone by now is said.
            spawn_local(actions.load_providers());
        }
        is_open.set(opens);
    };
    // Wherever the focus goes, the list does not stay behind.
    let on_focusout = move |event: FocusEvent| {
        let next = event
            .related_target()
            .and_then(|next| next.dyn_into::<Node>().ok());
        let root = root.try_get_untracked().flatten();
        if !root.is_some_and(|root| root.contains(next.as_ref())) {
            is_open.try_set(false);
        }
    };
    view! {
        <div class="model-picker" node_ref=root on:focusout=on_focusout>
            <button
                type="button"
                class="model-picker__button"
                title="Which model answers"
                aria-haspopup="listbox"
                aria-expanded=move || is_open.get().to_string()
                data-testid=testid::MODEL_PICKER
                node_ref=button
                on:click=toggle
            >
                <Icon shape=Shape::Model/>
                <span class="visually-hidden">"Model: "</span>
                <span class="model-picker__label">{label}</span>
            </button>
            <span class="model-picker__note" role="status" data-testid=testid::MODEL_NEXT_RUN>
                {next_run}
            </span>
            <Show when=move || is_open.get()>
                <ModelList chosen on_close=close/>
            </Show>
        </div>
    }
}

fn chosen(store: Store<AppState>) -> Option<Chosen> {
    let session_id = store.session().session_id().get();
    let (own, agent_id) = match session_id {
        Some(session_id) => {
            let summary = summary_of(store, session_id);
            let agent_id = store.session().agent_id().get();
            (summary.and_then(|summary| summary.model), agent_id)
        }
        None => (store.new_model().get(), store.new_agent().get()),
    };
    let agents = store.agents().read();
    let agent = match agent_id {
        Some(id) => agents.iter().find(|agent| agent.agent_id == id),
        None => agents.iter().find(|agent| agent.is_default),
    };
    let of_agent = agent.and_then(|agent| agent.fields.model.clone());
    let default = store.app().get()?.model.id;
    Some(Chosen {
        own,
        is_of_agent: of_agent.is_some(),
        inherited: of_agent.unwrap_or(default),
    })
}
