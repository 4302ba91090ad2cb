//! Subscriptions: a channel of the shell, its order, and the receipts it is owed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Object, Reflect};
use leptos::task::spawn_local;
use protocol::{Push, SessionId};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};

use super::ordering::{Numbered, Ordering};
use super::{Failure, call, decode, invoke, put};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["window", "__TAURI_INTERNALS__"], js_name = transformCallback)]
    fn transform_callback(callback: &JsValue, once: bool) -> Result<f64, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["window", "__TAURI_INTERNALS__"], js_name = unregisterCallback)]
    fn unregister_callback(callback_id: f64) -> Result<(), JsValue>;
}

/// What a subscription delivers.
pub(crate) enum Arrival {
    /// Pushes in order; the receipt is due once they are applied.
    Pushes(Vec<Push>, Receipt),
    /// The other side ended it.
    End,
}

/// Ends the subscription when it is dropped.
pub(crate) struct Subscription {
    callback_id: f64,
    account: Rc<Account>,
    /// Kept alive for as long as the shell may call it.
    _callback: Closure<dyn FnMut(JsValue)>,
}

/// Acknowledges one array of pushes.
pub(crate) struct Receipt(Rc<Account>);

/// What the shell knows this subscription by. It tells only after the first pushes may have come.
#[derive(Default)]
struct Account {
    subscription: Cell<Option<f64>>,
    owed: Cell<u32>,
    is_closed: Cell<bool>,
}

/// Follows one session from `after_seq`.
pub(crate) async fn subscribe(
    session_id: SessionId,
    after_seq: u64,
    on_arrival: impl FnMut(Arrival) + 'static,
) -> Result<Subscription, Failure> {
    let arguments = Object::new();
    put(&arguments, "sessionId", &session_id.to_string().into());
    put(&arguments, "afterSeq", &JsValue::from_f64(after_seq as f64));
    open("subscribe", arguments, on_arrival).await
}

/// Follows the session list.
pub(crate) async fn watch_sessions(
    on_arrival: impl FnMut(Arrival) + 'static,
) -> Result<Subscription, Failure> {
    open("watch_sessions", Object::new(), on_arrival).await
}

async fn open(
    command: &str,
    arguments: Object,
    on_arrival: impl FnMut(Arrival) + 'static,
) -> Result<Subscription, Failure> {
    let account = Rc::new(Account::default());
    let callback = callback(Rc::clone(&account), on_arrival);
    let callback_id =
        transform_callback(callback.as_ref().unchecked_ref(), false).map_err(|_| Failure::Lost)?;
    put(
        &arguments,
        "channel",
        &format!("__CHANNEL__:{callback_id}").into(),
    );
    // Made before the answer comes: dropping it on failure gives the callback back.
    let subscription = Subscription {
        callback_id,
        account,
        _callback: callback,
    };
    let id: f64 = call(command, &arguments).await?;
    subscription.account.opened(id);
    Ok(subscription)
}

fn callback(
    account: Rc<Account>,
    mut on_arrival: impl FnMut(Arrival) + 'static,
) -> Closure<dyn FnMut(JsValue)> {
    let ordering = RefCell::new(Ordering::new());
    Closure::new(move |raw: JsValue| {
        let Some((index, numbered)) = read(&raw) else {
            return;
        };
        let ready = ordering.borrow_mut().take(index, numbered);
        for numbered in ready {
            on_arrival(match numbered {
                Numbered::Message(value) => {
                    Arrival::Pushes(decode::pushes(&value), Receipt(Rc::clone(&account)))
                }
                Numbered::End => Arrival::End,
            });
        }
    })
}

/// `{index, message}` or `{index, end: true}`.
fn read(raw: &JsValue) -> Option<(u64, Numbered<JsValue>)> {
    let field = |name: &str| Reflect::get(raw, &name.into()).ok();
    let index = field("index")?.as_f64()? as u64;
    let is_end = field("end").is_some_and(|end| end.is_truthy());
    let numbered = if is_end {
        Numbered::End
    } else {
        Numbered::Message(field("message")?)
    };
    Some((index, numbered))
}

impl Receipt {
    /// Says that the pushes were applied, so that more may come.
    pub(crate) fn acknowledge(self, on_failure: impl Fn(Failure) + 'static) {
        let Self(account) = self;
        if account.is_closed.get() {
            return;
        }
        match account.subscription.get() {
            None => account.owed.set(account.owed.get() + 1),
            Some(id) => send("acknowledge", id, on_failure),
        }
    }
}

impl Account {
    fn opened(&self, id: f64) {
        self.subscription.set(Some(id));
        for _ in 0..self.owed.take() {
            send("acknowledge", id, |_| {});
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.account.is_closed.set(true);
        // Both are tidying up: a shell that is gone has nothing left to tidy.
        unregister_callback(self.callback_id).ok();
        if let Some(id) = self.account.subscription.get() {
            send("unsubscribe", id, |_| {});
        }
    }
}

fn send(command: &'static str, id: f64, on_failure: impl Fn(Failure) + 'static) {
    spawn_local(async move {
        let arguments = Object::new();
        put(&arguments, "subscription", &JsValue::from_f64(id));
        if let Err(failure) = invoke(command, &arguments).await {
            on_failure(failure);
        }
    });
}
