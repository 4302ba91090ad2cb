//! A model file of the person's, served by the app itself.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{ServedModel, ServedState, limits};

use super::escaped::Escaped;
use crate::actions::{Serving, use_actions};
use crate::hooks::use_served_model::use_served_model;
use crate::testid;

#[component]
pub(crate) fn ModelFile() -> impl IntoView {
    let served = use_served_model();
    move || {
        // Nothing is known yet.
        let now = served.get()?;
        Some(match now.served {
            Some(model) => view! { <Served model served/> }.into_any(),
            None if now.can_serve => view! { <Choose served/> }.into_any(),
            None => view! {
                <p class="form__note" data-testid=testid::MODEL_FILE_NONE>
                    "With llama.cpp installed (llama-server on your PATH), Holdfast can serve a model file by itself."
                </p>
            }
            .into_any(),
        })
    }
}

#[component]
fn Choose(served: RwSignal<Option<Serving>>) -> impl IntoView {
    let actions = use_actions();
    let path = RwSignal::new(String::new());
    let is_busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let serve = move || {
        let wanted = path.get_untracked().trim().to_owned();
        if wanted.is_empty() {
            problem.set(Some(
                "Write where the file is, as in /home/me/models/small.gguf.".to_owned(),
            ));
            return;
        }
        is_busy.set(true);
        problem.set(None);
        spawn_local(async move {
            match actions.serve_file(wanted).await {
                Ok(Some(now)) => {
                    served.try_set(Some(now));
                }
                Ok(None) => {}
                Err(error) => {
                    problem.try_set(Some(format!("{} {}", error.message, error.hint)));
                }
            }
            is_busy.try_set(false);
        });
    };
    view! {
        <form
            class="local__file"
            on:submit=move |event| {
                event.prevent_default();
                serve();
            }
        >
            <input
                class="field field--code"
                aria-label="Model file"
                placeholder="Path of a model file (.gguf)"
                maxlength=limits::PATH_BYTES.to_string()
                autocomplete="off"
                spellcheck="false"
                data-testid=testid::MODEL_FILE
                prop:value=path
                on:input:target=move |event| path.set(event.target().value())
            />
            <button
                type="submit"
                class="button"
                data-testid=testid::MODEL_FILE_SERVE
                disabled=move || is_busy.get()
            >
                "Serve this file"
            </button>
        </form>
        <p class="form__note">"Holdfast starts llama.cpp's llama-server with it, and ends that with the app."</p>
        <p class="call__problem" role="alert" data-testid=testid::MODEL_FILE_PROBLEM>
            {move || problem.get()}
        </p>
    }
}

#[component]
fn Served(model: ServedModel, served: RwSignal<Option<Serving>>) -> impl IntoView {
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let (state, words) = words_of(&model);
    let has_failed = matches!(model.state, ServedState::Failed {});
    let said = model
        .last_error
        .filter(|_| has_failed || model.restarts > 0);
    let path = StoredValue::new(model.path);
    let ask = move |is_wanted: bool| {
        is_busy.set(true);
        spawn_local(async move {
            let answer = if is_wanted {
                actions.serve_file(path.get_value()).await
            } else {
                actions.stop_serving().await
            };
            match answer {
                Ok(Some(now)) => {
                    served.try_set(Some(now));
                }
                Ok(None) => {}
                Err(error) => actions.say_problem(&error),
            }
            is_busy.try_set(false);
            actions.find_local().await;
        });
    };
    view! {
        <div class="local__row" data-testid=testid::SERVED_MODEL data-state=state>
            <div class="models__words">
                <p class="models__name"><Escaped text=model.name/></p>
                <p class="form__note" role="status">{words}</p>
                {said.map(|said| view! { <p class="call__problem"><Escaped text=said/></p> })}
            </div>
            {has_failed.then(|| view! {
                <button
                    type="button"
                    class="button"
                    data-testid=testid::SERVED_AGAIN
                    disabled=move || is_busy.get()
                    on:click=move |_| ask(true)
                >
                    "Try again"
                </button>
            })}
            <button
                type="button"
                class="button button--small button--quiet"
                data-testid=testid::SERVED_STOP
                disabled=move || is_busy.get()
                on:click=move |_| ask(false)
            >
                "Stop serving"
            </button>
        </div>
    }
}

fn words_of(model: &ServedModel) -> (&'static str, String) {
    match &model.state {
        ServedState::Starting {} => (
            "starting",
            "Model file · starting; a large one takes a while to load…".to_owned(),
        ),
        ServedState::Ready { port, .. } => {
            ("ready", format!("Model file · served at 127.0.0.1:{port}"))
        }
        ServedState::Failed {} => (
            "failed",
            "Model file · its server ended again and again".to_owned(),
        ),
    }
}
