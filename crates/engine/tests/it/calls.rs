//! Tool calls: a model that asks for them, and short ways to answer and to look at them.

use std::sync::{Arc, Mutex};

use engine::{Model, ModelEvent, ModelRequest, ModelStream, RandomIds, RequestMessage, Tool};
use futures_util::stream;
use protocol::{
    ApprovalView, CallId, CallStatus, Command, CommandError, DecidedCall, Decision, EffectClass,
    ErrorClass, ModelInfo, Reply, Resolution, RunId, SentOutcome, SessionId, Settings,
    ToolCallView, Usage,
};
use serde_json::Value;
use testkit::{Ledger, LedgerEntry, Phase};

use crate::fixture::{Home, World};
use crate::scripted::{Call, Said, Script, text};

/// A tool call in a reply.
pub(crate) fn call(id: &str, tool: &str, arguments: &Value) -> Said {
    Ok(ModelEvent::Call {
        id: id.to_owned(),
        tool: tool.to_owned(),
        arguments: arguments.to_string(),
    })
}

/// What every whole reply here costs.
pub(crate) const COST: Usage = Usage {
    input_tokens: Some(10),
    output_tokens: Some(2),
    cached_tokens: None,
    cache_write_tokens: None,
    cost_microusd: None,
};

/// A whole reply that asks for one call.
pub(crate) fn one_call(id: &str, tool: &str, arguments: &Value) -> Vec<Said> {
    many_calls([call(id, tool, arguments)])
}

/// A whole reply that asks for some calls.
pub(crate) fn many_calls(calls: impl IntoIterator<Item = Said>) -> Vec<Said> {
    let end = Ok(ModelEvent::finished(COST));
    calls.into_iter().chain([end]).collect()
}

/// A whole reply of text.
pub(crate) fn words(words: &str) -> Vec<Said> {
    many_calls([text(words)])
}

impl Call {
    /// Asks for a call.
    pub(crate) fn ask(&self, id: &str, tool: &str, arguments: &Value) {
        self.say(call(id, tool, arguments));
    }

    /// Says one thing and is done.
    pub(crate) fn answer(&self, words: &str) {
        self.text(words);
        self.finish();
    }
}

/// A model that knows its replies: the first to a message, the next to its results, and so on.
/// What is cut off and asked again is answered the same.
#[derive(Debug)]
pub(crate) struct Player {
    replies: Vec<Vec<Said>>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl Player {
    /// After the last reply it says "Done.".
    pub(crate) fn new(replies: Vec<Vec<Said>>) -> Arc<Self> {
        let asked = Mutex::default();
        Arc::new(Self { replies, asked })
    }

    /// Every request it was asked.
    pub(crate) fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().unwrap().clone()
    }
}

impl Model for Player {
    fn info(&self) -> ModelInfo {
        ModelInfo {
            is_scripted: true,
            ..ModelInfo::new("player", "Player")
        }
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let is_reply = |message: &&RequestMessage| matches!(message, RequestMessage::Agent { .. });
        let number = request.messages.iter().filter(is_reply).count();
        self.asked.lock().unwrap().push(request);
        let reply = self.replies.get(number).cloned();
        Box::pin(stream::iter(reply.unwrap_or_else(|| words("Done."))))
    }
}

/// What a request says of the results: the tool, whether it failed, the text.
pub(crate) fn results(request: &ModelRequest) -> Vec<(String, bool, String)> {
    let messages = request.messages.iter();
    messages
        .filter_map(|message| match message {
            RequestMessage::Result {
                tool,
                text,
                is_error,
                ..
            } => Some((tool.clone(), *is_error, text.clone())),
            _ => None,
        })
        .collect()
}

impl Home {
    /// With a model that knows its replies.
    pub(crate) fn play(&self, replies: Vec<Vec<Said>>) -> (World, Arc<Player>) {
        self.play_with(replies, Vec::new(), 1_000_000)
    }

    /// The same with more tools, at this time.
    pub(crate) fn play_with(
        &self,
        replies: Vec<Vec<Said>>,
        more: Vec<Arc<dyn Tool>>,
        now_ms: u64,
    ) -> (World, Arc<Player>) {
        let player = Player::new(replies);
        let tools = self.tools().into_iter().chain(more).collect();
        let world = self.open_from(
            vec![player.clone()],
            tools,
            Script::new("unused"),
            Arc::new(RandomIds::default()),
            now_ms,
        );
        (world, player)
    }

    /// With a model in the test's hands and more tools.
    pub(crate) fn open_tools(&self, more: Vec<Arc<dyn Tool>>) -> World {
        let script = Script::new("script");
        let tools = self.tools().into_iter().chain(more).collect();
        self.open_from(
            vec![Arc::new(script.clone())],
            tools,
            script,
            Arc::new(RandomIds::default()),
            1_000_000,
        )
    }

    /// What the ledger says, oldest first.
    pub(crate) fn entries(&self) -> Vec<LedgerEntry> {
        Ledger::new(self.ledger()).entries().unwrap()
    }

    /// How many effects of this class happened.
    pub(crate) fn effects(&self, class: EffectClass) -> usize {
        let is_one = |e: &&LedgerEntry| e.phase == Phase::Effect && e.class == class;
        self.entries().iter().filter(is_one).count()
    }
}

