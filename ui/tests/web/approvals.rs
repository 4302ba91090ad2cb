//! The question about a tool call, in the page.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::page::Page;
use crate::shell;

const CARD: &str = "[data-testid=approval-card]";
const ALLOW: &str = "[data-testid=approval-allow]";

async fn asking(calls: &[Value]) -> Page {
    let page = Page::session(&shell::calling("waiting", calls)).await;
    page.eventually("the cards", |page| page.count(CARD) as usize == calls.len())
        .await;
    shell::answer("decide_call", &json!({ "type": "decided", "calls": [] }));
    shell::answer("decide_calls", &json!({ "type": "decided", "calls": [] }));
    page
}

fn decisions() -> Vec<Value> {
    let decided = shell::called("decide_call");
    decided
        .into_iter()
        .map(|one| one["decision"].clone())
        .collect()
}

/// APR-6, APR-11: it shows what runs, is bound to it, and does not act before it stands still.
#[wasm_bindgen_test]
async fn a_card_shows_what_runs_and_acts_once_it_stands_still() {
    let page = asking(&[shell::asking(1)]).await;
    assert_eq!(page.text(".diff__line--removed"), "-old");
    assert_eq!(page.text(".diff__line--added"), "+new");
    page.click(ALLOW);
    shell::wait(30).await;
    assert!(decisions().is_empty());
    page.steady().await;
    page.click(ALLOW);
    page.click(ALLOW);
    page.eventually("the decision", |_| !decisions().is_empty())
        .await;
    let decided = shell::called("decide_call");
    assert_eq!(decided.len(), 1);
    assert_eq!(decided[0]["call_id"], shell::call_id(1));
    assert_eq!(decided[0]["digest"], shell::digest());
    assert_eq!(decided[0]["decision"], json!({ "type": "allow_once" }));
}

/// APR-11: keys need the focus on the card, and a new card does not take it from typing.
#[wasm_bindgen_test]
async fn keys_count_while_the_card_has_the_focus() {
    let page = asking(&[shell::asking(1)]).await;
    page.steady().await;
    assert!(page.has_focus("[data-testid=composer-input]"));
    for key in ["a", "s", "d"] {
        page.key("[data-testid=composer-input]", key);
    }
    page.write("[data-testid=approval-deny-reason]", "not there");
    page.key("[data-testid=approval-deny-reason]", "a");
    shell::wait(30).await;
    assert!(decisions().is_empty());
    page.focus(CARD);
    page.key(CARD, "d");
    page.eventually("the denial", |_| !decisions().is_empty())
        .await;
    assert_eq!(
        decisions(),
        [json!({ "type": "deny", "reason": "not there" })]
    );
}

/// APR-6: what is cut is marked, and all of it is shown before it can be allowed.
#[wasm_bindgen_test]
async fn a_long_call_is_read_before_it_is_allowed() {
    let mut call = shell::asking(1);
    call["preview"]["parts"][0]["text"] = json!("+line\n".repeat(700) + "+last");
    let page = asking(&[call]).await;
    page.steady().await;
    assert!(page.text(".long-text__cut").contains("101 more lines"));
    page.click(ALLOW);
    page.key(CARD, "a");
    page.click("[data-testid=approval-always]");
    shell::wait(30).await;
    assert!(decisions().is_empty());
    assert_eq!(page.count("[data-testid=approval-always-allow]"), 0);
    page.click("[data-testid=show-all]");
    page.eventually("all of it", |page| {
        page.text(".long-text").ends_with("+last")
    })
    .await;
    page.steady().await;
    page.click(ALLOW);
    page.eventually("the decision", |_| decisions().len() == 1)
        .await;
}

/// APR-7: edited arguments are an object, and are what is sent.
#[wasm_bindgen_test]
async fn edited_arguments_are_checked_and_sent() {
    let page = asking(&[shell::asking(1)]).await;
    page.steady().await;
    page.click("[data-testid=approval-edit]");
    let (text, send) = (
        "[data-testid=approval-edit-text]",
        "[data-testid=approval-edit-allow]",
    );
    page.eventually("the form", |page| page.count(text) == 1)
        .await;
    assert_eq!(page.value(text), "{\n  \"path\": \"notes.md\"\n}");
    page.write(text, "[1]");
    page.eventually("the fault", |page| {
        page.count("[data-testid=approval-edit-text][aria-invalid=true]") == 1
    })
    .await;
    page.steady().await;
    page.click(send);
    shell::wait(30).await;
    assert!(decisions().is_empty());
    page.write(text, "{\"path\":\"a\"}");
    page.eventually("no fault", |page| {
        page.count("[data-testid=approval-edit-text][aria-invalid=false]") == 1
    })
    .await;
    page.steady().await;
    page.click(send);
    page.eventually("the decision", |_| decisions().len() == 1)
        .await;
    assert_eq!(
        decisions(),
        [json!({ "type": "edit_and_allow", "arguments": "{\"path\":\"a\"}" })]
    );
}

/// APR-7: a rule is asked for its pattern; the subject as it is means exactly that.
#[wasm_bindgen_test]
async fn always_asks_for_the_pattern() {
    let (pattern, allow) = (
        "[data-testid=approval-pattern]",
        "[data-testid=approval-always-allow]",
    );
    for (written, sent) in [
        (None, json!({ "type": "allow_always" })),
        (
            Some("notes/*"),
            json!({ "type": "allow_always", "pattern": "notes/*" }),
        ),
    ] {
        let page = asking(&[shell::asking(1)]).await;
        page.steady().await;
        page.click("[data-testid=approval-always]");
        page.eventually("the form", |page| page.count(pattern) == 1)
            .await;
        assert_eq!(page.value(pattern), "notes.md");
        if let Some(written) = written {
            page.write(pattern, written);
        }
        page.steady().await;
        page.click(allow);
        page.eventually("the decision", |_| decisions().len() == 1)
            .await;
        assert_eq!(decisions(), [sent]);
    }
}

