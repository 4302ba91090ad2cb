//! The page in a real browser, with a shell that is made up.

#![cfg(target_arch = "wasm32")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says what is wrong by panicking"
)]

#[path = "web/approvals.rs"]
mod approvals;
#[path = "web/doubt.rs"]
mod doubt;
#[path = "web/models.rs"]
mod models;
#[path = "web/page.rs"]
mod page;
#[path = "web/queue.rs"]
mod queue;
#[path = "web/sessions.rs"]
mod sessions;
#[path = "web/shell.rs"]
mod shell;

use page::Page;
use serde_json::json;
use shell::{RUN, SESSION, STEP};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const HOSTILE: &str = r#"<script>window.hacked = 1</script>

<img src=x onerror="window.hacked = 1"> and <iframe src="https://example.org"></iframe>

[click me](javascript:window.hacked=1) [and me](https://example.org "title")

![a picture](https://example.org/pixel.png)

<a href="javascript:window.hacked=1" onclick="window.hacked=1">raw</a>
"#;

/// SEC-2: nothing executable, nothing loaded, nothing to follow; all of it readable.
#[wasm_bindgen_test]
async fn hostile_markdown_stays_text() {
    let page = Page::markdown(HOSTILE);
    shell::wait(50).await;
    let live = "script, iframe, img, a, object, embed, link, [onerror], [onclick], [href], [src]";
    assert_eq!(page.count(live), 0);
    assert!(!page.has_global("hacked"));
    let text = page.text(".markdown");
    assert!(
        text.contains("<script>window.hacked = 1</script>"),
        "{text}"
    );
    assert!(text.contains("<img src=x"), "{text}");
    assert!(text.contains("Image, not loaded: a picture"), "{text}");
    assert_eq!(
        page.attributes(".markdown__link", "title"),
        ["javascript:window.hacked=1", "https://example.org"]
    );
}

#[wasm_bindgen_test]
fn markdown_becomes_elements() {
    let page = Page::markdown(
        "# One\n\n1. a\n2. b\n\n- [x] done\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n> q\n\n`c` **d** *e* ~~f~~",
    );
    for (selector, count) in [
        (".markdown__h1", 1),
        ("ol > li", 2),
        ("input[type=checkbox][disabled]", 1),
        ("thead th", 2),
        ("tbody td.markdown__cell--end", 1),
        ("blockquote", 1),
        ("code.markdown__code", 1),
        ("strong", 1),
        ("em", 1),
        ("s", 1),
    ] {
        assert_eq!(page.count(selector), count, "{selector}");
    }
}

#[wasm_bindgen_test]
async fn code_is_labelled_and_copied_exactly() {
    shell::install();
    let page = Page::markdown("```rust\nfn main() {\n\n}\n```");
    assert_eq!(page.text(".code-block__language"), "rust");
    page.click(".code-block .copy-button");
    page.eventually("the copy", |_| !shell::called("copy_text").is_empty())
        .await;
    assert_eq!(
        shell::called("copy_text"),
        [json!({ "text": "fn main() {\n\n}\n" })]
    );
    page.eventually("the word", |page| page.text(".copy-button") == "Copied")
        .await;
}

/// STR-7: text streams into the page in order, whatever order it arrives in, and each batch is
/// acknowledged.
#[wasm_bindgen_test]
async fn a_reply_streams_and_becomes_whole() {
    let page = Page::streaming("Tell me").await;
    page.deliver(1, &json!([shell::delta(6, "sea.\n\nA")]));
    page.deliver(0, &json!([shell::delta(0, "# The ")]));
    page.eventually("both pieces", |page| {
        page.text("[data-status=streaming] .markdown") == "The sea.A"
    })
    .await;
    assert_eq!(
        page.text("[data-testid=guide-label]"),
        "Guide · scripted replies"
    );
    page.eventually("receipts", |_| shell::called("acknowledge").len() == 2)
        .await;

    let heading = page
        .find("[data-status=streaming] .markdown__h1")
        .expect("a heading");
    page.deliver(2, &json!([shell::delta(13, " whole reply.\n")]));
    page.eventually("more", |page| {
        page.text("[data-status=streaming] .markdown")
            .ends_with("reply.")
    })
    .await;
    let reply = shell::message(2, "agent", "# The sea.\n\nA whole reply.\n");
    page.deliver(
        3,
        &json!([
            shell::event(4, json!({ "type": "step_completed", "run_id": RUN, "step_id": STEP, "attempt": 1, "message": reply, "usage": {} })),
            shell::event(5, json!({ "type": "run_completed", "run_id": RUN })),
        ]),
    );
    page.eventually("the whole reply", |page| {
        page.count("[data-role=agent][data-status=complete]") == 1
            && page.count("[data-status=streaming]") == 0
    })
    .await;
    assert!(!heading.is_connected());
    assert_eq!(page.count("[data-testid=run-stop]"), 0);
}

/// Only the open end of a growing text is rendered again.
#[wasm_bindgen_test]
async fn settled_blocks_keep_their_nodes() {
    let page = Page::streaming("Tell me").await;
    page.deliver(0, &json!([shell::delta(0, "First.\n\nSecond.\n\nThi")]));
    page.eventually("three blocks", |page| {
        page.count("[data-status=streaming] p") >= 4
    })
    .await;
    let first = page
        .find("[data-status=streaming] .markdown p")
        .expect("a paragraph");
    page.deliver(1, &json!([shell::delta(20, "rd.\n\nFourth.\n")]));
    page.eventually("four blocks", |page| {
        page.text("[data-status=streaming] .markdown")
            .ends_with("Fourth.")
    })
    .await;
    assert!(first.is_connected());
}

/// STR-7: a lost engine is said, tried again, and followed from where the window was.
#[wasm_bindgen_test]
async fn a_lost_connection_is_found_again() {
    let page = Page::streaming("Tell me").await;
    page.deliver(0, &json!([shell::delta(0, "Kept")]));
    page.eventually("text", |page| {
        page.text("[data-status=streaming] .markdown") == "Kept"
    })
    .await;
    shell::set_down(true);
    page.deliver(1, &json!([shell::delta(4, " here")]));
    page.eventually("the banner", |page| {
        page.count("[data-testid=connection-lost]") == 1
    })
    .await;
    assert_eq!(page.text("[data-status=streaming] .markdown"), "Kept here");
    shell::set_down(false);
    page.click("[data-testid=connection-lost] button");
    page.eventually("the banner to go", |page| {
        page.count("[data-testid=connection-lost]") == 0
    })
    .await;
    page.eventually("a new subscription", |_| {
        shell::called("subscribe").len() == 2
    })
    .await;
    assert_eq!(shell::called("subscribe")[1]["afterSeq"], 3);
    page.deliver(0, &json!([shell::delta(4, " here still")]));
    page.eventually("the rest", |page| {
        page.text("[data-status=streaming] .markdown") == "Kept here still"
    })
    .await;
}

/// STR-7: a dropped channel re-subscribes by itself from its last seq.
#[wasm_bindgen_test]
async fn an_ended_channel_is_opened_again() {
    let page = Page::streaming("Tell me").await;
    page.deliver(
        0,
        &json!([shell::event(
            4,
            json!({ "type": "run_completed", "run_id": RUN })
        )]),
    );
    page.eventually("the end", |page| page.count("[data-testid=run-stop]") == 0)
        .await;
    shell::end("subscribe", 1);
    page.eventually("a new subscription", |_| {
        shell::called("subscribe").len() == 2
    })
    .await;
    assert_eq!(shell::called("subscribe")[1]["afterSeq"], 4);
}

/// RUN-3: a double click sends one message under one key; the draft goes once it is on disk.
#[wasm_bindgen_test]
async fn a_double_click_sends_once() {
    let page = Page::empty().await;
    shell::answer(
        "send_message",
        &json!({
            "type": "sent", "session_id": SESSION, "message_id": shell::message_id(1),
            "outcome": { "type": "started", "run_id": RUN },
        }),
    );
    page.write("[data-testid=composer-input]", "Hello");
    page.eventually("a button", |page| {
        page.count("[data-testid=composer-send]:enabled") == 1
    })
    .await;
    page.click("[data-testid=composer-send]");
    page.click("[data-testid=composer-send]");
    page.eventually("the session", |_| shell::called("get_session").len() == 1)
        .await;
    let sent = shell::called("send_message");
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0]["text"], "Hello");
    assert_eq!(sent[0]["request_key"].as_str().map(str::len), Some(32));
    assert_eq!(page.value("[data-testid=composer-input]"), "");
}

