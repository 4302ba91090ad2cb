//! A field that writes the title of a session, in its place.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use protocol::limits;

#[component]
pub(crate) fn TitleField(
    /// The title so far.
    title: String,
    /// Called once, with the new title or with nothing.
    on_done: Callback<Option<String>>,
) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    // Enter, Escape and leaving the field all end it; only the first counts.
    let is_over = StoredValue::new(false);
    let end = move |value: Option<String>| {
        if !is_over.get_value() {
            is_over.set_value(true);
            on_done.run(
                value
                    .map(|value| value.trim().to_owned())
                    .filter(|value| !value.is_empty()),
            );
        }
    };
    let value = move || input.get_untracked().map(|input| input.value());
    Effect::new(move || {
        if let Some(input) = input.get() {
            input.focus().ok();
            input.select();
        }
    });
    let on_keydown = move |event: KeyboardEvent| {
        event.stop_propagation();
        match event.key().as_str() {
            "Enter" => end(value()),
            "Escape" => end(None),
            _ => {}
        }
    };
    view! {
        <input
            class="title-field"
            aria-label="Title"
            maxlength=limits::TITLE_BYTES.to_string()
            value=title
            node_ref=input
            on:keydown=on_keydown
            on:blur=move |_| end(value())
        />
    }
}
