//! The one window: what it may load, where it may go.

use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Manager, Runtime, Url, WebviewUrl, WebviewWindowBuilder};

use crate::attention::Focus;
use crate::window_state;

const LABEL: &str = "main";

/// Opens the window where it was last time.
pub(crate) fn open<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let builder = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::App("index.html".into()))
        .title("Holdfast")
        .inner_size(1180.0, 780.0)
        .min_inner_size(360.0, 480.0)
        // Files are dropped into the page, which reads them itself; nothing is told of their paths.
        .disable_drag_drop_handler()
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false);
    let window = window_state::restore(app, builder).build()?;
    window_state::follow(&window);
    Focus::follow(&window);
    Ok(())
}

/// Says in the window's title what the window manager shows of it.
pub(crate) fn set_title<R: Runtime>(app: &AppHandle<R>, title: &str) {
    if let Some(window) = app.get_webview_window(LABEL)
        && let Err(error) = window.set_title(title)
    {
        tracing::warn!(name: "shell.window.untitled", %error);
    }
}

/// Brings the window to the front: a second start was made, or a notification was clicked.
pub(crate) fn focus<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window(LABEL) else {
        return;
    };
    let shown = window
        .unminimize()
        .and_then(|()| window.show())
        .and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(name: "shell.window.not_focused", %error);
    }
}

/// Nothing but the app's own page is ever shown in the window.
fn is_own_page(url: &Url) -> bool {
    let is_own = url.scheme() == "tauri"
        || (matches!(url.scheme(), "http" | "https") && url.host_str() == Some("tauri.localhost"));
    if !is_own {
        tracing::warn!(name: "shell.navigation.refused", scheme = url.scheme());
    }
    is_own
}

#[cfg(test)]
mod tests {
    use super::is_own_page;

    /// SEC-2: the window shows the app's own page and nothing else.
    #[test]
    fn only_the_apps_own_page_is_shown() {
        for (url, expected) in [
            ("tauri://localhost/index.html", true),
            ("http://tauri.localhost/", true),
            ("https://example.org/", false),
            ("http://localhost/", false),
            ("javascript:alert(1)", false),
            ("data:text/html,x", false),
            ("file:///etc/passwd", false),
        ] {
            assert_eq!(is_own_page(&url.parse().unwrap()), expected, "{url}");
        }
    }
}
