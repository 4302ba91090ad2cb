//! Stays at the end of a growing text, as long as the person does.

use std::cell::Cell;
use std::rc::Rc;

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{HtmlDivElement, ResizeObserver};

/// So near counts as at the end.
const NEAR_PX: i32 = 32;

/// A scrolled element whose end is followed.
#[derive(Clone, Copy)]
pub(crate) struct Autoscroll {
    scrolled: NodeRef<Div>,
    /// Whether the end is in view.
    pub(crate) is_at_end: RwSignal<bool>,
    position: StoredValue<Rc<Position>, LocalStorage>,
}

#[derive(Default)]
struct Position {
    is_following: Cell<bool>,
    top_px: Cell<i32>,
    /// How far from the end to stay when something is added at the front.
    held_px: Cell<Option<i32>>,
}

/// Follows the end of `scrolled` while `content` grows inside it.
pub(crate) fn use_autoscroll(scrolled: NodeRef<Div>, content: NodeRef<Div>) -> Autoscroll {
    let autoscroll = Autoscroll {
        scrolled,
        is_at_end: RwSignal::new(true),
        position: StoredValue::new_local(Rc::default()),
    };
    autoscroll.follow();
    Effect::new(move || {
        if let (Some(scrolled), Some(content)) = (scrolled.get(), content.get()) {
            autoscroll.observe(&scrolled, &content);
        }
    });
    autoscroll
}

impl Autoscroll {
    /// Goes to the end and stays there.
    pub(crate) fn jump(self) {
        self.follow();
        if let Some(scrolled) = self.scrolled.get_untracked() {
            self.settle(&scrolled);
        }
    }

    /// Stops following the end: what the person unfolds stays where it is.
    pub(crate) fn let_go(self) {
        self.position
            .with_value(|position| position.is_following.set(false));
    }

    /// Keeps what is in view where it is when something is added at the front.
    pub(crate) fn hold(self) {
        if let Some(scrolled) = self.scrolled.get_untracked() {
            let from_end = scrolled.scroll_height() - scrolled.scroll_top();
            self.position
                .with_value(|position| position.held_px.set(Some(from_end)));
        }
    }

    /// Takes note of where the person scrolled to. The browser may still say so after the element
    /// has gone.
    pub(crate) fn on_scroll(self) {
        let Some(scrolled) = self.scrolled.try_get_untracked().flatten() else {
            return;
        };
        let top_px = scrolled.scroll_top();
        let is_near = scrolled.scroll_height() - top_px - scrolled.client_height() <= NEAR_PX;
        self.position.with_value(|position| {
            // Only moving up leaves the end: growing text moves away from the view by itself.
            if is_near {
                position.is_following.set(true);
            } else if top_px < position.top_px.get() {
                position.is_following.set(false);
            }
            position.top_px.set(top_px);
            self.is_at_end.set(position.is_following.get());
        });
    }

    fn follow(self) {
        self.position.with_value(|position| {
            position.is_following.set(true);
            position.held_px.set(None);
        });
        self.is_at_end.set(true);
    }

    fn settle(self, scrolled: &HtmlDivElement) {
        self.position.with_value(|position| {
            let height = scrolled.scroll_height();
            // Something else scrolled up, and nobody has said so yet.
            let below = height - scrolled.scroll_top() - scrolled.client_height();
            if scrolled.scroll_top() < position.top_px.get() && below > NEAR_PX {
                position.is_following.set(false);
            }
            if let Some(held) = position.held_px.take() {
                scrolled.set_scroll_top(height - held);
            } else if position.is_following.get() {
                scrolled.set_scroll_top(height);
            } else {
                self.is_at_end.set(below <= NEAR_PX);
                position.is_following.set(below <= NEAR_PX);
            }
            position.top_px.set(scrolled.scroll_top());
        });
    }

    fn observe(self, scrolled: &HtmlDivElement, content: &HtmlDivElement) {
        let observed = scrolled.clone();
        let callback = Closure::<dyn FnMut()>::new(move || self.settle(&observed));
        let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(content);
        observer.observe(scrolled);
        let kept = StoredValue::new_local((observer, callback));
        on_cleanup(move || kept.with_value(|(observer, _)| observer.disconnect()));
    }
}
