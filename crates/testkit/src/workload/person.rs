//! The person: acts on whatever there is, as the dice say, and notes what was answered.

use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use protocol::{
    CallStatus, Command, CommandError, Decision, ErrorCode, MessageStatus, Reply, Resolution, Role,
    RunId, RunStatus, SessionId, SessionSnapshot, ToolCallView,
};

use super::World;
use crate::evidence::Fact;

impl World {
    /// Acts as often as the plan says.
    pub async fn work(&mut self) -> Result<()> {
        if self.plan.resumes_alone {
            self.let_runs_go_on().await?;
        }
        while self.sessions().await?.len() < self.plan.sessions {
            self.send(None).await?;
        }
        for _ in 0..self.plan.acts {
            self.act().await?;
            tokio::time::sleep(Duration::from_micros(self.dice.below(4_000))).await;
        }
        Ok(())
    }

    async fn act(&mut self) -> Result<()> {
        if !self.dice.is_one_in(4) {
            self.answer_open_calls().await?;
        }
        let sessions = self.sessions().await?;
        let Some(session_id) = self.dice.pick(&sessions).copied() else {
            return Ok(());
        };
        let snapshot = self.snapshot(session_id).await?;
        match snapshot
            .session
            .run
            .as_ref()
            .map(|run| (run.run_id, run.status))
        {
            None => self.send(Some(session_id)).await,
            Some((run_id, status)) if status.is_live() => self.disturb(session_id, run_id).await,
            Some((run_id, RunStatus::Stopped | RunStatus::Interrupted)) => {
                match self.dice.below(8) {
                    0 => self.send(Some(session_id)).await,
                    1 => self.move_run(Command::CancelRun { run_id }).await,
                    _ => self.move_run(Command::ResumeRun { run_id }).await,
                }
            }
            Some(_) => self.go_on(&snapshot).await,
        }
    }

    /// Something is going in it.
    async fn disturb(&mut self, session_id: SessionId, run_id: RunId) -> Result<()> {
        match self.dice.below(20) {
            0 | 1 => self.move_run(Command::StopRun { run_id }).await,
            2 => self.move_run(Command::CancelRun { run_id }).await,
            3 | 4 => self.send(Some(session_id)).await,
            5 if self.plan.backups => self.back_up().await,
            _ => Ok(()),
        }
    }

    /// Nothing is going in it.
    async fn go_on(&mut self, snapshot: &SessionSnapshot) -> Result<()> {
        let session_id = snapshot.session.session_id;
        let of = |role: Role| {
            let mut messages = snapshot.messages.iter().rev();
            messages.find(|one| one.role == role && one.status == MessageStatus::Complete)
        };
        match (self.dice.below(12), of(Role::User), of(Role::Agent)) {
            (0, Some(message), _) => {
                let text = self.words();
                let message_id = message.message_id;
                let request_key = None;
                let command = Command::EditMessage {
                    message_id,
                    text: text.clone(),
                    request_key,
                };
                self.say(command, text).await
            }
            (1, _, Some(message)) => {
                let message_id = message.message_id;
                self.fork(session_id, message_id).await
            }
            (2, _, Some(message)) => {
                let message_id = message.message_id;
                let request_key = None;
                let command = Command::Regenerate {
                    message_id,
                    request_key,
                };
                refused_or(self.ask(command).await).map(drop)
            }
            (3, ..) => {
                let title = self.words();
                let command = Command::RenameSession { session_id, title };
                refused_or(self.ask(command).await).map(drop)
            }
            _ => self.send(Some(session_id)).await,
        }
    }

    async fn send(&mut self, session_id: Option<SessionId>) -> Result<()> {
        let text = self.words();
        let command = Command::SendMessage {
            session_id,
            text: text.clone(),
            request_key: None,
            stop_first: self.dice.is_one_in(10),
            attachments: Vec::new(),
            agent_id: None,
        };
        self.say(command, text).await
    }

    async fn say(&mut self, command: Command, text: String) -> Result<()> {
        self.sendings += 1;
        let number = self.sendings;
        self.witness.note(Fact::Sending { number });
        let reply = refused_or(self.ask(command).await)?;
        let (session_id, message_id) = match reply {
            Some(
                Reply::Sent {
                    session_id,
                    message_id,
                    ..
                }
                | Reply::RunStarted {
                    session_id,
                    message_id,
                    ..
                },
            ) => (session_id, message_id),
            _ => return Ok(()),
        };
        self.witness.note(Fact::Sent {
            number,
            session_id,
            message_id,
            text,
        });
        self.open_window(session_id).await
    }

