//! A run that was stopped or interrupted.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, RunReason};

use super::{said, why};
use crate::actions::use_actions;
use crate::components::confirm_button::ConfirmButton;
use crate::state::RunState;
use crate::testid;

#[component]
pub(super) fn HaltedBar(run: RunState) -> impl IntoView {
    let actions = use_actions();
    let run_id = run.run_id;
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let take = move |answer: Result<(), CommandError>| {
        is_busy.try_set(false);
        error.try_set(answer.err());
    };
    let resume = move |_| {
        is_busy.set(true);
        spawn_local(async move { take(actions.resume(run_id).await) });
    };
    let discard = Callback::new(move |()| {
        is_busy.set(true);
        spawn_local(async move { take(actions.discard(run_id).await) });
    });
    let is_limit = run.reason.is_some_and(RunReason::is_limit);
    view! {
        <div
            class="run-bar run-bar--halted"
            data-testid=testid::RUN_STATUS
            data-status=run.status.as_str()
        >
            <span class="run-bar__words" role="status">
                {move || error.get().map_or_else(|| why(run.reason).to_owned(), said)}
            </span>
            <button
                type="button"
                class="button button--primary"
                data-testid=testid::RUN_RESUME
                title=is_limit.then_some("Goes on, with the whole limit again")
                disabled=move || is_busy.get()
                on:click=resume
            >
                {if is_limit { "Continue" } else { "Resume" }}
            </button>
            <ConfirmButton
                label="Discard"
                question="Discard? The kept text stays."
                confirm="Discard"
                decline="Keep"
                testid=testid::RUN_DISCARD
                disabled=is_busy
                on_confirm=discard
            />
        </div>
    }
}