impl World {
    pub(crate) async fn send_message(
        &self,
        session_id: SessionId,
        text: &str,
        stop_first: bool,
    ) -> SentOutcome {
        let command = Command::SendMessage {
            session_id: Some(session_id),
            text: text.to_owned(),
            request_key: None,
            stop_first,
            attachments: Vec::new(),
            agent_id: None,
        };
        match self.execute(command).await.unwrap() {
            Reply::Sent { outcome, .. } => outcome,
            other => panic!("{other:?}"),
        }
    }

    /// Every call that waits for a decision or is in doubt.
    pub(crate) async fn open_calls(&self) -> Vec<ToolCallView> {
        let command = Command::ListApprovals { session_id: None };
        match self.execute(command).await.unwrap() {
            Reply::Calls { calls } => calls,
            other => panic!("{other:?}"),
        }
    }

    /// The only call that waits for a decision or is in doubt.
    pub(crate) async fn open_call(&self) -> ToolCallView {
        let mut calls = self.open_calls().await;
        assert_eq!(calls.len(), 1, "{calls:?}");
        calls.remove(0)
    }

    pub(crate) async fn get(&self, call_id: CallId) -> ToolCallView {
        match self.execute(Command::GetCall { call_id }).await.unwrap() {
            Reply::Call(call) => *call,
            other => panic!("{other:?}"),
        }
    }

    /// All calls of a session, in order.
    pub(crate) async fn calls(&self, session_id: SessionId) -> Vec<ToolCallView> {
        self.snapshot(session_id).await.calls
    }

    pub(crate) async fn statuses(&self, session_id: SessionId) -> Vec<CallStatus> {
        let calls = self.calls(session_id).await;
        calls.iter().map(|call| call.status).collect()
    }

    /// Answers a call as it was shown.
    pub(crate) async fn try_decide(
        &self,
        shown: &ToolCallView,
        decision: Decision,
    ) -> Result<ApprovalView, CommandError> {
        let reply = self.execute(decide(shown, decision)).await?;
        let Reply::Decided { mut calls } = reply else {
            panic!("{reply:?}");
        };
        let DecidedCall {
            approval, error, ..
        } = calls.remove(0);
        assert_eq!(error, None);
        Ok(approval.unwrap())
    }

    pub(crate) async fn decide(&self, shown: &ToolCallView, decision: Decision) -> ApprovalView {
        self.try_decide(shown, decision).await.unwrap()
    }

    /// Allows the only call that waits.
    pub(crate) async fn allow(&self) -> ToolCallView {
        let call = self.open_call().await;
        self.decide(&call, Decision::AllowOnce {}).await;
        call
    }

    pub(crate) async fn try_resolve(
        &self,
        call_id: CallId,
        resolution: Resolution,
    ) -> Result<ToolCallView, CommandError> {
        let command = Command::ResolveCall {
            call_id,
            resolution,
        };
        match self.execute(command).await? {
            Reply::Call(call) => Ok(*call),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn resolve(&self, call_id: CallId, resolution: Resolution) -> ToolCallView {
        self.try_resolve(call_id, resolution).await.unwrap()
    }

    /// Changes the settings.
    pub(crate) async fn set(&self, change: impl FnOnce(&mut Settings)) {
        let mut settings = match self.execute(Command::GetSettings {}).await.unwrap() {
            Reply::Settings(settings) => settings,
            other => panic!("{other:?}"),
        };
        change(&mut settings);
        let command = Command::UpdateSettings { settings };
        self.execute(command).await.unwrap();
    }

    /// Asks for a call until something is true of it.
    pub(crate) async fn call_until(
        &self,
        call_id: CallId,
        is_so: impl Fn(&ToolCallView) -> bool,
    ) -> ToolCallView {
        let found = testkit::eventually("the call to be so", async || {
            Some(self.get(call_id).await).filter(|call| is_so(call))
        });
        found.await.unwrap()
    }

    /// How often a run's events end it.
    pub(crate) async fn ends(&self, session_id: SessionId) -> usize {
        let kinds = self.kinds(session_id).await;
        let ends = ["run_completed", "run_failed", "run_cancelled"];
        kinds.iter().filter(|k| ends.contains(&k.as_str())).count()
    }

    pub(crate) async fn usage(&self, run_id: RunId) -> (Usage, u32, u32) {
        let total = self.run(run_id).await.usage;
        (total.sum, total.calls, total.calls_unknown)
    }
}

/// The command that answers a call as it was shown.
pub(crate) fn decide(shown: &ToolCallView, decision: Decision) -> Command {
    Command::DecideCall {
        call_id: shown.call_id,
        digest: shown.approval.as_ref().unwrap().digest.clone(),
        decision,
        from: Some("window 1".to_owned()),
    }
}

pub(crate) fn deny(reason: Option<&str>) -> Decision {
    Decision::Deny {
        reason: reason.map(str::to_owned),
    }
}

/// The text of a call's result and the class of its error.
pub(crate) fn outcome(call: &ToolCallView) -> (&str, Option<ErrorClass>) {
    let result = call.result.as_ref().unwrap();
    assert_eq!(result.is_error, result.class.is_some());
    (result.text.as_str(), result.class)
}
