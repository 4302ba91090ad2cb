//! The message that is being written.

use leptos::prelude::*;
use protocol::{AppInfo, BlockKind};
use reactive_stores::{Field, Store};

use super::markdown::LiveMarkdown;
use super::message::ModelLabel;
use super::summary_mark::Summarising;
use crate::state::{
    AppState, AppStateStoreFields, LiveHead, LiveKey, LiveTextStoreFields, SessionStateStoreFields,
};
use crate::testid;

#[component]
pub(crate) fn LiveMessage(
    /// The state, of which only the texts are read.
    store: Store<AppState>,
    /// The step that streams.
    head: Memo<Option<LiveHead>>,
    /// The app, for the names of its models.
    app: Signal<Option<AppInfo>>,
) -> impl IntoView {
    if head.with_untracked(|head| head.as_ref().is_some_and(|head| head.is_compaction)) {
        return view! { <Summarising/> }.into_any();
    }
    let blocks = move || head.get().map(|head| head.blocks).unwrap_or_default();
    let is_silent =
        move || head.with(|head| head.as_ref().is_none_or(|head| head.blocks.is_empty()));
    let model = head
        .get_untracked()
        .map(|head| head.model)
        .unwrap_or_default();

    view! {
        <article
            class="message message--agent message--live"
            data-testid=testid::MESSAGE
            data-role="agent"
            data-status="streaming"
        >
            <p class="message__author"><ModelLabel model app/></p>
            <div class="message__body">
                <For
                    each=blocks
                    key=|(key, _)| *key
                    children=move |(key, kind)| live_block(text_of(store, key), kind)
                />
                <Show when=is_silent>
                    <p class="message__waiting" aria-label="Writing">
                        <span></span><span></span><span></span>
                    </p>
                </Show>
            </div>
        </article>
    }
    .into_any()
}

fn text_of(store: Store<AppState>, key: LiveKey) -> Field<String> {
    store.session().live_texts().at_key(key).text().into()
}

fn live_block(text: Field<String>, kind: BlockKind) -> AnyView {
    match kind {
        BlockKind::Text => view! { <LiveMarkdown text/> }.into_any(),
        BlockKind::Reasoning => view! {
            <details class="reasoning">
                <summary class="reasoning__summary">"Reasoning"</summary>
                <LiveMarkdown text/>
            </details>
        }
        .into_any(),
        // Half of a JSON object tells nobody anything: the card comes when it is whole.
        BlockKind::Arguments => view! {
            <p class="message__calling">
                <span class="call__mark call__mark--working" aria-hidden="true"></span>
                {move || {
                    let bytes = text.try_read().map_or(0, |text| text.len());
                    format!("Writing a tool call · {bytes} bytes")
                }}
            </p>
        }
        .into_any(),
    }
}
