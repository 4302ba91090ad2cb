//! The ways that files come into the composer: a button, the clipboard, and being dropped.

use leptos::ev::{ClipboardEvent, DragEvent, Event, Targeted};
use leptos::prelude::*;
use protocol::SessionId;
use web_sys::{DataTransfer, File, FileList, HtmlInputElement};

use super::icon::{Icon, Shape};
use crate::actions::{Actions, use_actions};
use crate::testid;

#[component]
pub(crate) fn AttachButton(
    /// The session that is written to.
    session_id: Memo<Option<SessionId>>,
) -> impl IntoView {
    let actions = use_actions();
    let on_change = move |event: Targeted<Event, HtmlInputElement>| {
        let input = event.target();
        let files = files_of(input.files());
        // The same file can be chosen again.
        input.set_value("");
        actions.attach(session_id.get_untracked(), files);
    };
    view! {
        <label class="icon-button composer__attach" title="Attach text, images or PDFs">
            <input
                type="file"
                class="visually-hidden"
                aria-label="Attach files"
                multiple
                data-testid=testid::ATTACH_INPUT
                on:change:target=on_change
            />
            <Icon shape=Shape::Clip/>
        </label>
    }
}

/// Files from the clipboard are attached; text is pasted as ever.
pub(crate) fn on_paste(
    actions: Actions,
    session_id: Memo<Option<SessionId>>,
) -> impl Fn(ClipboardEvent) + Copy {
    move |event: ClipboardEvent| {
        let files = given(event.clipboard_data().as_ref());
        if !files.is_empty() {
            event.prevent_default();
            actions.attach(session_id.get_untracked(), files);
        }
    }
}

/// Says that files may be dropped here: the page would open them otherwise.
pub(crate) fn on_dragover(is_over: RwSignal<bool>) -> impl Fn(DragEvent) + Copy {
    move |event: DragEvent| {
        if has_files(event.data_transfer().as_ref()) {
            event.prevent_default();
            is_over.set(true);
        }
    }
}

/// Takes the files that are dropped.
pub(crate) fn on_drop(
    actions: Actions,
    session_id: Memo<Option<SessionId>>,
    is_over: RwSignal<bool>,
) -> impl Fn(DragEvent) + Copy {
    move |event: DragEvent| {
        is_over.set(false);
        let files = given(event.data_transfer().as_ref());
        if !files.is_empty() {
            event.prevent_default();
            actions.attach(session_id.get_untracked(), files);
        }
    }
}

fn given(data: Option<&DataTransfer>) -> Vec<File> {
    files_of(data.and_then(DataTransfer::files))
}

fn has_files(data: Option<&DataTransfer>) -> bool {
    data.is_some_and(|data| data.types().includes(&"Files".into(), 0))
}

fn files_of(files: Option<FileList>) -> Vec<File> {
    let Some(files) = files else {
        return Vec::new();
    };
    (0..files.length())
        .filter_map(|place| files.get(place))
        .collect()
}
