//! The blocks of a reply, numbered in the order in which they first have text.

use engine::ModelEvent;
use protocol::BlockKind;

/// Which block is being written.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    count: u32,
    open: Option<(u32, BlockKind)>,
}

impl Blocks {
    /// Text of this kind: it goes on with the open block, or begins another one.
    pub(crate) fn write(&mut self, kind: BlockKind, text: &str, events: &mut Vec<ModelEvent>) {
        if text.is_empty() {
            return;
        }
        if self.open.is_some_and(|(_, open)| open != kind) {
            self.end(events);
        }
        let block = match self.open {
            Some((block, _)) => block,
            None => self.begin(kind),
        };
        events.push(ModelEvent::Text {
            block,
            kind,
            text: text.to_owned(),
        });
    }

    /// A block that comes whole.
    pub(crate) fn write_whole(
        &mut self,
        kind: BlockKind,
        text: &str,
        events: &mut Vec<ModelEvent>,
    ) {
        self.end(events);
        self.write(kind, text, events);
        self.end(events);
    }

    /// The open block is whole.
    pub(crate) fn end(&mut self, events: &mut Vec<ModelEvent>) {
        if self.open.take().is_some() {
            events.push(ModelEvent::BlockEnded);
        }
    }

    fn begin(&mut self, kind: BlockKind) -> u32 {
        let block = self.count;
        self.count += 1;
        self.open = Some((block, kind));
        block
    }
}
