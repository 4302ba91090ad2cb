//! Keys decide where the person meant them to, and nowhere else.

use anyhow::Result;
use testkit::Window;
use testkit::model_server::{Reply, Request};

use crate::scene::{CARD, DENIED, DONE, RUN, Scene, file, writes};

fn a_file_for_each_message(request: &Request) -> Reply {
    match request.rounds() {
        0 => writes(&[(request.last_user_text(), "text\n")]),
        _ => Reply::text("Noted."),
    }
}

/// APR-11: A allows and D denies the card that has the focus.
#[tokio::test]
async fn keys_decide_the_card_that_has_the_focus() -> Result<()> {
    let scene = Scene::new(a_file_for_each_message)?;
    let window = scene.open().await?;
    window.send_message("allowed.txt").await?;
    let workspace = window.workspace().await?;
    focus_card(&window).await?;
    window.press("a").await?;
    window.has(DONE, 1).await?;
    window.gone(RUN).await?;
    assert_eq!(file(&workspace, "allowed.txt").as_deref(), Some("text\n"));

    window.send_message("denied.txt").await?;
    focus_card(&window).await?;
    window.press("d").await?;
    window.has(DENIED, 1).await?;
    window.gone(RUN).await?;
    assert_eq!(file(&workspace, "denied.txt"), None);
    window.close().await
}

/// APR-11: a card that appears takes nothing from who types, and letters typed into a field are
/// letters: in the composer as well as in the reason of the card.
#[tokio::test]
async fn typing_never_decides() -> Result<()> {
    let scene = Scene::new(|request: &Request| {
        let reply = a_file_for_each_message(request);
        match request.number {
            1 => reply.hang_after(0),
            _ => reply,
        }
    })?;
    let window = scene.open().await?;
    window.send_message("plan.txt").await?;
    scene.asked(1).await?;
    let workspace = window.workspace().await?;
    window.click("composer-input").await?;
    window.press("a sad ").await?;
    scene.model.release();
    window.find_css(CARD).await?;
    assert_eq!(window.focused().await?, "composer-input", "typing goes on");
    window.ready(CARD, "approval-allow").await?;
    window.press("dads ").await?;
    assert_eq!(window.focused().await?, "composer-input");
    window.click("approval-deny-reason").await?;
    window.press("aads").await?;
    let written = window.find("composer-input").await?.prop("value").await?;
    assert_eq!(
        written.as_deref(),
        Some("a sad dads "),
        "all that was typed"
    );
    let reason = window.find("approval-deny-reason").await?;
    assert_eq!(reason.prop("value").await?.as_deref(), Some("aads"));
    assert_eq!(window.count(CARD).await?, 1, "nothing is decided");
    assert_eq!(scene.model.count(), 1);
    assert_eq!(file(&workspace, "plan.txt"), None);

    focus_card(&window).await?;
    window.press("a").await?;
    window.find_css(DONE).await?;
    assert_eq!(file(&workspace, "plan.txt").as_deref(), Some("text\n"));
    window.close().await
}

/// APR-11: a key that is pressed before the card stands still does nothing.
#[tokio::test]
async fn a_key_for_something_else_does_not_hit_a_card_that_just_came() -> Result<()> {
    let scene = Scene::new(a_file_for_each_message)?;
    let window = scene.open().await?;
    // The first chance a page has to press a key on a card: the moment it is there.
    window
        .script(
            "window.pressed = 0;
             new MutationObserver(() => {
                 const card = document.querySelector('[data-testid=approval-card]');
                 if (!card || window.pressed) return;
                 window.pressed = 1;
                 card.focus();
                 card.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true}));
                 card.querySelector('[data-testid=approval-allow]').click();
             }).observe(document.body, {childList: true, subtree: true});",
        )
        .await?;
    window.send_message("plan.txt").await?;
    window.ready(CARD, "approval-allow").await?;
    assert_eq!(window.script("return window.pressed").await?, 1);
    assert_eq!(scene.model.count(), 1);
    assert_eq!(file(&window.workspace().await?, "plan.txt"), None);
    window.close().await
}

/// A click beside the buttons gives the card the focus.
async fn focus_card(window: &Window) -> Result<()> {
    window.ready(CARD, "approval-allow").await?;
    window.click_css(&format!("{CARD} .call__summary")).await?;
    window.ready(CARD, "approval-allow").await?;
    assert_eq!(window.focused().await?, "approval-card");
    Ok(())
}
