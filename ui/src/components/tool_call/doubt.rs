//! A call whose outcome nobody knows: why, and the four ways out.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, Resolution, ToolCallView, limits};

use super::super::confirm_button::ConfirmButton;
use super::body::{Arguments, Preview};
use super::{Summary, keep_focus};
use crate::actions::use_actions;
use crate::hooks::use_tick::use_tick;
use crate::{testid, time};

#[component]
pub(super) fn DoubtCard(
    /// The call.
    call: Memo<ToolCallView>,
    /// The card itself.
    card: NodeRef<html::Article>,
    /// Whether the card stands still.
    is_steady: ReadSignal<bool>,
) -> impl IntoView {
    let actions = use_actions();
    let call_id = call.with_untracked(|call| call.call_id);
    let shows_all = RwSignal::new(false);
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let is_telling = RwSignal::new(false);
    let resolve = Callback::new(move |resolution| {
        if is_busy.get_untracked() || !is_steady.get_untracked() {
            return;
        }
        keep_focus(card);
        is_busy.set(true);
        error.set(None);
        spawn_local(async move {
            let answer = actions.resolve(call_id, resolution).await;
            is_busy.try_set(false);
            error.try_set(answer.err());
        });
    });
    let reason = move || call.with(|call| call.doubt.as_ref().map(|doubt| doubt.reason.clone()));
    let has_parts = call.with_untracked(|call| {
        call.preview
            .as_ref()
            .is_some_and(|preview| !preview.parts.is_empty())
    });
    view! {
        <div class="call__head">
            <span class="call__mark call__mark--doubt" aria-hidden="true"></span>
            <h3 class="call__summary"><Summary call/></h3>
            <span class="call__status">"Outcome unknown"</span>
        </div>
        <div class="call__body">
            <p class="call__doubt">
                "This was started, and nobody saw how it ended. "
                {reason}
            </p>
            <Preview call shows_all/>
            <Arguments call shows_all is_open=!has_parts/>
            <Checks call/>
            <p class="call__problem" role="alert">
                {move || error.get().map(|error| format!("{} {}", error.message, error.hint))}
            </p>
            <Show
                when=move || is_telling.get()
                fallback=move || view! { <WaysOut call resolve is_busy is_telling/> }
            >
                <TellForm resolve is_busy is_telling/>
            </Show>
        </div>
    }
}

#[component]
fn WaysOut(
    call: Memo<ToolCallView>,
    resolve: Callback<Resolution>,
    is_busy: RwSignal<bool>,
    is_telling: RwSignal<bool>,
) -> impl IntoView {
    let can_check =
        move || call.with(|call| call.doubt.as_ref().is_some_and(|doubt| doubt.can_check));
    view! {
        <div class="call__answers">
            <Show when=can_check>
                <button
                    type="button"
                    class="button button--primary"
                    data-testid=testid::DOUBT_CHECK
                    title="Looks what happened, and changes nothing"
                    disabled=move || is_busy.get()
                    on:click=move |_| resolve.run(Resolution::Check {})
                >
                    "Check"
                </button>
            </Show>
            <button
                type="button"
                class="button"
                data-testid=testid::DOUBT_HAPPENED
                disabled=move || is_busy.get()
                on:click=move |_| is_telling.set(true)
            >
                "It happened"
            </button>
            <ConfirmButton
                label="Run it again"
                question="If it did happen, it will then have happened twice."
                confirm="Run it again"
                decline="Not now"
                testid=testid::DOUBT_AGAIN
                class="button"
                disabled=is_busy
                on_confirm=Callback::new(move |()| resolve.run(Resolution::RunAgain {}))
            />
            <button
                type="button"
                class="button"
                data-testid=testid::DOUBT_SKIP
                title="Goes on without it"
                disabled=move || is_busy.get()
                on:click=move |_| resolve.run(Resolution::Skip {})
            >
                "Skip"
            </button>
        </div>
    }
}

/// It happened: what the model is told.
#[component]
fn TellForm(
    resolve: Callback<Resolution>,
    is_busy: RwSignal<bool>,
    is_telling: RwSignal<bool>,
) -> impl IntoView {
    let written = RwSignal::new(String::new());
    let tell = move || {
        let result = written.get_untracked();
        let result = Some(result).filter(|result| !result.trim().is_empty());
        resolve.run(Resolution::Happened { result });
    };
    view! {
        <form
            class="call__form"
            on:submit=move |event| {
                event.prevent_default();
                tell();
            }
        >
            <p class="call__label">"What came of it (optional). The agent goes on from this."</p>
            <textarea
                aria-label="What came of it"
                class="field"
                data-testid=testid::DOUBT_RESULT
                rows="3"
                maxlength=limits::RESULT_BYTES.to_string()
                prop:value=written
                on:input:target=move |event| written.set(event.target().value())
            ></textarea>
            <div class="call__answers">
                <button
                    type="submit"
                    class="button button--primary"
                    data-testid=testid::DOUBT_HAPPENED_SEND
                    disabled=move || is_busy.get()
                >
                    "It happened"
                </button>
                <button
                    type="button"
                    class="button button--quiet"
                    on:click=move |_| is_telling.set(false)
                >
                    "Back"
                </button>
            </div>
        </form>
    }
}

/// What checking found so far, and when it looks again.
#[component]
fn Checks(call: Memo<ToolCallView>) -> impl IntoView {
    let now_ms = use_tick();
    move || {
        let doubt = call.with(|call| call.doubt.clone())?;
        let looked = match doubt.checks {
            0 => None,
            1 => Some("Checked once, in vain.".to_owned()),
            checks => Some(format!("Checked {checks} times, in vain.")),
        };
        let next = doubt
            .next_check_at_ms
            .map(|at_ms| format!("Checks again in {}.", time::left(now_ms.get(), at_ms)));
        let words: Vec<String> = looked.into_iter().chain(next).collect();
        (!words.is_empty()).then(|| view! { <p class="call__note">{words.join(" ")}</p> })
    }
}
