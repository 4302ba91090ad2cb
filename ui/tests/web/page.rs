//! A page that a test looks at and clicks in.

use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use leptos::tachys::view::any_view::AnyViewState;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlTextAreaElement, KeyboardEvent, KeyboardEventInit};

use crate::shell;

/// Something mounted in an element of its own; gone when it is dropped.
pub(crate) struct Page {
    root: HtmlElement,
    _mounted: UnmountHandle<AnyViewState>,
}

impl Page {
    pub(crate) fn markdown(source: &str) -> Self {
        let source = source.to_owned();
        Self::mount(move || view! { <ui::Markdown source/> }.into_any())
    }

    /// The app, on a shell that is already told what to answer.
    pub(crate) fn app() -> Self {
        Self::mount(|| view! { <ui::App/> }.into_any())
    }

    /// The app without a session.
    pub(crate) async fn empty() -> Self {
        shell::install();
        shell::answer_start(&json!([]));
        let page = Self::app();
        page.eventually("the empty state", |page| {
            page.count("[data-testid=empty-state]") == 1
        })
        .await;
        page
    }

    /// The app on a session whose run streams, with nothing streamed yet.
    pub(crate) async fn streaming(asked: &str) -> Self {
        shell::install();
        let summary = shell::running(1);
        shell::answer_start(&json!([summary]));
        shell::answer("get_session", &shell::snapshot(&summary, asked));
        shell::answer("subscribe", &json!(2));
        let page = Self::app();
        page.eventually("the stream", |page| {
            page.count("[data-status=streaming]") == 1 && shell::called("subscribe").len() == 1
        })
        .await;
        // The answer to the subscription is on its way: one turn of the loop.
        shell::wait(20).await;
        page
    }

    /// The app on a session whose run was interrupted.
    pub(crate) async fn interrupted() -> Self {
        shell::install();
        let summary = shell::interrupted(1);
        shell::answer_start(&json!([summary]));
        shell::answer("get_session", &shell::idle_snapshot(&summary));
        shell::answer("subscribe", &json!(2));
        shell::answer(
            "cancel_run",
            &json!({ "type": "run_moved", "run_id": shell::RUN, "status": "cancelled" }),
        );
        Self::app()
    }

    /// The app on a session that is read like this.
    pub(crate) async fn session(snapshot: &Value) -> Self {
        shell::install();
        shell::answer_start(&json!([snapshot["session"]]));
        shell::answer("get_session", snapshot);
        shell::answer("subscribe", &json!(2));
        let page = Self::app();
        page.eventually("the session", |page| {
            page.count("[data-testid=message]") > 0 && shell::called("subscribe").len() == 1
        })
        .await;
        shell::wait(20).await;
        page
    }

    /// Waits until the cards that ask have stood still.
    pub(crate) async fn steady(&self) {
        self.eventually("a card that stands still", |page| {
            page.count("[data-ready=true]") > 0 && page.count("[data-ready=false]") == 0
        })
        .await;
        // The last of the buttons' own delays.
        shell::wait(60).await;
    }

    /// Makes an element as high as this, so that it scrolls: tests have no style sheet.
    pub(crate) fn set_height(&self, selector: &str, height: &str) {
        let element = self
            .find(selector)
            .unwrap_or_else(|| panic!("no {selector}"));
        let style = element.unchecked_into::<HtmlElement>().style();
        style.set_property("height", height).expect("a height");
        style.set_property("overflow", "auto").expect("scrolling");
    }

    /// Puts the focus on an element, as the keyboard would.
    pub(crate) fn focus(&self, selector: &str) {
        let element = self
            .find(selector)
            .unwrap_or_else(|| panic!("no {selector}"));
        let element: HtmlElement = element.unchecked_into();
        element.focus().expect("a place for the focus");
    }

    /// Whether the focus is on this element.
    pub(crate) fn has_focus(&self, selector: &str) -> bool {
        let focused = document().active_element();
        self.find(selector).is_some_and(|element| {
            focused.is_some_and(|focused| element.is_same_node(Some(&focused)))
        })
    }

    fn mount(view: impl FnOnce() -> AnyView + 'static) -> Self {
        let root: HtmlElement = document()
            .create_element("div")
            .expect("an element")
            .unchecked_into();
        document()
            .body()
            .expect("a body")
            .append_child(&root)
            .expect("a place");
        let _mounted = mount_to(root.clone(), view);
        Self { root, _mounted }
    }

    /// Sends pushes through the session's newest channel.
    pub(crate) fn deliver(&self, index: u32, pushes: &Value) {
        shell::deliver("subscribe", index, pushes);
    }

    pub(crate) fn find(&self, selector: &str) -> Option<Element> {
        self.root.query_selector(selector).expect("a selector")
    }

    pub(crate) fn count(&self, selector: &str) -> u32 {
        self.root
            .query_selector_all(selector)
            .expect("a selector")
            .length()
    }

    /// What the first such element says; nothing if there is none.
    pub(crate) fn text(&self, selector: &str) -> String {
        let text = self
            .find(selector)
            .and_then(|element| element.text_content());
        text.unwrap_or_default().trim().to_owned()
    }

    pub(crate) fn attributes(&self, selector: &str, name: &str) -> Vec<String> {
        let found = self.root.query_selector_all(selector).expect("a selector");
        (0..found.length())
            .filter_map(|index| {
                found
                    .get(index)?
                    .dyn_into::<Element>()
                    .ok()?
                    .get_attribute(name)
            })
            .collect()
    }

    pub(crate) fn click(&self, selector: &str) {
        let element = self
            .find(selector)
            .unwrap_or_else(|| panic!("no {selector}"));
        element.unchecked_into::<HtmlElement>().click();
    }

    pub(crate) fn write(&self, selector: &str, text: &str) {
        let field: HtmlTextAreaElement = self.find(selector).expect("a field").unchecked_into();
        field.set_value(text);
        let event = Event::new("input").expect("an event");
        field.dispatch_event(&event).expect("a listener");
    }

    /// Presses a key in an element.
    pub(crate) fn key(&self, selector: &str, key: &str) {
        let options = KeyboardEventInit::new();
        options.set_key(key);
        options.set_bubbles(true);
        options.set_cancelable(true);
        let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &options)
            .expect("an event");
        let element = self
            .find(selector)
            .unwrap_or_else(|| panic!("no {selector}"));
        element.dispatch_event(&event).expect("a listener");
    }

    pub(crate) fn value(&self, selector: &str) -> String {
        self.find(selector)
            .expect("a field")
            .unchecked_into::<HtmlTextAreaElement>()
            .value()
    }

    pub(crate) fn has_global(&self, name: &str) -> bool {
        js_sys::Reflect::has(&window(), &name.into()).expect("a window")
    }

    /// Waits until the page is as wanted, or panics with what was wanted.
    pub(crate) async fn eventually(&self, wanted: &str, is_so: impl Fn(&Self) -> bool) {
        for _ in 0..300 {
            if is_so(self) {
                return;
            }
            shell::wait(10).await;
        }
        panic!("no {wanted} in: {}", self.root.inner_html());
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.root.remove();
    }
}
