//! Pictures of every state, wide and narrow, light and dark, to be looked at.

use anyhow::Result;
use testkit::{Theme, Window, WindowOptions};

/// Every state is reachable by clicking; the pictures are kept under `target/screenshots`.
#[tokio::test]
async fn every_state_can_be_seen_light_dark_wide_and_narrow() -> Result<()> {
    for theme in [Theme::Light, Theme::Dark] {
        let name = match theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        let folder = tempfile::tempdir()?;
        let options = WindowOptions {
            theme,
            ..WindowOptions::new(folder.path(), 0)
        };
        let window = Window::open(&options).await?;
        window.find("empty-state").await?;
        picture(&window, name, "empty").await?;
        window.send_message("Show me a table and some code").await?;
        window
            .find_css("[data-testid=message][data-role=agent][data-status=complete]")
            .await?;
        picture(&window, name, "transcript").await?;
        assert_eq!(
            is_dark(&window).await?,
            theme == Theme::Dark,
            "the theme follows the system"
        );
        window.close().await?;

        let window = Window::open(&WindowOptions {
            guide_pause_ms: 30,
            ..options.clone()
        })
        .await?;
        for question in [
            "Tell me a long story about the sea",
            "What happens if I pull the plug?",
        ] {
            window.click("new-session").await?;
            window.find("empty-state").await?;
            window.send_message(question).await?;
            window
                .text_of("[data-testid=message][data-status=streaming]", 60)
                .await?;
        }
        picture(&window, name, "running").await?;
        window.kill().await?;

        let window = Window::open(&options).await?;
        window.find("resume-panel").await?;
        assert_eq!(window.count("[data-testid=resume-row]").await?, 2);
        picture(&window, name, "resume").await?;
        window.close().await?;
    }
    Ok(())
}

pub(crate) async fn picture(window: &Window, theme: &str, state: &str) -> Result<()> {
    for (width, height) in [(1280, 800), (390, 800)] {
        window.resize(width, height).await?;
        // Cards that have just moved look as if they could not be answered.
        window.gone("[data-ready=false]").await?;
        window
            .screenshot(&format!("{state}-{theme}-{width}"))
            .await?;
        let overflow = window
            .client()
            .execute(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth",
                vec![],
            )
            .await?;
        assert_eq!(
            overflow, 0,
            "nothing sticks out sideways at {width} ({state}, {theme})"
        );
    }
    window.resize(1280, 800).await
}

async fn is_dark(window: &Window) -> Result<bool> {
    let found = window
        .client()
        .execute(
            "return matchMedia('(prefers-color-scheme: dark)').matches",
            vec![],
        )
        .await?;
    Ok(found == true)
}
