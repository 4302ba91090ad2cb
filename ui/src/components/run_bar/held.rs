//! A run that waits until its provider is mended: which one, why, and the way to mend it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, ErrorClass, ProviderId};

use super::live::StopButton;
use super::{provider_of_run, said};
use crate::actions::{use_actions, use_store};
use crate::components::escaped::Escaped;
use crate::model_words::paused;
use crate::state::RunState;
use crate::testid;

#[component]
pub(super) fn HeldBar(run: RunState) -> impl IntoView {
    let store = use_store();
    let error = RwSignal::new(None::<CommandError>);
    // How the provider stands was read before this happened.
    spawn_local(use_actions().load_providers());
    let provider = Memo::new(move |_| provider_of_run(store));
    let failed = run.retry.map(|retry| retry.error);
    let class = failed
        .as_ref()
        .map_or(ErrorClass::Internal, |failed| failed.class);
    // That it is paused is said already.
    let message = failed.map(|failed| failed.message).unwrap_or_default();
    let it_said = move || {
        let beginning = provider
            .get()
            .map(|(_, name)| format!("{name} is paused: "));
        let rest = beginning.and_then(|beginning| message.strip_prefix(&beginning));
        rest.unwrap_or(&message).to_owned()
    };
    let (words, hint) = paused(class);
    let words = move || match (error.get(), provider.get()) {
        (Some(error), _) => said(error),
        (None, Some((_, name))) => format!("{name} is paused: {words}. {hint}"),
        (None, None) => format!("The provider is paused: {words}. {hint}"),
    };
    view! {
        <div
            class="run-bar run-bar--halted"
            data-testid=testid::RUN_STATUS
            data-status=run.status.as_str()
            data-held=class.as_str()
        >
            <span class="run-bar__words" role="status">{words}</span>
            <span class="run-bar__said">{move || view! { <Escaped text=it_said()/> }}</span>
            {move || provider.get().map(|(id, _)| view! { <Fix id class error/> })}
            <StopButton/>
        </div>
    }
}

/// What ends the wait.
#[component]
fn Fix(id: ProviderId, class: ErrorClass, error: RwSignal<Option<CommandError>>) -> impl IntoView {
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let resume = move |_| {
        is_busy.set(true);
        spawn_local(async move {
            let answer = actions.resume_provider(id).await;
            is_busy.try_set(false);
            error.try_set(answer.err());
        });
    };
    if class == ErrorClass::Billing {
        return view! {
            <button
                type="button"
                class="button button--primary"
                data-testid=testid::RUN_RESUME_PROVIDER
                disabled=move || is_busy.get()
                on:click=resume
            >
                "Resume"
            </button>
        }
        .into_any();
    }
    view! {
        <button
            type="button"
            class="button button--primary"
            data-testid=testid::RUN_OPEN_KEY
            on:click=move |_| actions.open_key(id)
        >
            "Enter another key"
        </button>
    }
    .into_any()
}
