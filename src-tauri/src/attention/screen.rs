//! The real window and the real system.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tauri::{AppHandle, Manager, Runtime, WebviewWindow, WindowEvent};

use super::desktop::Desktop;
use super::plan::Pace;
use super::words::Notice;
use super::{Follower, Screen, Showing};
use crate::{Shell, window};

/// Whether the person looks at the window.
#[derive(Debug, Default)]
pub(crate) struct Focus(AtomicBool);

impl Focus {
    /// Notes it whenever it changes: asking for it would wait for the window's own thread.
    pub(crate) fn follow<R: Runtime>(window: &WebviewWindow<R>) {
        window.manage(Self::default());
        let followed = window.clone();
        window.on_window_event(move |event| {
            if let WindowEvent::Focused(is_focused) = event {
                let focus = followed.state::<Self>();
                focus.0.store(*is_focused, Ordering::Relaxed);
            }
        });
    }
}

/// Follows the engine, if there is one: after a start, and after a backup was restored.
pub(crate) fn follow<R: Runtime>(app: &AppHandle<R>) {
    let Ok(engine) = app.state::<Shell>().engine() else {
        return;
    };
    let screen = AppScreen {
        app: app.clone(),
        desktop: Arc::default(),
    };
    tauri::async_runtime::spawn(async move {
        Follower::new(engine, screen, Pace::default()).run().await;
    });
}

struct AppScreen<R: Runtime> {
    app: AppHandle<R>,
    desktop: Arc<Desktop>,
}

impl<R: Runtime> Screen for AppScreen<R> {
    fn set_title(&self, title: &str) {
        window::set_title(&self.app, title);
    }

    fn is_focused(&self) -> bool {
        let focus = self.app.try_state::<Focus>();
        focus.is_some_and(|focus| focus.0.load(Ordering::Relaxed))
    }

    fn show(&self, notice: Notice) -> Showing {
        let (app, desktop) = (self.app.clone(), Arc::clone(&self.desktop));
        let session_id = notice.session_id;
        Box::pin(async move {
            let on_click = move || {
                window::focus(&app);
                app.state::<Shell>().subscriptions.show(session_id);
            };
            desktop.show(notice, on_click).await
        })
    }
}
