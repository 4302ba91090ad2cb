//! What can be done with a message: copy, write anew, answer again, fork, other branches.

use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, Message, MessageStatus, Role, limits};

use super::copy_button::CopyButton;
use super::icon::{Icon, Shape};
use crate::actions::{use_actions, use_store};
use crate::browser;
use crate::state::{AppStateStoreFields, SessionStateStoreFields, fork_at};
use crate::testid;

#[component]
pub(crate) fn MessageTools(
    /// The message.
    message: Arc<Message>,
    /// Whether it is being written anew.
    is_editing: RwSignal<bool>,
) -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let (message_id, role, at_ms) = (message.message_id, message.role, message.created_at_ms);
    let is_busy = RwSignal::new(false);
    let is_live = Memo::new(move |_| {
        let run = store.session().run().read();
        run.as_ref().is_some_and(|run| run.status.is_live())
    });
    let is_readable = message.status != MessageStatus::Unreadable;
    let is_blocked = move || is_live.get() || is_busy.get();
    let regenerate = move |_| {
        is_busy.set(true);
        spawn_local(async move {
            actions.regenerate(message_id).await;
            is_busy.try_set(false);
        });
    };
    let fork = move |_| {
        is_busy.set(true);
        spawn_local(async move {
            actions.fork(message_id).await;
            is_busy.try_set(false);
        });
    };
    let position = message.position;
    let text = move || message.text();
    view! {
        <div class="message__tools">
            <BranchSwitcher position/>
            <time class="message__time" title=browser::date_text(at_ms)>
                {browser::clock_text(at_ms)}
            </time>
            <CopyButton text=text label="Copy message"/>
            {(role == Role::User && is_readable).then(|| view! {
                <button
                    type="button"
                    class="quiet-button"
                    data-testid=testid::MESSAGE_EDIT
                    title="Write it anew; the old version stays as another branch"
                    disabled=is_blocked
                    on:click=move |_| is_editing.set(true)
                >
                    <Icon shape=Shape::Pencil/>
                    "Edit"
                </button>
            })}
            {(role == Role::Agent).then(|| view! {
                <button
                    type="button"
                    class="quiet-button"
                    data-testid=testid::MESSAGE_REGENERATE
                    title="Answer again; this answer stays as another branch"
                    disabled=is_blocked
                    on:click=regenerate
                >
                    <Icon shape=Shape::Again/>
                    "Regenerate"
                </button>
            })}
            <button
                type="button"
                class="quiet-button"
                data-testid=testid::MESSAGE_FORK
                title="A new session with the history up to here"
                disabled=move || is_busy.get()
                on:click=fork
            >
                <Icon shape=Shape::Fork/>
                "Fork"
            </button>
        </div>
    }
}

/// Where branches part: which one this is, and the way to the others.
#[component]
fn BranchSwitcher(position: u64) -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let session = store.session();
    let fork =
        Memo::new(move |_| fork_at(&session.branches().read(), session.branch().get(), position));
    let select = move |branch: Option<u32>| {
        if let Some(branch) = branch {
            spawn_local(actions.select_branch(branch));
        }
    };
    move || {
        let fork = fork.get()?;
        let previous = fork
            .shown
            .checked_sub(1)
            .and_then(|index| fork.ways.get(index).copied());
        let next = fork.ways.get(fork.shown + 1).copied();
        let words = format!("{} of {}", fork.shown + 1, fork.ways.len());
        Some(view! {
            <span class="message__branches" role="group" aria-label="Branches" data-testid=testid::BRANCH_SWITCHER>
                <button
                    type="button"
                    class="quiet-button"
                    data-testid=testid::BRANCH_PREVIOUS
                    aria-label="Previous branch"
                    disabled=previous.is_none()
                    on:click=move |_| select(previous)
                >
                    <Icon shape=Shape::Left/>
                </button>
                <span>{words}</span>
                <button
                    type="button"
                    class="quiet-button"
                    data-testid=testid::BRANCH_NEXT
                    aria-label="Next branch"
                    disabled=next.is_none()
                    on:click=move |_| select(next)
                >
                    <Icon shape=Shape::Right/>
                </button>
            </span>
        })
    }
}

/// A message that is written anew, in its place.
#[component]
pub(crate) fn EditForm(
    /// The message as it is.
    message: Arc<Message>,
    /// Whether this is shown.
    is_editing: RwSignal<bool>,
) -> impl IntoView {
    let actions = use_actions();
    let message_id = message.message_id;
    let written = RwSignal::new(message.text());
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let field = NodeRef::<html::Textarea>::new();
    Effect::new(move || {
        if let Some(field) = field.get() {
            field.focus().ok();
        }
    });
    let is_sendable = move || {
        let is_fit =
            written.with(|text| !text.trim().is_empty() && text.len() <= limits::MESSAGE_BYTES);
        is_fit && !is_busy.get()
    };
    let send = move || {
        if !untrack(is_sendable) {
            return;
        }
        is_busy.set(true);
        spawn_local(async move {
            let answer = actions
                .edit_message(message_id, written.get_untracked())
                .await;
            is_busy.try_set(false);
            match answer {
                Ok(()) => drop(is_editing.try_set(false)),
                Err(refused) => drop(error.try_set(Some(refused))),
            }
        });
    };
    let on_keydown = move |event: leptos::ev::KeyboardEvent| match event.key().as_str() {
        "Escape" => {
            event.stop_propagation();
            is_editing.set(false);
        }
        "Enter" if !event.shift_key() && !event.is_composing() => {
            event.prevent_default();
            send();
        }
        _ => {}
    };
    view! {
        <div class="message__edit">
            <textarea
                class="field"
                aria-label="Message"
                rows="4"
                data-testid=testid::MESSAGE_EDIT_TEXT
                node_ref=field
                prop:value=written
                on:input:target=move |event| written.set(event.target().value())
                on:keydown=on_keydown
            ></textarea>
            <p class="call__problem" role="alert">
                {move || error.get().map(|error| format!("{} {}", error.message, error.hint))}
            </p>
            <div class="message__edit-actions">
                <button
                    type="button"
                    class="button button--quiet"
                    on:click=move |_| is_editing.set(false)
                >
                    "Cancel"
                </button>
                <button
                    type="button"
                    class="button button--primary"
                    data-testid=testid::MESSAGE_EDIT_SEND
                    disabled=move || !is_sendable()
                    on:click=move |_| send()
                >
                    "Send"
                </button>
            </div>
        </div>
    }
}
