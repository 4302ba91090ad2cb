//! The model: what it says follows from the seed and the request, but for a mark of its own in every
//! piece, so that two attempts never look alike.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::{Model, ModelError, ModelEvent, ModelRequest, ModelStream, RequestMessage};
use futures_util::{StreamExt, stream};
use protocol::{BlockKind, EffectClass, ErrorClass, ModelInfo, Usage};
use serde_json::json;

use super::Plan;
use crate::Dice;
use crate::evidence::{Fact, Witness};

/// After so many rounds of tool calls it has its last word.
const ROUNDS: u64 = 3;
/// Longer than relaxed commits wait for their barrier.
const PAUSE: Duration = Duration::from_millis(1_150);

/// See the module.
#[derive(Debug)]
pub struct WorkModel {
    seed: u64,
    class: Option<EffectClass>,
    pauses: bool,
    overloads: bool,
    witness: Arc<dyn Witness>,
    asked: AtomicU64,
}

impl WorkModel {
    /// The model of a plan.
    pub fn new(plan: &Plan, witness: Arc<dyn Witness>) -> Self {
        Self {
            seed: plan.seed,
            class: plan.class,
            pauses: plan.pauses,
            overloads: plan.overloads,
            witness,
            asked: AtomicU64::new(0),
        }
    }

    fn calls(&self, dice: &mut Dice, mark: &str) -> Vec<ModelEvent> {
        let count = 1 + dice.below(3);
        (0..count)
            .map(|number| self.call(dice, mark, number))
            .collect()
    }

    fn call(&self, dice: &mut Dice, mark: &str, number: u64) -> ModelEvent {
        let classes = [
            EffectClass::Read,
            EffectClass::Idempotent,
            EffectClass::Once,
        ];
        let picked = *dice.pick(&classes).unwrap_or(&EffectClass::Once);
        let class = self.class.unwrap_or(picked);
        let is_file = class == EffectClass::Idempotent && dice.is_one_in(4);
        let (tool, arguments) = if is_file {
            let path = format!("notes-{}.txt", dice.below(3));
            ("write_file", json!({"path": path, "content": mark}))
        } else {
            let arguments = json!({
                "class": class,
                "ask": dice.is_one_in(2),
                "before_ms": dice.below(3),
                "after_ms": dice.below(3),
                "mark": format!("{mark}.{number}"),
            });
            let tools = ["ledger_append", "ledger_at_once"];
            (*dice.pick(&tools).unwrap_or(&tools[0]), arguments)
        };
        ModelEvent::Call {
            id: String::new(),
            tool: tool.to_owned(),
            arguments: arguments.to_string(),
        }
    }
}

impl Model for WorkModel {
    fn info(&self) -> ModelInfo {
        ModelInfo {
            is_scripted: true,
            ..ModelInfo::new("workload", "Workload")
        }
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        // Two processes and two requests never share a mark.
        let mark = format!("m{}-{number}", std::process::id());
        if is_compaction(&request) {
            return summary(&mark);
        }
        let (last, rounds) = asked_for(&request);
        let mut dice = Dice::new(self.seed ^ fingerprint(last) ^ (rounds << 32));
        let blocks = [
            words(&mut dice, &mark, "thinks"),
            words(&mut dice, &mark, "says"),
        ];
        self.witness.note(Fact::Asked {
            blocks: blocks.iter().map(|pieces| pieces.concat()).collect(),
        });
        let mut events = Vec::new();
        for (block, (pieces, kind)) in (0..).zip(
            blocks
                .into_iter()
                .zip([BlockKind::Reasoning, BlockKind::Text]),
        ) {
            for text in pieces {
                events.push(Ok(ModelEvent::Text { block, kind, text }));
            }
            events.push(Ok(ModelEvent::BlockEnded));
        }
        if dice.is_one_in(15) && number.is_multiple_of(2) && self.overloads {
            events = fail(&mut dice, events);
        } else {
            if rounds < ROUNDS && !dice.is_one_in(3) {
                events.extend(self.calls(&mut dice, &mark).into_iter().map(Ok));
            }
            let usage = Usage {
                input_tokens: Some(10),
                output_tokens: Some(2),
                ..Usage::default()
            };
            events.push(Ok(ModelEvent::finished(usage)));
        }
        let pause_at = (self.pauses && dice.is_one_in(3)).then_some(3);
        Box::pin(
            stream::iter(events)
                .enumerate()
                .then(move |(place, event)| async move {
                    let pause = if pause_at == Some(place) {
                        PAUSE
                    } else {
                        Duration::from_micros(700)
                    };
                    tokio::time::sleep(pause).await;
                    event
                }),
        )
    }
}

/// Too much to do, in the middle of a reply; or too much to read, before its first word.
fn fail(
    dice: &mut Dice,
    mut events: Vec<Result<ModelEvent, ModelError>>,
) -> Vec<Result<ModelEvent, ModelError>> {
    let (kept, class) = if dice.is_one_in(2) {
        (0, ErrorClass::ContextLength)
    } else {
        (4, ErrorClass::Overloaded)
    };
    events.truncate(kept);
    events.push(Err(ModelError::new(class, "Too much.")));
    events
}

/// Whether a summary of what was before is asked for.
fn is_compaction(request: &ModelRequest) -> bool {
    let instructions = request.instructions.as_deref();
    instructions.is_some_and(|text| text.starts_with("You write summaries"))
}

fn summary(mark: &str) -> ModelStream {
    let text = ModelEvent::Text {
        block: 0,
        kind: BlockKind::Text,
        text: format!("{mark} was said."),
    };
    let usage = Usage {
        input_tokens: Some(20),
        output_tokens: Some(1),
        ..Usage::default()
    };
    let events = [text, ModelEvent::BlockEnded, ModelEvent::finished(usage)];
    Box::pin(stream::iter(events.map(Ok)).then(|event| async move {
        tokio::time::sleep(Duration::from_micros(700)).await;
        event
    }))
}

/// What the person said last, and how many rounds of calls there were since.
fn asked_for(request: &ModelRequest) -> (&str, u64) {
    let mut rounds = 0;
    for message in request.messages.iter().rev() {
        match message {
            RequestMessage::User { text, .. } => return (text, rounds),
            RequestMessage::Agent { .. } => rounds += 1,
            RequestMessage::Result { .. } => {}
        }
    }
    ("", rounds)
}

fn fingerprint(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(bytes)
}

fn words(dice: &mut Dice, mark: &str, verb: &str) -> Vec<String> {
    let count = 2 + dice.below(5);
    (0..count)
        .map(|number| format!("{mark} {verb} {number}. "))
        .collect()
}