#[wasm_bindgen_test]
async fn a_refused_message_keeps_its_draft_and_says_why() {
    let page = Page::empty().await;
    shell::answer(
        "send_message",
        &json!({ "reject": { "code": "storage_failed", "message": "The disk is full.", "hint": "Free some space." } }),
    );
    page.click("[data-testid=example-prompt]");
    page.eventually("the reason", |page| {
        page.text(".composer__problem")
            .contains("The disk is full.")
    })
    .await;
    assert_eq!(
        page.value("[data-testid=composer-input]"),
        "What can you do?"
    );
    // A new try is a new message: nothing was written the first time.
    page.click("[data-testid=composer-send]");
    page.eventually("a second try", |_| shell::called("send_message").len() == 2)
        .await;
    let sent = shell::called("send_message");
    assert_ne!(sent[0]["request_key"], sent[1]["request_key"]);
}

/// RUN-13: what was interrupted is offered at start; discarding asks once more.
#[wasm_bindgen_test]
async fn the_resume_panel_opens_at_start() {
    let page = Page::interrupted().await;
    page.eventually("the panel", |page| {
        page.count("[data-testid=resume-row]") == 1
    })
    .await;
    let row = page.text("[data-testid=resume-row]");
    assert!(
        row.contains("Reply was cut off; 312 characters kept"),
        "{row}"
    );
    assert!(row.contains("the app ended unexpectedly"), "{row}");
    page.click("[data-testid=resume-row-discard]");
    page.eventually("the question", |page| page.count("[data-confirm]") == 1)
        .await;
    assert!(shell::called("cancel_run").is_empty());
    page.click("[data-testid=resume-row-discard]");
    page.eventually("the command", |_| shell::called("cancel_run").len() == 1)
        .await;
    shell::deliver(
        "watch_sessions",
        0,
        &json!([{ "session": shell::summary(9) }]),
    );
    page.eventually("nothing left", |page| {
        page.count("[data-testid=resume-row]") == 0
    })
    .await;
    assert!(
        page.text("[data-testid=resume-panel]")
            .contains("Nothing needs you")
    );
    assert_eq!(page.count("[data-testid=attention-badge]"), 0);
}

