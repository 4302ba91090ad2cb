//! Providers in the page: keys that go in and are forgotten, changes that came first, choices.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::Page;
use crate::shell::{self, PROVIDER};

const KEY: &str = "[data-testid=provider-key]";
const SAVE: &str = "[data-testid=provider-save]";

/// The models page with one provider, whose form is open.
async fn editing() -> Page {
    let page = Page::empty().await;
    shell::answer_providers(&json!([shell::provider(1)]));
    page.click("[data-testid=open-models]");
    page.eventually("the provider", |page| {
        page.count("[data-testid=provider-card]") == 1
    })
    .await;
    page.click("[data-testid=provider-edit]");
    page.eventually("the form", |page| page.count(SAVE) == 1)
        .await;
    page
}

fn saved(revision: u32) -> Value {
    let mut provider = shell::provider(revision);
    provider["type"] = json!("provider");
    provider
}

fn tested(test: &Value) -> Value {
    json!({ "type": "provider_tested", "test": test, "provider": shell::provider(3) })
}

/// SEC-1: a key is sent once and then in no field; what a test says stands beside its field.
#[wasm_bindgen_test]
async fn a_key_is_sent_and_forgotten() {
    let page = editing().await;
    assert_eq!(page.value(KEY), "");
    assert!(
        page.text("[data-testid=provider-key-kept]")
            .contains("keychain")
    );
    shell::answer("update_provider", &saved(2));
    shell::answer("set_provider_key", &saved(3));
    shell::answer(
        "test_provider",
        &tested(&json!({ "result": "key_refused", "message": "No such key" })),
    );
    page.write("[data-testid=provider-name]", "Ours");
    page.write(KEY, "  canary-key ");
    page.click(SAVE);
    page.eventually("the fault", |page| {
        page.count("[data-testid=provider-fault][data-place=key]") == 1
    })
    .await;
    assert_eq!(shell::called("set_provider_key")[0]["key"], "canary-key");
    assert_eq!(page.value(KEY), "");
    assert!(
        page.text("[data-testid=provider-fault]")
            .contains("No such key")
    );
    // It goes on from what is kept by now.
    shell::answer(
        "test_provider",
        &tested(&json!({ "result": "works", "models": 1 })),
    );
    shell::answer("refresh_models", &saved(3));
    page.click(SAVE);
    page.eventually("the card", |page| {
        page.count("[data-testid=provider-card]") == 1
    })
    .await;
    let edits = shell::called("update_provider");
    assert_eq!(
        (&edits[0]["revision"], &edits[1]["revision"]),
        (&json!(1), &json!(3))
    );
    assert_eq!(shell::called("set_provider_key").len(), 1);
}

/// Without a keychain nothing is kept anywhere else until the person says so.
#[wasm_bindgen_test]
async fn an_encrypted_file_is_used_only_when_chosen() {
    let page = editing().await;
    shell::answer(
        "set_provider_key",
        &json!({ "reject": { "code": "not_actionable", "message": "There is no keychain.", "hint": "Start one." } }),
    );
    page.write(KEY, "canary-key");
    page.click(SAVE);
    page.eventually("the question", |page| {
        page.count("[data-testid=key-store-question]") == 1
    })
    .await;
    assert!(shell::called("update_settings").is_empty());
    assert_eq!(page.value(KEY), "canary-key", "it is not lost");
    shell::answer("get_settings", &shell::settings());
    shell::answer("update_settings", &shell::settings());
    shell::answer("set_provider_key", &saved(3));
    shell::answer(
        "test_provider",
        &tested(&json!({ "result": "works", "models": 1 })),
    );
    shell::answer("refresh_models", &saved(3));
    page.click("[data-testid=key-store-file]");
    page.eventually("the card", |page| {
        page.count("[data-testid=provider-card]") == 1
    })
    .await;
    let settings = &shell::called("update_settings")[0]["settings"];
    assert_eq!(settings["key_store"], "file");
    // Only the key was new: nothing else lets waiting runs go on before it is kept.
    assert!(shell::called("update_provider").is_empty());
}

/// A change that came first is not written over.
#[wasm_bindgen_test]
async fn a_provider_that_was_changed_meanwhile_is_read_again() {
    let page = editing().await;
    shell::answer(
        "update_provider",
        &json!({ "reject": { "code": "conflict", "message": "This provider was changed meanwhile.", "hint": "Look again." } }),
    );
    page.write("[data-testid=provider-name]", "Ours");
    page.click(SAVE);
    page.eventually("the way out", |page| {
        page.count("[data-testid=provider-reload]") == 1
    })
    .await;
    let mut newer = shell::provider(7);
    newer["fields"]["name"] = json!("Renamed");
    shell::answer_providers(&json!([newer]));
    page.click("[data-testid=provider-reload]");
    page.eventually("the newer one", |page| {
        page.text("[data-testid=provider-card] h3") == "Renamed"
    })
    .await;
}

/// What was never chosen is asked for; one click answers, and nothing is chosen before it.
#[wasm_bindgen_test]
async fn the_first_start_asks_and_chooses_nothing_by_itself() {
    shell::install();
    shell::answer_start(&json!([]));
    shell::answer("get_settings", &shell::settings());
    shell::answer("update_settings", &shell::settings());
    let page = Page::app();
    page.eventually("the question", |page| {
        page.count("[data-testid=first-run]") == 1
    })
    .await;
    page.write("[data-testid=first-run-key]", "AIzaSy1234");
    page.eventually("the service", |page| {
        page.value("[data-testid=first-run-service]") == "Gemini"
    })
    .await;
    assert!(shell::called("create_provider").is_empty());
    assert!(shell::called("update_settings").is_empty());
    page.click("[data-testid=first-run-guide]");
    page.eventually("the empty state", |page| {
        page.count("[data-testid=empty-state]") == 1
    })
    .await;
    let chosen = &shell::called("update_settings")[0]["settings"];
    assert_eq!(chosen["default_model"], "guide");
}

/// A session gets the model that was picked, and says so to a screen reader.
#[wasm_bindgen_test]
async fn a_model_is_picked_for_a_session() {
    let page = Page::session(&shell::calling("completed", &[])).await;
    shell::answer_providers(&json!([shell::provider(1)]));
    let mut summary = shell::summary(2);
    summary["type"] = json!("session");
    summary["model"] = json!(format!("{PROVIDER}/large"));
    shell::answer("set_session_model", &summary);
    page.click("[data-testid=model-picker]");
    let option = format!("[role=option][data-model='{PROVIDER}/large']");
    page.eventually("the model", |page| page.count(&option) == 1)
        .await;
    page.click(&option);
    page.eventually("the choice", |page| {
        page.text("[data-testid=model-picker]").contains("large")
    })
    .await;
    let asked = &shell::called("set_session_model")[0];
    assert_eq!(asked["model"], format!("{PROVIDER}/large"));
}
