//! The app with a provider that a person added: its address, its key in the file, its model for
//! every session. Whatever is asked is allowed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use protocol::{
    Command, Decision, Dialect, Event, KeyPlace, ProviderFields, ProviderId, ProviderOptions,
    ProviderView, Reply, RetryView, RunError, RunId, RunStatus, Secret, SessionId, SessionSnapshot,
    Settings,
};

use crate::Headless;

/// A running app with its provider.
#[derive(Debug)]
pub struct Provided {
    /// The app.
    pub app: Headless,
    /// The provider.
    pub provider_id: ProviderId,
    data: PathBuf,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// Its session.
    pub session_id: SessionId,
    /// Where the run stands.
    pub status: RunStatus,
    /// What went wrong, if it failed.
    pub error: Option<RunError>,
    /// The tries that failed on the way, each with what was wrong.
    pub retries: Vec<RetryView>,
    /// The session after it.
    pub snapshot: SessionSnapshot,
}

impl Ended {
    /// What was said last, if it is whole.
    pub fn answer(&self) -> Result<String> {
        ensure!(
            self.status == RunStatus::Completed,
            "the run is {:?}: {:?}",
            self.status,
            self.error
        );
        let last = self.snapshot.messages.last().context("no message")?;
        Ok(last.text())
    }
}

/// A provider of this kind at this address, with nothing special about it.
pub fn provider_at(dialect: Dialect, base_url: impl Into<String>) -> ProviderFields {
    ProviderFields {
        name: dialect.as_str().to_owned(),
        dialect,
        base_url: base_url.into(),
        headers: Vec::new(),
        options: ProviderOptions::default(),
        is_enabled: true,
    }
}

impl Provided {
    /// Starts the app on an empty folder and adds the provider; its model answers from now on.
    pub fn start(data: &Path, fields: ProviderFields, key: &str, model: &str) -> Result<Self> {
        let mut app = Headless::start(data, &[])?;
        let settings = Settings {
            // There is no keychain where tests run.
            key_store: KeyPlace::File,
            ..Settings::default()
        };
        app.must(&Command::UpdateSettings {
            settings: settings.clone(),
        })?;
        let reply = app.must(&Command::CreateProvider { fields })?;
        let Reply::Provider(provider) = reply else {
            bail!("not a provider: {reply:?}")
        };
        let provider_id = provider.provider_id;
        app.must(&Command::SetProviderKey {
            provider_id,
            header: None,
            key: Secret::new(key),
        })?;
        let default_model = Some(format!("{provider_id}/{model}"));
        app.must(&Command::UpdateSettings {
            settings: Settings {
                default_model,
                ..settings
            },
        })?;
        Ok(Self {
            app,
            provider_id,
            data: data.to_owned(),
        })
    }

    /// Starts the app again on the same folder.
    pub fn start_again(&mut self) -> Result<()> {
        self.app = Headless::start(&self.data, &[])?;
        Ok(())
    }

    /// Sends a message in a session of its own and waits for the end of its run.
    pub fn ask(&mut self, text: &str) -> Result<Ended> {
        let (session_id, run_id) = self.app.start_run(text, None)?;
        self.follow(session_id, run_id)
    }

    /// Sends a message in a session that is followed already.
    pub fn ask_in(&mut self, session_id: SessionId, text: &str) -> Result<Ended> {
        let reply = self.app.must(&Command::StartRun {
            session_id: Some(session_id),
            text: text.to_owned(),
            request_key: None,
        })?;
        let Reply::RunStarted { run_id, .. } = reply else {
            bail!("not started: {reply:?}")
        };
        self.follow(session_id, run_id)
    }

    /// Takes up a run that was cut off, and waits for its end.
    pub fn resume(&mut self, session_id: SessionId, run_id: RunId) -> Result<Ended> {
        self.app.must(&Command::ResumeRun { run_id })?;
        self.app.must(&Command::Subscribe {
            session_id,
            after_seq: 0,
        })?;
        self.follow(session_id, run_id)
    }

    /// Waits for the end of a run, and allows what it asks for.
    pub fn follow(&mut self, session_id: SessionId, run_id: RunId) -> Result<Ended> {
        let mut retries = Vec::new();
        let mut at = 0;
        loop {
            let events = self.app.seen.events.get(&session_id);
            let Some(event) = events.and_then(|events| events.get(at)).cloned() else {
                self.app.next_value()?;
                continue;
            };
            at += 1;
            if let Event::RunWaiting { run_id: of } = event.event
                && of == run_id
            {
                self.allow_all()?;
            } else if let Event::RetryScheduled { retry, .. } = event.event {
                retries.push(retry);
            } else if let Some(status) = end_of(&event.event, run_id) {
                return self.ended(session_id, run_id, status, retries);
            }
        }
    }

    /// Allows everything that waits for a person.
    pub fn allow_all(&mut self) -> Result<()> {
        let reply = self
            .app
            .must(&Command::ListApprovals { session_id: None })?;
        let Reply::Calls { calls } = reply else {
            bail!("no calls: {reply:?}")
        };
        for call in calls {
            let Some(approval) = call.approval else {
                bail!("a call in doubt: {call:?}")
            };
            // One that was decided meanwhile is no matter.
            drop(self.app.ask(&Command::DecideCall {
                call_id: call.call_id,
                digest: approval.digest,
                decision: Decision::AllowOnce {},
                from: None,
            })?);
        }
        Ok(())
    }

    /// Ends the pause of the provider.
    pub fn resume_provider(&mut self) -> Result<()> {
        let provider_id = self.provider_id;
        self.app.must(&Command::ResumeProvider { provider_id })?;
        Ok(())
    }

    /// How the provider stands.
    pub fn provider(&mut self) -> Result<ProviderView> {
        let reply = self.app.must(&Command::ListProviders {})?;
        let Reply::Providers { providers } = reply else {
            bail!("no providers: {reply:?}")
        };
        let mut providers = providers.into_iter();
        let found = providers.find(|one| one.provider_id == self.provider_id);
        found.context("the provider is gone")
    }

    /// The session as it is.
    pub fn snapshot(&mut self, session_id: SessionId) -> Result<SessionSnapshot> {
        let reply = self.app.must(&Command::GetSession {
            session_id,
            limit: None,
        })?;
        let Reply::Snapshot(snapshot) = reply else {
            bail!("not a snapshot: {reply:?}")
        };
        Ok(*snapshot)
    }

    fn ended(
        &mut self,
        session_id: SessionId,
        run_id: RunId,
        status: RunStatus,
        retries: Vec<RetryView>,
    ) -> Result<Ended> {
        let reply = self.app.must(&Command::GetRun { run_id })?;
        let Reply::Run(run) = reply else {
            bail!("not a run: {reply:?}")
        };
        Ok(Ended {
            session_id,
            status,
            error: run.error,
            retries,
            snapshot: self.snapshot(session_id)?,
        })
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other events end nothing"
)]
fn end_of(event: &Event, run_id: RunId) -> Option<RunStatus> {
    let (of, status) = match event {
        Event::RunCompleted { run_id } => (run_id, RunStatus::Completed),
        Event::RunFailed { run_id, .. } => (run_id, RunStatus::Failed),
        Event::RunStopped { run_id, .. } => (run_id, RunStatus::Stopped),
        Event::RunCancelled { run_id, .. } => (run_id, RunStatus::Cancelled),
        _ => return None,
    };
    (*of == run_id).then_some(status)
}
