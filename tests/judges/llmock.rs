//! The first judge: `llmock`, a server that breaks on demand, sees every attempt with its time,
//! and says what a client did wrong.

use anyhow::{Context, Result, ensure};
use protocol::Dialect;
use serde_json::{Value, json};

use super::asking;
use super::servers::{Server, python};

/// Who is spoken to, and where: the services' own dialects and some that imitate one.
pub(crate) const PLACES: [(&str, Dialect, &str); 10] = [
    ("openai", Dialect::ChatCompletions, "/v1"),
    ("responses", Dialect::Responses, "/v1"),
    ("anthropic", Dialect::Anthropic, "/anthropic/v1"),
    ("gemini", Dialect::Gemini, "/gemini/v1beta"),
    ("mistral", Dialect::ChatCompletions, "/mistral/v1"),
    ("groq", Dialect::ChatCompletions, "/groq/openai/v1"),
    ("together", Dialect::ChatCompletions, "/together/v1"),
    ("perplexity", Dialect::ChatCompletions, "/perplexity/v1"),
    ("ai21", Dialect::ChatCompletions, "/ai21/v1"),
    ("xai", Dialect::ChatCompletions, "/xai/v1"),
];

/// The server.
#[derive(Debug)]
pub(crate) struct Llmock {
    pub(crate) server: Server,
}

impl Llmock {
    /// Starts it with more arguments. It calls tools only where a test says so.
    pub(crate) fn start(arguments: &[&str]) -> Result<Self> {
        let server = Server::start(|port| {
            let mut python = python()?;
            python
                .args(["-m", "llmock.cli", "serve", "--host", "127.0.0.1", "--port"])
                .arg(port.to_string())
                .args(["--tool-mode", "off", "--log-level", "critical"])
                // A stream takes its time: whoever stops reading does so before it is all sent.
                .args(["--stream-chunk-delay-ms", "40"])
                .args(arguments);
            Ok(python)
        })?;
        Ok(Self { server })
    }

    /// Forgets what it saw, and does this to the requests that come.
    pub(crate) fn play(&self, behaviours: &[Value]) -> Result<()> {
        asking::post(self.server.port, "/_llmock/reset", &json!({}))?;
        if behaviours.is_empty() {
            return Ok(());
        }
        let scenario = json!({ "behaviors": behaviours });
        asking::post(self.server.port, "/_llmock/scenario", &scenario)?;
        Ok(())
    }

    /// Requires that all of it was played and that nothing at all was found, not even a warning.
    pub(crate) fn require_pass(&self, faults: u64) -> Result<()> {
        let verdict = asking::get(self.server.port, "/_llmock/verdict")?;
        ensure!(
            verdict["passed"] == true && verdict["findings"] == json!([]),
            "the verdict: {verdict:#}"
        );
        ensure!(
            verdict["faults_injected"] == faults,
            "{faults} faults were wanted: {verdict}"
        );
        Ok(())
    }

    /// The bodies of the requests so far.
    pub(crate) fn requests(&self) -> Result<Vec<Value>> {
        let seen = asking::get(self.server.port, "/_llmock/requests")?;
        let requests = seen["requests"].as_array().context("no requests")?;
        Ok(requests.clone())
    }
}
