//! Logs: one JSON object a line, each event with a name, in files that rotate and are capped.
//!
//! Messages and replies are never logged. What looks like a secret is taken out of every value on
//! its way to the file, wherever it came from.

mod layer;
mod redact;
mod rotating_file;

use std::path::Path;

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Registry};

pub use redact::redact;
pub use rotating_file::{RotatingFile, RotationLimits};

use layer::JsonLayer;

/// What is logged when `HOLDFAST_LOG` does not say otherwise.
const DEFAULT_FILTER: &str = "info";

/// Where logs go until the process ends.
///
/// Logging that cannot be set up must not keep anyone from their sessions, so an error here is
/// for the caller to show and go on.
pub fn init(logs_dir: &Path) -> std::io::Result<()> {
    let file = RotatingFile::open(logs_dir, "holdfast", RotationLimits::default())?;
    let filter =
        EnvFilter::try_from_env("HOLDFAST_LOG").unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    let installed = Registry::default()
        .with(filter)
        .with(JsonLayer::new(file))
        .try_init();
    if installed.is_err() {
        return Err(std::io::Error::other("logs are set up already"));
    }
    log_panics();
    Ok(())
}

/// A subscriber that writes to a folder, for one engine of several in a process.
pub fn subscriber(logs_dir: &Path) -> std::io::Result<impl tracing::Subscriber + Send + Sync> {
    let file = RotatingFile::open(logs_dir, "holdfast", RotationLimits::default())?;
    Ok(Registry::default()
        .with(EnvFilter::new(DEFAULT_FILTER))
        .with(JsonLayer::new(file)))
}

/// Panics go to the log as well as to where they went before.
fn log_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A text that was put together at run time may quote what a person wrote: it goes to
        // standard error alone.
        let message = panic
            .payload()
            .downcast_ref::<&str>()
            .copied()
            .unwrap_or("(not logged)");
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        tracing::error!(name: "host.process.panicked", message, place);
        before(panic);
    }));
}
