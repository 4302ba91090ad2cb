//! A workspace in a folder of its own, and short ways to call tools in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{CallInput, Intent, Output, Plan, Tool, ToolContext, ToolError, Workspaces};
use protocol::{CallId, ErrorClass, SessionId};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tools::ScratchWorkspaces;
use uuid::Uuid;

/// The name of the fixture's workspace.
pub(crate) const NAME: &str = "ses-1";

pub(crate) struct Fixture {
    pub(crate) folder: TempDir,
    pub(crate) workspaces: ScratchWorkspaces,
    pub(crate) workspace: PathBuf,
}

impl Fixture {
    /// A workspace that does not exist yet.
    pub(crate) fn bare() -> Self {
        let folder = TempDir::new().unwrap();
        let workspaces = ScratchWorkspaces::new(folder.path().join("workspaces"));
        let workspace = workspaces.folder(NAME);
        Self {
            folder,
            workspaces,
            workspace,
        }
    }

    /// An empty workspace, and a secret beside it.
    pub(crate) fn new() -> Self {
        let fixture = Self::bare();
        fs::create_dir_all(&fixture.workspace).unwrap();
        fs::write(fixture.outside(), "secret").unwrap();
        fixture
    }

    /// A file that no tool may reach.
    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().join("outside.txt")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.workspace.join(path)
    }

    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Every path below the workspace, sorted.
    pub(crate) fn tree(&self) -> Vec<String> {
        let mut paths = Vec::new();
        collect(&self.workspace, &self.workspace, &mut paths);
        paths.sort();
        paths
    }

    pub(crate) fn call(&self, arguments: &Value) -> CallInput {
        CallInput {
            session_id: SessionId::from_uuid(Uuid::from_u128(1)),
            call_id: CallId::from_uuid(Uuid::from_u128(2)),
            arguments: arguments.to_string(),
            workspace: self.workspace.clone(),
        }
    }

    pub(crate) async fn plan(&self, name: &str, arguments: Value) -> Result<Plan, ToolError> {
        tool(name).plan(&self.call(&arguments)).await
    }

    pub(crate) async fn prepare(&self, name: &str, arguments: &Value) -> Intent {
        tool(name).prepare(&self.call(arguments)).await.unwrap()
    }

    /// The body alone, as after a crash.
    pub(crate) async fn body(
        &self,
        name: &str,
        arguments: &Value,
        intent: &Intent,
    ) -> Result<String, ToolError> {
        run(name, &self.call(arguments), intent, &context()).await
    }

    /// As the engine does it: plan, prepare, run.
    pub(crate) async fn run(&self, name: &str, arguments: Value) -> Result<String, ToolError> {
        let call = self.call(&arguments);
        let tool = tool(name);
        tool.plan(&call).await?;
        let intent = tool.prepare(&call).await?;
        run(name, &call, &intent, &context()).await
    }

    /// The same, for calls that must succeed.
    pub(crate) async fn ok(&self, name: &str, arguments: Value) -> String {
        self.run(name, arguments).await.unwrap()
    }

    /// The same, for calls that must fail; definitely, and with nothing changed.
    pub(crate) async fn fails(&self, name: &str, arguments: Value) -> (ErrorClass, String) {
        let before = self.tree();
        let error = self.run(name, arguments.clone()).await.expect_err(name);
        assert!(error.is_definite, "{name} {arguments}: {error}");
        assert_eq!(self.tree(), before, "{name} {arguments} changed something");
        (error.class, error.message)
    }
}

pub(crate) fn tool(name: &str) -> Arc<dyn Tool> {
    tools::built_in()
        .into_iter()
        .find(|tool| tool.spec().name == name)
        .expect(name)
}

pub(crate) fn context() -> ToolContext {
    ToolContext {
        cancel: CancellationToken::new(),
        state: BTreeMap::new(),
        withheld: engine::Withheld::default(),
    }
}

pub(crate) async fn run(
    name: &str,
    call: &CallInput,
    intent: &Intent,
    context: &ToolContext,
) -> Result<String, ToolError> {
    let Output { text, state } = tool(name).run(call, intent, context).await?;
    assert_eq!(state, [], "files are no session state");
    Ok(text)
}

pub(crate) fn hash(content: &str) -> [u8; 32] {
    blake3::hash(content.as_bytes()).into()
}

/// A pipe that would keep whoever opens it waiting.
pub(crate) fn make_pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

fn collect(top: &Path, folder: &Path, paths: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let entry = entry.unwrap();
        let path = entry.path();
        paths.push(path.strip_prefix(top).unwrap().display().to_string());
        if entry.file_type().unwrap().is_dir() {
            collect(top, &path, paths);
        }
    }
}
