//! More short ways to ask an engine, and models that call tools.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{
    CallInput, Clock, Engine, Intent, ModelError, ModelEvent, Options, Output, Plan, RandomIds,
    Tool, ToolContext, ToolFuture, ToolSpec,
};
use protocol::{
    AgentFields, AgentId, Attention, CallPreview, CallStatus, Command, CommandError, Decision,
    EffectClass, ErrorClass, ErrorCode, MessageId, Reply, RunId, RunLimits, RunStatus, SentOutcome,
    SessionId, ToolCallView, Usage, Verdict,
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tools::ScratchWorkspaces;

use crate::fixture::{Home, Started, World, soon};
use crate::scripted::{self, Call, Said, Script};

/// What `send_message` answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) session_id: SessionId,
    pub(crate) message_id: MessageId,
    pub(crate) outcome: SentOutcome,
}

impl Sent {
    /// The run that it started.
    pub(crate) fn run_id(&self) -> RunId {
        match self.outcome {
            SentOutcome::Started { run_id } => run_id,
            other => panic!("{other:?}"),
        }
    }
}

/// A tool call that is whole.
pub(crate) fn asks(id: &str, tool: &str, arguments: &Value) -> Said {
    asks_raw(id, tool, &arguments.to_string())
}

/// The same with whatever text for arguments.
pub(crate) fn asks_raw(id: &str, tool: &str, arguments: &str) -> Said {
    Ok(ModelEvent::Call {
        id: id.to_owned(),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
    })
}

/// The end of an answer that cost something.
pub(crate) fn finished_with(tokens: u64, cost_microusd: u64) -> Said {
    let usage = Usage {
        input_tokens: Some(tokens),
        output_tokens: Some(0),
        cached_tokens: None,
        cache_write_tokens: None,
        cost_microusd: Some(cost_microusd),
    };
    Ok(ModelEvent::finished(usage))
}

/// An error with a wish to wait.
pub(crate) fn failed_for(class: ErrorClass, retry_after_ms: u64) -> Said {
    Err(ModelError {
        class,
        message: "Later.".to_owned(),
        retry_after_ms: Some(retry_after_ms),
        is_held: false,
    })
}

impl Call {
    /// Answers with one tool call whose id is no matter.
    pub(crate) fn ask_for(&self, tool: &str, arguments: &Value) {
        self.say(asks("", tool, arguments));
        self.finish();
    }

    /// What the model was told, in short.
    pub(crate) fn told(&self) -> Vec<String> {
        self.request
            .messages
            .iter()
            .map(|message| match message {
                engine::RequestMessage::User { text, .. } => format!("user: {text}"),
                engine::RequestMessage::Agent { text, calls, .. } => {
                    format!("agent: {text} +{}", calls.len())
                }
                engine::RequestMessage::Result { text, is_error, .. } => {
                    format!("{}: {text}", if *is_error { "error" } else { "result" })
                }
            })
            .collect()
    }
}

pub(crate) fn send_command(session_id: Option<SessionId>, text: &str) -> Command {
    Command::SendMessage {
        session_id,
        text: text.to_owned(),
        request_key: None,
        stop_first: false,
        attachments: Vec::new(),
        agent_id: None,
    }
}

/// The same request, with a key, and whether it stops what is going.
pub(crate) fn keyed(session_id: SessionId, text: &str, key: &str, stop_first: bool) -> Command {
    Command::SendMessage {
        session_id: Some(session_id),
        text: text.to_owned(),
        request_key: Some(key.to_owned()),
        stop_first,
        attachments: Vec::new(),
        agent_id: None,
    }
}

pub(crate) fn sent(reply: Reply) -> Sent {
    match reply {
        Reply::Sent {
            session_id,
            message_id,
            outcome,
        } => Sent {
            session_id,
            message_id,
            outcome,
        },
        other => panic!("{other:?}"),
    }
}

/// What started a run answered.
pub(crate) fn started(reply: Reply) -> Started {
    match reply {
        Reply::RunStarted {
            session_id,
            message_id,
            run_id,
        } => Started {
            session_id,
            message_id,
            run_id,
        },
        other => panic!("{other:?}"),
    }
}

impl World {
    /// Sends a message into a session, whatever that is doing.
    pub(crate) async fn say(&self, session_id: SessionId, text: &str) -> Sent {
        sent(self.done(send_command(Some(session_id), text)).await)
    }

    /// The same, at once.
    pub(crate) async fn say_now(&self, session_id: SessionId, text: &str) -> Sent {
        let command = Command::SendMessage {
            session_id: Some(session_id),
            text: text.to_owned(),
            request_key: None,
            stop_first: true,
            attachments: Vec::new(),
            agent_id: None,
        };
        sent(self.done(command).await)
    }

