//! From what a window gets to what a check needs of it.

use protocol::{Block, EffectClass, Envelope, Event, Push, RunStatus, ToolCallView, ToolResult};

use super::{Fact, Shown, ShownCall};

impl Fact {
    /// The fact that a window got this; nothing for what is no part of a session's log.
    pub fn shown(push: &Push) -> Option<Self> {
        match push {
            Push::Event(envelope) => Some(Self::Shown(Shown::of(envelope))),
            Push::Delta(delta) => Some(Self::Text {
                step_id: delta.step_id,
                attempt: delta.attempt,
                block: delta.block,
                offset: delta.offset,
                text: delta.text.clone(),
            }),
            Push::Session(_) | Push::Gone { .. } | Push::Show { .. } | Push::Ended { .. } => None,
        }
    }
}

impl Shown {
    /// What is kept of an event.
    pub fn of(envelope: &Envelope) -> Self {
        let event = &envelope.event;
        let message = event.message();
        Self {
            session_id: envelope.session_id,
            seq: envelope.seq,
            at_ms: envelope.at_ms,
            kind: kind(event),
            is_barrier: is_barrier(event),
            message: message.map(|one| (one.message_id, hash_of_blocks(&one.blocks))),
            call: match event {
                Event::ToolCallChanged { call } => Some(ShownCall::of(call)),
                _ => None,
            },
            ended: match event {
                Event::RunCompleted { run_id } => Some((*run_id, RunStatus::Completed)),
                Event::RunFailed { run_id, .. } => Some((*run_id, RunStatus::Failed)),
                Event::RunCancelled { run_id, .. } => Some((*run_id, RunStatus::Cancelled)),
                _ => None,
            },
        }
    }
}

impl ShownCall {
    fn of(call: &ToolCallView) -> Self {
        let result = call.result.as_ref();
        Self {
            call_id: call.call_id,
            status: call.status,
            result: result.map(|ToolResult { text, .. }| hash(text)),
            approval: call
                .approval
                .as_ref()
                .map(|one| (one.round, one.status, one.digest.clone())),
        }
    }
}

fn kind(event: &Event) -> String {
    let value = serde_json::to_value(event).unwrap_or_default();
    let kind = value.get("type").and_then(serde_json::Value::as_str);
    kind.unwrap_or_default().to_owned()
}

/// What is only ever written together with a barrier. The start of a model call and what is about
/// a call that only reads may come with a relaxed commit; so may a reply.
fn is_barrier(event: &Event) -> bool {
    match event {
        Event::MessageAdded { .. }
        | Event::RunStarted { .. }
        | Event::RunStopped { .. }
        | Event::RunResumed { .. }
        | Event::RunCompleted { .. }
        | Event::RunFailed { .. }
        | Event::RunCancelled { .. }
        | Event::QueueChanged { .. }
        | Event::SessionCreated { .. }
        | Event::SessionRenamed { .. } => true,
        Event::ToolCallChanged { call } => call.effect != EffectClass::Read,
        _ => false,
    }
}

/// The hash of a message's blocks, the same for what was shown and for what is stored.
pub(super) fn hash_of_blocks(blocks: &[Block]) -> String {
    let mut hasher = blake3::Hasher::new();
    for block in blocks {
        hasher.update(block.kind.as_str().as_bytes());
        hasher.update(&(block.text.len() as u64).to_le_bytes());
        hasher.update(block.text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

pub(super) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
