//! The answers to an approval.

use leptos::prelude::*;
use protocol::{Decision, limits};

use super::approval::{Answering, Mode};
use super::approval_forms::leave_on_escape;
use crate::testid;

#[component]
pub(super) fn Choices(answering: Answering) -> impl IntoView {
    let Answering {
        is_ready,
        is_whole,
        reason,
        ..
    } = answering;
    let is_inert = move || (!is_ready.get() || !is_whole.get()).to_string();
    let is_waiting = move || (!is_ready.get()).to_string();
    view! {
        <Show when=move || !is_whole.get()>
            <p class="call__problem">"Look at all of it first: some of what would run is not shown."</p>
        </Show>
        <div class="call__answers">
            <button
                type="button"
                class="button button--primary"
                data-testid=testid::APPROVAL_ALLOW
                aria-disabled=is_inert
                aria-keyshortcuts="A"
                on:click=move |_| answering.allow(Decision::AllowOnce {})
            >
                "Allow once"
            </button>
            <button
                type="button"
                class="button"
                data-testid=testid::APPROVAL_SESSION
                aria-disabled=is_inert
                aria-keyshortcuts="S"
                title="Allows exactly this again, in this session"
                on:click=move |_| answering.allow(Decision::AllowInSession { pattern: None })
            >
                "Allow in this session"
            </button>
            <button
                type="button"
                class="button"
                data-testid=testid::APPROVAL_ALWAYS
                aria-disabled=is_inert
                on:click=move |_| {
                    if is_whole.get_untracked() {
                        answering.go(Mode::Always);
                    }
                }
            >
                "Always…"
            </button>
            <button
                type="button"
                class="button"
                data-testid=testid::APPROVAL_EDIT
                aria-disabled=is_waiting
                aria-keyshortcuts="E"
                on:click=move |_| answering.go(Mode::Edit)
            >
                "Edit"
            </button>
        </div>
        <form
            class="call__deny"
            on:submit=move |event| {
                event.prevent_default();
                answering.deny();
            }
        >
            <input
                class="field"
                data-testid=testid::APPROVAL_DENY_REASON
                aria-label="Reason, if you deny"
                placeholder="Reason, if you deny (optional)"
                maxlength=limits::REASON_BYTES.to_string()
                autocomplete="off"
                prop:value=reason
                on:input:target=move |event| reason.set(event.target().value())
                on:keydown=move |event| leave_on_escape(answering, &event)
            />
            <button
                type="submit"
                class="button button--refuse"
                data-testid=testid::APPROVAL_DENY
                aria-disabled=is_waiting
                aria-keyshortcuts="D"
            >
                "Deny"
            </button>
        </form>
        <p class="call__keys">
            <span><kbd>"A"</kbd>" allow once"</span>
            <span><kbd>"S"</kbd>" in this session"</span>
            <span><kbd>"E"</kbd>" edit"</span>
            <span><kbd>"D"</kbd>" deny"</span>
            <span>"while this card has the focus"</span>
        </p>
    }
}
