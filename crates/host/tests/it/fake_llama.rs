//! A `llama-server` of our own: this binary once more, behind a script of that name. What it does is in
//! the model file that it is given.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::json;
use tempfile::TempDir;

use crate::small_server::SmallServer;

const ARGUMENTS: &str = "HOLDFAST_FAKE_LLAMA";

/// The entry of the fake; not a test of anything by itself.
#[test]
fn entry() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else {
        return;
    };
    let words: Vec<&str> = arguments.split(' ').collect();
    let after = |name: &str| {
        let at = words.iter().position(|word| *word == name).unwrap();
        words[at + 1]
    };
    let model = PathBuf::from(after("--model"));
    assert_eq!(after("--host"), "127.0.0.1");
    let content = std::fs::read_to_string(&model).unwrap();
    if content.contains("broken") {
        note(&model);
        std::io::stderr()
            .write_all(b"error loading model: it is broken\n")
            .unwrap();
        std::process::exit(1);
    }
    // One whose port was taken meanwhile ends here, like the real one, and is started elsewhere.
    let _server = SmallServer::at(after("--port").parse().unwrap(), llama_cpp);
    note(&model);
    loop {
        if model.with_extension("crash").exists() {
            std::process::exit(7);
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One line for each start: the process id, then the names and values of its environment.
fn note(model: &Path) {
    let variables: Vec<String> = std::env::vars_os()
        .map(|(name, value)| format!("{}={}", name.display(), value.display()))
        .collect();
    let line = format!("{}\t{}\n", std::process::id(), variables.join("\t"));
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(model.with_extension("starts"))
        .unwrap();
    file.write_all(line.as_bytes()).unwrap();
}

fn llama_cpp(path: &str) -> Option<(&'static str, String)> {
    let body = match path {
        "/health" => json!({ "status": "ok" }).to_string(),
        "/v1/models" => json!({ "object": "list",
            "data": [{ "id": "small", "owned_by": "llamacpp", "meta": { "n_ctx_train": 4_096 } }] })
        .to_string(),
        "/props" => json!({ "default_generation_settings": { "n_ctx": 4_096 }, "total_slots": 1 })
            .to_string(),
        "/v1/chat/completions" => {
            let said = json!({ "choices": [{ "index": 0, "delta": { "content": "From a file." },
                "finish_reason": "stop" }] });
            let stream = format!("data: {said}\n\ndata: [DONE]\n\n");
            return Some(("text/event-stream", stream));
        }
        _ => return None,
    };
    Some(("application/json", body))
}

/// One test at a time: their servers would meet at the port that is tried first.
static TURN: Mutex<()> = Mutex::new(());

/// A folder with the program and a model.
pub(crate) struct FakeLlama {
    folder: TempDir,
    _turn: Option<MutexGuard<'static, ()>>,
}

impl FakeLlama {
    /// It ends when it is asked to.
    pub(crate) fn new() -> Self {
        Self::with_script("", Some(turn()))
    }

    /// One more in the same test.
    pub(crate) fn another(_first: &Self) -> Self {
        Self::with_script("", None)
    }

    /// It does not listen when it is asked to end.
    pub(crate) fn stubborn() -> Self {
        Self::with_script("trap '' TERM\n", Some(turn()))
    }

    fn with_script(first: &str, turn: Option<MutexGuard<'static, ()>>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("llama-server");
        let this = std::env::current_exe().unwrap();
        let script = format!(
            "#!/bin/sh\n{first}{ARGUMENTS}=\"$*\" exec '{}' fake_llama::entry --exact --nocapture\n",
            this.display()
        );
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let fake = Self {
            folder,
            _turn: turn,
        };
        std::fs::write(fake.model(), "GGUF and so on").unwrap();
        fake
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn model(&self) -> PathBuf {
        self.folder.path().join("small.gguf")
    }

    /// The process ids and environments of every start so far.
    pub(crate) fn starts(&self) -> Vec<(u32, String)> {
        let noted = std::fs::read_to_string(self.model().with_extension("starts"));
        let lines = noted.unwrap_or_default();
        // The last line may be on its way.
        let whole = lines
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        whole
            .map(|line| {
                let (id, rest) = line.split_once('\t').unwrap();
                (id.parse().unwrap(), rest.to_owned())
            })
            .collect()
    }

    /// Ends the one that runs, and each that is started while this holds.
    pub(crate) fn crash(&self) {
        std::fs::write(self.model().with_extension("crash"), "").unwrap();
    }

    pub(crate) fn stop_crashing(&self) {
        std::fs::remove_file(self.model().with_extension("crash")).unwrap();
    }
}
