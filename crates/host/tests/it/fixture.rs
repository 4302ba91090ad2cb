//! A data folder, and a host on it.

use std::path::Path;
use std::time::Duration;

use host::{Host, HostOptions, StartFailure};
use models::GuideOptions;
use protocol::{Command, Reply, RunId, RunView, SessionId};
use tempfile::TempDir;

/// A guide that never comes to speak.
pub(crate) const SILENT: Duration = Duration::from_secs(1_000_000);
/// A guide that says everything at once.
pub(crate) const AT_ONCE: Duration = Duration::ZERO;

/// Waits for what must come. The deadline is for a machine that hangs, not for one that is slow.
pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), what)
        .await
        .expect("it never came")
}

/// A data folder.
#[derive(Debug)]
pub(crate) struct Home {
    dir: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { dir }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn options(&self, word_pause: Duration) -> HostOptions {
        HostOptions {
            guide: GuideOptions {
                seed: 1,
                word_pause,
            },
            ..HostOptions::new(self.path())
        }
    }

    pub(crate) fn host(&self, word_pause: Duration) -> Host {
        Host::start(&self.options(word_pause)).unwrap()
    }

    pub(crate) fn failure(&self) -> StartFailure {
        Host::start(&self.options(AT_ONCE)).unwrap_err()
    }
}

pub(crate) async fn start(host: &Host, text: &str) -> (SessionId, RunId) {
    let command = Command::StartRun {
        session_id: None,
        text: text.to_owned(),
        request_key: None,
    };
    match soon(host.engine.execute(command)).await.unwrap() {
        Reply::RunStarted {
            session_id, run_id, ..
        } => (session_id, run_id),
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn run(host: &Host, run_id: RunId) -> RunView {
    match soon(host.engine.execute(Command::GetRun { run_id }))
        .await
        .unwrap()
    {
        Reply::Run(run) => run,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn close(host: &Host) {
    soon(host.close()).await.unwrap();
}
