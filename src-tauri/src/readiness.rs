//! How long the start took, for whoever measures it.
#![expect(
    clippy::disallowed_methods,
    reason = "measures the start of this process, no data"
)]

use std::path::PathBuf;
use std::sync::Once;
use std::time::Instant;

/// Measures from the first line of `main` until the page shows the session list.
#[derive(Debug)]
pub struct Readiness {
    started: Instant,
    /// Where the milliseconds are written to, if anyone wants them.
    report_to: Option<PathBuf>,
    reported: Once,
}

impl Readiness {
    /// Starts to measure. `HOLDFAST_REPORT_READY` names the file to report to.
    pub fn begin() -> Self {
        let report_to = std::env::var_os("HOLDFAST_REPORT_READY").map(PathBuf::from);
        Self {
            started: Instant::now(),
            report_to,
            reported: Once::new(),
        }
    }

    pub(crate) fn report(&self) {
        self.reported.call_once(|| {
            let ready_ms = self.started.elapsed().as_millis();
            tracing::info!(name: "shell.window.ready", ready_ms = ready_ms as u64);
            if let Some(path) = &self.report_to
                && let Err(error) = std::fs::write(path, ready_ms.to_string())
            {
                tracing::warn!(name: "shell.readiness.unreported", %error);
            }
        });
    }
}
