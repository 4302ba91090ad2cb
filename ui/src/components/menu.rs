//! A button that opens a short list of things to do.

use leptos::ev::{FocusEvent, KeyboardEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, Node};

use super::icon::{Icon, Shape};
use crate::hooks::arrow_focus::arrow_focus;

/// One thing to do.
#[derive(Clone)]
pub(crate) struct MenuItem {
    pub(crate) words: &'static str,
    pub(crate) testid: &'static str,
    pub(crate) on_pick: Callback<()>,
}

#[component]
pub(crate) fn Menu(
    /// What the things have in common.
    label: &'static str,
    /// The value of `data-testid` of the button.
    testid: &'static str,
    /// The things, as they are when the list opens.
    items: Callback<(), Vec<MenuItem>>,
) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let button = NodeRef::<html::Button>::new();
    let list = NodeRef::<html::Div>::new();
    let root = NodeRef::<html::Span>::new();
    Effect::new(move || {
        if let (Some(list), Some(button)) = (list.get(), button.get_untracked()) {
            place(list.unchecked_ref(), button.unchecked_ref());
            if let Ok(Some(first)) = list.query_selector("[role=menuitem]") {
                first.unchecked_into::<HtmlElement>().focus().ok();
            }
        }
    });
    let close = move || {
        is_open.set(false);
        if let Some(button) = button.get_untracked() {
            button.focus().ok();
        }
    };
    let on_keydown = move |event: KeyboardEvent| {
        if !is_open.get_untracked() {
            return;
        }
        if event.key() == "Escape" {
            event.stop_propagation();
            event.prevent_default();
            close();
        } else if let Some(list) = list.get_untracked() {
            event.stop_propagation();
            arrow_focus(&event, &list, "[role=menuitem]");
        }
    };
    // Wherever the focus goes, the list does not stay behind.
    let on_focusout = move |event: FocusEvent| {
        let next = event
            .related_target()
            .and_then(|next| next.dyn_into::<Node>().ok());
        let stays = root
            .try_get_untracked()
            .flatten()
            .is_some_and(|root| root.contains(next.as_ref()));
        if !stays {
            is_open.try_set(false);
        }
    };
    let item = move |item: MenuItem| {
        let MenuItem {
            words,
            testid,
            on_pick,
        } = item;
        view! {
            <button
                type="button"
                class="menu__item"
                role="menuitem"
                tabindex="-1"
                data-testid=testid
                on:click=move |_| {
                    close();
                    on_pick.run(());
                }
            >
                {words}
            </button>
        }
    };
    view! {
        <span class="menu" node_ref=root on:keydown=on_keydown on:focusout=on_focusout>
            <button
                type="button"
                class="icon-button menu__button"
                aria-label=label
                aria-haspopup="menu"
                aria-expanded=move || is_open.get().to_string()
                data-testid=testid
                node_ref=button
                on:click=move |_| is_open.update(|is_open| *is_open = !*is_open)
            >
                <Icon shape=Shape::More/>
            </button>
            <Show when=move || is_open.get()>
                <div class="menu__list" role="menu" aria-label=label node_ref=list>
                    {items.run(()).into_iter().map(item).collect_view()}
                </div>
            </Show>
        </span>
    }
}

/// Beside its button, and never beyond the window: what scrolls would cut it off otherwise.
pub(crate) fn place(list: &HtmlElement, button: &HtmlElement) {
    let at = button.get_bounding_client_rect();
    let window = leptos::prelude::window();
    let size = |value: Result<wasm_bindgen::JsValue, _>| {
        value.ok().and_then(|value| value.as_f64()).unwrap_or(0.0)
    };
    let (width, height) = (size(window.inner_width()), size(window.inner_height()));
    let (own_width, own_height) = (
        f64::from(list.offset_width()),
        f64::from(list.offset_height()),
    );
    let left = at.left().min(width - own_width - 8.0).max(8.0);
    let below = at.bottom() + 4.0;
    let top = if below + own_height > height {
        (at.top() - own_height - 4.0).max(8.0)
    } else {
        below
    };
    let style = list.style();
    style.set_property("left", &format!("{left}px")).ok();
    style.set_property("top", &format!("{top}px")).ok();
}
