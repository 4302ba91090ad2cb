//! The answers to an approval that ask back: the pattern of a rule, other arguments.

use leptos::html;
use leptos::prelude::*;
use protocol::{Decision, ToolCallView, limits};
use serde_json::{Map, Value};

use super::approval::Answering;
use crate::testid;
use crate::text::{spread_json, visible_json};

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
            on:click=move |_| answering.leave()
        >
            "Back"
        </button>
    }
}

pub(super) fn leave_on_escape(answering: Answering, event: &leptos::ev::KeyboardEvent) {
    if event.key() == "Escape" {
        event.stop_propagation();
        event.prevent_default();
        answering.leave();
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
