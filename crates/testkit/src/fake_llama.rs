//! A `llama-server` of our own: the test's binary once more, behind a script of that name. What it does
//! is in the model file that it is given.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tempfile::TempDir;

use crate::small_server::SmallServer;

const ARGUMENTS: &str = "HOLDFAST_FAKE_LLAMA";

/// Plays the server if this process was started as one, and does nothing otherwise. The binary of the
/// tests has a test that does nothing but call this; [`FakeLlama::new`] is told its name.
pub fn play() -> Result<()> {
    let Ok(arguments) = env::var(ARGUMENTS) else {
        return Ok(());
    };
    let words: Vec<&str> = arguments.split(' ').collect();
    let after = |name: &str| {
        let at = words.iter().position(|word| *word == name);
        at.and_then(|at| words.get(at + 1).copied())
            .with_context(|| format!("{name} is missing in {arguments}"))
    };
    let model = PathBuf::from(after("--model")?);
    ensure!(
        after("--host")? == "127.0.0.1",
        "open to others: {arguments}"
    );
    if fs::read_to_string(&model)?.contains("broken") {
        note(&model)?;
        std::io::stderr().write_all(b"error loading model: it is broken\n")?;
        std::process::exit(1);
    }
    // One whose port was taken meanwhile ends here, like the real one, and is started elsewhere.
    let _server = SmallServer::at(after("--port")?.parse()?, llama_cpp)?;
    note(&model)?;
    loop {
        if model.with_extension("crash").exists() {
            std::process::exit(7);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// One line for each start: the process id, then the names and values of its environment.
fn note(model: &Path) -> Result<()> {
    let variables: Vec<String> = env::vars_os()
        .map(|(name, value)| format!("{}={}", name.display(), value.display()))
        .collect();
    let line = format!("{}\t{}\n", std::process::id(), variables.join("\t"));
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(model.with_extension("starts"))?;
    Ok(file.write_all(line.as_bytes())?)
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

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder with the program and a model.
#[derive(Debug)]
pub struct FakeLlama {
    folder: TempDir,
    _turn: Option<MutexGuard<'static, ()>>,
}

impl FakeLlama {
    /// It ends when it is asked to. The test with this name calls [`play`].
    pub fn new(entry: &str) -> Result<Self> {
        Self::with_script(entry, "", Some(turn()))
    }

    /// One more in the same test.
    pub fn another(_first: &Self, entry: &str) -> Result<Self> {
        Self::with_script(entry, "", None)
    }

    /// It does not listen when it is asked to end.
    pub fn stubborn(entry: &str) -> Result<Self> {
        Self::with_script(entry, "trap '' TERM\n", Some(turn()))
    }

    fn with_script(
        entry: &str,
        first: &str,
        turn: Option<MutexGuard<'static, ()>>,
    ) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let program = folder.path().join("llama-server");
        let this = env::current_exe()?;
        let script = format!(
            "#!/bin/sh\n{first}{ARGUMENTS}=\"$*\" exec '{}' {entry} --exact --nocapture\n",
            this.display()
        );
        fs::write(&program, script)?;
        make_executable(&program)?;
        let fake = Self {
            folder,
            _turn: turn,
        };
        fs::write(fake.model(), "GGUF and so on")?;
        Ok(fake)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The model file.
    pub fn model(&self) -> PathBuf {
        self.folder.path().join("small.gguf")
    }

    /// The process ids and environments of every start so far.
    pub fn starts(&self) -> Vec<(u32, String)> {
        let noted = fs::read_to_string(self.model().with_extension("starts"));
        let lines = noted.unwrap_or_default();
        // The last line may be on its way.
        let whole = lines
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        let starts = whole.filter_map(|line| line.split_once('\t'));
        starts
            .filter_map(|(id, rest)| Some((id.parse().ok()?, rest.to_owned())))
            .collect()
    }

    /// Ends the one that runs, and each that is started while this holds.
    pub fn crash(&self) -> Result<()> {
        Ok(fs::write(self.model().with_extension("crash"), "")?)
    }

    /// Those that are started from now on stay.
    pub fn stop_crashing(&self) -> Result<()> {
        Ok(fs::remove_file(self.model().with_extension("crash"))?)
    }
}

#[cfg(unix)]
fn make_executable(program: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(
        program,
        fs::Permissions::from_mode(0o755),
    )?)
}

#[cfg(not(unix))]
fn make_executable(_program: &Path) -> Result<()> {
    Ok(())
}
