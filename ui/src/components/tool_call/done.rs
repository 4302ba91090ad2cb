//! A call that is over: its result, what it changed, and the way back.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CallStatus, CommandError, FileChange, ToolCallView};

use super::super::escaped::Escaped;
use super::body::{Arguments, Preview};
use super::fold::Fold;
use super::result::ResultView;
use super::{Summary, words};
use crate::actions::use_actions;
use crate::{testid, time};

#[component]
pub(super) fn DoneCard(
    /// The call.
    call: Memo<ToolCallView>,
) -> impl IntoView {
    let shows_all = RwSignal::new(false);
    let is_failed = call.with_untracked(|call| call.status == CallStatus::Failed);
    let took = move || {
        call.with(|call| {
            let (from_ms, to_ms) = call.started_at_ms.zip(call.ended_at_ms)?;
            Some(time::took(to_ms.saturating_sub(from_ms)))
        })
    };
    let mark = if is_failed {
        "call__mark call__mark--failed"
    } else {
        "call__mark call__mark--done"
    };
    let why = move || call.with(words::why_allowed);
    let head = view! {
        <span class=mark aria-hidden="true"></span>
        <span class="call__summary"><Summary call/></span>
        <Show when=move || call.with(|call| call.proposed_arguments.is_some())>
            <span class="call__tag">"Edited by you"</span>
        </Show>
        <span class="call__time">{took}</span>
        <span class="call__status">{move || call.with(words::status)}</span>
    }
    .into_any();
    // What failed is open: one wants to know why.
    view! {
        <Fold starts_open=is_failed head>
            <ResultView call/>
            <Preview call shows_all/>
            <Arguments call shows_all is_open=false/>
            {move || why().map(|why| view! { <p class="call__note"><Escaped text=why/></p> })}
            <p class="call__note">{move || call.with(|call| words::effect(call.effect))}</p>
        </Fold>
        <Files call/>
    }
}

/// The files that a call changed, with the way back.
#[component]
fn Files(call: Memo<ToolCallView>) -> impl IntoView {
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let files = Memo::new(move |_| call.with(|call| call.files.clone()));
    let can_undo = Memo::new(move |_| {
        files.with(|files| files.iter().any(|file| file.undone_at_ms.is_none()))
    });
    let undo = move |_| {
        let call_id = call.with_untracked(|call| call.call_id);
        is_busy.set(true);
        spawn_local(async move {
            let answer = actions.undo(call_id).await;
            is_busy.try_set(false);
            error.try_set(answer.err());
        });
    };
    view! {
        <Show when=move || !files.with(Vec::is_empty)>
            <div class="call__files">
                <ul class="call__file-list">
                    {move || files.get().into_iter().map(file).collect_view()}
                </ul>
                <Show when=move || can_undo.get()>
                    <button
                        type="button"
                        class="button button--small"
                        data-testid=testid::CALL_UNDO
                        disabled=move || is_busy.get()
                        on:click=undo
                    >
                        "Undo"
                    </button>
                </Show>
            </div>
        </Show>
        <p class="call__problem" role="alert">
            {move || error.get().map(|error| format!("{} {}", error.message, error.hint))}
        </p>
    }
}

fn file(change: FileChange) -> impl IntoView {
    let is_undone = change.undone_at_ms.is_some();
    let what = match (is_undone, change.before) {
        (true, _) => "Undone",
        (false, None) => "Created",
        (false, Some(_)) => "Changed",
    };
    view! {
        <li class="call__file" class:call__file--undone=is_undone>
            <span class="call__tag">{what}</span>
            <span class="call__path"><Escaped text=change.path/></span>
        </li>
    }
}
