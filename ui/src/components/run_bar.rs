//! Where the run of the open session stands, and what can be done about it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, RetryView, RunReason, RunStatus};

use super::confirm_button::ConfirmButton;
use super::icon::{Icon, Shape};
use crate::actions::use_actions;
use crate::hooks::use_tick::use_tick;
use crate::state::RunState;
use crate::{testid, time};

#[component]
pub(crate) fn RunBar(
    /// The newest run of the open session.
    run: Memo<Option<RunState>>,
) -> impl IntoView {
    move || {
        let run = run.get()?;
        let bar = match run.status {
            RunStatus::Queued | RunStatus::Running | RunStatus::Waiting => {
                view! { <LiveBar run/> }.into_any()
            }
            RunStatus::Stopped | RunStatus::Interrupted => view! { <HaltedBar run/> }.into_any(),
            RunStatus::Failed => view! { <FailedBar run/> }.into_any(),
            RunStatus::Completed | RunStatus::Cancelled => return None,
        };
        Some(bar)
    }
}

#[component]
fn LiveBar(run: RunState) -> impl IntoView {
    let actions = use_actions();
    let now_ms = use_tick();
    let is_stopping = RwSignal::new(false);
    let stop = move |_| {
        is_stopping.set(true);
        spawn_local(async move {
            actions.stop().await;
            // By now the run has usually left this bar behind.
            is_stopping.try_set(false);
        });
    };
    let RunState {
        status,
        retry,
        since_ms,
        ..
    } = run;
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
    let words = move || match &retry {
        Some(retry) => trying_again(now_ms.get(), retry),
        None => words.to_owned(),
    };
    view! {
        <div
            class="run-bar run-bar--live"
            class:run-bar--waiting=is_waiting
            data-testid=testid::RUN_STATUS
            data-status=status.as_str()
        >
            <span class="run-bar__pulse" aria-hidden="true"></span>
            <span class="run-bar__words" role="status">{words}</span>
            <span class="run-bar__elapsed" aria-hidden="true">
                {move || (!is_retrying).then(|| time::elapsed(now_ms.get().saturating_sub(since_ms)))}
            </span>
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
        </div>
    }
}

#[component]
fn HaltedBar(run: RunState) -> impl IntoView {
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

#[component]
fn FailedBar(run: RunState) -> impl IntoView {
    let actions = use_actions();
    let run_id = run.run_id;
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let retry = move |_| {
        is_busy.set(true);
        spawn_local(async move {
            let answer = actions.retry(run_id).await;
            is_busy.try_set(false);
            error.try_set(answer.err());
        });
    };
    let reason = run
        .error
        .map_or_else(|| "The run failed.".to_owned(), |e| e.message);
    view! {
        <div
            class="run-bar run-bar--failed"
            role="alert"
            data-testid=testid::RUN_STATUS
            data-status=run.status.as_str()
        >
            <span class="run-bar__words">
                {move || error.get().map_or_else(|| reason.clone(), said)}
            </span>
            <button
                type="button"
                class="button"
                data-testid=testid::RUN_RETRY
                disabled=move || is_busy.get()
                on:click=retry
            >
                "Retry"
            </button>
        </div>
    }
}

fn said(error: CommandError) -> String {
    format!("{} {}", error.message, error.hint)
}

fn trying_again(now_ms: u64, retry: &RetryView) -> String {
    let RetryView {
        error,
        failed,
        of,
        at_ms,
    } = retry;
    let next = failed + 1;
    let when = if *at_ms <= now_ms {
        "now".to_owned()
    } else {
        format!("in {}", time::left(now_ms, *at_ms))
    };
    format!("Trying again {when} ({next} of {of}): {}", error.message)
}

/// Why a run is halted, in a sentence.
pub(crate) const fn why(reason: Option<RunReason>) -> &'static str {
    match reason {
        Some(RunReason::StoppedByUser) => "You stopped this run.",
        Some(RunReason::AppClosed) => "Interrupted: the app was closed.",
        Some(RunReason::AppEnded) => "Interrupted: the app ended unexpectedly.",
        Some(RunReason::Superseded) => "A newer message took its place.",
        Some(RunReason::Discarded) => "You discarded this run.",
        Some(RunReason::StepLimit) => "Stopped: it used all the steps that one run may use.",
        Some(RunReason::TimeLimit) => "Stopped: it worked as long as one run may.",
        Some(RunReason::TokenLimit) => "Stopped: it used all the tokens that one run may use.",
        Some(RunReason::CostLimit) => "Stopped: it cost as much as one run may.",
        None => "This run was halted.",
    }
}
