//! How full the model's window is and what the session cost: one quiet line, more on a click.

mod words;

use leptos::ev::{FocusEvent, KeyboardEvent};
use leptos::html;
use leptos::prelude::*;
use protocol::{Fill, UsageTotal};
use wasm_bindgen::JsCast;
use web_sys::Node;

use super::menu::place;
use crate::testid;

#[component]
pub(crate) fn Meter(
    /// How full the window was after the newest reply.
    fill: Memo<Option<Fill>>,
    /// What the newest run cost.
    run: Memo<Option<UsageTotal>>,
    /// What the session cost.
    session: Memo<UsageTotal>,
) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let button = NodeRef::<html::Button>::new();
    let card = NodeRef::<html::Div>::new();
    let root = NodeRef::<html::Span>::new();
    let line = Memo::new(move |_| session.with(|total| words::line(fill.get(), total)));
    Effect::new(move || {
        if let (Some(card), Some(button)) = (card.get(), button.get_untracked()) {
            place(card.unchecked_ref(), button.unchecked_ref());
        }
    });
    let on_keydown = move |event: KeyboardEvent| {
        if event.key() == "Escape" && is_open.get_untracked() {
            event.stop_propagation();
            event.prevent_default();
            is_open.set(false);
            if let Some(button) = button.get_untracked() {
                button.focus().ok();
            }
        }
    };
    // Wherever the focus goes, the card does not stay behind.
    let on_focusout = move |event: FocusEvent| {
        let next = event
            .related_target()
            .and_then(|next| next.dyn_into::<Node>().ok());
        let root = root.try_get_untracked().flatten();
        if !root.is_some_and(|root| root.contains(next.as_ref())) {
            is_open.try_set(false);
        }
    };
    view! {
        <Show when=move || line.with(Option::is_some)>
            <span class="meter" node_ref=root on:keydown=on_keydown on:focusout=on_focusout>
                <button
                    type="button"
                    class="meter__line"
                    title="How full the model's window is, and what this session cost"
                    aria-haspopup="dialog"
                    aria-expanded=move || is_open.get().to_string()
                    data-testid=testid::METER
                    node_ref=button
                    on:click=move |_| is_open.update(|is_open| *is_open = !*is_open)
                >
                    {bar(fill)}
                    <span>{move || line.get()}</span>
                </button>
                <Show when=move || is_open.get()>
                    <div
                        class="meter__card"
                        role="dialog"
                        aria-label="Usage"
                        tabindex="-1"
                        data-testid=testid::METER_CARD
                        node_ref=card
                    >
                        <h2 class="meter__title">"Model's window"</h2>
                        <p class="meter__window">{move || words::window(fill.get())}</p>
                        {move || run.get().map(|total| part("This run", &total))}
                        {move || part("This session", &session.get())}
                    </div>
                </Show>
            </span>
        </Show>
    }
}

/// The same as a picture, for those who see it.
fn bar(fill: Memo<Option<Fill>>) -> impl IntoView {
    let share = move || {
        let fill = fill.get()?;
        let of = fill.of.filter(|of| *of > 0)?;
        let share = (fill.tokens.saturating_mul(100) / of).min(100);
        Some(view! {
            <span class="meter__bar" aria-hidden="true">
                <span
                    class="meter__full"
                    class:meter__full--high={share >= 75}
                    style:width=format!("{share}%")
                ></span>
            </span>
        })
    };
    move || share()
}

fn part(title: &'static str, total: &UsageTotal) -> impl IntoView + use<> {
    let row = |(name, value): (&'static str, String)| {
        view! { <dt>{name}</dt><dd>{value}</dd> }
    };
    view! {
        <h2 class="meter__title">{title}</h2>
        <dl class="meter__rows">{words::rows(total).into_iter().map(row).collect_view()}</dl>
        <p class="meter__calls">{words::calls(total)}</p>
    }
}