    /// A command that must succeed.
    pub(crate) async fn done(&self, command: Command) -> Reply {
        let shown = format!("{command:?}");
        let result = self.execute(command).await;
        result.unwrap_or_else(|error| panic!("{shown:.200}: {error:?}"))
    }

    /// A command that must be refused.
    pub(crate) async fn refusal(&self, command: Command) -> CommandError {
        let shown = format!("{command:?}");
        let result = self.execute(command).await;
        match result {
            Ok(reply) => panic!("{shown:.200} was answered: {reply:?}"),
            Err(error) => error,
        }
    }

    pub(crate) async fn code(&self, command: Command) -> ErrorCode {
        self.refusal(command).await.code
    }

    /// The texts that wait.
    pub(crate) async fn queue(&self, session_id: SessionId) -> Vec<String> {
        let queue = self.snapshot(session_id).await.queue;
        queue.into_iter().map(|message| message.text).collect()
    }

    pub(crate) async fn status(&self, run_id: RunId) -> RunStatus {
        self.run(run_id).await.status
    }

    /// The newest run of a session.
    pub(crate) async fn newest(&self, session_id: SessionId) -> protocol::RunView {
        self.snapshot(session_id).await.session.run.unwrap()
    }

    pub(crate) async fn attention(&self, session_id: SessionId) -> Option<Attention> {
        self.snapshot(session_id).await.session.attention
    }

    /// Everybody who needs a person, by the list of those.
    pub(crate) async fn needing(&self) -> Vec<SessionId> {
        match self.done(Command::ListAttention {}).await {
            Reply::Sessions { sessions, .. } => sessions.iter().map(|s| s.session_id).collect(),
            other => panic!("{other:?}"),
        }
    }

    /// The only call of a session.
    pub(crate) async fn only_call(&self, session_id: SessionId) -> ToolCallView {
        let calls = self.calls(session_id).await;
        assert_eq!(calls.len(), 1, "{calls:?}");
        calls.into_iter().next().unwrap()
    }

    /// Waits until something is true of a session.
    pub(crate) async fn until(
        &self,
        session_id: SessionId,
        is_true: impl Fn(&protocol::SessionSnapshot) -> bool,
    ) -> protocol::SessionSnapshot {
        let head = self.snapshot(session_id).await.seq;
        let mut subscription = self.engine.subscribe(session_id, head).unwrap();
        loop {
            let snapshot = self.snapshot(session_id).await;
            if is_true(&snapshot) {
                return snapshot;
            }
            soon(subscription.next()).await.unwrap();
        }
    }

    /// Waits until the newest run stands somewhere.
    pub(crate) async fn until_run(&self, session_id: SessionId, wanted: RunStatus) {
        self.until(session_id, |snapshot| {
            snapshot.session.run.as_ref().map(|run| run.status) == Some(wanted)
        })
        .await;
    }

    /// Waits until every call of a session stands somewhere.
    pub(crate) async fn until_calls(&self, session_id: SessionId, wanted: CallStatus) {
        self.until(session_id, |snapshot| {
            !snapshot.calls.is_empty() && snapshot.calls.iter().all(|call| call.status == wanted)
        })
        .await;
    }

    /// A new agent with these limits.
    pub(crate) async fn agent(&self, name: &str, limits: RunLimits) -> AgentId {
        let fields = AgentFields {
            limits,
            ..fields(name)
        };
        match self.done(Command::CreateAgent { fields }).await {
            Reply::Agent(agent) => agent.agent_id,
            other => panic!("{other:?}"),
        }
    }

    /// Sends a message into a new session with this agent.
    pub(crate) async fn start_with(&self, agent_id: AgentId, text: &str) -> Sent {
        let command = Command::SendMessage {
            session_id: None,
            text: text.to_owned(),
            request_key: None,
            stop_first: false,
            attachments: Vec::new(),
            agent_id: Some(agent_id),
        };
        sent(self.done(command).await)
    }

    /// A run that waits for an approval of one call.
    pub(crate) async fn waiting(&self) -> Started {
        let started = self.start("Go").await;
        let arguments = json!({"ask": true});
        self.script
            .call()
            .await
            .ask_for("ledger_append", &arguments);
        self.until_run(started.session_id, RunStatus::Waiting).await;
        started
    }

    /// A run that waits because the outcome of its call is unknown, though it happened.
    pub(crate) async fn doubtful(&self) -> Started {
        let started = self.start("Go").await;
        let arguments = json!({"lost": true, "check": "unknown"});
        self.script.call().await.ask_for("checked", &arguments);
        self.until_run(started.session_id, RunStatus::Waiting).await;
        started
    }

