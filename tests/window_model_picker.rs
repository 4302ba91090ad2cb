//! Which model answers is chosen where one writes, at any time, with the keyboard too.

use anyhow::Result;
use testkit::model_server::{Reply, Request};
use testkit::{Window, WindowOptions};

use crate::provided::{Service, add_before};
use crate::scene::{REPLY, RUN, STREAMING};

const PICKER: &str = "[data-testid=model-picker]";
const OPTION: &str = "[data-testid=model-option]";

fn script(request: &Request) -> Reply {
    let model = request.body["model"].as_str().unwrap_or_default();
    let reply = Reply::text(&format!(
        "I am {model}, and this is all that I have to say today."
    ));
    if request.last_user_text() == "Slowly" {
        reply.hang_after(4)
    } else {
        reply
    }
}

/// A new session begins with the model that was picked; another one can be picked while a run goes.
#[tokio::test]
async fn a_model_is_picked_before_the_first_message_and_changed_while_a_run_goes() -> Result<()> {
    let service = Service::start(script)?;
    let folder = tempfile::tempdir()?;
    let provider_id = add_before(folder.path(), "Mine", &service)?;
    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    window.text_with(PICKER, "Guide").await?;
    window.click("model-picker").await?;
    window
        .find_css("[role=listbox] [role=option][aria-selected=true]")
        .await?;
    // Written words filter, Enter picks what is marked.
    window
        .find("model-filter")
        .await?
        .send_keys("small mine")
        .await?;
    window.has(OPTION, 2).await?;
    window.press("\u{e007}").await?;
    window.gone("[data-testid=model-list]").await?;
    window.text_with(PICKER, "small (Mine)").await?;
    assert_eq!(window.focused().await?, "model-picker");
    window.send_message("Slowly").await?;
    window.text_of(STREAMING, 5).await?;
    window.click("model-picker").await?;
    window
        .click_css(&format!("{OPTION}[data-model='{provider_id}/large']"))
        .await?;
    window
        .text_with(
            "[data-testid=model-next-run]",
            "This one goes on with small (Mine).",
        )
        .await?;
    service.server.release();
    window.text_with(REPLY, "I am small").await?;
    window.gone(RUN).await?;
    window.text_with("[data-testid=model-next-run]", "").await?;
    window.send_message("Again").await?;
    window.has(REPLY, 2).await?;
    let said = window.texts(REPLY).await?;
    assert!(
        said[0].contains("small (Mine)") && said[1].contains("large (Mine)"),
        "{said:?}"
    );
    assert!(said[1].contains("I am large"), "{said:?}");
    window.close().await
}

/// Arrows move, Escape leaves and changes nothing, and the way to the models page is in the list.
#[tokio::test]
async fn the_list_is_used_with_the_keyboard_alone() -> Result<()> {
    let service = Service::start(script)?;
    let folder = tempfile::tempdir()?;
    add_before(folder.path(), "Mine", &service)?;
    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    window.click("model-picker").await?;
    window.find("model-list").await?;
    assert_eq!(window.focused().await?, "model-filter");
    window.press("\u{e015}\u{e00c}").await?;
    window.gone("[data-testid=model-list]").await?;
    window.text_with(PICKER, "Guide").await?;
    // Enter on the button opens it again; the second line is the first model.
    window.press("\u{e007}").await?;
    window.find("model-list").await?;
    window.press("\u{e015}\u{e007}").await?;
    window.text_with(PICKER, "large (Mine)").await?;
    window.press("\u{e007}").await?;
    window
        .find("model-filter")
        .await?
        .send_keys("nothing like that")
        .await?;
    window.has(OPTION, 1).await?;
    window.press("\u{e007}").await?;
    window.find("models-view").await?;
    window.close().await
}
