//! What a person would do: sends, decides, resumes, settles, stops; and notes what was answered.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Result, bail};
use protocol::{
    ApprovalStatus, CallId, CallStatus, Command, CommandError, Decision, MessageId, Reply,
    Resolution, RunStatus, SessionId, ToolCallView,
};
use testkit::Headless;

/// How often the sessions are looked at before they count as never quiet: minutes.
const TURNS: u32 = 20_000;
const PAUSE: Duration = Duration::from_millis(5);

/// Everything that the app has said is so.
#[derive(Debug, Default)]
pub(super) struct Acknowledged {
    pub(super) messages: Vec<MessageId>,
    pub(super) decided: HashMap<CallId, ApprovalStatus>,
    pub(super) settled: HashMap<CallId, CallStatus>,
    pub(super) stopped: Vec<protocol::RunId>,
}

impl Acknowledged {
    pub(super) fn count(&self) -> usize {
        self.messages.len() + self.decided.len() + self.settled.len() + self.stopped.len()
    }
}

/// Random numbers that a seed fixes, and the sessions.
#[derive(Debug)]
pub(super) struct Driver {
    random: u64,
    sessions: Vec<SessionId>,
}

type Asked = Result<Result<Reply, CommandError>>;

impl Driver {
    pub(super) const fn new(seed: u64) -> Self {
        Self {
            random: seed,
            sessions: Vec::new(),
        }
    }

    pub(super) const fn below(&mut self, bound: u64) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % bound
    }

    pub(super) fn open_sessions(
        &mut self,
        app: &mut Headless,
        count: usize,
        acknowledged: &mut Acknowledged,
    ) -> Result<()> {
        for number in 0..count {
            let reply = app.must(&send(None, format!("Session {number}: begin")))?;
            let Reply::Sent {
                session_id,
                message_id,
                ..
            } = reply
            else {
                bail!("not sent: {reply:?}")
            };
            self.sessions.push(session_id);
            acknowledged.messages.push(message_id);
        }
        Ok(())
    }

    /// Works until the process no longer answers.
    pub(super) fn work_until_dead(&mut self, app: &mut Headless, acknowledged: &mut Acknowledged) {
        while self.work(app, acknowledged).is_ok() {}
    }

    /// Works until every session is quiet.
    pub(super) fn settle(
        &mut self,
        app: &mut Headless,
        acknowledged: &mut Acknowledged,
    ) -> Result<()> {
        for _ in 0..TURNS {
            self.decide_all(app, acknowledged)?;
            let mut is_quiet = true;
            for session_id in self.sessions.clone() {
                match self.newest_run(app, session_id)? {
                    Some((run_id, RunStatus::Stopped | RunStatus::Interrupted)) => {
                        // Refused while a call is in doubt: that is decided in the next turn.
                        drop(app.ask(&Command::ResumeRun { run_id })?);
                        is_quiet = false;
                    }
                    Some((_, RunStatus::Queued | RunStatus::Running | RunStatus::Waiting)) => {
                        is_quiet = false;
                    }
                    Some((_, RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled))
                    | None => {}
                }
            }
            if is_quiet {
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        let reply = app.must(&Command::ListSessions {
            limit: None,
            after: None,
            archived: false,
        })?;
        bail!("the sessions never became quiet: {reply:#?}")
    }

    fn work(&mut self, app: &mut Headless, acknowledged: &mut Acknowledged) -> Result<()> {
        self.decide_all(app, acknowledged)?;
        for session_id in self.sessions.clone() {
            let Some((run_id, status)) = self.newest_run(app, session_id)? else {
                continue;
            };
            match status {
                RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => {
                    self.send(app, session_id, acknowledged)?;
                }
                RunStatus::Stopped | RunStatus::Interrupted => {
                    if self.below(4) == 0 {
                        self.send(app, session_id, acknowledged)?;
                    } else {
                        drop(app.ask(&Command::ResumeRun { run_id })?);
                    }
                }
                RunStatus::Queued | RunStatus::Running | RunStatus::Waiting => {
                    if self.below(40) == 0 {
                        let stopped = app.ask(&Command::StopRun { run_id })?;
                        if let Ok(Reply::RunMoved {
                            status: RunStatus::Stopped,
                            ..
                        }) = stopped
                        {
                            acknowledged.stopped.push(run_id);
                        }
                    } else if self.below(20) == 0 {
                        self.send(app, session_id, acknowledged)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn newest_run(
        &self,
        app: &mut Headless,
        session_id: SessionId,
    ) -> Result<Option<(protocol::RunId, RunStatus)>> {
        let limit = Some(1);
        let reply = app.must(&Command::GetSession { session_id, limit })?;
        let Reply::Snapshot(snapshot) = reply else {
            bail!("not a snapshot: {reply:?}")
        };
        Ok(snapshot.session.run.map(|run| (run.run_id, run.status)))
    }

    fn send(
        &mut self,
        app: &mut Headless,
        session_id: SessionId,
        acknowledged: &mut Acknowledged,
    ) -> Result<()> {
        let text = format!("Again, number {}", self.below(1_000_000));
        let sent: Asked = app.ask(&send(Some(session_id), text));
        // A full queue is refused; that is an answer too.
        if let Ok(Reply::Sent { message_id, .. }) = sent? {
            acknowledged.messages.push(message_id);
        }
        Ok(())
    }

    fn decide_all(&mut self, app: &mut Headless, acknowledged: &mut Acknowledged) -> Result<()> {
        let reply = app.must(&Command::ListApprovals { session_id: None })?;
        let Reply::Calls { calls } = reply else {
            bail!("no calls: {reply:?}")
        };
        for call in calls {
            if call.doubt.is_some() {
                self.settle_call(app, &call, acknowledged)?;
            } else {
                self.decide(app, &call, acknowledged)?;
            }
        }
        Ok(())
    }

    fn decide(
        &mut self,
        app: &mut Headless,
        call: &ToolCallView,
        acknowledged: &mut Acknowledged,
    ) -> Result<()> {
        let Some(approval) = &call.approval else {
            bail!("a call that waits without a question: {call:?}")
        };
        let decision = if self.below(3) == 0 {
            Decision::Deny { reason: None }
        } else {
            Decision::AllowOnce {}
        };
        let decided = app.ask(&Command::DecideCall {
            call_id: call.call_id,
            digest: approval.digest.clone(),
            decision,
            from: None,
        })?;
        // It may have been superseded or closed meanwhile.
        if let Ok(Reply::Decided { calls }) = decided {
            for one in calls {
                let Some(approval) = one.approval else {
                    bail!("a decision without an approval")
                };
                acknowledged.decided.insert(one.call_id, approval.status);
            }
        }
        Ok(())
    }

    fn settle_call(
        &mut self,
        app: &mut Headless,
        call: &ToolCallView,
        acknowledged: &mut Acknowledged,
    ) -> Result<()> {
        let resolution = if self.below(2) == 0 {
            Resolution::Skip {}
        } else {
            Resolution::Happened { result: None }
        };
        let settled = app.ask(&Command::ResolveCall {
            call_id: call.call_id,
            resolution,
        })?;
        if let Ok(Reply::Call(call)) = settled {
            acknowledged.settled.insert(call.call_id, call.status);
        }
        Ok(())
    }
}

const fn send(session_id: Option<SessionId>, text: String) -> Command {
    Command::SendMessage {
        session_id,
        text,
        request_key: None,
        stop_first: false,
        attachments: Vec::new(),
        agent_id: None,
    }
}
