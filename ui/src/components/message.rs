//! One message of the transcript.

use std::collections::HashMap;
use std::sync::Arc;

use leptos::prelude::*;
use protocol::{AppInfo, Block, BlockKind, Ending, MessageId, MessageStatus, Role, StepId};

use super::attachment::Attachments;
use super::continue_button::ContinueButton;
use super::markdown::Markdown;
use super::message_tools::{EditForm, MessageTools};
use crate::state::{Cut, MessageRow, model_label};
use crate::testid;

#[component]
pub(crate) fn MessageView(
    /// The message.
    row: MessageRow,
    /// The newest attempt at each step.
    newest: Memo<HashMap<StepId, u32>>,
    /// The app, for the names of its models.
    app: Signal<Option<AppInfo>>,
) -> impl IntoView {
    let MessageRow { message, cut } = row;
    let (role, class) = match message.role {
        Role::User => ("user", "message message--user"),
        Role::Agent => ("agent", "message message--agent"),
    };
    let status = match message.status {
        MessageStatus::Complete => "complete",
        MessageStatus::Partial => "partial",
        MessageStatus::Unreadable => "unreadable",
    };
    let model = message.model.clone();
    let made_by = message.step_id.zip(message.attempt);
    // Kept, but no longer what counts.
    let is_superseded = move || {
        made_by.is_some_and(|(step_id, attempt)| {
            newest.with(|newest| newest.get(&step_id).is_some_and(|newest| *newest > attempt))
        })
    };
    let is_unreadable = message.status == MessageStatus::Unreadable;
    let is_editing = RwSignal::new(false);
    let edited = Arc::clone(&message);
    let shown = Arc::clone(&message);
    let body = move || {
        let blocks: Vec<AnyView> = shown.blocks.iter().map(block).collect();
        view! { <div class="message__body">{blocks}</div> }
    };

    view! {
        <article
            class=class
            class:message--superseded=is_superseded
            class:message--unreadable=is_unreadable
            class:message--editing=move || is_editing.get()
            data-testid=testid::MESSAGE
            data-role=role
            data-status=status
        >
            {author(message.role, model, app)}
            <Attachments attachments=message.attachments.clone()/>
            {is_unreadable.then(|| view! { <p class="message__cut">"This message cannot be read"</p> })}
            <Show when=move || is_editing.get() fallback=body>
                <EditForm message=Arc::clone(&edited) is_editing/>
            </Show>
            {cut_mark(cut, message.ending, message.message_id)}
            <MessageTools message=Arc::clone(&message) is_editing/>
        </article>
    }
}

/// Who writes a reply: the model's name, or plainly that nobody does.
#[component]
pub(crate) fn ModelLabel(
    /// The model's id.
    model: String,
    /// The app, for the names of its models.
    app: Signal<Option<AppInfo>>,
) -> impl IntoView {
    move || {
        let app = app.get();
        let guide = app.as_ref().and_then(|app| {
            let mut models = app.models.iter();
            models.find(|known| known.id == model && known.is_scripted)
        });
        match guide {
            Some(_) => view! {
                <span class="message__model message__model--guide" data-testid=testid::GUIDE_LABEL>
                    "Guide · scripted replies"
                </span>
            }
            .into_any(),
            // A model that is gone by now still says what it was called.
            None => view! {
                <span class="message__model">{model_label(app.as_ref(), &model)}</span>
            }
            .into_any(),
        }
    }
}

fn author(role: Role, model: Option<String>, app: Signal<Option<AppInfo>>) -> AnyView {
    match (role, model) {
        (Role::Agent, Some(model)) => {
            view! { <p class="message__author"><ModelLabel model app/></p> }.into_any()
        }
        (Role::Agent, None) => ().into_any(),
        (Role::User, _) => view! { <p class="visually-hidden">"You"</p> }.into_any(),
    }
}

fn block(block: &Block) -> AnyView {
    match block.kind {
        BlockKind::Text => view! { <Markdown source=block.text.clone()/> }.into_any(),
        BlockKind::Reasoning => view! {
            <details class="reasoning">
                <summary class="reasoning__summary">"Reasoning"</summary>
                <Markdown source=block.text.clone()/>
            </details>
        }
        .into_any(),
        // Its card says what they became.
        BlockKind::Arguments => ().into_any(),
    }
}

fn cut_mark(cut: Cut, ending: Ending, message_id: MessageId) -> Option<impl IntoView> {
    let words = match cut {
        Cut::Whole => match ending {
            Ending::Complete => return None,
            Ending::Length => "Reached its length limit here",
            Ending::Paused => "The provider paused here",
        },
        Cut::Stopped => "Stopped here",
        Cut::Interrupted => "Interrupted here: the rest was not received",
        Cut::Failed => "Failed here: the rest was not received",
        Cut::Unknown => "Cut off here",
    };
    let can_go_on = cut == Cut::Whole;
    Some(view! {
        <p class="message__cut">
            {words}
            {can_go_on.then(|| view! { <ContinueButton message_id/> })}
        </p>
    })
}
