//! One line that unfolds. What is folded is not in the page: a long session has many cards.

use leptos::ev::{Event, Targeted};
use leptos::prelude::*;
use web_sys::HtmlDetailsElement;

use crate::testid;

#[component]
pub(super) fn Fold(
    /// Whether it is unfolded at first.
    starts_open: bool,
    /// What the line says.
    head: AnyView,
    /// What is below it.
    children: ChildrenFn,
) -> impl IntoView {
    let is_open = RwSignal::new(starts_open);
    let on_toggle = move |event: Targeted<Event, HtmlDetailsElement>| {
        is_open.set(event.target().open());
    };
    let children = StoredValue::new(children);
    view! {
        <details class="call__details" open=starts_open on:toggle:target=on_toggle>
            <summary class="call__head" data-testid=testid::CALL_TOGGLE>{head}</summary>
            <Show when=move || is_open.get()>
                <div class="call__body">{children.with_value(|children| children())}</div>
            </Show>
        </details>
    }
}
