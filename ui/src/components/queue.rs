//! Messages that wait for the run that is going: in order, editable, removable.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, QueuedMessage, SessionId, limits};

use super::icon::{Icon, Shape};
use crate::actions::use_actions;
use crate::testid;

#[component]
pub(crate) fn Queue(
    /// The open session.
    session_id: Memo<Option<SessionId>>,
    /// The messages, in order.
    queue: Memo<Vec<QueuedMessage>>,
    /// Whether nothing will send them by itself.
    is_held: Memo<bool>,
) -> impl IntoView {
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let send_now = move |_| {
        let Some(session_id) = session_id.get_untracked() else {
            return;
        };
        is_busy.set(true);
        spawn_local(async move {
            let answer = actions.send_queued(session_id).await;
            is_busy.try_set(false);
            error.try_set(answer.err());
        });
    };
    let words = move || {
        let count = queue.with(Vec::len);
        match (is_held.get(), count) {
            (false, 1) => "Queued: sent when the run is over".to_owned(),
            (false, count) => format!("{count} queued: sent in this order when the run is over"),
            (true, 1) => "Held: not sent yet".to_owned(),
            (true, count) => format!("{count} held: not sent yet"),
        }
    };
    view! {
        <Show when=move || !queue.with(Vec::is_empty)>
            <section class="queue" aria-label="Queued messages">
                <div class="queue__head">
                    <span class="queue__words" role="status">{words}</span>
                    <Show when=move || is_held.get()>
                        <button
                            type="button"
                            class="button button--small button--primary"
                            data-testid=testid::QUEUE_SEND_NOW
                            disabled=move || is_busy.get()
                            on:click=send_now
                        >
                            "Send now"
                        </button>
                    </Show>
                </div>
                <p class="call__problem" role="alert">
                    {move || error.get().map(|error| format!("{} {}", error.message, error.hint))}
                </p>
                <ol class="queue__rows">
                    <For
                        each=move || queue.get()
                        // Another text is another row: the one in the page is never stale.
                        key=|message| (message.message_id, message.text.clone())
                        children=move |message| view! { <QueuedRow message/> }
                    />
                </ol>
            </section>
        </Show>
    }
}

#[component]
fn QueuedRow(message: QueuedMessage) -> impl IntoView {
    let actions = use_actions();
    let QueuedMessage {
        message_id,
        text,
        attachments,
        ..
    } = message;
    let along: Vec<String> = attachments.into_iter().map(|one| one.name).collect();
    let along = (!along.is_empty()).then(|| format!("With {}", along.join(", ")));
    let is_editing = RwSignal::new(false);
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let written = RwSignal::new(text.clone());
    let field = NodeRef::<html::Textarea>::new();
    Effect::new(move || {
        if let Some(field) = field.get() {
            field.focus().ok();
        }
    });
    let take = move |answer: Result<(), CommandError>| {
        is_busy.try_set(false);
        error.try_set(answer.err());
    };
    let remove = move |_| {
        is_busy.set(true);
        spawn_local(async move { take(actions.remove_queued(message_id).await) });
    };
    let is_fit =
        move || written.with(|text| !text.trim().is_empty() && text.len() <= limits::MESSAGE_BYTES);
    let save = move || {
        if !untrack(is_fit) {
            return;
        }
        is_busy.set(true);
        spawn_local(async move {
            let answer = actions
                .edit_queued(message_id, written.get_untracked())
                .await;
            if answer.is_ok() {
                is_editing.try_set(false);
            }
            take(answer);
        });
    };
    let on_keydown = move |event: leptos::ev::KeyboardEvent| match event.key().as_str() {
        "Escape" => {
            event.stop_propagation();
            is_editing.set(false);
        }
        "Enter" if !event.shift_key() && !event.is_composing() => {
            event.prevent_default();
            save();
        }
        _ => {}
    };
    let shown = move || {
        let text = text.clone();
        view! {
            <p class="queue__text">{text}</p>
            {along.clone().map(|along| view! { <span class="queue__along">{along}</span> })}
            <button
                type="button"
                class="icon-button"
                aria-label="Edit"
                title="Edit"
                data-testid=testid::QUEUED_EDIT
                disabled=move || is_busy.get()
                on:click=move |_| is_editing.set(true)
            >
                <Icon shape=Shape::Pencil/>
            </button>
            <button
                type="button"
                class="icon-button"
                aria-label="Remove"
                title="Remove"
                data-testid=testid::QUEUED_REMOVE
                disabled=move || is_busy.get()
                on:click=remove
            >
                <Icon shape=Shape::Close/>
            </button>
        }
    };
    view! {
        <li class="queue__row" data-testid=testid::QUEUED_MESSAGE>
            <Show when=move || is_editing.get() fallback=shown>
                <textarea
                    class="field queue__field"
                    rows="2"
                    aria-label="Queued message"
                    data-testid=testid::QUEUED_EDIT_TEXT
                    node_ref=field
                    prop:value=written
                    on:input:target=move |event| written.set(event.target().value())
                    on:keydown=on_keydown
                ></textarea>
                <button
                    type="button"
                    class="button button--small"
                    data-testid=testid::QUEUED_EDIT_SAVE
                    disabled=move || is_busy.get() || !is_fit()
                    on:click=move |_| save()
                >
                    "Save"
                </button>
            </Show>
            <p class="call__problem" role="alert">{move || error.get().map(|error| error.message)}</p>
        </li>
    }
}
