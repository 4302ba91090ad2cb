//! Whether an element has stood still long enough for a click to mean it.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use leptos::html::Article;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, ResizeObserver};

use crate::browser;

/// A person who was about to click when it moved has clicked by then.
const STILL_MS: u64 = 400;
/// Moving less than this changes nothing under the pointer.
const MOVED_PX: f64 = 3.0;

struct Place {
    top_px: Cell<f64>,
    moved_at_ms: Cell<u64>,
}

/// False while `card` has just appeared or moved: what is under the pointer may not be what the
/// person aimed at. Watched while `is_active`. Moves come from content that grows or shrinks, and from scrolling.
pub(crate) fn use_steady(card: NodeRef<Article>, is_active: Memo<bool>) -> ReadSignal<bool> {
    let is_steady = RwSignal::new(false);
    let place = Rc::new(Place {
        top_px: Cell::new(f64::MIN),
        moved_at_ms: Cell::new(0),
    });
    let place = StoredValue::new_local(place);
    Effect::new(move || {
        if is_active.get()
            && let Some(card) = card.get()
        {
            is_steady.set(false);
            place.with_value(|place| place.top_px.set(f64::MIN));
            watch(card.unchecked_ref(), &place.get_value(), is_steady);
        }
    });
    is_steady.read_only()
}

fn watch(card: &Element, place: &Rc<Place>, is_steady: RwSignal<bool>) {
    let look = {
        let (card, place) = (card.clone(), Rc::clone(place));
        move || {
            let top_px = card.get_bounding_client_rect().top();
            if (top_px - place.top_px.replace(top_px)).abs() < MOVED_PX {
                return;
            }
            place.moved_at_ms.set(browser::now_ms());
            is_steady.try_set(false);
            let place = Rc::clone(&place);
            set_timeout(
                move || {
                    let still_ms = browser::now_ms().saturating_sub(place.moved_at_ms.get());
                    if still_ms >= STILL_MS {
                        is_steady.try_set(true);
                    }
                },
                Duration::from_millis(STILL_MS),
            );
        }
    };
    look();
    let scrolled = card.closest(".transcript__scroll").ok().flatten();
    let column = card.closest(".transcript__column").ok().flatten();
    let callback = Closure::<dyn FnMut()>::new(look);
    let function: &js_sys::Function = callback.as_ref().unchecked_ref();
    let observer = ResizeObserver::new(function).ok();
    if let (Some(observer), Some(column)) = (&observer, &column) {
        observer.observe(column);
    }
    if let Some(scrolled) = &scrolled {
        scrolled
            .add_event_listener_with_callback("scroll", function)
            .ok();
    }
    let kept = StoredValue::new_local((observer, scrolled, callback));
    on_cleanup(move || {
        kept.with_value(|(observer, scrolled, callback)| {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            if let Some(scrolled) = scrolled {
                scrolled
                    .remove_event_listener_with_callback(
                        "scroll",
                        callback.as_ref().unchecked_ref(),
                    )
                    .ok();
            }
        });
    });
}
