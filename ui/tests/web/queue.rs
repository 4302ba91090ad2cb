//! Messages that wait for the run that is going, in the page.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::Page;
use crate::shell::{self, SESSION};

const INPUT: &str = "[data-testid=composer-input]";

fn queued(number: u64, text: &str) -> Value {
    json!({ "message_id": shell::message_id(number), "text": text, "created_at_ms": 1 })
}

fn answer_sent(outcome: &Value) {
    shell::answer(
        "send_message",
        &json!({
            "type": "sent", "session_id": SESSION, "message_id": shell::message_id(9),
            "outcome": outcome,
        }),
    );
}

async fn holding(status: &str) -> Page {
    let mut snapshot = shell::calling(status, &[]);
    snapshot["queue"] = json!([queued(7, "First"), queued(8, "Second")]);
    let page = Page::session(&snapshot).await;
    shell::answer("send_queued", &json!({ "type": "queue", "queue": [] }));
    shell::answer("edit_queued", &json!({ "type": "queue", "queue": [] }));
    shell::answer("remove_queued", &json!({ "type": "queue", "queue": [] }));
    page.eventually("the queue", |page| {
        page.count("[data-testid=queued-message]") == 2
    })
    .await;
    page
}

/// RUN-2: a message that is sent meanwhile is queued, and shown as queued.
#[wasm_bindgen_test]
async fn a_message_sent_meanwhile_waits() {
    let page = Page::streaming("Tell me").await;
    answer_sent(&json!({ "type": "queued" }));
    page.write(INPUT, "And then?");
    page.eventually("the choice", |page| {
        page.count("[data-testid=composer-stop-and-send]") == 1
    })
    .await;
    page.key(INPUT, "Enter");
    page.eventually("the draft to go", |page| page.value(INPUT).is_empty())
        .await;
    let sent = shell::called("send_message");
    assert_eq!(sent[0]["session_id"], SESSION);
    assert_eq!(sent[0]["stop_first"], Value::Null);
    let event = json!({ "type": "queue_changed", "queue": [queued(9, "And then?")] });
    page.deliver(0, &json!([shell::event(4, event)]));
    page.eventually("the row", |page| {
        page.text("[data-testid=queued-message]") == "And then?"
    })
    .await;
    assert_eq!(page.count("[data-testid=queue-send-now]"), 0);
}

/// The person may choose to stop the run and send at once.
#[wasm_bindgen_test]
async fn stop_and_send_does_not_wait() {
    let page = Page::streaming("Tell me").await;
    answer_sent(&json!({ "type": "started", "run_id": shell::RUN }));
    page.write(INPUT, "Stop that");
    page.eventually("the choice", |page| {
        page.count("[data-testid=composer-stop-and-send]") == 1
    })
    .await;
    page.click("[data-testid=composer-stop-and-send]");
    page.eventually("the command", |_| shell::called("send_message").len() == 1)
        .await;
    assert_eq!(shell::called("send_message")[0]["stop_first"], true);
}

/// RUN-2: in order, editable, removable.
#[wasm_bindgen_test]
async fn what_waits_can_be_changed_and_removed() {
    let page = holding("running").await;
    assert_eq!(page.text(".queue__rows"), "FirstSecond");
    page.click("[data-testid=queued-edit]");
    let field = "[data-testid=queued-edit-text]";
    page.eventually("the field", |page| page.count(field) == 1)
        .await;
    assert_eq!(page.value(field), "First");
    page.write(field, "First, better");
    page.click("[data-testid=queued-edit-save]");
    page.eventually("the command", |_| shell::called("edit_queued").len() == 1)
        .await;
    assert_eq!(
        shell::called("edit_queued")[0],
        json!({ "type": "edit_queued", "message_id": shell::message_id(7), "text": "First, better" })
    );
    page.eventually("the row", |page| page.count(field) == 0)
        .await;
    page.click("[data-testid=queued-message]:last-child [data-testid=queued-remove]");
    page.eventually("the command", |_| shell::called("remove_queued").len() == 1)
        .await;
    assert_eq!(
        shell::called("remove_queued")[0]["message_id"],
        shell::message_id(8)
    );
}

/// STP-6: after a stop, what waits is held until the person acts.
#[wasm_bindgen_test]
async fn what_is_held_is_sent_by_hand() {
    let page = holding("stopped").await;
    page.click("[data-testid=queue-send-now]");
    page.eventually("the command", |_| shell::called("send_queued").len() == 1)
        .await;
    assert_eq!(shell::called("send_queued")[0]["session_id"], SESSION);
}
