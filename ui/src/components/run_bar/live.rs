//! A run that is going, waits for a person, or waits for its next try.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, RunStatus};

use super::advice::trying_again;
use super::said;
use crate::actions::use_actions;
use crate::components::escaped::Escaped;
use crate::components::icon::{Icon, Shape};
use crate::hooks::use_tick::use_tick;
use crate::state::RunState;
use crate::{testid, time};

#[component]
pub(super) fn LiveBar(run: RunState) -> impl IntoView {
    let now_ms = use_tick();
    let RunState {
        run_id,
        status,
        retry,
        since_ms,
        ..
    } = run;
    let error = RwSignal::new(None::<CommandError>);
    let is_retrying = retry.is_some();
    let is_waiting = status == RunStatus::Waiting;
    let words = match status {
        RunStatus::Waiting => "Waiting for you",
        RunStatus::Queued => "Queued",
        RunStatus::Running
        | RunStatus::Stopped
        | RunStatus::Interrupted
        | RunStatus::Completed
        | RunStatus::Failed
        | RunStatus::Cancelled => "Working",
    };
    let said_by_it = retry.as_ref().map(|retry| retry.error.message.clone());
    let words = move || match (error.get(), &retry) {
        (Some(error), _) => said(error),
        (None, Some(retry)) => trying_again(now_ms.get(), retry),
        (None, None) => words.to_owned(),
    };
    view! {
        <div
            class="run-bar run-bar--live"
            class:run-bar--waiting=is_waiting
            class:run-bar--retrying=is_retrying
            data-testid=testid::RUN_STATUS
            data-status=status.as_str()
        >
            <span class="run-bar__pulse" aria-hidden="true"></span>
            // A countdown is read out once, not every second.
            <span class="run-bar__words" role="status" aria-live=is_retrying.then_some("off")>{words}</span>
            {said_by_it.map(|said| view! { <span class="run-bar__said"><Escaped text=said/></span> })}
            <span class="run-bar__elapsed" aria-hidden="true">
                {move || (!is_retrying).then(|| time::elapsed(now_ms.get().saturating_sub(since_ms)))}
            </span>
            {is_retrying.then(|| view! { <TryNow run_id error/> })}
            <StopButton/>
        </div>
    }
}

/// Does not wait for the time of the next try.
#[component]
fn TryNow(run_id: protocol::RunId, error: RwSignal<Option<CommandError>>) -> impl IntoView {
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let try_now = move |_| {
        is_busy.set(true);
        spawn_local(async move {
            let answer = actions.resume(run_id).await;
            // By now the run has usually left this bar behind.
            is_busy.try_set(false);
            error.try_set(answer.err());
        });
    };
    view! {
        <button
            type="button"
            class="button"
            data-testid=testid::RUN_TRY_NOW
            disabled=move || is_busy.get()
            on:click=try_now
        >
            "Try now"
        </button>
    }
}

/// Halts the run of the open session.
#[component]
pub(super) fn StopButton() -> impl IntoView {
    let actions = use_actions();
    let is_stopping = RwSignal::new(false);
    let stop = move |_| {
        is_stopping.set(true);
        spawn_local(async move {
            actions.stop().await;
            // By now the run has usually left this bar behind.
            is_stopping.try_set(false);
        });
    };
    view! {
        <button
            type="button"
            class="button button--quiet"
            data-testid=testid::RUN_STOP
            title="Stop (Esc)"
            disabled=move || is_stopping.get()
            on:click=stop
        >
            <Icon shape=Shape::Stop/>
            "Stop"
        </button>
    }
}
