//! Whether an element can be seen.

use js_sys::Array;
use leptos::html::Article;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// A card that only peeks out is not seen.
const MARGIN: &str = "-48px 0px";

/// Says when `card` comes into view and when it leaves it, while `is_active`.
pub(crate) fn use_in_view(
    card: NodeRef<Article>,
    is_active: Memo<bool>,
    on_change: impl Fn(bool) + Copy + 'static,
) {
    Effect::new(move || {
        let Some(card) = card.get().filter(|_| is_active.get()) else {
            on_change(true);
            return;
        };
        let callback = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
            if let Ok(entry) = entries.pop().dyn_into::<IntersectionObserverEntry>() {
                on_change(entry.is_intersecting());
            }
        });
        let options = IntersectionObserverInit::new();
        // Without a root, the margin would be that of the window, not of what scrolls.
        options.set_root(card.closest(".transcript__scroll").ok().flatten().as_ref());
        options.set_root_margin(MARGIN);
        let function = callback.as_ref().unchecked_ref();
        let Ok(observer) = IntersectionObserver::new_with_options(function, &options) else {
            return;
        };
        observer.observe(&card);
        let kept = StoredValue::new_local((observer, callback));
        on_cleanup(move || {
            kept.with_value(|(observer, _)| observer.disconnect());
        });
    });
}
