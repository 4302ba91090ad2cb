//! The fields of an agent.

use leptos::prelude::*;
use protocol::limits;

use super::written::Written;
use crate::actions::use_store;
use crate::components::model_options::ModelOptions;
use crate::state::AppStateStoreFields;
use crate::testid;

#[component]
pub(super) fn TextFields(written: Written) -> impl IntoView {
    view! {
            <label class="form__field">
                <span>"Name"</span>
                <input
                    class="field"
                    required=true
                    maxlength=limits::NAME_BYTES.to_string()
                    data-testid=testid::AGENT_NAME
                    prop:value=written.name
                    on:input:target=move |event| written.name.set(event.target().value())
                />
            </label>
            <label class="form__field">
                <span>"Instructions"</span>
                <textarea
                    class="field"
                    rows="6"
                    maxlength=limits::INSTRUCTIONS_BYTES.to_string()
                    placeholder="What the model is told first"
                    data-testid=testid::AGENT_INSTRUCTIONS
                    prop:value=written.instructions
                    on:input:target=move |event| written.instructions.set(event.target().value())
                ></textarea>
            </label>
    }
}

#[component]
pub(super) fn ModelField(model: RwSignal<Option<String>>) -> impl IntoView {
    let chosen = Memo::new(move |_| model.get());
    view! {
        <label class="form__field">
            <span>"Model"</span>
            <select
                class="field"
                data-testid=testid::AGENT_MODEL
                on:change:target=move |event| {
                    model.set(Some(event.target().value()).filter(|id| !id.is_empty()));
                }
            >
                <option value="" selected=move || model.with(Option::is_none)>"The default model"</option>
                <ModelOptions chosen/>
            </select>
        </label>
    }
}

#[component]
pub(super) fn ToolsField(tools: RwSignal<Option<Vec<String>>>) -> impl IntoView {
    let store = use_store();
    let known = Memo::new(move |_| store.app().get().map(|app| app.tools).unwrap_or_default());
    let set_all = move |is_all: bool| {
        let every =
            known.with_untracked(|known| known.iter().map(|tool| tool.name.clone()).collect());
        tools.set((!is_all).then_some(every));
    };
    let set_one = move |name: &str, is_in: bool| {
        tools.update(|tools| {
            let tools = tools.get_or_insert_default();
            tools.retain(|known| known != name);
            if is_in {
                tools.push(name.to_owned());
            }
        });
    };
    let rows = move || {
        let rows = known.get().into_iter().map(|tool| {
            let (name, picked) = (tool.name.clone(), tool.name.clone());
            view! {
                <label class="form__check">
                    <input
                        type="checkbox"
                        data-testid=testid::AGENT_TOOL
                        data-tool=tool.name.clone()
                        prop:checked=move || tools.with(|tools| {
                            tools.as_ref().is_none_or(|tools| tools.contains(&picked))
                        })
                        on:change:target=move |event| set_one(&name, event.target().checked())
                    />
                    <span><code>{tool.name}</code>" "<span class="form__note">{tool.description}</span></span>
                </label>
            }
        });
        rows.collect_view()
    };
    view! {
        <fieldset class="form__group">
            <legend>"Tools"</legend>
            <label class="form__check">
                <input
                    type="checkbox"
                    data-testid=testid::AGENT_TOOL
                    data-tool="*"
                    prop:checked=move || tools.with(Option::is_none)
                    on:change:target=move |event| set_all(event.target().checked())
                />
                <span>"All tools, those that are added later too"</span>
            </label>
            <Show when=move || tools.with(Option::is_some)>{rows}</Show>
        </fieldset>
    }
}

pub(super) fn limit(
    words: &'static str,
    name: &'static str,
    value: RwSignal<String>,
) -> impl IntoView {
    view! {
        <label class="form__field">
            <span>{words}</span>
            <input
                class="field"
                inputmode="decimal"
                autocomplete="off"
                data-testid=testid::AGENT_LIMIT
                data-limit=name
                prop:value=value
                on:input:target=move |event| value.set(event.target().value())
            />
        </label>
    }
}
