//! One agent, to be written or changed.

mod fields;
mod written;

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{AgentView, CommandError, ErrorCode};

use crate::actions::use_actions;
use crate::testid;
use fields::{ModelField, TextFields, ToolsField, limit};
use written::{Written, blank};

#[component]
pub(crate) fn AgentForm(
    /// The agent as it is; none for a new one.
    agent: Option<AgentView>,
    /// Called with what was saved, or with nothing.
    on_done: Callback<Option<AgentView>>,
) -> impl IntoView {
    let actions = use_actions();
    let edited = agent.as_ref().map(|agent| (agent.agent_id, agent.revision));
    let is_new = agent.is_none();
    let written = Written::of(&agent.map_or_else(blank, |agent| agent.fields));
    let is_busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let is_stale = RwSignal::new(false);
    let take = move |error: CommandError| {
        is_stale.try_set(error.code == ErrorCode::Conflict);
        problem.try_set(Some(format!("{} {}", error.message, error.hint)));
    };
    let save = move || {
        let fields = match written.fields() {
            Ok(fields) => fields,
            Err(words) => {
                problem.set(Some(words.to_owned()));
                return;
            }
        };
        is_busy.set(true);
        problem.set(None);
        spawn_local(async move {
            let answer = actions.save_agent(edited, fields).await;
            is_busy.try_set(false);
            match answer {
                Ok(Some(saved)) => on_done.run(Some(saved)),
                Ok(None) => {}
                Err(error) => take(error),
            }
        });
    };
    let reload = move |_| {
        spawn_local(async move {
            actions.load_agents().await;
            on_done.run(None);
        });
    };
    view! {
        <form
            class="form"
            data-testid=testid::AGENT_FORM
            // Escape closes panels: what is written here must not go with one.
            on:keydown=|event| {
                if event.key() == "Escape" {
                    event.stop_propagation();
                }
            }
            on:submit=move |event| {
                event.prevent_default();
                save();
            }
        >
            <h3 class="form__title">{if is_new { "New agent" } else { "Edit agent" }}</h3>
            <TextFields written/>
            <ModelField model=written.model/>
            <ToolsField tools=written.tools/>
            <fieldset class="form__group">
                <legend>"What one run may use"</legend>
                <div class="form__grid">
                    {limit("Steps", "steps", written.steps)}
                    {limit("Seconds of work", "seconds", written.seconds)}
                    {limit("Tokens", "tokens", written.tokens)}
                    {limit("Dollars", "dollars", written.dollars)}
                </div>
                <p class="form__note">"Empty means no limit, but for steps and time, which have one of the app's. A run that reaches a limit stops and can be continued."</p>
            </fieldset>
            <p class="call__problem" role="alert">{move || problem.get()}</p>
            <div class="form__actions">
                <button
                    type="submit"
                    class="button button--primary"
                    data-testid=testid::AGENT_SAVE
                    disabled=move || is_busy.get()
                >
                    "Save"
                </button>
                <Show when=move || is_stale.get()>
                    <button type="button" class="button" data-testid=testid::AGENT_RELOAD on:click=reload>
                        "Take the newer version"
                    </button>
                </Show>
                <button type="button" class="button button--quiet" on:click=move |_| on_done.run(None)>
                    "Cancel"
                </button>
            </div>
        </form>
    }
}
