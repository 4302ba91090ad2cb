//! What was seen of sessions before a crash, to be compared with what is there after it.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use protocol::{BlockKind, Delta, Envelope, Push, SessionId, SessionSnapshot, StepId};

/// Events and streamed text, as they were seen.
#[derive(Debug, Default)]
pub struct Recording {
    /// Events by session, in the order in which they came.
    pub events: BTreeMap<SessionId, Vec<Envelope>>,
    /// Streamed text by step, attempt and block.
    pub text: BTreeMap<(SessionId, StepId, u32, u32), String>,
}

impl Recording {
    /// Adds what was seen. Text must continue where it stopped.
    pub fn add(&mut self, push: Push) {
        match push {
            Push::Event(envelope) => {
                self.events
                    .entry(envelope.session_id)
                    .or_default()
                    .push(envelope);
            }
            Push::Delta(delta) => self.add_delta(&delta),
            Push::Session(_) | Push::Gone { .. } | Push::Show { .. } | Push::Ended { .. } => {}
        }
    }

    /// Half-written arguments are no text for a person: they become a call, or nothing.
    fn add_delta(&mut self, delta: &Delta) {
        if delta.kind == BlockKind::Arguments {
            return;
        }
        let key = (delta.session_id, delta.step_id, delta.attempt, delta.block);
        let text = self.text.entry(key).or_default();
        assert_eq!(
            text.len() as u64,
            delta.offset,
            "streamed text has a gap or a repetition"
        );
        text.push_str(&delta.text);
    }

    /// Characters of streamed text.
    pub fn text_len(&self) -> usize {
        self.text.values().map(String::len).sum()
    }
}

/// Every event and every piece of text that was seen of the session is in its log and in its
/// snapshot, once and in the same order; the log is dense.
pub fn assert_contains_everything_seen(
    seen: &Recording,
    snapshot: &SessionSnapshot,
    log: &[Envelope],
) -> Result<()> {
    let session_id = snapshot.session.session_id;
    for (index, envelope) in log.iter().enumerate() {
        ensure!(
            envelope.seq == index as u64 + 1,
            "seq {} at place {index}",
            envelope.seq
        );
    }
    ensure!(
        snapshot.seq >= log.len() as u64,
        "the snapshot is older than the log"
    );
    let printed = seen
        .events
        .get(&session_id)
        .map(Vec::as_slice)
        .unwrap_or_default();
    for envelope in printed {
        let found = log.get(envelope.seq as usize - 1);
        ensure!(
            found == Some(envelope),
            "event {} was printed and is {found:?}",
            envelope.seq
        );
        if let Some(message) = envelope.event.message() {
            let count = snapshot
                .messages
                .iter()
                .filter(|found| *found == message)
                .count();
            ensure!(
                count == 1,
                "message {} is there {count} times",
                message.message_id
            );
        }
    }
    for ((of, step_id, attempt, block), text) in &seen.text {
        if *of == session_id {
            let kept = kept_text(snapshot, *step_id, *attempt, *block);
            ensure!(
                kept.iter()
                    .filter(|kept| kept.starts_with(text.as_str()))
                    .count()
                    == 1,
                "printed text of {step_id} attempt {attempt} is not kept exactly once: \
                 printed {} bytes, kept {:?}",
                text.len(),
                kept.iter().map(|kept| kept.len()).collect::<Vec<_>>(),
            );
        }
    }
    Ok(())
}

/// Every place where the text of an attempt could be: its message, or what is live.
fn kept_text(snapshot: &SessionSnapshot, step: StepId, attempt: u32, block: u32) -> Vec<&str> {
    let messages = snapshot
        .messages
        .iter()
        .filter(|message| message.step_id == Some(step) && message.attempt == Some(attempt))
        .filter_map(|message| message.blocks.get(block as usize))
        .map(|block| block.text.as_str());
    let live = snapshot
        .live
        .iter()
        .filter(|live| live.step_id == step && live.attempt == attempt)
        .flat_map(|live| live.blocks.iter())
        .filter(|live| live.block == block)
        .map(|live| live.text.as_str());
    messages.chain(live).collect()
}