    async fn fork(&mut self, session_id: SessionId, message_id: protocol::MessageId) -> Result<()> {
        let fork = Command::ForkSession {
            session_id,
            message_id,
        };
        let Some(Reply::Session(session)) = refused_or(self.ask(fork).await)? else {
            return Ok(());
        };
        let session_id = session.session_id;
        self.witness.note(Fact::Created { session_id });
        self.open_window(session_id).await
    }

    pub(super) async fn move_run(&mut self, command: Command) -> Result<()> {
        if let Some(Reply::RunMoved { run_id, status }) = refused_or(self.ask(command).await)? {
            self.witness.note(Fact::Moved { run_id, status });
        }
        Ok(())
    }

    async fn back_up(&self) -> Result<()> {
        let engine = self.engine.clone();
        let made = tokio::task::spawn_blocking(move || engine.backup()).await?;
        refused_or(made).map(drop)
    }

    async fn let_runs_go_on(&self) -> Result<()> {
        let Some(Reply::Settings(mut settings)) =
            refused_or(self.ask(Command::GetSettings {}).await)?
        else {
            bail!("no settings")
        };
        settings.recovery = protocol::RecoveryPolicy::Resume;
        refused_or(self.ask(Command::UpdateSettings { settings }).await).map(drop)
    }

    pub(super) async fn snapshot(&self, session_id: SessionId) -> Result<SessionSnapshot> {
        let limit = Some(6);
        let reply = self.ask(Command::GetSession { session_id, limit }).await;
        let Reply::Snapshot(snapshot) = reply.map_err(|error| anyhow!(error.message))? else {
            bail!("not a snapshot")
        };
        Ok(*snapshot)
    }

    /// Decides what is asked, settles what is in doubt.
    pub(super) async fn answer_open_calls(&mut self) -> Result<()> {
        let list = Command::ListApprovals { session_id: None };
        let Some(Reply::Calls { calls }) = refused_or(self.ask(list).await)? else {
            return Ok(());
        };
        for call in calls {
            if call.status == CallStatus::InDoubt {
                self.settle_call(&call).await?;
            } else if call.status == CallStatus::Waiting {
                self.decide(&call).await?;
            }
        }
        Ok(())
    }

    async fn decide(&mut self, call: &ToolCallView) -> Result<()> {
        let Some(approval) = &call.approval else {
            bail!("a call that waits without a question: {call:?}")
        };
        let decision = match self.dice.below(6) {
            0 => Decision::Deny { reason: None },
            1 if call.tool.starts_with("ledger") => Decision::EditAndAllow {
                arguments: call
                    .arguments
                    .replacen("\"mark\":\"", "\"mark\":\"edited ", 1),
            },
            _ => Decision::AllowOnce {},
        };
        let decide = Command::DecideCall {
            call_id: call.call_id,
            digest: approval.digest.clone(),
            decision,
            from: None,
        };
        let Some(Reply::Decided { calls }) = refused_or(self.ask(decide).await)? else {
            return Ok(());
        };
        for one in calls {
            if let Some(approval) = one.approval {
                self.witness.note(Fact::Decided {
                    call_id: one.call_id,
                    round: approval.round,
                    status: approval.status,
                });
            }
        }
        Ok(())
    }

    async fn settle_call(&mut self, call: &ToolCallView) -> Result<()> {
        let call_id = call.call_id;
        let resolution = match self.dice.below(3) {
            0 => Resolution::Skip {},
            1 => Resolution::RunAgain {},
            _ => Resolution::Happened { result: None },
        };
        self.witness.note(Fact::Settling { call_id });
        if resolution == (Resolution::RunAgain {}) {
            self.witness.note(Fact::Again { call_id });
        }
        let resolve = Command::ResolveCall {
            call_id,
            resolution,
        };
        if let Some(Reply::Call(call)) = refused_or(self.ask(resolve).await)?
            && matches!(call.status, CallStatus::Completed | CallStatus::Skipped)
        {
            let status = call.status;
            self.witness.note(Fact::Settled { call_id, status });
        }
        Ok(())
    }

    fn words(&mut self) -> String {
        format!("Do number {}, please.", self.dice.below(1_000_000))
    }
}

/// What was refused, or not written because the disk refused, changed nothing: the person goes on.
/// An engine that is gone ends the work.
pub(super) fn refused_or<T>(reply: Result<T, CommandError>) -> Result<Option<T>> {
    match reply {
        Ok(reply) => Ok(Some(reply)),
        Err(error) if error.code == ErrorCode::Unavailable => bail!("gone: {}", error.message),
        Err(_) => Ok(None),
    }
}
