//! The line above the transcript: which session this is; in a narrow window, the way to the others.

use leptos::prelude::*;
use protocol::UsageTotal;

use crate::actions::{use_actions, use_store};
use crate::components::agent_picker::AgentPicker;
use crate::components::icon::{Icon, Shape};
use crate::components::session_row::UNTITLED;
use crate::state::{
    AppStateStoreFields, Panel, SessionStateStoreFields, attention_ids, summary_of,
};

#[component]
pub(crate) fn TopBar() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let waiting = Memo::new(move |_| attention_ids(store).len());
    let title = move || match store.panel().get() {
        Panel::Resume => "Needs you".to_owned(),
        Panel::Agents => "Agents".to_owned(),
        Panel::Settings => "Settings".to_owned(),
        Panel::Models => "Models".to_owned(),
        Panel::FirstRun => "Welcome".to_owned(),
        Panel::None | Panel::Drawer => store
            .session()
            .session_id()
            .get()
            .and_then(|session_id| summary_of(store, session_id)?.title)
            .unwrap_or_else(|| UNTITLED.to_owned()),
    };
    let workspace = move || {
        let workspace = store.session().workspace().get();
        (!workspace.is_empty()).then(|| format!("Workspace: {workspace}"))
    };
    let usage = move || match store.panel().get() {
        Panel::None | Panel::Drawer => used(&store.session().usage().get()),
        Panel::Resume | Panel::Agents | Panel::Settings | Panel::Models | Panel::FirstRun => None,
    };
    view! {
        <header class="top-bar">
            <button
                type="button"
                class="icon-button top-bar__menu"
                aria-label="Sessions"
                aria-expanded=move || (store.panel().get() == Panel::Drawer).to_string()
                on:click=move |_| actions.toggle_panel(Panel::Drawer)
            >
                <Icon shape=Shape::Menu/>
                <Show when=move || { waiting.get() > 0 }>
                    <span class="top-bar__dot"></span>
                </Show>
            </button>
            <h1 class="top-bar__title" title=workspace>{title}</h1>
            <span class="top-bar__usage" title="Tokens read and written in this session, and what they cost">
                {usage}
            </span>
            <Show when=move || matches!(store.panel().get(), Panel::None | Panel::Drawer)>
                <AgentPicker/>
            </Show>
            <button
                type="button"
                class="icon-button top-bar__new"
                aria-label="New session"
                title="New session (Ctrl+N)"
                on:click=move |_| actions.new_session()
            >
                <Icon shape=Shape::Plus/>
            </button>
        </header>
    }
}

/// What is known is said; what is not is never counted as nothing.
fn used(total: &UsageTotal) -> Option<String> {
    let sum = total.sum;
    let tokens = match (sum.input_tokens, sum.output_tokens) {
        (None, None) => return None,
        (input, output) => input.unwrap_or(0) + output.unwrap_or(0),
    };
    let tokens = match tokens {
        0..1_000 => format!("{tokens} tokens"),
        1_000..1_000_000 => format!("{}k tokens", tokens / 1_000),
        1_000_000.. => format!("{}M tokens", tokens / 1_000_000),
    };
    let more = if total.calls_unknown > 0 {
        "at least "
    } else {
        ""
    };
    let cost = sum.cost_microusd.map(|cost| {
        let cents = cost.div_ceil(10_000);
        format!(" · ${}.{:02}", cents / 100, cents % 100)
    });
    Some(format!("{more}{tokens}{}", cost.unwrap_or_default()))
}
