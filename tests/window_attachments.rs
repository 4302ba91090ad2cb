//! Files go into the composer by button, clipboard and drop, and along with the message to the model.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;
use tempfile::TempDir;
use testkit::model_server::{Reply, in_order};
use testkit::{Theme, WindowOptions};

use crate::scene::{REPLY, SENT, Scene};
use crate::window_looks::picture;

const CHIP: &str = "[data-testid=attachment-chip][data-stage=attached]";
const REFUSED: &str = "[data-testid=attachment-chip][data-stage=refused]";
const SHOWN: &str = "[data-testid=attachment]";

/// Sixteen pixels square, of one colour.
const PNG: &[u8] = include_bytes!("../icons/32x32.png");

fn file(folder: &TempDir, name: &str, bytes: &[u8]) -> Result<PathBuf> {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes)?;
    Ok(path)
}

/// ATT-4: by the button; what is refused says why and is never left out unsaid; after a restart the
/// message shows what went along with it.
#[tokio::test]
async fn files_are_attached_sent_and_shown_again() -> Result<()> {
    let files = tempfile::tempdir()?;
    let note = file(&files, "tides.txt", b"High water at noon.")?;
    let image = file(&files, "tide.png", PNG)?;
    let program = file(&files, "program.bin", b"\x7fELF\x00\x01")?;
    let scene = Scene::new(in_order([Reply::text("A tide.")]))?;
    let window = scene.open().await?;
    let input = window.find("attach-input").await?;
    for path in [&note, &image, &program] {
        input.send_keys(&path.display().to_string()).await?;
    }
    window.has(CHIP, 2).await?;
    let said = window.text_with(REFUSED, "cannot be attached").await?;
    assert!(
        said.contains("program.bin") && said.contains("UTF-8"),
        "{said}"
    );
    window.has("[data-testid=attachment-chip] img", 1).await?;
    // Nothing goes while something would be left out.
    let composer = window.find("composer-input").await?;
    composer.send_keys("What is it?").await?;
    window
        .find_css("[data-testid=composer-send][disabled]")
        .await?;
    window
        .click_css(&format!("{REFUSED} [data-testid=attachment-remove]"))
        .await?;
    window.gone(REFUSED).await?;
    window.click("composer-send").await?;
    window.text_with(REPLY, "A tide.").await?;
    window.gone("[data-testid=attachment-chip]").await?;
    let requests = scene.asked(1).await?;
    let content = &requests[0].messages()[0]["content"];
    assert!(
        content[0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("High water at noon."))
    );
    assert!(
        content[2]["image_url"]["url"]
            .as_str()
            .is_some_and(|url| url.starts_with("data:image/png;base64,"))
    );
    window.kill().await?;

    let window = scene.open().await?;
    window.click("session-row").await?;
    window.has(&format!("{SENT} {SHOWN}"), 2).await?;
    window
        .find_css(&format!(
            "{SHOWN}[data-kind=image] img[src^='data:image/png']"
        ))
        .await?;
    window
        .click_css(&format!("{SHOWN}[data-kind=text] summary"))
        .await?;
    window
        .text_with(&format!("{SHOWN}[data-kind=text]"), "High water at noon.")
        .await?;
    window.close().await
}

/// What is pasted and dropped is attached; text that is pasted stays text.
#[tokio::test]
async fn files_are_pasted_and_dropped() -> Result<()> {
    let scene = Scene::new(in_order([Reply::text("Seen.")]))?;
    let window = scene.open().await?;
    window.find("composer-input").await?;
    let give = |event: &str| {
        format!(
            "const data = new DataTransfer();
             data.items.add(new File(['Low water at six.'], '{event}.txt'));
             const field = document.querySelector('[data-testid=composer-input]');
             const init = {{ bubbles: true, cancelable: true }};
             const event = '{event}' === 'paste'
                 ? new ClipboardEvent('paste', {{ ...init, clipboardData: data }})
                 : new DragEvent('{event}', {{ ...init, dataTransfer: data }});
             field.dispatchEvent(event);
             return event.defaultPrevented;"
        )
    };
    for (event, count) in [("paste", 1), ("drop", 2)] {
        assert_eq!(window.script(&give(event)).await?, json!(true), "{event}");
        window.has(CHIP, count).await?;
    }
    let said = window.texts(CHIP).await?;
    assert!(
        said[0].contains("paste.txt") && said[1].contains("drop.txt"),
        "{said:?}"
    );
    window.send_message("What is it?").await?;
    window.text_with(REPLY, "Seen.").await?;
    window.has(&format!("{SENT} {SHOWN}"), 2).await?;
    window.close().await
}

/// Pictures of the composer and the transcript with everything that can be attached.
#[tokio::test]
async fn attachments_can_be_seen_light_dark_wide_and_narrow() -> Result<()> {
    for theme in [Theme::Light, Theme::Dark] {
        let name = match theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        let files = tempfile::tempdir()?;
        let scene = Scene::new(in_order([Reply::text("A tide table, and a mark.")]))?;
        let options = WindowOptions {
            theme,
            ..scene.options()
        };
        let window = testkit::Window::open(&options).await?;
        let input = window.find("attach-input").await?;
        let long = "a-rather-long-name-for-a-file-about-the-tides-of-the-north-sea.txt";
        for path in [
            file(&files, "tide.png", PNG)?,
            file(&files, long, b"High water at noon.\nLow water at six.")?,
            file(&files, "program.bin", b"\x00\x01")?,
        ] {
            input.send_keys(&path.display().to_string()).await?;
        }
        window.has(CHIP, 2).await?;
        window.find_css(REFUSED).await?;
        picture(&window, name, "attachments-composer").await?;
        window
            .click_css(&format!("{REFUSED} [data-testid=attachment-remove]"))
            .await?;
        window.send_message("What do these say?").await?;
        window.text_with(REPLY, "A tide table").await?;
        window.find_css(&format!("{SHOWN} img")).await?;
        window
            .click_css(&format!("{SHOWN}[data-kind=text] summary"))
            .await?;
        window
            .text_with(&format!("{SHOWN}[data-kind=text]"), "Low water")
            .await?;
        picture(&window, name, "attachments-transcript").await?;
        window.close().await?;
    }
    Ok(())
}
