//! A session that outgrows its model goes on: what is summarised stays readable, and what it cost is
//! shown.

use anyhow::Result;
use serde_json::json;
use testkit::model_server::{Reply, in_order};

use crate::scene::{REPLY, RUN, SENT, Scene};

const METER: &str = "[data-testid=meter]";
const CARD: &str = "[data-testid=meter-card]";
const MARK: &str = "[data-testid=summary-mark]";

fn too_long() -> Reply {
    let error = json!({"error": {
        "message": "This model's maximum context length is 8192 tokens.",
        "type": "invalid_request_error",
        "code": "context_length_exceeded",
    }});
    Reply::error(400, &error)
}

/// RUN-22: the model is told a summary; the person reads everything, and the summary too.
#[tokio::test]
async fn what_is_summarised_stays_readable() -> Result<()> {
    let scene = Scene::new(in_order([
        Reply::text("High water is at noon.").usage(7_000, 100, 0),
        too_long(),
        Reply::text("They asked about the tides.").usage(6_000, 50, 0),
        Reply::text("Low water is at six.").usage(300, 20, 0),
    ]))?;
    let window = scene.open().await?;
    let asked = "When is high water, and what do the tables of all other harbours say about it?";
    window.send_message(asked).await?;
    window.text_with(REPLY, "at noon").await?;
    window.gone(RUN).await?;
    window.send_message("And low water?").await?;
    window.text_with(REPLY, "at six").await?;
    window.gone(RUN).await?;
    let requests = scene.asked(4).await?;
    let told = String::from_utf8_lossy(&requests[3].bytes).into_owned();
    assert!(told.contains("They asked about the tides."), "{told}");
    assert!(!told.contains("High water is at noon."), "{told}");
    // Nothing is gone for the person.
    window.has(SENT, 2).await?;
    window.has(REPLY, 2).await?;
    let mark = window.text_with(MARK, "summarised for the model").await?;
    assert!(!mark.contains("They asked"), "it is folded: {mark}");
    window.click("summary-mark").await?;
    window
        .text_with(MARK, "They asked about the tides.")
        .await?;
    window.kill().await?;

    let window = scene.open().await?;
    window.find_css(SENT).await?;
    window.text_with(MARK, "summarised for the model").await?;
    window.close().await
}

/// RUN-21: tokens are counted; a cost that nobody knows is unknown, never $0.00.
#[tokio::test]
async fn the_meter_says_what_is_known() -> Result<()> {
    let scene = Scene::new(in_order([
        Reply::text("At noon.").usage(24_000, 13, 20_000),
        Reply::text("Somewhere.").without_usage(),
    ]))?;
    let window = scene.open().await?;
    assert_eq!(window.count(METER).await?, 0, "nothing was asked yet");
    window.send_message("When?").await?;
    window.text_with(METER, "24k tokens").await?;
    window.click("meter").await?;
    let card = window.text_with(CARD, "This session").await?;
    for expected in ["24,000", "20,000", "13", "unknown", "1 model call"] {
        assert!(card.contains(expected), "{expected}: {card}");
    }
    assert!(!card.contains('$'), "{card}");
    // By the keyboard: away with it.
    window.press("\u{e00c}").await?;
    window.gone(CARD).await?;
    window.send_message("Where?").await?;
    window.text_with(METER, "at least 24k tokens").await?;
    window.close().await
}
