//! Numbers for blocks that are written side by side: each gets its own when it first has text.

use engine::ModelEvent;
use protocol::BlockKind;

/// Gives out the numbers.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    count: u32,
}

/// The number of one block, once it has one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot(Option<u32>);

impl Slots {
    /// Text of a block.
    pub(crate) fn write(
        &mut self,
        slot: &mut Slot,
        kind: BlockKind,
        text: &str,
        events: &mut Vec<ModelEvent>,
    ) {
        if text.is_empty() {
            return;
        }
        let block = *slot.0.get_or_insert_with(|| {
            self.count += 1;
            self.count - 1
        });
        events.push(ModelEvent::Text {
            block,
            kind,
            text: text.to_owned(),
        });
    }
}

impl Slot {
    /// A block that has no text yet.
    pub(crate) const EMPTY: Self = Self(None);

    /// The block is whole.
    pub(crate) fn end(self, events: &mut Vec<ModelEvent>) {
        if self.0.is_some() {
            events.push(ModelEvent::BlockEnded);
        }
    }
}
