//! The command line, which the window and headless share.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use models::{Endpoint, GuideOptions, SecretString};

use crate::HostOptions;
use crate::data_dir::default_data_dir;

/// A desktop app for durable agents: pull the plug at any instant, nothing is lost.
#[derive(Debug, Clone, Parser)]
#[command(name = "holdfast", version, about)]
pub struct Arguments {
    /// The folder that holds everything. The platform's own place when absent.
    #[arg(long, global = true, value_name = "DIR", env = "HOLDFAST_DATA")]
    data: Option<PathBuf>,

    /// How the built-in guide speaks.
    #[command(flatten)]
    guide: GuideArguments,

    /// Who answers instead of the guide.
    #[command(flatten)]
    model: ModelArguments,

    /// Opens the window when absent.
    #[command(subcommand)]
    mode: Option<Mode>,
}

/// How the built-in guide speaks.
#[derive(Debug, Clone, Args)]
pub struct GuideArguments {
    /// The middle pause between two words of the guide, in milliseconds; 0 for none.
    #[arg(
        long,
        global = true,
        value_name = "MS",
        env = "HOLDFAST_GUIDE_PAUSE_MS"
    )]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=10_000))]
    guide_pause_ms: Option<u64>,

    /// Chooses among the guide's ways to say the same thing.
    #[arg(
        long,
        global = true,
        value_name = "N",
        env = "HOLDFAST_GUIDE_SEED",
        default_value_t = 0
    )]
    guide_seed: u64,
}

/// A model behind an address that speaks Chat Completions.
#[derive(Debug, Clone, Args)]
struct ModelArguments {
    /// The address up to the version, as in http://127.0.0.1:11434/v1. The guide answers when absent.
    #[arg(long, global = true, value_name = "URL", env = "HOLDFAST_MODEL_URL")]
    model_url: Option<String>,

    /// The model's name there.
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        env = "HOLDFAST_MODEL",
        default_value = "default"
    )]
    model: String,
}

/// The key is taken from here alone: a command line can be read by everyone on the machine.
const KEY_VARIABLE: &str = "HOLDFAST_MODEL_KEY";

impl ModelArguments {
    fn endpoint(&self) -> Option<Endpoint> {
        let base_url = self.model_url.clone()?;
        let key = std::env::var(KEY_VARIABLE).ok();
        Some(Endpoint {
            id: format!("chat:{}", self.model),
            label: self.model.clone(),
            key: key.filter(|key| !key.is_empty()).map(SecretString::from),
            ..Endpoint::new(base_url, self.model.clone())
        })
    }
}

/// What to do instead of opening the window.
#[derive(Debug, Clone, Subcommand)]
pub enum Mode {
    /// Reads commands as JSON lines, writes replies, events and deltas as JSON lines.
    Headless {
        /// At the end of the input, wait for the runs that are going instead of interrupting them.
        #[arg(long)]
        wait: bool,
    },
    /// Puts the newest sound backup in the place of a damaged database, which is kept aside.
    Restore {
        /// Also when the database is sound: what came after the backup is then only in `damaged`.
        #[arg(long)]
        anyway: bool,
    },
    /// Writes what helps to find a fault into a file, without any of your texts or secrets.
    Diagnostics {
        /// The file to write; standard output when absent.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// The record of what was asked, decided and done. Ends with 0 if all is well, with 1 if
    /// something is wrong, with 2 if it cannot be read.
    #[command(subcommand)]
    Audit(AuditMode),
}

/// What to do with the audit.
#[derive(Debug, Clone, Subcommand)]
pub enum AuditMode {
    /// Checks that no row was changed, removed or put in.
    Verify {
        /// What an export holds instead of the database.
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// Say it as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Writes it out as lines of JSON, the head in the last one.
    Export {
        /// The file to write; standard output when absent.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

impl Arguments {
    /// What to do.
    pub fn mode(&self) -> Option<&Mode> {
        self.mode.as_ref()
    }

    /// What the host is started with.
    pub fn host_options(&self) -> Result<HostOptions, protocol::CommandError> {
        let data_dir = match &self.data {
            Some(dir) => dir.clone(),
            None => default_data_dir()?,
        };
        let mut guide = GuideOptions {
            seed: self.guide.guide_seed,
            ..GuideOptions::default()
        };
        if let Some(ms) = self.guide.guide_pause_ms {
            guide.word_pause = Duration::from_millis(ms);
        }
        Ok(HostOptions {
            guide,
            endpoint: self.model.endpoint(),
            ..HostOptions::new(data_dir)
        })
    }
}
