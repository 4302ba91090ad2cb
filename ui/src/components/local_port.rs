//! One more port where model servers are looked for.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::actions::use_actions;
use crate::testid;

#[component]
pub(crate) fn LocalPort() -> impl IntoView {
    let actions = use_actions();
    let port = RwSignal::new(String::new());
    let is_busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let add = move || {
        let Ok(number) = port.get_untracked().trim().parse::<u16>() else {
            problem.set(Some("A port is a number from 1 to 65535.".to_owned()));
            return;
        };
        is_busy.set(true);
        problem.set(None);
        spawn_local(async move {
            let answer = actions.watch_port(number, true).await;
            is_busy.try_set(false);
            match answer {
                Ok(()) => port.try_set(String::new()),
                Err(error) => {
                    problem.try_set(Some(format!("{} {}", error.message, error.hint)));
                    None
                }
            };
        });
    };
    view! {
        <form
            class="local__port"
            on:submit=move |event| {
                event.prevent_default();
                add();
            }
        >
            <input
                class="field"
                inputmode="numeric"
                aria-label="Port"
                placeholder="Port"
                autocomplete="off"
                data-testid=testid::LOCAL_PORT
                prop:value=port
                on:input:target=move |event| port.set(event.target().value())
            />
            <button
                type="submit"
                class="button"
                data-testid=testid::LOCAL_PORT_ADD
                disabled=move || is_busy.get()
            >
                "Look at this port too"
            </button>
        </form>
        <p class="call__problem" role="alert">{move || problem.get()}</p>
    }
}
