//! What the tests of cards have in common: a folder, a model that asks to write files, selectors.

use std::path::Path;

use anyhow::Result;
use serde_json::json;
use tempfile::TempDir;
use testkit::model_server::{Reply, Request, Script};
use testkit::{ModelServer, Window, WindowOptions, eventually};

/// A card that asks.
pub(crate) const CARD: &str = "[data-testid=approval-card]";
/// A call that ran well.
pub(crate) const DONE: &str = "[data-testid=call-card][data-status=completed]";
/// A call that was denied.
pub(crate) const DENIED: &str = "[data-testid=call-card][data-status=denied]";
/// A call that was never run.
pub(crate) const NOT_RUN: &str = "[data-testid=call-card][data-status=cancelled]";
/// A whole message of the agent.
pub(crate) const REPLY: &str = "[data-testid=message][data-role=agent][data-status=complete]";
/// A message of the person.
pub(crate) const SENT: &str = "[data-testid=message][data-role=user]";
/// A message that is being written.
pub(crate) const STREAMING: &str = "[data-testid=message][data-status=streaming]";
/// The line that says where a run stands; absent when it is over.
pub(crate) const RUN: &str = "[data-testid=run-status]";

/// An app with its data and its model, both of which outlive its windows.
pub(crate) struct Scene {
    pub(crate) folder: TempDir,
    pub(crate) model: ModelServer,
}

impl Scene {
    /// A new folder, and a model that says this.
    pub(crate) fn new(script: impl Script) -> Result<Self> {
        Ok(Self {
            folder: tempfile::tempdir()?,
            model: ModelServer::start(script)?,
        })
    }

    /// Opens the window.
    pub(crate) async fn open(&self) -> Result<Window> {
        Window::open(&self.options()).await
    }

    /// How it is opened.
    pub(crate) fn options(&self) -> WindowOptions {
        WindowOptions::with_model(self.folder.path(), &self.model)
    }

    /// Waits until the model was asked so often, neither more nor less.
    pub(crate) async fn asked(&self, times: usize) -> Result<Vec<Request>> {
        eventually(&format!("{times} requests to the model"), || async {
            (self.model.count() == times).then(|| self.model.requests())
        })
        .await
    }
}

/// A reply that asks to write these files, all at once.
pub(crate) fn writes(files: &[(&str, &str)]) -> Reply {
    let calls: Vec<(String, String)> = files
        .iter()
        .enumerate()
        .map(|(at, (path, content))| {
            let arguments = json!({ "path": path, "content": content });
            (format!("call_{at}"), arguments.to_string())
        })
        .collect();
    Reply::calls(
        calls
            .iter()
            .map(|(id, arguments)| (id.as_str(), "write_file", arguments.as_str())),
    )
}

/// The card of one call.
pub(crate) fn card_of(call_id: &str) -> String {
    format!("[data-call-id={call_id:?}]")
}

/// What a file in a workspace holds; nothing if there is none.
pub(crate) fn file(workspace: &Path, path: &str) -> Option<String> {
    std::fs::read_to_string(workspace.join(path)).ok()
}
