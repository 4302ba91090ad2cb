//! Text is text: whatever a message holds, nothing in it runs, loads or leads away.

use anyhow::Result;
use testkit::{Window, WindowOptions};

const HOSTILE: &str = "<script>window.hacked=1</script> \
    <img src=x onerror='window.hacked=2'> \
    [click](javascript:window.hacked=3) ![p](http://127.0.0.1:9/pixel.png) \
    <iframe src='http://127.0.0.1:9/'></iframe> <a href='http://127.0.0.1:9/'>away</a>";

/// SEC-2: no script, no remote content, no navigation.
#[tokio::test]
async fn hostile_text_is_shown_as_text() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    window.send_message(HOSTILE).await?;
    window
        .find_css("[data-testid=message][data-role=agent][data-status=complete]")
        .await?;
    let found = window
        .client()
        .execute(
            "const log = document.querySelector('[data-testid=transcript]');
             for (const link of log.querySelectorAll('a')) link.click();
             return [
                 typeof window.hacked,
                 log.querySelectorAll('script, iframe, object, embed').length,
                 log.querySelectorAll('img').length,
                 log.querySelectorAll('[onerror], [href^=javascript]').length,
                 location.href,
             ];",
            vec![],
        )
        .await?;
    assert_eq!(found[0], "undefined", "{found}");
    assert_eq!(found[1], 0, "{found}");
    assert_eq!(found[2], 0, "{found}");
    assert_eq!(found[3], 0, "{found}");
    assert!(
        found[4]
            .as_str()
            .is_some_and(|url| url.starts_with("tauri://localhost")),
        "{found}"
    );
    window.close().await
}

/// SEC-2: the page cannot run inline script or reach commands that it was not given.
#[tokio::test]
async fn the_page_can_do_nothing_beyond_its_commands() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    window.find("composer-input").await?;
    let injected = window
        .client()
        .execute(
            "const script = document.createElement('script');
             script.textContent = 'window.injected = 1';
             document.body.appendChild(script);
             return typeof window.injected;",
            vec![],
        )
        .await?;
    assert_eq!(injected, "undefined", "the content policy holds");
    let refused = window
        .client()
        .execute_async(
            "const done = arguments[arguments.length - 1];
             window.__TAURI_INTERNALS__.invoke('plugin:app|version', {})
                 .then(() => done('allowed'), () => done('refused'));",
            vec![],
        )
        .await?;
    assert_eq!(refused, "refused");
    window.close().await
}
