//! A field that writes the title of a session, in its place.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leptos::ev::{FocusEvent, KeyboardEvent, Targeted};
use leptos::html;
use leptos::prelude::*;
use protocol::limits;
use web_sys::HtmlInputElement;

#[component]
pub(crate) fn TitleField(
    /// The title so far.
    title: String,
    /// Called once, with the new title or with nothing.
    on_done: Callback<Option<String>>,
) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    // Enter, Escape and leaving the field all end it; only the first counts. Leaving comes once more
    // when the field is taken away: by then nothing that belongs to it may be touched.
    let is_over = Arc::new(AtomicBool::new(false));
    let end = move |title: Option<String>| {
        if !is_over.swap(true, Ordering::Relaxed) {
            let title = title.map(|title| title.trim().to_owned());
            on_done.run(title.filter(|title| !title.is_empty()));
        }
    };
    let on_blur = {
        let end = end.clone();
        move |event: Targeted<FocusEvent, HtmlInputElement>| end(Some(event.target().value()))
    };
    let on_keydown = move |event: Targeted<KeyboardEvent, HtmlInputElement>| {
        event.stop_propagation();
        match event.key().as_str() {
            "Enter" => end(Some(event.target().value())),
            "Escape" => end(None),
            _ => {}
        }
    };
    Effect::new(move || {
        if let Some(input) = input.get() {
            input.focus().ok();
            input.select();
        }
    });

    view! {
        <input
            class="title-field"
            aria-label="Title"
            maxlength=limits::TITLE_BYTES.to_string()
            value=title
            node_ref=input
            on:keydown:target=on_keydown
            on:blur:target=on_blur
        />
    }
}
