//! The files beside the text that is being written: what each is, or why it cannot be attached.

use leptos::prelude::*;
use protocol::SessionId;

use super::attachment::{about, size_text};
use super::icon::{Icon, Shape};
use crate::actions::use_actions;
use crate::state::{Draft, DraftFile, FileStage};
use crate::testid;

#[component]
pub(crate) fn AttachmentChips(
    /// The session that is written to.
    session_id: Memo<Option<SessionId>>,
    /// What is written so far.
    draft: Memo<Draft>,
) -> impl IntoView {
    let files = Memo::new(move |_| draft.with(|draft| draft.files.clone()));
    view! {
        <Show when=move || !files.with(Vec::is_empty)>
            <ul class="chips" aria-label="Attachments">
                <For
                    each=move || files.get()
                    // A file that has come further is another chip.
                    key=|file| (file.attachment_id, stage_name(&file.stage))
                    children=move |file| view! { <Chip session_id file/> }
                />
            </ul>
        </Show>
    }
}

#[component]
fn Chip(session_id: Memo<Option<SessionId>>, file: DraftFile) -> impl IntoView {
    let actions = use_actions();
    let stage = stage_name(&file.stage);
    let (picture, words, problem) = match file.stage {
        FileStage::Adding => (None, "Attaching…".to_owned(), None),
        FileStage::Attached { view, picture } => (picture, about(&view), None),
        FileStage::Refused(problem) => (None, size_text(file.bytes), Some(problem)),
    };
    let id = file.attachment_id;
    let drawing = match picture {
        Some(picture) => {
            view! { <img class="chip__picture" src=picture.to_string() alt=""/> }.into_any()
        }
        None => view! { <Icon shape=Shape::Page/> }.into_any(),
    };
    let problem = problem.map(|problem| {
        view! {
            <p class="chip__problem" role="alert">
                <strong>{problem.message}</strong>
                " "
                {problem.hint}
            </p>
        }
    });
    view! {
        <li class="chip" data-testid=testid::ATTACHMENT_CHIP data-stage=stage>
            <span class="chip__drawing">{drawing}</span>
            <span class="chip__words">
                <span class="chip__name" title=file.name.clone()>{file.name.clone()}</span>
                <span class="chip__about">{words}</span>
            </span>
            <button
                type="button"
                class="icon-button"
                aria-label=format!("Remove {}", file.name)
                title="Remove"
                data-testid=testid::ATTACHMENT_REMOVE
                on:click=move |_| actions.detach(session_id.get_untracked(), id)
            >
                <Icon shape=Shape::Close/>
            </button>
            {problem}
        </li>
    }
}

const fn stage_name(stage: &FileStage) -> &'static str {
    match stage {
        FileStage::Adding => "adding",
        FileStage::Attached { .. } => "attached",
        FileStage::Refused(_) => "refused",
    }
}
