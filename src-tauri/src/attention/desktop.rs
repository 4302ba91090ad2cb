//! The system's notifications.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use notify_rust::{Notification, NotificationHandle, NotificationResponse};
use tokio::sync::oneshot;

use super::words::Notice;

/// Notifications whose click is waited for: some are never reported as closed.
const WAITED_FOR: usize = 16;

/// Shows notifications and waits for clicks on them, each on a thread of its own: the system may
/// take its time.
#[derive(Debug, Default)]
pub(crate) struct Desktop {
    /// Dropping one ends the wait.
    waits: Mutex<VecDeque<oneshot::Sender<()>>>,
}

impl Desktop {
    /// Asks the system to show it; an error says why it could not be shown.
    pub(crate) async fn show(
        &self,
        notice: Notice,
        on_click: impl FnOnce() + Send + 'static,
    ) -> Result<(), String> {
        let (answer, answered) = oneshot::channel();
        let (wait, is_over) = oneshot::channel();
        let spawned = std::thread::Builder::new()
            .name("notification".to_owned())
            .spawn(move || match show(&notice) {
                Err(error) => drop(answer.send(Err(error.to_string()))),
                Ok(handle) => {
                    // Whoever gave up waiting for the answer still gets the click.
                    drop(answer.send(Ok(())));
                    if is_clicked(handle, is_over) {
                        on_click();
                    }
                }
            });
        spawned.map_err(|error| error.to_string())?;
        self.keep(wait);
        let gone = |_| Err("the system gave no answer".to_owned());
        answered.await.unwrap_or_else(gone)
    }

    fn keep(&self, wait: oneshot::Sender<()>) {
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        waits.retain(|wait| !wait.is_closed());
        if waits.len() >= WAITED_FOR {
            waits.pop_front();
        }
        waits.push_back(wait);
    }
}

fn show(notice: &Notice) -> notify_rust::error::Result<NotificationHandle> {
    let mut notification = Notification::new();
    notification
        .appname("Holdfast")
        .summary(&notice.summary)
        .action("default", "Open");
    if !notice.body.is_empty() {
        notification.body(&body(notice)?);
    }
    notification.show()
}

/// A system that reads markup must find none: a title is no link and no picture.
#[cfg(all(unix, not(target_os = "macos")))]
fn body(notice: &Notice) -> notify_rust::error::Result<String> {
    let reads_markup = notify_rust::get_capabilities()?
        .iter()
        .any(|capability| capability.starts_with("body-markup"));
    Ok(if reads_markup {
        notice
            .body
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    } else {
        notice.body.clone()
    })
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn body(notice: &Notice) -> notify_rust::error::Result<String> {
    Ok(notice.body.clone())
}

/// Waits until it is clicked or closed, or nobody wants to know any more.
#[cfg(all(unix, not(target_os = "macos")))]
#[expect(
    clippy::needless_pass_by_value,
    reason = "its connection ends with the wait; on other systems it is used up"
)]
fn is_clicked(handle: NotificationHandle, is_over: oneshot::Receiver<()>) -> bool {
    tauri::async_runtime::block_on(async {
        let mut is_clicked = false;
        tokio::select! {
            () = handle.wait_for_action_async(|response| is_clicked = is_click(response)) => {}
            _ = is_over => {}
        }
        is_clicked
    })
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn is_clicked(handle: NotificationHandle, is_over: oneshot::Receiver<()>) -> bool {
    let mut is_clicked = false;
    let waited = handle.wait_for_response(|response: &NotificationResponse| {
        is_clicked = is_click(response);
    });
    drop(is_over);
    waited.is_ok() && is_clicked
}

const fn is_click(response: &NotificationResponse) -> bool {
    match response {
        NotificationResponse::Default | NotificationResponse::Action(_) => true,
        NotificationResponse::Reply(_) | NotificationResponse::Closed(_) => false,
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
