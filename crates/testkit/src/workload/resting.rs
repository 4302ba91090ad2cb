//! I11: once faults stop, everything comes to rest.

use std::time::Duration;

use anyhow::{Result, bail};
use protocol::{Command, RunStatus};

use super::World;

/// How often the sessions are looked at before they count as never quiet: minutes.
const LOOKS: u32 = 30_000;
const PAUSE: Duration = Duration::from_millis(3);

impl World {
    /// Answers and resumes until every run has ended.
    pub async fn settle(&mut self) -> Result<()> {
        for _ in 0..LOOKS {
            self.answer_open_calls().await?;
            let mut is_quiet = true;
            for session_id in self.sessions().await? {
                let snapshot = self.snapshot(session_id).await?;
                let Some(run) = snapshot.session.run else {
                    continue;
                };
                let run_id = run.run_id;
                match run.status {
                    RunStatus::Stopped | RunStatus::Interrupted => {
                        // Refused while a call is in doubt: that is settled in the next look.
                        self.move_run(Command::ResumeRun { run_id }).await?;
                        is_quiet = false;
                    }
                    RunStatus::Queued | RunStatus::Running | RunStatus::Waiting => is_quiet = false,
                    RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => {}
                }
            }
            if is_quiet {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        bail!("I11: the sessions never came to rest")
    }
}