/// APR-3: a decision that came too late says which one stands.
#[wasm_bindgen_test]
async fn a_late_decision_says_what_stands() {
    let page = asking(&[shell::asking(1)]).await;
    page.steady().await;
    let mut stands = shell::asking(1)["approval"].clone();
    stands["status"] = json!("denied");
    stands["decision"] = json!({ "decision": { "type": "deny" }, "at_ms": 1, "from": "headless" });
    shell::answer(
        "decide_call",
        &json!({ "reject": {
            "code": "not_actionable", "message": "It was decided.", "hint": "", "approval": stands,
        } }),
    );
    page.click(ALLOW);
    page.eventually("the reason", |page| {
        let words = page.text(".call__body > .call__problem");
        words.contains("It was already denied") && words.contains("headless")
    })
    .await;
}

/// APR-6: nothing hides between the letters.
#[wasm_bindgen_test]
async fn hidden_characters_are_named() {
    let mut call = shell::asking(1);
    call["preview"]["parts"] = json!([{ "type": "command", "text": "rm \u{202e}a\u{200b}" }]);
    let page = asking(&[call]).await;
    assert_eq!(page.text(".long-text"), "rm ⟨U+202E⟩a⟨U+200B⟩");
}

/// APR-11: deciding one card leaves the other where it is: the same element, inert while it moves.
#[wasm_bindgen_test]
async fn a_card_is_not_swapped_by_another() {
    let page = asking(&[shell::asking(1), shell::asking(2)]).await;
    page.steady().await;
    let second = format!("[data-call-id={}]", shell::call_id(2));
    let node = page.find(&second).expect("the second card");
    let mut done = shell::asking(1);
    done["status"] = json!("completed");
    done["result"] = json!({ "text": "Wrote it.", "is_error": false, "total_bytes": 9 });
    let event = json!({ "type": "tool_call_changed", "call": done });
    page.deliver(0, &json!([shell::event(4, event)]));
    page.eventually("the result", |page| {
        page.count("[data-testid=call-card]") == 1
    })
    .await;
    page.eventually("the move", |page| {
        page.count("[data-testid=approval-card][data-ready=false]") == 1
    })
    .await;
    page.click(ALLOW);
    shell::wait(30).await;
    assert!(decisions().is_empty());
    page.steady().await;
    assert!(node.is_connected());
    page.click(ALLOW);
    page.eventually("the decision", |_| decisions().len() == 1)
        .await;
    assert_eq!(
        shell::called("decide_call")[0]["call_id"],
        shell::call_id(2)
    );
}

/// APR-4: several are answered at once, after a second click.
#[wasm_bindgen_test]
async fn all_calls_are_denied_together() {
    let page = asking(&[shell::asking(1), shell::asking(2)]).await;
    let deny = "[data-testid=waiting-deny-all]";
    page.eventually("the bar", |page| page.count(deny) == 1)
        .await;
    assert!(
        page.text("[data-testid=waiting-bar]")
            .contains("2 calls wait for you")
    );
    page.click(deny);
    page.eventually("the question", |page| page.count("[data-confirm]") == 1)
        .await;
    assert!(shell::called("decide_calls").is_empty());
    page.click(deny);
    page.eventually("the decisions", |_| {
        shell::called("decide_calls").len() == 1
    })
    .await;
    let decided = &shell::called("decide_calls")[0]["decisions"];
    assert_eq!(decided[0]["call_id"], shell::call_id(1));
    assert_eq!(decided[1]["call_id"], shell::call_id(2));
    assert_eq!(decided[1]["decision"], json!({ "type": "deny" }));
}

/// A card that is out of view is said and can be gone to; the end does not pull the view back.
#[wasm_bindgen_test]
async fn a_card_out_of_view_can_be_gone_to() {
    let page = asking(&[shell::asking(1), shell::asking(2), shell::asking(3)]).await;
    page.set_height("[data-testid=transcript]", "150px");
    let show = "[data-testid=waiting-show]";
    page.eventually("the way there", |page| page.count(show) == 1)
        .await;
    page.click(show);
    let first = format!("[data-call-id={}]", shell::call_id(1));
    page.eventually("the focus", |page| page.has_focus(&first))
        .await;
    page.steady().await;
    let card = page
        .find(&first)
        .expect("the card")
        .get_bounding_client_rect();
    let view = page
        .find("[data-testid=transcript]")
        .expect("the transcript")
        .get_bounding_client_rect();
    assert!(card.bottom() > view.top() && card.top() < view.bottom());
}

/// APR-9: a card of an earlier run says so and does nothing.
#[wasm_bindgen_test]
async fn a_card_of_a_run_that_ended_is_quiet() {
    let page = Page::session(&shell::calling("cancelled", &[shell::asking(1)])).await;
    page.eventually("the card", |page| {
        page.text("[data-testid=call-card]").contains("Expired")
    })
    .await;
    assert_eq!(page.count(CARD), 0);
    assert_eq!(
        page.count("[data-testid=call-card] button:not(.copy-button)"),
        0
    );
    assert_eq!(page.count("[data-testid=waiting-bar]"), 0);
}
