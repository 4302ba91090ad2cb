//! The ledger: what really happened, in an append-only file outside of the database.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{CallInput, ToolError};
use protocol::EffectClass;
use serde::{Deserialize, Serialize};

use crate::evidence::{Fact, Witness};

/// A file that only grows, where a line that is there is on disk; or the notes of a witness.
#[derive(Debug, Clone)]
pub struct Ledger {
    path: PathBuf,
    witness: Option<Arc<dyn Witness>>,
}

/// One line of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The call.
    pub effect_key: String,
    /// The BLAKE3 hash of its arguments, in hexadecimal.
    pub arguments_hash: String,
    /// Its class.
    pub class: EffectClass,
    /// The process that wrote this.
    pub pid: u32,
    /// What happened.
    pub phase: Phase,
}

/// What a line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A body began. Written only where a test asks for it.
    Began,
    /// The effect itself.
    Effect,
    /// A body is about to give back its result. Written only where a test asks for it.
    Ended,
    /// A check looked here.
    Check,
}

impl Ledger {
    /// In this file, which may not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            witness: None,
        }
    }

    /// With a witness, who keeps it among everything else.
    pub fn witnessed(witness: Arc<dyn Witness>) -> Self {
        Self {
            path: PathBuf::new(),
            witness: Some(witness),
        }
    }

    /// Adds a line; it is on disk when this is over.
    pub fn append(&self, entry: &LedgerEntry) -> io::Result<()> {
        if let Some(witness) = &self.witness {
            witness.note(Fact::Did(entry.clone()));
            return Ok(());
        }
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let is_new = !self.path.exists();
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.path)?;
        // One write: two processes that append at once do not mix their lines.
        file.write_all(&line)?;
        file.sync_all()?;
        match self.path.parent() {
            Some(folder) if is_new => File::open(folder)?.sync_all(),
            Some(_) | None => Ok(()),
        }
    }

    /// Every whole line. A last one without its end was never acknowledged to anybody.
    pub fn entries(&self) -> io::Result<Vec<LedgerEntry>> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        text.split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
            .map(|line| serde_json::from_str(line).map_err(io::Error::from))
            .collect()
    }

    /// How often the effect of a call happened.
    pub fn effects(&self, effect_key: &str) -> io::Result<usize> {
        let entries = self.entries()?;
        let is_effect =
            |entry: &&LedgerEntry| entry.effect_key == effect_key && entry.phase == Phase::Effect;
        Ok(entries.iter().filter(is_effect).count())
    }

    /// Adds a line about a call, off the runtime's threads.
    pub(super) async fn note(
        &self,
        call: &CallInput,
        class: EffectClass,
        phase: Phase,
    ) -> Result<(), ToolError> {
        let entry = LedgerEntry {
            effect_key: call.effect_key(),
            arguments_hash: blake3::hash(call.arguments.as_bytes()).to_hex().to_string(),
            class,
            pid: std::process::id(),
            phase,
        };
        let ledger = self.clone();
        tokio::task::spawn_blocking(move || ledger.append(&entry))
            .await
            .map_err(io::Error::other)
            .flatten()
            .map_err(|error| {
                let path: &Path = &self.path;
                ToolError::unobserved(format!("the ledger {}: {error}", path.display()))
            })
    }
}
