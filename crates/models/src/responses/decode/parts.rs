//! What is being written, piece by piece, in several places at once.

use std::collections::BTreeMap;

use engine::ModelEvent;
use protocol::BlockKind;

use crate::slots::{Slot, Slots};

/// Where in an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// What it thought, in short.
    Summary,
    /// What it thought, from models that show it.
    Thought,
    Text,
    Refusal,
    Arguments,
}

impl Place {
    const fn kind(self) -> BlockKind {
        match self {
            Self::Summary | Self::Thought => BlockKind::Reasoning,
            Self::Text | Self::Refusal => BlockKind::Text,
            Self::Arguments => BlockKind::Arguments,
        }
    }
}

/// The item's place in the reply, the place in the item, and which part of that.
pub(super) type Key = (u64, Place, u64);

#[derive(Debug, Default)]
pub(super) struct Parts {
    slots: Slots,
    written: BTreeMap<Key, Written>,
}

#[derive(Debug)]
struct Written {
    slot: Slot,
    text: String,
    is_ended: bool,
}

impl Parts {
    pub(super) fn add(&mut self, key: Key, text: &str, events: &mut Vec<ModelEvent>) {
        let written = self.written.entry(key).or_insert_with(|| Written {
            slot: Slot::EMPTY,
            text: String::new(),
            is_ended: false,
        });
        // After its end nothing more can belong to it.
        if !written.is_ended {
            written.text.push_str(text);
            self.slots
                .write(&mut written.slot, key.1.kind(), text, events);
        }
    }

    /// The whole of a part: what is missing of it is added. What was shown is never taken back.
    pub(super) fn complete(&mut self, key: Key, whole: &str, events: &mut Vec<ModelEvent>) {
        let before = self.written.get(&key).map_or("", |written| &written.text);
        let missing = whole.strip_prefix(before).unwrap_or_default().to_owned();
        self.add(key, &missing, events);
        if let Some(written) = self.written.get_mut(&key) {
            written.end(events);
        }
    }

    pub(super) fn end_all(&mut self, events: &mut Vec<ModelEvent>) {
        for written in self.written.values_mut() {
            written.end(events);
        }
    }
}

impl Written {
    fn end(&mut self, events: &mut Vec<ModelEvent>) {
        if !self.is_ended {
            self.is_ended = true;
            self.slot.end(events);
        }
    }
}