#[wasm_bindgen_test]
async fn a_failed_start_offers_the_backup() {
    shell::install();
    shell::answer(
        "start_state",
        &json!({
            "state": "failed",
            "error": { "code": "damaged_database", "message": "The database is damaged.", "hint": "Restore it." },
            "backup": { "file_name": "a.db", "created_at_ms": 1_700_000_000_000_u64, "bytes": 2_000_000 },
        }),
    );
    shell::answer(
        "restore_backup",
        &json!({ "state": "ready", "app": shell::guide_app() }),
    );
    shell::answer_lists(&json!([]));
    shell::answer("watch_sessions", &json!(1));
    let page = Page::app();
    page.eventually("the failure", |page| {
        page.count("[data-testid=start-failed]") == 1
    })
    .await;
    assert!(
        page.text("[data-testid=start-failed]")
            .contains("The database is damaged.")
    );
    page.click("[data-testid=restore-backup]");
    page.eventually("the question", |page| page.count("[data-confirm]") == 1)
        .await;
    page.click("[data-testid=restore-backup]");
    page.eventually("the app", |page| {
        page.count("[data-testid=empty-state]") == 1
    })
    .await;
    page.eventually("readiness", |_| shell::called("report_ready").len() == 1)
        .await;
}

#[wasm_bindgen_test]
async fn a_session_is_renamed_in_its_place() {
    let page = Page::streaming("Tell me").await;
    shell::answer(
        "rename_session",
        &json!({ "type": "session", "session": shell::running(2) }),
    );
    page.key(".session-row__button", "F2");
    page.eventually("the field", |page| page.count(".title-field") == 1)
        .await;
    page.key(".title-field", "Escape");
    page.eventually("the row", |page| page.count(".session-row__button") == 1)
        .await;
    assert!(shell::called("rename_session").is_empty());

    page.key(".session-row__button", "F2");
    page.eventually("the field", |page| page.count(".title-field") == 1)
        .await;
    page.write(".title-field", " Tides ");
    page.key(".title-field", "Enter");
    page.eventually("the command", |_| {
        shell::called("rename_session").len() == 1
    })
    .await;
    assert_eq!(shell::called("rename_session")[0]["title"], "Tides");
    page.eventually("the row", |page| page.count(".session-row__button") == 1)
        .await;
    // Everything still works: leaving a field that is gone did no harm.
    page.click("[data-testid=new-session]");
    page.eventually("a new session", |page| {
        page.count("[data-testid=empty-state]") == 1
    })
    .await;
}

/// Escape stops what runs; what is written meanwhile stays.
#[wasm_bindgen_test]
async fn escape_stops_the_run() {
    let page = Page::streaming("Tell me").await;
    page.write("[data-testid=composer-input]", "Next");
    page.key("[data-testid=composer-input]", "Escape");
    page.eventually("the command", |_| shell::called("stop_run").len() == 1)
        .await;
    assert_eq!(shell::called("stop_run")[0]["run_id"], RUN);
    assert!(shell::called("send_message").is_empty());
    assert_eq!(page.value("[data-testid=composer-input]"), "Next");
}