    /// A run inside the body of one call that ends when it is told to.
    pub(crate) async fn working(&self, class: &str) -> Started {
        let started = self.start("Go").await;
        let arguments = json!({"class": class});
        self.script.call().await.ask_for("slow", &arguments);
        self.until_calls(started.session_id, CallStatus::Running)
            .await;
        started
    }

    /// Lets whoever has something to do at this moment do it.
    pub(crate) async fn settle(&self) {
        for _ in 0..20 {
            self.execute(Command::GetSettings {}).await.unwrap();
            tokio::task::yield_now().await;
        }
        self.idle().await;
    }
}

/// An agent called so, and nothing else.
pub(crate) fn fields(name: &str) -> AgentFields {
    AgentFields {
        name: name.to_owned(),
        instructions: None,
        model: None,
        tools: None,
        limits: RunLimits::default(),
    }
}

/// An answer to the newest question about a call.
pub(crate) fn decision_on(call: &ToolCallView, decision: Decision) -> Command {
    let digest = call.approval.as_ref().map(|a| a.digest.clone());
    Command::DecideCall {
        call_id: call.call_id,
        digest: digest.unwrap_or_else(|| "0".repeat(64)),
        decision,
        from: None,
    }
}

/// A clock that a test sets, and a gate that it opens.
#[derive(Debug)]
pub(crate) struct SetClock {
    now_ms: AtomicU64,
    moved: Arc<tokio::sync::Notify>,
    /// Every permit lets one call of the tool `gate` through.
    pub(crate) gate: Arc<Semaphore>,
}

/// A tool that waits until it is let through.
#[derive(Debug)]
struct Gate(Arc<Semaphore>);

impl Tool for Gate {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "gate".to_owned(),
            description: "Waits until it is let through.".to_owned(),
            parameters: json!({"type": "object"}),
        }
    }

    fn plan<'a>(&'a self, _: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async {
            Ok(Plan {
                effect: EffectClass::Once,
                verdict: Verdict::Allow,
                preview: CallPreview {
                    summary: "Wait".to_owned(),
                    subject: None,
                    parts: Vec::new(),
                },
                resources: Vec::new(),
                binding: Vec::new(),
            })
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a CallInput,
        _: &'a Intent,
        _: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        Box::pin(async {
            self.0.acquire().await.unwrap().forget();
            Ok(Output::text("Let through."))
        })
    }
}

impl SetClock {
    pub(crate) fn set(&self, now_ms: u64) {
        self.now_ms.store(now_ms, Ordering::SeqCst);
        self.moved.notify_waiters();
    }
}

impl Clock for SetClock {
    fn now_ms(&self) -> u64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn wait_until(&self, _: u64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(Arc::clone(&self.moved).notified_owned())
    }
}

/// Opens a folder at a time of the test's choosing. The world's own clock moves nothing here.
pub(crate) fn open_at(home: &Home, now_ms: u64) -> (World, Arc<SetClock>) {
    let (store, opened) = home.store();
    let clock = Arc::new(SetClock {
        now_ms: AtomicU64::new(now_ms),
        moved: Arc::default(),
        gate: Arc::new(Semaphore::new(0)),
    });
    let gate: Arc<dyn Tool> = Arc::new(Gate(Arc::clone(&clock.gate)));
    let script = Script::new("script");
    let tools = tools::built_in().into_iter();
    let (engine, recovered) = Engine::open(Options {
        store,
        opened,
        models: engine::FixedModels::only(Arc::new(script.clone())),
        tools: tools
            .chain(testkit::test_tools(&home.ledger()))
            .chain([gate])
            .collect(),
        workspaces: Arc::new(ScratchWorkspaces::new(home.path().join("workspaces"))),
        clock: Arc::<SetClock>::clone(&clock),
        ids: Arc::new(RandomIds::default()),
        app_version: "0.0.0".to_owned(),
    })
    .unwrap();
    let world = World {
        engine,
        recovered,
        clock: Home::new().open().clock,
        script,
    };
    (world, clock)
}

impl Home {
    /// The folder again as a process left it that ended when the copy was made. An answer is bound
    /// to the folder: what was allowed there is asked about anew in a copy.
    pub(crate) fn back_to(&self, dead: &Self) {
        for name in ["holdfast.db", "holdfast.db-wal", "holdfast.db-shm"] {
            let (from, to) = (dead.path().join(name), self.path().join(name));
            if to.exists() {
                std::fs::remove_file(&to).unwrap();
            }
            if from.exists() {
                std::fs::copy(from, to).unwrap();
            }
        }
    }
}

pub(crate) use scripted::{failed, finished, text};
