//! What can be done with a session, in the page.

use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::Page;
use crate::shell::{self, SESSION};

const FAR: u64 = 4_000_000_000_000;

/// Deleting can be taken back, for as long as the engine says.
#[wasm_bindgen_test]
async fn a_deleted_session_can_be_taken_back() {
    let page = Page::session(&shell::calling("completed", &[])).await;
    shell::answer(
        "delete_session",
        &json!({ "type": "deleted", "session_id": SESSION, "restorable_until_ms": FAR }),
    );
    let mut restored = shell::summary(2);
    restored["type"] = json!("session");
    shell::answer("restore_session", &restored);
    page.click("[data-testid=session-menu]");
    page.eventually("the menu", |page| {
        page.count("[data-testid=session-delete]") == 1
    })
    .await;
    page.click("[data-testid=session-delete]");
    page.eventually("the offer", |page| {
        page.count("[data-testid=toast-undo]") == 1 && page.count("[data-testid=session-row]") == 0
    })
    .await;
    assert_eq!(page.count("[data-testid=empty-state]"), 1);
    page.click("[data-testid=toast-undo]");
    page.eventually("the command", |page| {
        page.count("[data-testid=toast]") == 0 && shell::called("restore_session").len() == 1
    })
    .await;
    // The list says when it is back.
    shell::deliver(
        "watch_sessions",
        0,
        &json!([{ "session": shell::summary(2) }]),
    );
    page.eventually("the row", |page| {
        page.count("[data-testid=session-row]") == 1
    })
    .await;
}

#[wasm_bindgen_test]
async fn an_archived_session_is_listed_apart() {
    let page = Page::session(&shell::calling("completed", &[])).await;
    let mut away = shell::summary(2);
    away["type"] = json!("session");
    away["is_archived"] = json!(true);
    shell::answer("archive_session", &away);
    page.click("[data-testid=session-menu]");
    page.eventually("the menu", |page| {
        page.count("[data-testid=session-archive]") == 1
    })
    .await;
    page.click("[data-testid=session-archive]");
    page.eventually("an empty list", |page| {
        page.count("[data-testid=session-row]") == 0
    })
    .await;
    shell::answer(
        "list_sessions",
        &json!({ "type": "sessions", "sessions": [], "has_more": false }),
    );
    page.click("[data-testid=archived-filter]");
    page.eventually("the archive", |page| {
        page.count("[data-testid=session-row]") == 1
    })
    .await;
    let listed = shell::called("list_sessions");
    assert_eq!(listed[listed.len() - 1]["archived"], true);
}

/// ATT-1: the panel offers what is allowed; deciding opens the session at the card.
#[wasm_bindgen_test]
async fn deciding_opens_the_session_at_its_card() {
    let mut snapshot = shell::calling("waiting", &[shell::asking(1)]);
    snapshot["session"]["attention"] = json!({
        "kind": "waiting", "run_id": shell::RUN, "since_ms": 1, "asked": "Write",
        "steps_completed": 1, "steps_interrupted": 0, "partial_chars": 0, "crashes": 2,
        "last_done": "Read notes.md",
        "not_started": [{ "call_id": shell::call_id(1), "summary": "Write notes.md", "is_waiting": true }],
        "actions": ["decide", "discard"],
    });
    shell::install();
    shell::answer_start(&json!([snapshot["session"]]));
    shell::answer("get_session", &snapshot);
    shell::answer("subscribe", &json!(2));
    let page = Page::app();
    page.eventually("the panel", |page| {
        page.count("[data-testid=resume-row-decide]") == 1
    })
    .await;
    let row = page.text("[data-testid=resume-row]");
    for words in [
        "Read notes.md",
        "Write notes.md (waits for you)",
        "Ended the app twice",
    ] {
        assert!(row.contains(words), "{words} in {row}");
    }
    assert_eq!(page.count("[data-testid=resume-row-resume]"), 0);
    assert_eq!(leptos::prelude::document().title(), "(1) Holdfast");
    page.click("[data-testid=resume-row-decide]");
    page.eventually("the focus", |page| {
        page.has_focus("[data-testid=approval-card]")
    })
    .await;
}
