//! An engine on a folder, with a model that does what the person's message says, a tool that waits for
//! ever, and ids and times that are the same each time.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use engine::{
    CallInput, Clock, Engine, Ids, Intent, Model, ModelError, ModelEvent, ModelRequest,
    ModelStream, Options, Output, Plan, RequestMessage, Tool, ToolContext, ToolFuture, ToolSpec,
};
use futures_util::{StreamExt, stream};
use protocol::{
    BlockKind, CallPreview, Command, EffectClass, Ending, ErrorClass, ModelInfo, Native, Reply,
    RunId, SessionId, Usage, Verdict,
};
use serde::Deserialize;
use serde_json::json;
use store::{DataFolder, Store};
use testkit::raw;
use tools::ScratchWorkspaces;
use uuid::{Builder, Uuid};

use super::provided::Provided;

/// When the story begins: some day in 2027.
pub(super) const BEGINNING: u64 = 1_800_000_000_000;

/// Whether what hangs and fails in the story does so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    /// Everything does what it is told.
    Story,
    /// Everything answers and ends.
    Calm,
}

/// An open engine.
#[derive(Debug)]
pub(super) struct World {
    pub(super) engine: Engine,
    pub(super) recovered: engine::Recovered,
    database: std::path::PathBuf,
}

impl World {
    /// Opens the folder at a time, which then moves by a millisecond with every look.
    pub(super) fn open(folder: &Path, mood: Mood, now_ms: u64) -> Result<Self> {
        let data = DataFolder::create(folder)?;
        let database = data.database();
        let (store, opened) = Store::open(&store::Options {
            folder: data,
            app_version: "0.1.0".to_owned(),
            pid: 4_242,
            now_ms,
        })?;
        let tools = tools::built_in().into_iter();
        let tools = tools.chain(testkit::test_tools(&folder.join("ledger.jsonl")));
        let tools: Vec<Arc<dyn Tool>> = tools.chain([Arc::new(Waits(mood)) as _]).collect();
        let (engine, recovered) = Engine::open(Options {
            store,
            opened,
            models: Provided::beside(Arc::new(Obedient(mood))),
            tools,
            workspaces: Arc::new(ScratchWorkspaces::new(folder.join("workspaces"))),
            clock: Arc::new(Counting(AtomicU64::new(now_ms), mood)),
            ids: Arc::new(Counted(AtomicU64::new(now_ms % 1_000_000))),
            app_version: "0.1.0".to_owned(),
        })?;
        Ok(Self {
            engine,
            recovered,
            database,
        })
    }

    pub(super) async fn must(&self, command: Command) -> Result<Reply> {
        let said = format!("{command:?}");
        let reply = self.engine.execute(command).await;
        reply.map_err(|error| anyhow::anyhow!("{said} failed: {error:?}"))
    }

    /// Sends a message into a new session.
    pub(super) async fn start(&self, text: String) -> Result<(SessionId, RunId)> {
        let command = Command::StartRun {
            session_id: None,
            text,
            request_key: None,
        };
        let reply = self.must(command).await?;
        let Reply::RunStarted {
            session_id, run_id, ..
        } = reply
        else {
            bail!("not started: {reply:?}")
        };
        Ok((session_id, run_id))
    }

