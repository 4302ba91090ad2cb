//! A tool in the test's hands: every body waits until the test says what became of it.

use std::sync::Arc;
use std::time::Duration;

use engine::{
    CallInput, Checked, Intent, Output, Plan, Tool, ToolContext, ToolError, ToolFuture, ToolSpec,
};
use protocol::{CallPreview, EffectClass, ErrorClass, Verdict};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use crate::fixture::soon;

/// The tool. Arguments: `class` (default `once`), `ask`, `deaf` (does not end when it is told to),
/// `panic` (breaks before its work even begins), `note_bytes` (how much it notes before it starts).
#[derive(Debug)]
pub(crate) struct Hand {
    begin: UnboundedSender<Body>,
    deadline: Duration,
    description: &'static str,
}

/// The bodies of a tool, as they begin.
#[derive(Debug)]
pub(crate) struct Bodies(UnboundedReceiver<Body>);

/// One body. Dropping it is an end that nobody saw.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) call: CallInput,
    pub(crate) intent: Intent,
    pub(crate) context: ToolContext,
    end: oneshot::Sender<Result<Output, ToolError>>,
}

impl Bodies {
    /// The next body.
    pub(crate) async fn next(&mut self) -> Body {
        soon(self.0.recv()).await.unwrap()
    }

    /// Whether none has begun that nobody took.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Body {
    pub(crate) fn end(self, text: &str) {
        self.end_with(Ok(Output::text(text)));
    }

    pub(crate) fn end_with(self, result: Result<Output, ToolError>) {
        drop(self.end.send(result));
    }
}

#[derive(Debug, Deserialize)]
#[serde(default)]
struct Arguments {
    class: EffectClass,
    ask: bool,
    deaf: bool,
    panic: Option<String>,
    note_bytes: usize,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            class: EffectClass::Once,
            ask: false,
            deaf: false,
            panic: None,
            note_bytes: 0,
        }
    }
}

impl Hand {
    pub(crate) fn tool() -> (Arc<dyn Tool>, Bodies) {
        Self::with_deadline(Duration::from_secs(120))
    }

    pub(crate) fn with_deadline(deadline: Duration) -> (Arc<dyn Tool>, Bodies) {
        Self::made(deadline, "Does what the test says.")
    }

    /// The same tool in a later version.
    pub(crate) fn renewed() -> (Arc<dyn Tool>, Bodies) {
        Self::made(Duration::from_secs(120), "Does more than it did.")
    }

    fn made(deadline: Duration, description: &'static str) -> (Arc<dyn Tool>, Bodies) {
        let (begin, begun) = unbounded_channel();
        let hand = Self {
            begin,
            deadline,
            description,
        };
        (Arc::new(hand), Bodies(begun))
    }
}

fn read(call: &CallInput) -> Arguments {
    serde_json::from_str(&call.arguments).unwrap()
}

fn break_at(call: &CallInput, here: &str) {
    let at = read(call).panic;
    assert_ne!(at.as_deref(), Some(here), "the tool was told to panic");
}

impl Tool for Hand {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "hand".to_owned(),
            description: self.description.to_owned(),
            parameters: json!({"type": "object"}),
        }
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        break_at(call, "plan");
        Box::pin(async move {
            let arguments = read(call);
            Ok(Plan {
                effect: arguments.class,
                verdict: if arguments.ask {
                    Verdict::Ask
                } else {
                    Verdict::Allow
                },
                preview: CallPreview {
                    summary: "Hand".to_owned(),
                    subject: None,
                    parts: Vec::new(),
                },
                resources: Vec::new(),
                binding: Vec::new(),
            })
        })
    }

    fn prepare<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Intent> {
        break_at(call, "prepare");
        Box::pin(async move {
            Ok(Intent {
                files: Vec::new(),
                detail: json!({"note": "n".repeat(read(call).note_bytes)}),
            })
        })
    }

    fn run<'a>(
        &'a self,
        call: &'a CallInput,
        intent: &'a Intent,
        context: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        break_at(call, "run");
        Box::pin(async move {
            let (end, ended) = oneshot::channel();
            let body = Body {
                call: call.clone(),
                intent: intent.clone(),
                context: context.clone(),
                end,
            };
            drop(self.begin.send(body));
            let ended = async {
                let lost = |_| Err(ToolError::unobserved("The connection was lost."));
                ended.await.unwrap_or_else(lost)
            };
            if read(call).deaf {
                return ended.await;
            }
            let stopped = || ToolError::definite("Stopped.").of(ErrorClass::Cancelled);
            let ended = context.cancel.run_until_cancelled(ended).await;
            ended.unwrap_or_else(|| Err(stopped()))
        })
    }

    fn check<'a>(&'a self, call: &'a CallInput, _: &'a Intent) -> ToolFuture<'a, Checked> {
        break_at(call, "check");
        Box::pin(async { Ok(Checked::Unknown) })
    }

    fn deadline(&self) -> Duration {
        self.deadline
    }
}
