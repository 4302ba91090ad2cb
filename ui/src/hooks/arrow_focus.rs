//! Moves the focus through a list with the arrow keys.

use leptos::ev::KeyboardEvent;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Handles an arrow key inside `container`: the next of its elements that match gets the focus.
pub(crate) fn arrow_focus(event: &KeyboardEvent, container: &Element, selector: &str) {
    let step: i32 = match event.key().as_str() {
        "ArrowDown" => 1,
        "ArrowUp" => -1,
        _ => return,
    };
    let Ok(found) = container.query_selector_all(selector) else {
        return;
    };
    let elements: Vec<HtmlElement> = (0..found.length())
        .filter_map(|index| found.get(index)?.dyn_into().ok())
        .collect();
    let focused = leptos::prelude::document().active_element();
    let here = elements.iter().position(|element| {
        focused
            .as_ref()
            .is_some_and(|focused| element.is_same_node(Some(focused)))
    });
    let there = match (here, step) {
        (None, _) => Some(0),
        (Some(here), 1) => here.checked_add(1),
        (Some(here), _) => here.checked_sub(1),
    };
    if let Some(element) = there.and_then(|there| elements.get(there)) {
        event.prevent_default();
        element.focus().ok();
    }
}
