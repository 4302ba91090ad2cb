//! Where the run of the open session stands, and what can be done about it.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, RunId, RunReason, RunStatus};

use super::confirm_button::ConfirmButton;
use super::icon::{Icon, Shape};
use crate::actions::{Actions, use_actions};
use crate::browser;
use crate::state::RunState;
use crate::{testid, time};

const TICK: Duration = Duration::from_secs(1);

#[component]
pub(crate) fn RunBar(
    /// The newest run of the open session.
    run: Memo<Option<RunState>>,
) -> impl IntoView {
    let actions = use_actions();
    move || {
        let run = run.get()?;
        let bar = match run.status {
            RunStatus::Queued | RunStatus::Running | RunStatus::Waiting => {
                view! { <LiveBar run/> }.into_any()
            }
            RunStatus::Stopped | RunStatus::Interrupted => {
                view! { <HaltedBar run actions/> }.into_any()
            }
            RunStatus::Failed => {
                let words = run
                    .error
                    .map_or_else(|| "The run failed.".to_owned(), |e| e.message);
                view! {
                    <p class="run-bar run-bar--failed" role="alert">
                        <span class="run-bar__words">{words}</span>
                    </p>
                }
                .into_any()
            }
            RunStatus::Completed | RunStatus::Cancelled => return None,
        };
        Some(bar)
    }
}

#[component]
fn LiveBar(run: RunState) -> impl IntoView {
    let actions = use_actions();
    let now_ms = RwSignal::new(browser::now_ms());
    let ticking = set_interval_with_handle(move || now_ms.set(browser::now_ms()), TICK);
    on_cleanup(move || {
        if let Ok(ticking) = ticking {
            ticking.clear();
        }
    });
    let is_stopping = RwSignal::new(false);
    let stop = move |_| {
        is_stopping.set(true);
        spawn_local(async move {
            actions.stop().await;
            // By now the run has usually left this bar behind.
            is_stopping.try_set(false);
        });
    };
    let words = match run.status {
        RunStatus::Waiting => "Waiting for you",
        RunStatus::Queued => "Queued",
        RunStatus::Running
        | RunStatus::Stopped
        | RunStatus::Interrupted
        | RunStatus::Completed
        | RunStatus::Failed
        | RunStatus::Cancelled => "Running",
    };
    view! {
        <div class="run-bar run-bar--live">
            <span class="run-bar__pulse" aria-hidden="true"></span>
            <span class="run-bar__words" role="status">{words}</span>
            <span class="run-bar__elapsed" aria-hidden="true">
                {move || time::elapsed(now_ms.get().saturating_sub(run.since_ms))}
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
fn HaltedBar(run: RunState, actions: Actions) -> impl IntoView {
    let run_id: RunId = run.run_id;
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

    view! {
        <div class="run-bar run-bar--halted">
            <span class="run-bar__words" role="status">
                {move || error.get().map_or_else(|| why(run.reason).to_owned(), |e| e.message)}
            </span>
            <button
                type="button"
                class="button button--primary"
                data-testid=testid::RUN_RESUME
                disabled=move || is_busy.get()
                on:click=resume
            >
                "Resume"
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

/// Why a run is halted, in a sentence.
pub(crate) const fn why(reason: Option<RunReason>) -> &'static str {
    match reason {
        Some(RunReason::StoppedByUser) => "You stopped this run.",
        Some(RunReason::AppClosed) => "Interrupted: the app was closed.",
        Some(RunReason::AppEnded) => "Interrupted: the app ended unexpectedly.",
        Some(RunReason::Superseded) => "A newer message took its place.",
        Some(RunReason::Discarded) => "You discarded this run.",
        None => "This run was halted.",
    }
}
