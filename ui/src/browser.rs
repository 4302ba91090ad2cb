//! The browser's own services: clock, randomness, timers, frames, the clipboard.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use js_sys::{Date, Function, Object, Promise, Reflect};
use leptos::prelude::{request_animation_frame, set_timeout, window};
use protocol::AttachmentId;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// A window that is not visible gets no frames; work must go on there too.
const FRAME_AT_LATEST: Duration = Duration::from_millis(200);

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    whole(Date::now())
}

/// What is added to UTC where the person is.
pub(crate) fn offset_minutes() -> i32 {
    // Minutes of a day fit, and the sign is the other way round in JavaScript.
    -(Date::new_0().get_timezone_offset() as i32)
}

/// A time of day as the person's system writes it.
pub(crate) fn clock_text(at_ms: u64) -> String {
    let options = Object::new();
    set(&options, "hour", "2-digit");
    set(&options, "minute", "2-digit");
    date(at_ms)
        .to_locale_time_string_with_options("default", &options)
        .into()
}

/// A date with its time as the person's system writes it.
pub(crate) fn date_text(at_ms: u64) -> String {
    let options = Object::new();
    set(&options, "dateStyle", "medium");
    set(&options, "timeStyle", "short");
    date(at_ms).to_locale_string("default", &options).into()
}

/// A text that nobody else will make: 128 random bits.
pub(crate) fn fresh_key() -> String {
    let mut bytes = [0_u8; 16];
    let random = window()
        .crypto()
        .and_then(|crypto| crypto.get_random_values_with_u8_array(&mut bytes));
    if random.is_err() {
        // Never seen; the time still tells two clicks apart.
        bytes[..8].copy_from_slice(&now_ms().to_le_bytes());
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Calls back in the next frame, or a little later where there are no frames.
pub(crate) fn on_next_frame(work: impl FnOnce() + 'static) {
    let work = Rc::new(RefCell::new(Some(work)));
    let in_frame = Rc::clone(&work);
    request_animation_frame(move || call_once(&in_frame));
    set_timeout(move || call_once(&work), FRAME_AT_LATEST);
}

/// Waits for a time, or until the function that `keep_waker` gets is called.
pub(crate) async fn sleep(millis: i32, keep_waker: impl FnOnce(Function)) {
    let mut keep_waker = Some(keep_waker);
    let promise = Promise::new(&mut |resolve, _| {
        if window()
            .set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, millis)
            .is_err()
        {
            call(&resolve);
        }
        if let Some(keep_waker) = keep_waker.take() {
            keep_waker(resolve);
        }
    });
    // A timer's promise is never rejected.
    JsFuture::from(promise).await.ok();
}

/// Calls a function that takes nothing and whose failure means nothing.
pub(crate) fn call(function: &Function) {
    function.call0(&JsValue::UNDEFINED).ok();
}

/// Puts text on the clipboard through the page, where the shell could not.
pub(crate) async fn copy_in_page(text: &str) -> bool {
    let navigator = window().navigator();
    // Absent in a page that is not a secure context, whatever its type says.
    let clipboard = Reflect::get(&navigator, &"clipboard".into()).unwrap_or_default();
    match clipboard.dyn_into::<web_sys::Clipboard>() {
        Ok(clipboard) => JsFuture::from(clipboard.write_text(text)).await.is_ok(),
        Err(_) => false,
    }
}

/// The text of a file that the person chose.
pub(crate) async fn read_text(file: &web_sys::File) -> Option<String> {
    JsFuture::from(file.text()).await.ok()?.as_string()
}

/// The bytes of a file that the person chose, in Base64.
pub(crate) async fn read_base64(file: &web_sys::File) -> Option<String> {
    let reader = web_sys::FileReader::new().ok()?;
    let loaded = Promise::new(&mut |resolve, reject| {
        reader.set_onload(Some(&resolve));
        reader.set_onerror(Some(&reject));
    });
    reader.read_as_data_url(file).ok()?;
    JsFuture::from(loaded).await.ok()?;
    let url = reader.result().ok()?.as_string()?;
    let (_, data) = url.split_once(',')?;
    Some(data.to_owned())
}

/// Base64 to the text that it is.
pub(crate) fn text_of_base64(data: &str) -> Option<String> {
    // A character of the binary text is a byte.
    let binary = window().atob(data).ok()?;
    let bytes: Option<Vec<u8>> = binary.chars().map(|c| u8::try_from(c).ok()).collect();
    String::from_utf8(bytes?).ok()
}

/// An id that nobody else will make.
pub(crate) fn fresh_attachment_id() -> Option<AttachmentId> {
    format!("att_{}", fresh_key()).parse().ok()
}

/// What the window is called.
pub(crate) fn set_title(title: &str) {
    leptos::prelude::document().set_title(title);
}

fn call_once(work: &RefCell<Option<impl FnOnce()>>) {
    let work = work.borrow_mut().take();
    if let Some(work) = work {
        work();
    }
}

fn date(at_ms: u64) -> Date {
    Date::new(&JsValue::from_f64(at_ms as f64))
}

fn set(object: &Object, key: &str, value: &str) {
    // Setting a field of an object made here cannot fail.
    Reflect::set(object, &key.into(), &value.into()).ok();
}

/// Numbers of JavaScript that are whole and under 2^53.
fn whole(number: f64) -> u64 {
    number as u64
}
