//! A tool call in doubt, in the page: why, and the four ways out.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::Page;
use crate::shell;

async fn in_doubt(can_check: bool) -> Page {
    let call = shell::in_doubt(1, can_check);
    let page = Page::session(&shell::calling("waiting", std::slice::from_ref(&call))).await;
    let mut reply = call;
    reply["type"] = json!("call");
    shell::answer("resolve_call", &reply);
    page.eventually("the card", |page| {
        page.count("[data-testid=doubt-card]") == 1
    })
    .await;
    page.steady().await;
    page
}

async fn resolved(page: &Page) -> Vec<Value> {
    page.eventually("the command", |_| !shell::called("resolve_call").is_empty())
        .await;
    let resolved = shell::called("resolve_call");
    assert_eq!(resolved[0]["call_id"], shell::call_id(1));
    resolved
        .into_iter()
        .map(|one| one["resolution"].clone())
        .collect()
}

/// EFF-3: what was about to happen, why it is unknown, and no way to allow or deny it.
#[wasm_bindgen_test]
async fn the_card_says_what_is_unknown() {
    let page = in_doubt(false).await;
    let words = page.text("[data-testid=doubt-card]");
    assert!(words.contains("Write notes-1.md"), "{words}");
    assert!(words.contains("The app ended."), "{words}");
    assert_eq!(page.count("[data-testid=doubt-check]"), 0);
    assert_eq!(page.count("[data-testid=approval-allow]"), 0);
    page.click("[data-testid=doubt-skip]");
    assert_eq!(resolved(&page).await, [json!({ "type": "skip" })]);
}

#[wasm_bindgen_test]
async fn a_tool_that_can_look_is_asked_to() {
    let page = in_doubt(true).await;
    page.click("[data-testid=doubt-check]");
    assert_eq!(resolved(&page).await, [json!({ "type": "check" })]);
}

/// EFF-3: running it again warns that it may then have happened twice.
#[wasm_bindgen_test]
async fn running_again_asks_once_more() {
    let page = in_doubt(true).await;
    page.click("[data-testid=doubt-again]");
    page.eventually("the warning", |page| {
        page.text("[data-testid=doubt-card]").contains("twice")
    })
    .await;
    assert!(shell::called("resolve_call").is_empty());
    page.steady().await;
    page.click("[data-testid=doubt-again][data-confirm]");
    assert_eq!(resolved(&page).await, [json!({ "type": "run_again" })]);
}

#[wasm_bindgen_test]
async fn what_happened_can_be_told() {
    let page = in_doubt(true).await;
    page.click("[data-testid=doubt-happened]");
    page.eventually("the field", |page| {
        page.count("[data-testid=doubt-result]") == 1
    })
    .await;
    page.write("[data-testid=doubt-result]", "It is there.");
    page.steady().await;
    page.click("[data-testid=doubt-happened-send]");
    assert_eq!(
        resolved(&page).await,
        [json!({ "type": "happened", "result": "It is there." })]
    );
}
