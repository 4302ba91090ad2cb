//! One tool call of the transcript, as the card that its stage asks for.

mod approval;
mod approval_choices;
mod approval_forms;
mod body;
mod done;
mod doubt;
mod fold;
mod not_run;
mod result;
mod words;
mod working;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use protocol::{CallId, ToolCallView};
use wasm_bindgen::JsCast;

use super::escaped::Escaped;
use crate::actions::use_store;
use crate::browser;
use crate::hooks::use_in_view::use_in_view;
use crate::hooks::use_steady::use_steady;
use crate::state::{AppStateStoreFields, CallStage, SessionStateStoreFields};
use crate::testid;
use approval::ApprovalCard;
use done::DoneCard;
use doubt::DoubtCard;
use not_run::NotRunCard;
pub(crate) use words::rule as rule_words;
use working::WorkingCard;

/// What is known of the cards that wait for the person, beyond their calls.
#[derive(Clone, Copy)]
pub(crate) struct PendingCards {
    /// Those that cannot be seen.
    pub(crate) out_of_view: RwSignal<Vec<CallId>>,
    /// Those of which not everything was shown yet.
    pub(crate) unread: RwSignal<Vec<CallId>>,
}

impl PendingCards {
    pub(crate) fn new() -> Self {
        Self {
            out_of_view: RwSignal::new(Vec::new()),
            unread: RwSignal::new(Vec::new()),
        }
    }
}

/// Puts an id into a set, or takes it out. Wakes nobody when that changes nothing.
fn mark(set: RwSignal<Vec<CallId>>, call_id: CallId, is_in: bool) {
    let was_in = set.try_with_untracked(|set| set.contains(&call_id));
    if was_in.is_some_and(|was_in| was_in != is_in) {
        set.update(|set| {
            set.retain(|known| *known != call_id);
            if is_in {
                set.push(call_id);
            }
        });
    }
}

#[component]
pub(crate) fn ToolCallCard(
    /// The call as it was when its card was made.
    first: ToolCallView,
) -> impl IntoView {
    let store = use_store();
    let cards: PendingCards = use_context().unwrap_or_else(PendingCards::new);
    let call_id = first.call_id;
    let session = store.session();
    // What is gone is gone a moment later from the page too: until then it stays as it was.
    let call = Memo::new(move |last: Option<&ToolCallView>| {
        let now = session.calls().at_key(call_id).try_get();
        now.or_else(|| last.cloned())
            .unwrap_or_else(|| first.clone())
    });
    let stage = Memo::new(move |_| {
        let run = session.run().read();
        call.with(|call| CallStage::of(call, run.as_ref()))
    });
    let card = NodeRef::<html::Article>::new();
    let on_key = StoredValue::new(None::<Callback<KeyboardEvent>>);
    // Only what can be answered is watched: a session may have hundreds of cards.
    let is_pending = Memo::new(move |_| stage.get().is_pending());
    let is_steady = use_steady(card, is_pending);
    use_in_view(card, is_pending, move |is_in| {
        mark(cards.out_of_view, call_id, !is_in);
    });
    on_cleanup(move || {
        mark(cards.out_of_view, call_id, false);
        mark(cards.unread, call_id, false);
    });
    Effect::new(move || {
        let is_wanted = store.wanted_call().get() == Some(call_id);
        if is_wanted && card.get().is_some() {
            store.wanted_call().set(None);
            // After the transcript has gone to its end.
            browser::on_next_frame(move || browser::on_next_frame(move || show(card)));
        }
    });

    let inner = move || match stage.get() {
        CallStage::Asking => {
            view! { <ApprovalCard call card on_key is_steady unread=cards.unread/> }.into_any()
        }
        CallStage::InDoubt => view! { <DoubtCard call card is_steady/> }.into_any(),
        CallStage::Working => view! { <WorkingCard call/> }.into_any(),
        CallStage::Done => view! { <DoneCard call/> }.into_any(),
        CallStage::NotRun | CallStage::Late => view! { <NotRunCard call/> }.into_any(),
    };
    view! {
        <article
            class=move || class_of(stage.get())
            data-testid=move || testid_of(stage.get())
            data-call-id=call_id.to_string()
            data-status=move || call.with(|call| call.status.as_str())
            data-ready=move || is_pending.get().then(|| is_steady.get().to_string())
            tabindex=move || if is_pending.get() { "0" } else { "-1" }
            aria-label=move || call.with(words::label)
            node_ref=card
            on:keydown=move |event| {
                if let Some(on_key) = on_key.get_value() {
                    on_key.run(event);
                }
            }
        >
            {inner}
        </article>
    }
}

/// Keeps the keyboard at the card when the button that was used goes away.
fn keep_focus(card: NodeRef<html::Article>) {
    let Some(card) = card.get_untracked() else {
        return;
    };
    let focused = document().active_element();
    if card.contains(focused.as_ref().map(AsRef::as_ref)) {
        card.focus().ok();
    }
}

/// The one line that says what a call does.
#[component]
fn Summary(call: Memo<ToolCallView>) -> impl IntoView {
    let words = Memo::new(move |_| call.with(words::summary));
    move || view! { <Escaped text=words.get()/> }
}

fn show(card: NodeRef<html::Article>) {
    if let Some(card) = card.try_get_untracked().flatten() {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Center);
        card.scroll_into_view_with_scroll_into_view_options(&options);
        card.unchecked_ref::<web_sys::HtmlElement>().focus().ok();
    }
}

const fn class_of(stage: CallStage) -> &'static str {
    match stage {
        CallStage::Asking => "call call--asking",
        CallStage::InDoubt => "call call--doubt",
        CallStage::Working => "call call--working",
        CallStage::Done => "call call--done",
        CallStage::NotRun | CallStage::Late => "call call--not-run",
    }
}

const fn testid_of(stage: CallStage) -> &'static str {
    match stage {
        CallStage::Asking => testid::APPROVAL_CARD,
        CallStage::InDoubt => testid::DOUBT_CARD,
        CallStage::Working | CallStage::Done | CallStage::NotRun | CallStage::Late => {
            testid::CALL_CARD
        }
    }
}
