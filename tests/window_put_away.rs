//! Sessions are put away and deleted, and come back when the person wants them back.

use anyhow::Result;
use testkit::model_server::{Reply, Request};

use crate::scene::{REPLY, RUN, Scene};

const ROW: &str = "[data-testid=session-row]";

fn script(request: &Request) -> Reply {
    Reply::text(&format!("Answer to {}", request.last_user_text()))
}

/// An archived session is out of the list, in the archive, and comes back as it was.
#[tokio::test]
async fn an_archived_session_is_put_away_and_taken_back() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    window.send_message("apples").await?;
    window.text_with(REPLY, "Answer to apples").await?;
    window.gone(RUN).await?;
    window.click("session-menu").await?;
    window.click("session-archive").await?;
    window.gone(ROW).await?;
    window.find("empty-state").await?;
    window.close().await?;

    let window = scene.open().await?;
    window.find("empty-state").await?;
    assert_eq!(window.count(ROW).await?, 0);
    window.click("archived-filter").await?;
    window.has(ROW, 1).await?;
    window.click_css(".session-row__button").await?;
    window.text_with(REPLY, "Answer to apples").await?;
    window.click("session-menu").await?;
    window
        .text_with("[data-testid=session-archive]", "Unarchive")
        .await?;
    window.click("session-archive").await?;
    window.gone(ROW).await?;
    window.click("archived-filter").await?;
    window.has(ROW, 1).await?;
    window.close().await
}

/// STO-14: a deleted session can be taken back with one click, and is whole.
#[tokio::test]
async fn a_deleted_session_is_taken_back_with_one_click() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    window.send_message("apples").await?;
    window.text_with(REPLY, "Answer to apples").await?;
    window.gone(RUN).await?;
    let session_id = window.session_id().await?;
    window.click("session-menu").await?;
    window.click("session-delete").await?;
    window
        .text_with("[data-testid=toast]", "Deleted “apples”")
        .await?;
    window.gone(ROW).await?;
    window.find("empty-state").await?;
    window.click("toast-undo").await?;
    window.has(ROW, 1).await?;
    window.gone("[data-testid=toast]").await?;
    window.click_css(".session-row__button").await?;
    window.text_with(REPLY, "Answer to apples").await?;
    assert_eq!(window.session_id().await?, session_id);
    window.send_message("pears").await?;
    window.has(REPLY, 2).await?;
    window.close().await
}
