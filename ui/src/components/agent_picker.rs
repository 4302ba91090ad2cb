//! Which agent a session is with. There is nothing to pick while there is only one.

use leptos::ev::{Event, Targeted};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::AgentId;
use web_sys::HtmlSelectElement;

use crate::actions::{use_actions, use_store};
use crate::state::{AppStateStoreFields, SessionStateStoreFields};
use crate::testid;

#[component]
pub(crate) fn AgentPicker() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let agents = Memo::new(move |_| store.agents().get());
    let session_id = Memo::new(move |_| store.session().session_id().get());
    let picked = Memo::new(move |_| {
        let own = match session_id.get() {
            Some(_) => store.session().agent_id().get(),
            None => store.new_agent().get(),
        };
        let default = || {
            agents.with(|agents| {
                let default = agents.iter().find(|agent| agent.is_default);
                default.map(|agent| agent.agent_id)
            })
        };
        own.or_else(default)
    });
    let on_change = move |event: Targeted<Event, HtmlSelectElement>| {
        let Ok(agent_id) = event.target().value().parse::<AgentId>() else {
            return;
        };
        match session_id.get_untracked() {
            Some(session_id) => spawn_local(actions.set_agent(session_id, agent_id)),
            None => actions.set_new_agent(Some(agent_id)),
        }
    };
    let testid = move || match session_id.get() {
        Some(_) => testid::SESSION_AGENT,
        None => testid::AGENT_PICKER,
    };
    let options = move || {
        let agents = agents.get();
        agents
            .into_iter()
            .map(|agent| {
                let is_picked = move || picked.get() == Some(agent.agent_id);
                view! {
                    <option value=agent.agent_id.to_string() selected=is_picked>
                        {agent.fields.name}
                    </option>
                }
            })
            .collect_view()
    };
    view! {
        <Show when=move || { agents.with(Vec::len) > 1 }>
            <label class="agent-picker">
                <span class="visually-hidden">"Agent"</span>
                <select class="field" title="Agent" data-testid=testid on:change:target=on_change>
                    {options}
                </select>
            </label>
        </Show>
    }
}
