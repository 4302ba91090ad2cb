//! UI component tests: cargo runs the compiled tests through us, we through headless Chromium.

use std::fs;

use anyhow::{Result, bail};
use serde_json::json;

use crate::process::Show;
use crate::repository::Repository;
use crate::screen;
use crate::setup::chromedriver;

use super::{Length, stages};

/// Ubuntu offers Chromium as a snap only, which a driver cannot use. Everything else can still be
/// tested there; CI must have it.
fn go_without() -> Result<()> {
    let text = "there is no chromedriver. Debian has it as `chromium-driver`; elsewhere install Chrome \
                with its chromedriver and put both on PATH, or set CHROMEDRIVER";
    if std::env::var_os("CI").is_some() {
        bail!("{text}");
    }
    screen::say(format!("   NOT RUN: {text}."));
    Ok(())
}

pub(super) fn test(repository: &Repository, length: Length) -> Result<()> {
    let Some(driver) = chromedriver() else {
        return go_without();
    };
    let capabilities = repository.target.join("webdriver.json");
    fs::write(&capabilities, capabilities_text()?)?;
    let runner = json!([repository.xtask, "wasm-test-runner"]);
    let tests = repository
        .cargo()
        .args([
            "test",
            "-p",
            "holdfast-ui",
            "--tests",
            "--target",
            "wasm32-unknown-unknown",
        ])
        .arg("--config")
        .arg(format!("target.wasm32-unknown-unknown.runner={runner}"))
        .env("CHROMEDRIVER", driver)
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", &capabilities)
        .env("WASM_BINDGEN_TEST_ONLY_WEB", "1")
        .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "30")
        .env("WASM_BINDGEN_TEST_TIMEOUT", "120");
    stages::with_length(tests, length).run(Show::Results)
}

/// `cargo xtask wasm-test-runner FILE …`, called by cargo for each test file.
pub(crate) fn run_wasm_tests(arguments: Vec<String>) -> Result<()> {
    let arguments = std::iter::once("wasm-bindgen-test-runner".to_owned()).chain(arguments);
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(arguments)
}

/// A browser that starts fast, calls nobody and runs as root too.
fn capabilities_text() -> Result<String> {
    let capabilities = json!({
        "goog:chromeOptions": {
            "args": [
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-quic",
                "--no-first-run",
                "--window-size=1280,800",
            ]
        }
    });
    Ok(serde_json::to_string_pretty(&capabilities)?)
}
