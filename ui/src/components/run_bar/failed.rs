//! A run that failed: what went wrong, what to do, and a button for it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, ErrorClass, RunError};

use super::advice::{Advice, Fix, advice};
use super::{provider_of_run, said};
use crate::actions::{use_actions, use_store};
use crate::components::escaped::Escaped;
use crate::state::RunState;
use crate::testid;

#[component]
pub(super) fn FailedBar(run: RunState) -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let run_id = run.run_id;
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let provider = Memo::new(move |_| provider_of_run(store));
    let failed = run.error.unwrap_or_else(|| RunError {
        class: ErrorClass::Internal,
        message: "The run failed.".to_owned(),
    });
    let class = failed.class;
    let advised = Memo::new(move |_| advice(class, provider.with(Option::is_some)));
    let try_again = move |resumes: bool| {
        let provider = provider.get_untracked().filter(|_| resumes);
        is_busy.set(true);
        spawn_local(async move {
            let resumed = match provider {
                Some((id, _)) => actions.resume_provider(id).await.map(drop),
                None => Ok(()),
            };
            let answer = match resumed {
                Ok(()) => actions.retry(run_id).await,
                refused => refused,
            };
            is_busy.try_set(false);
            error.try_set(answer.err());
        });
    };
    let retry = move |words: &'static str, resumes: bool, class: &'static str| {
        view! {
            <button
                type="button"
                class=class
                data-testid=testid::RUN_RETRY
                disabled=move || is_busy.get()
                on:click=move |_| try_again(resumes)
            >
                {words}
            </button>
        }
    };
    let open_key = move |_| {
        if let Some((id, _)) = provider.get_untracked() {
            actions.open_key(id);
        }
    };
    let buttons = move || match advised.get().fix {
        Fix::Retry => retry("Retry", false, "button").into_any(),
        Fix::ResumeAndRetry => retry("Resume and retry", true, "button button--primary").into_any(),
        Fix::Key => view! {
            <button
                type="button"
                class="button button--primary"
                data-testid=testid::RUN_OPEN_KEY
                on:click=open_key
            >
                "Enter another key"
            </button>
            {retry("Retry", false, "button")}
        }
        .into_any(),
        Fix::Provider => view! {
            <button
                type="button"
                class="button"
                data-testid=testid::RUN_OPEN_PROVIDER
                on:click=open_key
            >
                "Look at the provider"
            </button>
            {retry("Retry", false, "button")}
        }
        .into_any(),
        Fix::NewSession => view! {
            <button
                type="button"
                class="button"
                data-testid=testid::RUN_NEW_SESSION
                on:click=move |_| actions.new_session()
            >
                "New session"
            </button>
            {retry("Retry", false, "button")}
        }
        .into_any(),
    };
    view! {
        <div
            class="run-bar run-bar--failed"
            role="alert"
            data-testid=testid::RUN_STATUS
            data-status=run.status.as_str()
            data-class=class.as_str()
        >
            <span class="run-bar__words">{move || words(error.get(), advised.get())}</span>
            <span class="run-bar__said"><Escaped text=failed.message/></span>
            {buttons}
        </div>
    }
}

/// What came of the last click, or what to do.
fn words(error: Option<CommandError>, advised: Advice) -> AnyView {
    match error {
        Some(error) => view! { <strong>{said(error)}</strong> }.into_any(),
        None => {
            let Advice { words, hint, .. } = advised;
            view! { <strong>{words}</strong>" "{hint} }.into_any()
        }
    }
}
