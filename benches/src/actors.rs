//! The model and the tool of the measurements: they take no time, so that what is measured is ours.

use std::path::PathBuf;
use std::sync::Arc;

use engine::{
    CallInput, Intent, Model, ModelError, ModelEvent, ModelRequest, ModelStream, Output, Plan,
    RequestMessage, RestoreError, Tool, ToolContext, ToolFuture, ToolSpec, Workspaces,
};
use futures_util::{StreamExt, stream};
use protocol::{BlockKind, CallPreview, EffectClass, ModelInfo, Usage, Verdict};
use serde_json::{Value, json};

use crate::meter::{Lane, Next};

/// What a step leaves: as much as the peers' steps leave.
pub(crate) const RESULT_BYTES: usize = 256;

/// Asks for one tool call after the other, then ends the run. What the person wrote first is the
/// number of the lane.
#[derive(Debug)]
pub(crate) struct Asking {
    pub(crate) lanes: Arc<[Lane]>,
    pub(crate) calls: usize,
}

impl Model for Asking {
    fn info(&self) -> ModelInfo {
        info("asking")
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        if is_for_ever(&request) {
            return Box::pin(says(["Well, "]).take(1).chain(stream::pending()));
        }
        let lane = lane_of(&request);
        if let Some(lane) = self.lanes.get(lane) {
            lane.begin(Next::ModelCall);
        }
        let done = request
            .messages
            .iter()
            .filter(|message| matches!(message, RequestMessage::Result { .. }))
            .count();
        if done >= self.calls {
            return says(["Done."]);
        }
        // Padded, so that what the model leaves is as long as what the tool leaves.
        let short = json!({"lane": lane, "pad": ""}).to_string();
        let pad = "m".repeat(RESULT_BYTES.saturating_sub(short.len()));
        let call = ModelEvent::Call {
            id: format!("call-{done}"),
            tool: "answer".to_owned(),
            arguments: json!({"lane": lane, "pad": pad}).to_string(),
        };
        if let Some(lane) = self.lanes.get(lane) {
            lane.hand_over();
        }
        events(vec![call, finished()])
    }
}

fn is_for_ever(request: &ModelRequest) -> bool {
    matches!(request.messages.last(), Some(RequestMessage::User { text, .. }) if text == FOR_EVER)
}

/// The lane is in the first message: nothing else in a request names its session.
fn lane_of(request: &ModelRequest) -> usize {
    match request.messages.first() {
        Some(RequestMessage::User { text, .. }) => text.parse().unwrap_or(usize::MAX),
        Some(RequestMessage::Agent { .. } | RequestMessage::Result { .. }) | None => usize::MAX,
    }
}

/// Answers at once, and its effect must not be repeated: its intent and its outcome are barriers.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) lanes: Arc<[Lane]>,
}

impl Tool for Answer {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "answer".to_owned(),
            description: "Answers with a text of fixed length.".to_owned(),
            parameters: json!({"type": "object"}),
        }
    }

    fn plan<'a>(&'a self, _: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async {
            Ok(Plan {
                effect: EffectClass::Once,
                verdict: Verdict::Allow,
                preview: CallPreview {
                    summary: "Answer".to_owned(),
                    subject: None,
                    parts: Vec::new(),
                },
                resources: Vec::new(),
                binding: Vec::new(),
            })
        })
    }

    fn looks_first(&self) -> bool {
        false
    }

    fn run<'a>(
        &'a self,
        call: &'a CallInput,
        _: &'a Intent,
        _: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        Box::pin(async {
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
            let index = arguments["lane"].as_u64().unwrap_or(u64::MAX);
            let lane = self.lanes.get(usize::try_from(index).unwrap_or(usize::MAX));
            if let Some(lane) = lane {
                lane.begin(Next::ToolCall);
                lane.hand_over();
            }
            Ok(Output::text("t".repeat(RESULT_BYTES)))
        })
    }
}

/// Says a text in so many pieces, as fast as they are taken.
#[derive(Debug)]
pub(crate) struct Talking {
    pub(crate) pieces: usize,
    pub(crate) piece: String,
}

impl Model for Talking {
    fn info(&self) -> ModelInfo {
        info("talking")
    }

    fn stream(&self, _: ModelRequest) -> ModelStream {
        says(vec![self.piece.clone(); self.pieces])
    }
}

/// What a person writes to [`Asking`] so that its answer never ends.
pub(crate) const FOR_EVER: &str = "for ever";

fn info(id: &str) -> ModelInfo {
    ModelInfo {
        is_scripted: true,
        ..ModelInfo::new(id, id)
    }
}

fn says(pieces: impl IntoIterator<Item = impl Into<String>>) -> ModelStream {
    let text = |text: String| ModelEvent::Text {
        block: 0,
        kind: BlockKind::Text,
        text,
    };
    let pieces = pieces.into_iter().map(|piece| text(piece.into()));
    events(pieces.chain([ModelEvent::BlockEnded, finished()]).collect())
}

const fn finished() -> ModelEvent {
    ModelEvent::finished(Usage {
        input_tokens: None,
        output_tokens: None,
        cached_tokens: None,
        cache_write_tokens: None,
        cost_microusd: None,
    })
}

fn events(events: Vec<ModelEvent>) -> ModelStream {
    let items = events.into_iter().map(Ok::<_, ModelError>);
    Box::pin(stream::iter(items))
}

/// Sessions whose tools touch no files.
#[derive(Debug)]
pub(crate) struct NoFiles;

impl Workspaces for NoFiles {
    fn folder(&self, name: &str) -> PathBuf {
        PathBuf::from(name)
    }

    fn restore(
        &self,
        _: &str,
        path: &str,
        _: [u8; 32],
        _: Option<&[u8]>,
    ) -> Result<(), RestoreError> {
        Err(RestoreError::Changed(path.to_owned()))
    }

    fn remove(&self, _: &str) -> std::io::Result<()> {
        Ok(())
    }

    fn names(&self) -> std::io::Result<Vec<String>> {
        Ok(Vec::new())
    }
}
