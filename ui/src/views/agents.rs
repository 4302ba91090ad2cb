//! All agents: create, edit, duplicate, delete.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{AgentId, AgentView};

use crate::actions::{use_actions, use_store};
use crate::components::agent_form::AgentForm;
use crate::components::confirm_button::ConfirmButton;
use crate::components::icon::{Icon, Shape};
use crate::state::AppStateStoreFields;
use crate::testid;

/// What is being written.
#[derive(Clone, PartialEq, Eq)]
enum Editing {
    Nothing,
    New,
    Agent(Box<AgentView>),
}

#[component]
pub(crate) fn AgentsView() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let editing = RwSignal::new(Editing::Nothing);
    let agents = Memo::new(move |_| store.agents().get());
    spawn_local(actions.load_agents());
    let on_done = Callback::new(move |_: Option<AgentView>| {
        editing.try_set(Editing::Nothing);
    });
    let form = move || match editing.get() {
        Editing::Nothing => None,
        Editing::New => Some(view! { <AgentForm agent=None on_done/> }),
        Editing::Agent(agent) => Some(view! { <AgentForm agent=Some(*agent) on_done/> }),
    };
    let list = move || {
        view! {
            <ul class="panel__rows">
                <For
                    each=move || agents.get()
                    key=|agent| (agent.agent_id, agent.revision)
                    children=move |agent| view! { <AgentRow agent editing/> }
                />
            </ul>
        }
    };
    view! {
        <section class="panel" aria-labelledby="agents-title" data-testid=testid::AGENTS_VIEW>
            <div class="panel__column">
                <div class="panel__head">
                    <div>
                        <h2 class="panel__title" id="agents-title">"Agents"</h2>
                        <p class="panel__words">"An agent is a name, instructions, a model and tools. A run keeps what it began with."</p>
                    </div>
                    <button
                        type="button"
                        class="button button--primary"
                        data-testid=testid::AGENT_NEW
                        on:click=move |_| editing.set(Editing::New)
                    >
                        <Icon shape=Shape::Plus/>
                        "New agent"
                    </button>
                    <button
                        type="button"
                        class="icon-button"
                        aria-label="Close"
                        title="Close (Esc)"
                        on:click=move |_| actions.close_panel()
                    >
                        <Icon shape=Shape::Close/>
                    </button>
                </div>
                <Show when=move || editing.read() == Editing::Nothing fallback=form>{list()}</Show>
            </div>
        </section>
    }
}

#[component]
fn AgentRow(agent: AgentView, editing: RwSignal<Editing>) -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let agent_id: AgentId = agent.agent_id;
    let model = agent.fields.model.clone();
    let model = move || {
        let Some(id) = model.clone() else {
            return "The app's choice of model".to_owned();
        };
        let known = store.app().get();
        let label = known.and_then(|app| app.models.into_iter().find(|model| model.id == id));
        label.map_or(id, |model| model.label)
    };
    let tools = match &agent.fields.tools {
        None => "all tools".to_owned(),
        Some(tools) if tools.len() == 1 => "1 tool".to_owned(),
        Some(tools) => format!("{} tools", tools.len()),
    };
    let duplicate = move |_| {
        is_busy.set(true);
        spawn_local(async move {
            actions.duplicate_agent(agent_id).await;
            is_busy.try_set(false);
        });
    };
    let delete = Callback::new(move |()| {
        is_busy.set(true);
        spawn_local(async move {
            actions.delete_agent(agent_id).await;
            is_busy.try_set(false);
        });
    });
    let (name, instructions) = (agent.fields.name.clone(), agent.fields.instructions.clone());
    let is_default = agent.is_default;
    let edit = move |_| editing.set(Editing::Agent(Box::new(agent.clone())));
    view! {
        <li class="panel__row" data-testid=testid::AGENT_ROW data-agent-id=agent_id.to_string()>
            <div class="panel__row-head">
                <h3 class="panel__row-title">{name}</h3>
                {is_default.then(|| view! { <span class="call__tag">"Default"</span> })}
            </div>
            <p class="panel__row-words">{move || format!("{} · {tools}", model())}</p>
            {instructions.map(|words| view! { <p class="panel__row-quote">{words}</p> })}
            <div class="form__actions">
                <button type="button" class="button" on:click=edit>"Edit"</button>
                <button
                    type="button"
                    class="button"
                    data-testid=testid::AGENT_DUPLICATE
                    disabled=move || is_busy.get()
                    on:click=duplicate
                >
                    "Duplicate"
                </button>
                {(!is_default).then(|| view! {
                    <ConfirmButton
                        label="Delete"
                        question="Delete? Its sessions go on with the default agent."
                        confirm="Delete"
                        decline="Keep"
                        testid=testid::AGENT_DELETE
                        disabled=is_busy
                        on_confirm=delete
                    />
                })}
            </div>
        </li>
    }
}