    /// Waits until a query says 1.
    pub(super) async fn until(&self, sql: &str) -> Result<()> {
        for _ in 0..6_000 {
            if raw::look(&self.database, sql)? == [["1"]] {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let runs = "SELECT hex(id), status, error_message FROM runs";
        let found = raw::look(&self.database, runs);
        bail!("waited in vain for {sql}: {found:?}")
    }

    /// Waits until a run has a status.
    pub(super) async fn until_run(&self, run_id: RunId, status: &str) -> Result<()> {
        let id = run_id.uuid().simple();
        let sql = format!("SELECT status = '{status}' FROM runs WHERE id = x'{id}'");
        self.until(&sql).await
    }

    /// Waits until so many calls of a run have a status.
    pub(super) async fn until_calls(&self, run_id: RunId, status: &str, count: u32) -> Result<()> {
        let id = run_id.uuid().simple();
        self.until(&format!(
            "SELECT count(*) = {count} FROM tool_calls WHERE run_id = x'{id}' AND status = '{status}'"
        ))
        .await
    }

    pub(super) async fn close(self) -> Result<()> {
        let closed = self.engine.close().await;
        closed.map_err(|error| anyhow::anyhow!("{error:?}"))
    }
}

/// A clock that moves when it is looked at: so little in a story that nothing is ever due, and
/// faster than a real one when all is calm.
#[derive(Debug)]
struct Counting(AtomicU64, Mood);

impl Clock for Counting {
    fn now_ms(&self) -> u64 {
        let step = if self.1 == Mood::Calm { 20 } else { 1 };
        self.0.fetch_add(step, Ordering::SeqCst)
    }

    fn wait_until(&self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        if self.now_ms() >= at_ms {
            Box::pin(std::future::ready(()))
        } else if self.1 == Mood::Calm {
            Box::pin(tokio::time::sleep(Duration::from_millis(5)))
        } else {
            Box::pin(std::future::pending())
        }
    }
}

#[derive(Debug)]
struct Counted(AtomicU64);

impl Ids for Counted {
    fn next(&self, now_ms: u64) -> Uuid {
        let number = self.0.fetch_add(1, Ordering::SeqCst);
        let mut bytes = [0; 10];
        bytes[2..].copy_from_slice(&number.to_be_bytes());
        Builder::from_unix_timestamp_millis(now_ms, &bytes).into_uuid()
    }
}

/// What a message asks for, as JSON at its end.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Wish {
    calls: Vec<(String, serde_json::Value)>,
    then: Option<String>,
}

/// A model that does what it is told.
#[derive(Debug)]
struct Obedient(Mood);

impl Model for Obedient {
    fn info(&self) -> ModelInfo {
        ModelInfo {
            is_scripted: true,
            ..ModelInfo::new("obedient", "Obedient")
        }
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let is_user = |message: &RequestMessage| matches!(message, RequestMessage::User { .. });
        let last = request.messages.iter().rposition(is_user).unwrap_or(0);
        let wish = match request.messages.get(last) {
            Some(RequestMessage::User { text, .. }) if self.0 == Mood::Story => wish(text),
            _ => Wish::default(),
        };
        let results = request.messages.len().saturating_sub(last + 1);
        let say = |text: &str| {
            Ok(ModelEvent::Text {
                block: 0,
                kind: BlockKind::Text,
                text: text.to_owned(),
            })
        };
        let usage = Usage {
            input_tokens: Some(40),
            output_tokens: Some(12),
            cached_tokens: None,
            cache_write_tokens: None,
            cost_microusd: Some(7),
        };
        let native = Native {
            dialect: "golden".to_owned(),
            model: "golden-1".to_owned(),
            items: r#"[{"thought": "\u2603 ☃", "signature": "Z29sZA=="}]"#.to_owned(),
        };
        let finished = Ok(ModelEvent::Finished {
            usage,
            ending: if results > 0 {
                Ending::Length
            } else {
                Ending::Complete
            },
            native: Some(native),
        });
        if is_compaction(&request) {
            return Box::pin(stream::iter([say("They know the tides."), finished]));
        }
        if wish.then.as_deref() == Some("too_long") && !is_summarised(&request) {
            return failing(ErrorClass::ContextLength, "That is too long.");
        }
        if results > 0 || is_summarised(&request) || (wish.calls.is_empty() && wish.then.is_none())
        {
            return Box::pin(stream::iter([
                say("Done, "),
                say("all of it. \u{2603}"),
                finished,
            ]));
        }
        let begun = [say("Let me see: "), say("first the harbour, ")];
        match wish.then.as_deref() {
            Some("hang") => Box::pin(stream::iter(begun).chain(stream::pending())),
            Some("overloaded") => failing(ErrorClass::Overloaded, "No capacity at this moment."),
            Some(_) => failing(ErrorClass::Auth, "The key is not accepted."),
            None => {
                let calls = (0..).zip(wish.calls).map(|(number, (tool, arguments))| {
                    let id = format!("call_{}_{number}", request.messages.len());
                    let arguments = arguments.to_string();
                    Ok(ModelEvent::Call {
                        id,
                        tool,
                        arguments,
                    })
                });
                let calls: Vec<_> = calls.collect();
                Box::pin(stream::iter(
                    begun.into_iter().chain(calls).chain([finished]),
                ))
            }
        }
    }
}

/// Whether a summary is asked for.
fn is_compaction(request: &ModelRequest) -> bool {
    let instructions = request.instructions.as_deref();
    instructions.is_some_and(|text| text.starts_with("You write summaries"))
}

/// Whether one is told.
fn is_summarised(request: &ModelRequest) -> bool {
    let first = request.messages.first();
    matches!(first, Some(RequestMessage::User { text, .. }) if text.contains("[End of the summary.]"))
}

fn failing(class: ErrorClass, message: &str) -> ModelStream {
    Box::pin(stream::iter([Err(ModelError::new(class, message))]))
}

fn wish(text: &str) -> Wish {
    let json = text.find('{').map(|at| &text[at..]);
    json.and_then(|json| serde_json::from_str(json).ok())
        .unwrap_or_default()
}

/// A message that asks for calls.
pub(super) fn calls(words: &str, calls: &serde_json::Value) -> String {
    format!("{words} {}", json!({ "calls": calls }))
}

/// A message whose answer ends in a certain way.
pub(super) fn then(words: &str, then: &str) -> String {
    format!("{words} {}", json!({ "then": then }))
}

/// A tool that waits for ever, or not at all.
#[derive(Debug)]
struct Waits(Mood);

#[derive(Debug, Deserialize)]
struct WaitArguments {
    class: EffectClass,
    #[serde(default)]
    resources: Vec<String>,
}

impl Tool for Waits {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "waits".to_owned(),
            description: "Waits.".to_owned(),
            parameters: json!({"type": "object"}),
        }
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move {
            let arguments: WaitArguments = serde_json::from_str(&call.arguments)
                .map_err(|error| engine::ToolError::definite(error.to_string()))?;
            Ok(Plan {
                effect: arguments.class,
                verdict: Verdict::Allow,
                preview: CallPreview {
                    summary: "Wait".to_owned(),
                    subject: None,
                    parts: Vec::new(),
                },
                resources: arguments.resources,
                binding: Vec::new(),
            })
        })
    }

    fn run<'a>(
        &'a self,
        _call: &'a CallInput,
        _intent: &'a Intent,
        _context: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        Box::pin(async move {
            match self.0 {
                Mood::Story => std::future::pending().await,
                Mood::Calm => Ok(Output::text("Waited.")),
            }
        })
    }
}

/// The one reply that has a message in it.
pub(super) async fn newest_message(
    world: &World,
    session_id: SessionId,
    is_agent: bool,
) -> Result<protocol::MessageId> {
    let reply = world
        .must(Command::GetSession {
            session_id,
            limit: None,
        })
        .await?;
    let Reply::Snapshot(snapshot) = reply else {
        bail!("not a snapshot: {reply:?}")
    };
    let mut messages = snapshot.messages.iter().rev();
    let found = messages.find(|message| (message.role == protocol::Role::Agent) == is_agent);
    Ok(found.context("no such message")?.message_id)
}
