//! The answers to an approval: the buttons, the pattern of a rule, other arguments.

use leptos::html;
use leptos::prelude::*;
use protocol::{Decision, ToolCallView, limits};
use serde_json::{Map, Value};

use super::approval::{Answering, Mode};
use crate::testid;
use crate::text::{spread_json, visible_json};

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

/// Asks for the pattern of the rule that is made.
#[component]
pub(super) fn AlwaysForm(answering: Answering) -> impl IntoView {
    let call = answering.call;
    let subject = call.with_untracked(subject_of);
    let has_subject = subject.is_some();
    let pattern = RwSignal::new(subject.clone().unwrap_or_default());
    let tool = call.with_untracked(|call| call.tool.clone());
    let field = NodeRef::<html::Input>::new();
    Effect::new(move || {
        if let Some(field) = field.get() {
            field.focus().ok();
        }
    });
    let allow = move || {
        let written = pattern.get_untracked().trim().to_owned();
        // Exactly this subject, even where it holds what would be a wildcard.
        let is_exact = written.is_empty() || Some(&written) == subject.as_ref();
        answering.allow(Decision::AllowAlways {
            pattern: (!is_exact).then_some(written),
        });
    };
    view! {
        <form
            class="call__form"
            on:submit=move |event| {
                event.prevent_default();
                allow();
            }
            on:keydown=move |event| leave_on_escape(answering, &event)
        >
            <p class="call__note">
                "From now on, in every session, " <code>{tool}</code>
                {if has_subject { " runs without asking for what fits:" } else { " runs without asking." }}
            </p>
            <Show when=move || has_subject>
                <input
                    class="field field--code"
                    data-testid=testid::APPROVAL_PATTERN
                    aria-label="Pattern"
                    maxlength=limits::PATTERN_BYTES.to_string()
                    autocomplete="off"
                    spellcheck="false"
                    node_ref=field
                    prop:value=pattern
                    on:input:target=move |event| pattern.set(event.target().value())
                />
                <p class="call__note">"A * stands for anything. You can take the rule back in Settings."</p>
            </Show>
            <div class="call__answers">
                <button
                    type="submit"
                    class="button button--primary"
                    data-testid=testid::APPROVAL_ALWAYS_ALLOW
                    aria-disabled=move || (!answering.is_ready.get()).to_string()
                >
                    "Always allow"
                </button>
                <BackButton answering/>
            </div>
        </form>
    }
}

/// Asks for other arguments, and runs those.
#[component]
pub(super) fn EditForm(answering: Answering) -> impl IntoView {
    let arguments = answering
        .call
        .with_untracked(|call| visible_json(&spread_json(&call.arguments)));
    let written = RwSignal::new(arguments);
    let field = NodeRef::<html::Textarea>::new();
    Effect::new(move || {
        if let Some(field) = field.get() {
            field.focus().ok();
        }
    });
    let fault = Memo::new(move |_| written.with(|written| fault_of(written)));
    let allow = move || {
        if answering.is_ready.get_untracked() && fault.with_untracked(Option::is_none) {
            // What is written here is what runs: it is all in view.
            answering.decide.run(Decision::EditAndAllow {
                arguments: written.get_untracked(),
            });
        }
    };
    view! {
        <form
            class="call__form"
            on:submit=move |event| {
                event.prevent_default();
                allow();
            }
            on:keydown=move |event| leave_on_escape(answering, &event)
        >
            <p class="call__label">"Arguments that will run instead"</p>
            <textarea
                aria-label="Arguments that will run instead"
                class="field field--code call__edit"
                data-testid=testid::APPROVAL_EDIT_TEXT
                spellcheck="false"
                rows="8"
                aria-invalid=move || fault.with(Option::is_some).to_string()
                node_ref=field
                prop:value=written
                on:input:target=move |event| written.set(event.target().value())
            ></textarea>
            <p class="call__problem" role="alert">{move || fault.get()}</p>
            <div class="call__answers">
                <button
                    type="submit"
                    class="button button--primary"
                    data-testid=testid::APPROVAL_EDIT_ALLOW
                    aria-disabled=move || {
                        (!answering.is_ready.get() || fault.with(Option::is_some)).to_string()
                    }
                >
                    "Allow with these arguments"
                </button>
                <BackButton answering/>
            </div>
        </form>
    }
}

#[component]
fn BackButton(answering: Answering) -> impl IntoView {
    view! {
        <button
            type="button"
            class="button button--quiet"
            data-testid=testid::APPROVAL_BACK
            on:click=move |_| answering.mode.set(Mode::Choices)
        >
            "Back"
        </button>
    }
}

fn leave_on_escape(answering: Answering, event: &leptos::ev::KeyboardEvent) {
    if event.key() == "Escape" {
        event.stop_propagation();
        event.prevent_default();
        answering.mode.set(Mode::Choices);
    }
}

fn subject_of(call: &ToolCallView) -> Option<String> {
    call.preview.as_ref()?.subject.clone()
}

/// Why this cannot be the arguments of a call.
fn fault_of(written: &str) -> Option<String> {
    let object: Result<Map<String, Value>, _> = serde_json::from_str(written);
    object
        .err()
        .map(|error| format!("This is not a JSON object: {error}."))
}
