//! A request to end from outside is treated like closing the window.

use tauri::{AppHandle, Runtime};

pub(crate) fn exit_when_asked<R: Runtime>(app: AppHandle<R>) {
    #[cfg(unix)]
    tauri::async_runtime::spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut terminate), Ok(mut interrupt)) = (
            signal(SignalKind::terminate()),
            signal(SignalKind::interrupt()),
        ) else {
            return;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        app.exit(0);
    });
    #[cfg(not(unix))]
    drop(app);
}
