//! A session that outgrows its model goes on: what is summarised stays readable, and what it cost is
//! shown.

use anyhow::{Result, bail};
use protocol::{
    Command, Dialect, ModelPrice, ProviderFields, ProviderOptions, Reply as Answer, Settings,
};
use serde_json::json;
use testkit::model_server::{Reply, in_order};
use testkit::{Headless, Theme, Window, WindowOptions};

use crate::scene::{REPLY, RUN, SENT, Scene};
use crate::window_looks::picture;

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
    window.has(REPLY, 2).await?;
    window.gone(RUN).await?;
    let requests = scene.asked(4).await?;
    let told = String::from_utf8_lossy(&requests[3].bytes).into_owned();
    assert!(told.contains("They asked about the tides."), "{told}");
    assert!(!told.contains("High water is at noon."), "{told}");
    // Nothing is gone for the person.
    window.has(SENT, 2).await?;
    window.has(REPLY, 2).await?;
    window.text_with(MARK, "summarised for the model").await?;
    let open = format!("{MARK}[open]");
    assert_eq!(window.count(&open).await?, 0, "it is folded");
    window.click("summary-mark").await?;
    window.has(&open, 1).await?;
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

/// A provider whose model holds 100,000 tokens and costs what a person wrote down.
fn with_provider(scene: &Scene) -> Result<()> {
    scene.model.list_models(|_| {
        let list = json!({ "object": "list", "data": [
            { "id": "scripted-1", "context_length": 100_000 } ] });
        Reply::body(200, "application/json", &list.to_string())
    });
    let price = ModelPrice {
        input: 3_000_000,
        output: 15_000_000,
        cache_read: Some(300_000),
        cache_write: None,
        up_to_input_tokens: None,
    };
    let fields = ProviderFields {
        name: "Harbour".to_owned(),
        dialect: Dialect::ChatCompletions, // tidy: allow(chat) the dialect's own name.
        base_url: scene.model.url(),
        headers: Vec::new(),
        options: ProviderOptions {
            prices: [("scripted-1".to_owned(), price)].into(),
            ..ProviderOptions::default()
        },
        is_enabled: true,
    };
    let mut headless = Headless::start(scene.folder.path(), &[])?;
    let reply = headless.must(&Command::CreateProvider { fields })?;
    let Answer::Provider(provider) = reply else {
        bail!("no provider: {reply:?}");
    };
    let provider_id = provider.provider_id;
    headless.must(&Command::RefreshModels { provider_id })?;
    let settings = Settings {
        default_model: Some(format!("{provider_id}/scripted-1")),
        ..Settings::default()
    };
    headless.must(&Command::UpdateSettings { settings })?;
    headless.close()?;
    Ok(())
}

/// RUN-21, RUN-22: before the window overflows, by what the provider says of its model; and how all of
/// that looks.
#[tokio::test]
async fn a_full_window_is_summarised_and_the_meter_tells_of_it() -> Result<()> {
    for (theme, name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        let scene = Scene::new(in_order([
            Reply::text("High water is at noon, as the table of the harbour says.")
                .usage(88_000, 400, 80_000),
            Reply::text("They asked about **high water**; it is at noon.").usage(60_000, 50, 0),
            Reply::text("Low water is at six.").usage(12_300, 20, 0),
        ]))?;
        with_provider(&scene)?;
        let options = WindowOptions {
            theme,
            ..WindowOptions::new(scene.folder.path(), 0)
        };
        let window = Window::open(&options).await?;
        let asked =
            "When is high water, and what do the tables of all other harbours say about it?";
        window.send_message(asked).await?;
        window.text_with(METER, "89 % of 100k · $0.05").await?;
        picture(&window, name, "meter-full").await?;
        window.send_message("And low water?").await?;
        window.text_with(METER, "13 % of 100k · $0.27").await?;
        scene.asked(3).await?;
        window.click("summary-mark").await?;
        window.text_with(MARK, "They asked about").await?;
        picture(&window, name, "summary").await?;
        window.click("meter").await?;
        window
            .text_with(CARD, "12,320 of 100,000 tokens (13 %)")
            .await?;
        picture(&window, name, "meter-card").await?;
        window.close().await?;
    }
    Ok(())
}
