//! Pictures of what needs a person, and of the pages beside the transcript, to be looked at.

use anyhow::Result;
use serde_json::json;
use testkit::model_server::{Reply, Request};
use testkit::{Theme, Window, WindowOptions};

use crate::scene::{CARD, DONE, RUN, STREAMING, Scene, writes};
use crate::window_looks::picture;

const PLAN: &str = "# Crossing\n\n1. Leave at dawn\n2. Take the north path\n3. Rest at the hut\n";
const NEW_PLAN: &str = "# Crossing\n\n1. Leave at noon, after the rain\n2. Take the north path\n3. Rest at the hut\n4. Light the lamp\n";

fn script(request: &Request) -> Reply {
    match (request.last_user_text(), request.rounds()) {
        ("Write the plan for the crossing", 0) => writes(&[("notes/plan.md", PLAN)]),
        ("The rain lasts until noon, change it", 0) => writes(&[("notes/plan.md", NEW_PLAN)]),
        ("Write a page for each island", 0) => writes(&[
            ("islands/skerry.md", "# Skerry\n\nBare rock, many seals.\n"),
            ("islands/holm.md", "# Holm\n\nOne house, one well.\n"),
            ("islands/ness.md", "# Ness\n\nThe lighthouse stands here.\n"),
        ]),
        ("Use the large model", _) => {
            Reply::error(400, &json!({"error": {"message": "No such model: large"}}))
        }
        (asked, 0) if asked.starts_with("Tell") => Reply::text(
            "The lighthouse had been dark for nine years when the keeper's daughter came back \
                 with a lamp of her own and the key that nobody had asked for.",
        )
        .hang_after(18),
        _ => Reply::text("The plan is in `notes/plan.md`."),
    }
}

/// ATT-1, APR-6: every card, bar and page, wide and narrow, light and dark.
#[tokio::test]
async fn cards_bars_and_pages_can_be_seen_light_dark_wide_and_narrow() -> Result<()> {
    for (theme, name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        let scene = Scene::new(script)?;
        let options = WindowOptions {
            theme,
            ..scene.options()
        };
        let window = Window::open(&options).await?;
        cards(&window, name).await?;
        bars(&window, name).await?;
        window.kill().await?;

        let window = Window::open(&options).await?;
        window.find("resume-panel").await?;
        for kind in ["interrupted", "waiting", "stopped", "failed"] {
            let row = format!("[data-testid=resume-row][data-kind={kind}]");
            window.has(&row, 1).await?;
        }
        picture(&window, name, "attention").await?;
        pages(&window, name).await?;
        window.close().await?;
    }
    Ok(())
}

async fn cards(window: &Window, theme: &str) -> Result<()> {
    begin(window, "Write the plan for the crossing").await?;
    window.answer(CARD, "approval-session").await?;
    window.find_css(DONE).await?;
    window.gone(RUN).await?;
    window.click("call-toggle").await?;
    window.find("call-result").await?;
    picture(window, theme, "result").await?;
    // The rule is about this file: it is taken back, so that the change asks.
    window.click("open-settings").await?;
    window.click("rule-revoke").await?;
    window.gone("[data-testid=rule-row]").await?;
    window.click_css(".session-row__button").await?;
    window
        .send_message("The rain lasts until noon, change it")
        .await?;
    window.ready(CARD, "approval-allow").await?;
    picture(window, theme, "approval").await?;
    window.answer(CARD, "approval-edit").await?;
    picture(window, theme, "approval-edit").await?;
    window.click("approval-back").await?;
    window.answer(CARD, "approval-always").await?;
    picture(window, theme, "approval-always").await?;
    window.answer(CARD, "approval-always-allow").await?;
    window.has(DONE, 2).await?;
    window.gone(RUN).await?;
    begin(window, "Write a page for each island").await?;
    window.has(CARD, 3).await?;
    picture(window, theme, "cards").await
}

async fn bars(window: &Window, theme: &str) -> Result<()> {
    begin(window, "Use the large model").await?;
    window
        .find_css("[data-testid=run-status][data-status=failed]")
        .await?;
    picture(window, theme, "failed-run").await?;
    begin(window, "Tell me about the keeper").await?;
    window.text_of(STREAMING, 40).await?;
    window.click("run-stop").await?;
    window.find("run-resume").await?;
    picture(window, theme, "stopped-run").await?;
    begin(window, "Tell me about the lighthouse").await?;
    window.text_of(STREAMING, 40).await?;
    window.send_message("And who was the keeper?").await?;
    window
        .send_message("Then make a list of every ship that passed in those years, with its port")
        .await?;
    window.has("[data-testid=queued-message]", 2).await?;
    picture(window, theme, "queued").await
}

async fn pages(window: &Window, theme: &str) -> Result<()> {
    window.click("open-agents").await?;
    window.find("agent-row").await?;
    picture(window, theme, "agents").await?;
    window.click("agent-new").await?;
    window.find("agent-form").await?;
    picture(window, theme, "agent-form").await?;
    window.click("open-settings").await?;
    window.find("rule-row").await?;
    picture(window, theme, "settings").await
}

async fn begin(window: &Window, message: &str) -> Result<()> {
    window.click("new-session").await?;
    window.find("empty-state").await?;
    window.send_message(message).await
}
