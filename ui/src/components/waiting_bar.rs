//! Calls that wait for the person, where the transcript does not show them.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CallId, Decision, ToolCallView};

use super::confirm_button::ConfirmButton;
use super::tool_call::PendingCards;
use crate::actions::{use_actions, use_store};
use crate::state::{AppStateStoreFields, pending_calls};
use crate::testid;

#[component]
pub(crate) fn WaitingBar(
    /// What is known of the cards.
    cards: PendingCards,
) -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let pending = Memo::new(move |_| pending_calls(store));
    let hidden = Memo::new(move |_| {
        let out_of_view = cards.out_of_view.read();
        pending.with(|pending| first_hidden(pending, &out_of_view))
    });
    // Doubts are settled one by one: each has another story.
    let asking = Memo::new(move |_| {
        pending.with(|pending| pending.iter().filter(|call| is_asking(call)).count())
    });
    let is_shown = Memo::new(move |_| hidden.get().is_some() || asking.get() > 1);
    let is_unread = move || {
        let unread = cards.unread.read();
        pending.with(|pending| pending.iter().any(|call| unread.contains(&call.call_id)))
    };
    let words = move || match pending.with(Vec::len) {
        1 => "1 call waits for you".to_owned(),
        calls => format!("{calls} calls wait for you"),
    };
    let show = move |_| {
        let wanted = hidden
            .get_untracked()
            .or_else(|| pending.with_untracked(|pending| pending.first().map(|call| call.call_id)));
        store.wanted_call().set(wanted);
    };
    let decide_all = move |decision: Decision| {
        let calls: Vec<ToolCallView> = pending
            .get_untracked()
            .into_iter()
            .filter(is_asking)
            .collect();
        is_busy.set(true);
        spawn_local(async move {
            actions.decide_all(calls, decision).await;
            is_busy.try_set(false);
        });
    };
    view! {
        <Show when=move || is_shown.get()>
            <div class="waiting-bar" role="status" data-testid=testid::WAITING_BAR>
                <span class="waiting-bar__words">{words}</span>
                <Show when=move || hidden.get().is_some()>
                    <button
                        type="button"
                        class="button button--primary"
                        data-testid=testid::WAITING_SHOW
                        on:click=show
                    >
                        "Show"
                    </button>
                </Show>
                <Show when=move || { asking.get() > 1 }>
                    <ConfirmButton
                        label="Allow all"
                        question="Run all of them, once each?"
                        confirm="Allow all"
                        decline="Not now"
                        testid=testid::WAITING_ALLOW_ALL
                        class="button"
                        confirm_class="button button--primary"
                        disabled=Signal::derive(move || is_busy.get() || is_unread())
                        on_confirm=Callback::new(move |()| decide_all(Decision::AllowOnce {}))
                    />
                    <ConfirmButton
                        label="Deny all"
                        question="Run none of them?"
                        confirm="Deny all"
                        decline="Not now"
                        testid=testid::WAITING_DENY_ALL
                        class="button"
                        disabled=is_busy
                        on_confirm=Callback::new(move |()| {
                            decide_all(Decision::Deny { reason: None });
                        })
                    />
                </Show>
            </div>
        </Show>
    }
}

fn is_asking(call: &ToolCallView) -> bool {
    call.doubt.is_none() && call.approval.is_some()
}

fn first_hidden(pending: &[ToolCallView], out_of_view: &[CallId]) -> Option<CallId> {
    pending
        .iter()
        .map(|call| call.call_id)
        .find(|call_id| out_of_view.contains(call_id))
}
