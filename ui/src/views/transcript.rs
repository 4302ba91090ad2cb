//! All messages of the open session, and the one that is being written.

use std::collections::HashMap;

use leptos::ev::MouseEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CallId, MessageId, Role, StepId};
use reactive_stores::Store;
use wasm_bindgen::JsCast;

use crate::actions::{use_actions, use_store};
use crate::components::icon::{Icon, Shape};
use crate::components::live_message::LiveMessage;
use crate::components::message::MessageView;
use crate::components::summary_mark::SummaryMark;
use crate::components::tool_call::ToolCallCard;
use crate::hooks::use_autoscroll::use_autoscroll;
use crate::state::{AppState, AppStateStoreFields, SessionStateStoreFields, calls_of};
use crate::testid;

#[component]
pub(crate) fn Transcript() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let session = store.session();
    let scrolled = NodeRef::<html::Div>::new();
    let content = NodeRef::<html::Div>::new();
    let autoscroll = use_autoscroll(scrolled, content);
    let is_loading_earlier = RwSignal::new(false);

    let app = Signal::derive(move || store.app().get());
    let live = Memo::new(move |_| session.live().get());
    // Another attempt is another message: the key makes the view anew.
    let attempt =
        Memo::new(move |_| live.with(|live| live.as_ref().map(|l| (l.step_id, l.attempt))));
    let newest = Memo::new(move |_| newest_attempts(store));
    let sent = Memo::new(move |_| {
        let messages = session.messages().read();
        let last = messages
            .iter()
            .rev()
            .find(|row| row.message.role == Role::User);
        (
            session.session_id().get(),
            last.map(|row| row.message.message_id),
        )
    });
    // Another session, or a message of one's own: one wants to see the end.
    Effect::new(move || {
        sent.track();
        autoscroll.jump();
    });
    let show_earlier = move |_| {
        is_loading_earlier.set(true);
        autoscroll.hold();
        spawn_local(async move {
            actions.load_earlier().await;
            is_loading_earlier.try_set(false);
        });
    };

    view! {
        <div class="transcript">
            <div
                class="transcript__scroll"
                tabindex="0"
                role="log"
                aria-live="polite"
                aria-label="Transcript"
                aria-busy=move || live.with(Option::is_some).to_string()
                data-testid=testid::TRANSCRIPT
                node_ref=scrolled
                on:scroll=move |_| autoscroll.on_scroll()
                on:click=move |event| {
                    if is_unfolding(&event) {
                        autoscroll.let_go();
                    }
                }
            >
                <div class="transcript__column" node_ref=content>
                    <Show when=move || session.has_earlier().get()>
                        <button
                            type="button"
                            class="button button--quiet transcript__earlier"
                            disabled=move || is_loading_earlier.get()
                            on:click=show_earlier
                        >
                            "Show earlier messages"
                        </button>
                    </Show>
                    <For
                        each=move || session.messages().get()
                        key=|row| (row.message.message_id, row.cut)
                        children=move |row| {
                            let message_id = row.message.message_id;
                            let position = row.message.position;
                            view! {
                                <MessageView row newest app/>
                                <Calls message_id/>
                                <Summary position/>
                            }
                        }
                    />
                    {move || attempt.get().map(|_| view! { <LiveMessage store head=live app/> })}
                </div>
            </div>
            <Show when=move || !autoscroll.is_at_end.get()>
                <button type="button" class="transcript__jump" on:click=move |_| autoscroll.jump()>
                    <Icon shape=Shape::ArrowDown/>
                    "Jump to latest"
                </button>
            </Show>
        </div>
    }
}

/// Whether a click makes something taller in its place.
fn is_unfolding(event: &MouseEvent) -> bool {
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|target| {
        let selector = "summary, [data-testid=show-all], [data-testid=result-more]";
        target.closest(selector).is_ok_and(|found| found.is_some())
    })
}

/// The tool calls that a message asked for, in order. A card keeps its place while its call moves.
#[component]
fn Calls(message_id: MessageId) -> impl IntoView {
    let store = use_store();
    let ids = Memo::new(move |_| calls_of(store, message_id));
    let card = move |call_id: CallId| {
        let first = store.session().calls().at_key(call_id).try_get_untracked();
        first.map(|first| view! { <ToolCallCard first/> })
    };
    view! { <For each=move || ids.get() key=|id| *id children=card/> }
}

/// The mark after the last message that a summary stands for.
#[component]
fn Summary(position: u64) -> impl IntoView {
    let summaries = use_store().session().summaries();
    let found = Memo::new(move |_| {
        let summaries = summaries.read();
        let mut summaries = summaries.iter();
        summaries
            .find(|summary| summary.position == position)
            .cloned()
    });
    move || found.get().map(|summary| view! { <SummaryMark summary/> })
}

fn newest_attempts(store: Store<AppState>) -> HashMap<StepId, u32> {
    let session = store.session();
    let mut newest = HashMap::new();
    for row in session.messages().read().iter() {
        if let Some((step_id, attempt)) = row.message.step_id.zip(row.message.attempt) {
            newest.insert(step_id, attempt);
        }
    }
    if let Some(live) = session.live().read().as_ref() {
        newest.insert(live.step_id, live.attempt);
    }
    newest
}
