//! What a call will do or did, in full: its preview, its arguments.

use leptos::prelude::*;
use protocol::{CallPreview, PreviewPart, ToolCallView};

use super::super::copy_button::CopyButton;
use super::super::escaped::Escaped;
use super::super::long_text::{LineStyle, LongText, READING};
use crate::text::spread_json;

/// Whether some of what is to be decided about would be cut.
pub(super) fn is_long(call: &ToolCallView) -> bool {
    let preview = call.preview.iter().flat_map(|preview| &preview.parts);
    let is_part_long = preview.map(part_text).any(|text| READING.cuts(text));
    is_part_long || READING.cuts(&spread_json(&call.arguments))
}

fn part_text(part: &PreviewPart) -> &str {
    match part {
        PreviewPart::Path { path } => path,
        PreviewPart::Diff { text, .. }
        | PreviewPart::Command { text }
        | PreviewPart::Text { text, .. } => text,
    }
}

/// What will really run: all parts of the preview.
#[component]
pub(super) fn Preview(
    /// The call.
    call: Memo<ToolCallView>,
    /// Whether all of a long text is shown.
    shows_all: RwSignal<bool>,
) -> impl IntoView {
    let preview = Memo::new(move |_| call.with(|call| call.preview.clone()));
    move || {
        preview.get().map(|CallPreview { parts, .. }| {
            parts
                .into_iter()
                .map(|part| view! { <Part part shows_all/> })
                .collect_view()
        })
    }
}

#[component]
fn Part(part: PreviewPart, shows_all: RwSignal<bool>) -> impl IntoView {
    match part {
        PreviewPart::Path { path } => view! {
            <div class="call__part">
                <p class="call__label">"Path"</p>
                <p class="call__path"><Escaped text=path/></p>
            </div>
        }
        .into_any(),
        PreviewPart::Diff { path, text, is_new } => {
            let copied = text.clone();
            view! {
                <div class="call__part">
                    <p class="call__label">
                        <span class="call__path"><Escaped text=path/></span>
                        {is_new.then(|| view! { <span class="call__tag">"New file"</span> })}
                        <CopyButton text=move || copied.clone() label="Copy the change"/>
                    </p>
                    <LongText
                        text=Signal::stored(text)
                        extent=READING
                        shows_all
                        lines=LineStyle::Diff
                        label="What would change"
                    />
                </div>
            }
            .into_any()
        }
        PreviewPart::Command { text } => block("Command".to_owned(), text, shows_all),
        PreviewPart::Text { label, text } => block(label, text, shows_all),
    }
}

fn block(label: String, text: String, shows_all: RwSignal<bool>) -> AnyView {
    let copied = text.clone();
    view! {
        <div class="call__part">
            <p class="call__label">
                <span><Escaped text=label/></span>
                <CopyButton text=move || copied.clone() label="Copy"/>
            </p>
            <LongText text=Signal::stored(text) extent=READING shows_all label="What would run"/>
        </div>
    }
    .into_any()
}

/// The arguments, exactly, with line breaks for reading.
#[component]
pub(super) fn Arguments(
    /// The call.
    call: Memo<ToolCallView>,
    /// Whether all of a long text is shown.
    shows_all: RwSignal<bool>,
    /// Whether they are unfolded at first.
    is_open: bool,
) -> impl IntoView {
    let arguments = Memo::new(move |_| call.with(|call| spread_json(&call.arguments)));
    let proposed = move || {
        call.with(|call| call.proposed_arguments.as_deref().map(spread_json))
            .map(|proposed| {
                view! {
                    <p class="call__label">"As the model proposed them"</p>
                    <LongText
                        text=Signal::stored(proposed)
                        extent=READING
                        shows_all
                        label="Proposed arguments"
                    />
                }
            })
    };
    view! {
        <details class="call__arguments" open=is_open>
            <summary class="call__fold">
                {move || {
                    let is_edited = call.with(|call| call.proposed_arguments.is_some());
                    if is_edited { "Arguments, edited by you" } else { "Arguments" }
                }}
            </summary>
            <p class="call__label">
                <code>{move || call.with(|call| call.tool.clone())}</code>
                <CopyButton
                    text=move || call.with_untracked(|call| call.arguments.clone())
                    label="Copy the arguments"
                />
            </p>
            <LongText text=arguments extent=READING shows_all label="Arguments"/>
            {proposed}
        </details>
    }
}
