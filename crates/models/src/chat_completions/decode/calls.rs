//! Tool calls, put together from their fragments.
//!
//! Servers differ in all of this: whether calls are numbered and from where, whether the id and
//! the name come once or with every fragment, and in how many fragments a call comes.

use std::collections::HashMap;

use engine::{ModelError, ModelEvent};
use protocol::BlockKind;
use serde_json::Value;
use serde_json::value::RawValue;

use super::event::Fragment;
use crate::failure;

/// The calls of a reply, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    by_index: HashMap<u64, usize>,
    by_id: HashMap<String, usize>,
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
    /// Where its arguments are shown; nothing until there are some.
    block: Option<u32>,
}

impl Call {
    /// No beginning of an object is an object, so this tells a whole call from one that is cut off.
    fn has_whole_arguments(&self) -> bool {
        matches!(serde_json::from_str(&self.arguments), Ok(Value::Object(_)))
    }
}

impl Calls {
    /// Adds a fragment; what it adds to the arguments is an event.
    pub(super) fn add(
        &mut self,
        fragment: &Fragment,
        block_count: &mut u32,
    ) -> Result<Option<ModelEvent>, ModelError> {
        let function = fragment.function.as_ref();
        let id = fragment.id.as_deref().unwrap_or_default();
        let name = function.and_then(|f| f.name.as_deref()).unwrap_or_default();
        let at = self.find_or_begin(fragment.index, id, name);
        let call = &mut self.calls[at];
        if call.id.is_empty() && !id.is_empty() {
            id.clone_into(&mut call.id);
            self.by_id.insert(id.to_owned(), at);
        }
        // A name that is repeated is the same name; one that comes in pieces comes before the
        // arguments.
        if call.name != name && call.arguments.is_empty() {
            call.name.push_str(name);
        }
        let text = match function.and_then(|f| f.arguments.as_deref()) {
            Some(arguments) => text_of(arguments)?,
            None => String::new(),
        };
        if text.is_empty() {
            return Ok(None);
        }
        call.arguments.push_str(&text);
        let block = *call.block.get_or_insert_with(|| {
            *block_count += 1;
            *block_count - 1
        });
        Ok(Some(ModelEvent::Text {
            block,
            kind: BlockKind::Arguments,
            text,
        }))
    }

    /// Fails if the reply stopped in the middle of a call: such a call must never run.
    pub(super) fn check_none_is_cut_off(&self) -> Result<(), ModelError> {
        if self.calls.iter().all(Call::has_whole_arguments) {
            return Ok(());
        }
        Err(failure::call_cut_off())
    }

    /// The end of all calls, in the order in which they began.
    pub(super) fn take_whole(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        for call in std::mem::take(&mut self.calls) {
            if call.name.is_empty() {
                return Err(failure::unreadable());
            }
            if call.block.is_some() {
                events.push(ModelEvent::BlockEnded);
            }
            events.push(ModelEvent::Call {
                id: call.id,
                tool: call.name,
                arguments: call.arguments,
            });
        }
        Ok(())
    }

    fn find_or_begin(&mut self, index: Option<u64>, id: &str, name: &str) -> usize {
        let found = match index {
            Some(index) => self.by_index.get(&index).copied(),
            None => self
                .by_id
                .get(id)
                .copied()
                .or(self.calls.len().checked_sub(1)),
        };
        if let Some(at) = found
            && !self.is_another(at, index, id, name)
        {
            return at;
        }
        let at = self.calls.len();
        self.calls.push(Call::default());
        if let Some(index) = index {
            self.by_index.insert(index, at);
        }
        at
    }

    /// Whether the fragment begins another call, although it was found at this one. Only a name
    /// begins a call: some servers send a new id with every fragment.
    fn is_another(&self, at: usize, index: Option<u64>, id: &str, name: &str) -> bool {
        let call = &self.calls[at];
        if name.is_empty() || call.name.is_empty() {
            return false;
        }
        if !id.is_empty() && !call.id.is_empty() {
            // Some servers give every call the same number.
            return id != call.id;
        }
        index.is_none() && call.has_whole_arguments()
    }
}

fn text_of(arguments: &RawValue) -> Result<String, ModelError> {
    let raw = arguments.get();
    if raw.starts_with('"') {
        return serde_json::from_str(raw).map_err(|_| failure::unreadable());
    }
    Ok(raw.to_owned())
}
