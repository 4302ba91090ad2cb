//! Where a message is written.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use protocol::{SessionId, limits};

use super::attachment_chips::AttachmentChips;
use super::attachment_input::{AttachButton, on_dragover, on_drop, on_paste};
use super::icon::{Icon, Shape};
use crate::actions::use_actions;
use crate::state::{Draft, DraftProblem};
use crate::testid;

/// From here on the person is told how much room is left.
const NEARLY_FULL: usize = limits::MESSAGE_BYTES / 10 * 9;

/// What becomes of a message that is sent now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It starts a run.
    Starts,
    /// It waits for the run that is going.
    Waits,
    /// It takes the place of the answers that the run waits for.
    Supersedes,
    /// A call in doubt comes first.
    WaitsForDoubt,
    /// It takes the place of a run that was halted.
    Replaces,
}

impl Fate {
    const fn placeholder(self) -> &'static str {
        match self {
            Self::Starts | Self::Replaces => "Write a message…",
            Self::Waits | Self::WaitsForDoubt => "Write the next message…",
            Self::Supersedes => "Answer above, or write a message instead…",
        }
    }

    const fn verb(self) -> &'static str {
        match self {
            Self::Starts | Self::Supersedes | Self::Replaces => "Send",
            Self::Waits | Self::WaitsForDoubt => "Queue",
        }
    }

    const fn note(self) -> Option<&'static str> {
        match self {
            Self::Starts => None,
            Self::Waits => Some("Enter queues it: it is sent when the run is over."),
            Self::Supersedes => {
                Some("Sending this closes the open questions; those calls do not run.")
            }
            Self::Replaces => {
                Some("Sending this starts a new run; the halted one cannot be resumed then.")
            }
            Self::WaitsForDoubt => Some("It is queued until the unknown call is settled."),
        }
    }
}

#[component]
pub(crate) fn Composer(
    /// The session that is written to.
    session_id: Memo<Option<SessionId>>,
    /// What is written so far.
    draft: Memo<Draft>,
    /// What becomes of a message that is sent now.
    fate: Memo<Fate>,
    /// Keeps the draft.
    on_input: Callback<(Option<SessionId>, String)>,
    /// Sends the draft.
    on_send: Callback<()>,
    /// Stops the run and sends the draft.
    on_stop_and_send: Callback<()>,
) -> impl IntoView {
    let input = NodeRef::<html::Textarea>::new();
    let actions = use_actions();
    let is_over = RwSignal::new(false);
    let is_sendable = Memo::new(move |_| {
        draft.with(|draft| {
            !draft.is_sending
                && !draft.text.trim().is_empty()
                && draft.text.len() <= limits::MESSAGE_BYTES
                && draft.is_whole()
        })
    });

    // Another session has another draft, and is where one writes next.
    Effect::new(move || {
        session_id.track();
        if let Some(input) = input.get() {
            input.focus().ok();
        }
    });
    Effect::new(move || {
        draft.track();
        if let Some(input) = input.get() {
            fit(&input);
        }
    });

    let send = move || {
        if is_sendable.get_untracked() {
            on_send.run(());
        }
    };
    let stop_and_send = move || {
        if is_sendable.get_untracked() {
            on_stop_and_send.run(());
        }
    };
    let on_keydown = move |event: KeyboardEvent| {
        // Enter that ends the composition of a character is not Enter.
        if event.key() != "Enter" || event.shift_key() || event.is_composing() {
            return;
        }
        event.prevent_default();
        let is_urgent = event.ctrl_key() || event.meta_key();
        if is_urgent && fate.get_untracked() == Fate::Waits {
            stop_and_send();
        } else {
            send();
        }
    };

    view! {
        <form
            class="composer"
            class:composer--over=move || is_over.get()
            on:dragover=on_dragover(is_over)
            on:dragleave=move |_| is_over.set(false)
            on:drop=on_drop(actions, session_id, is_over)
            on:submit=move |event| {
                event.prevent_default();
                send();
            }
        >
            <AttachmentChips session_id draft/>
            <div class="composer__box">
                <AttachButton session_id/>
                <textarea
                    class="composer__input"
                    data-testid=testid::COMPOSER_INPUT
                    aria-label="Message"
                    rows="1"
                    placeholder=move || fate.get().placeholder()
                    node_ref=input
                    prop:value=move || draft.with(|draft| draft.text.clone())
                    on:input:target=move |event| {
                        on_input.run((session_id.get_untracked(), event.target().value()));
                    }
                    on:keydown=on_keydown
                    on:paste=on_paste(actions, session_id)
                ></textarea>
                <Show when=move || fate.get() == Fate::Waits && is_sendable.get()>
                    <button
                        type="button"
                        class="button button--quiet composer__urgent"
                        data-testid=testid::COMPOSER_STOP_AND_SEND
                        title="Stop the run and send this now (Ctrl+Enter)"
                        on:click=move |_| stop_and_send()
                    >
                        "Stop and send"
                    </button>
                </Show>
                <button
                    type="submit"
                    class="composer__send"
                    data-testid=testid::COMPOSER_SEND
                    aria-label=move || fate.get().verb()
                    title=move || format!("{} (Enter)", fate.get().verb())
                    disabled=move || !is_sendable.get()
                >
                    <Icon shape=Shape::ArrowUp/>
                </button>
            </div>
            {notes(draft, fate, is_sendable)}
        </form>
    }
}

/// What the person should know about what is written.
fn notes(draft: Memo<Draft>, fate: Memo<Fate>, is_sendable: Memo<bool>) -> impl IntoView {
    view! {
        <div class="composer__notes" aria-live="polite">
            {move || {
                let note = fate.get().note().filter(|_| is_sendable.get());
                note.map(|note| view! { <p class="composer__room">{note}</p> })
            }}
            {move || draft.with(|draft| draft.problem.clone()).map(problem)}
            {move || draft.with(|draft| room_left(draft.text.len()))}
        </div>
    }
}

fn problem(problem: DraftProblem) -> impl IntoView {
    view! {
        <p class="composer__problem">
            <strong>{problem.message}</strong>
            " "
            {problem.hint}
        </p>
    }
}

fn room_left(bytes: usize) -> Option<AnyView> {
    if bytes < NEARLY_FULL {
        return None;
    }
    let words = match limits::MESSAGE_BYTES.checked_sub(bytes) {
        Some(left) => format!("{} KB left in this message.", left / 1024),
        None => format!(
            "Too long by {} KB: a message holds at most 256 KB.",
            (bytes - limits::MESSAGE_BYTES).div_ceil(1024)
        ),
    };
    Some(view! { <p class="composer__room">{words}</p> }.into_any())
}

/// As tall as its text; the style sheet says where that ends.
fn fit(input: &web_sys::HtmlTextAreaElement) {
    let style = web_sys::HtmlElement::style(input);
    // Shrink first: the scroll height is never less than the height.
    style.set_property("height", "auto").ok();
    style
        .set_property("height", &format!("{}px", input.scroll_height()))
        .ok();
}
