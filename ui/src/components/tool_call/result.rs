//! What a call gave back: verbatim, its beginning first, the rest on demand.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, ToolCallView, ToolResult};

use super::super::copy_button::CopyButton;
use super::super::long_text::{GLANCE, LongText};
use crate::actions::use_actions;
use crate::testid;

#[component]
pub(super) fn ResultView(
    /// The call.
    call: Memo<ToolCallView>,
) -> impl IntoView {
    let result = Memo::new(move |_| call.with(|call| call.result.clone()));
    move || {
        result.get().map(|result| {
            let call_id = call.with_untracked(|call| call.call_id);
            view! { <Shown call_id result/> }
        })
    }
}

#[component]
fn Shown(call_id: protocol::CallId, result: ToolResult) -> impl IntoView {
    let actions = use_actions();
    let ToolResult {
        text,
        is_error,
        total_bytes,
        class: _,
    } = result;
    let text = RwSignal::new(text);
    let shows_all = RwSignal::new(false);
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let missing = move || total_bytes.saturating_sub(text.with(|text| text.len() as u64));
    let read_on = move |_| {
        is_busy.set(true);
        spawn_local(async move {
            let offset = text.with_untracked(|text| text.len() as u64);
            match actions.read_result(call_id, offset).await {
                Ok(Some((more, _))) => {
                    text.try_update(|text| text.push_str(&more));
                    shows_all.try_set(true);
                }
                Ok(None) => {}
                Err(refused) => {
                    error.try_set(Some(refused));
                }
            }
            is_busy.try_set(false);
        });
    };
    let class = if is_error {
        "call__part call__part--error"
    } else {
        "call__part"
    };
    view! {
        <div class=class data-testid=testid::CALL_RESULT>
            <p class="call__label">
                <span>{if is_error { "Error" } else { "Result" }}</span>
                <CopyButton text=move || text.get_untracked() label="Copy the result"/>
            </p>
            <Show
                when=move || !text.with(String::is_empty)
                fallback=|| view! { <p class="call__note">"It gave nothing back."</p> }
            >
                <LongText text extent=GLANCE shows_all label="Result"/>
            </Show>
            <Show when=move || { missing() > 0 }>
                <p class="long-text__cut">
                    <span>{move || format!("{} KB more are kept.", missing().div_ceil(1024))}</span>
                    <button
                        type="button"
                        class="button button--small"
                        data-testid=testid::RESULT_MORE
                        disabled=move || is_busy.get()
                        on:click=read_on
                    >
                        "Read on"
                    </button>
                </p>
            </Show>
            <p class="call__problem" role="alert">{move || error.get().map(|error| error.message)}</p>
        </div>
    }
}
