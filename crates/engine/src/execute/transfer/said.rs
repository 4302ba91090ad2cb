//! What providers said in their own words, out to an export and back in.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use protocol::{CallId, Message, MessageId, Native, NativeOf, Role, ToolCallView};
use store::{CallRow, MessageRow};

use crate::drive;

/// An id that no provider gives.
const LONGEST_ID: usize = 256;

/// What goes into an export, with the ids that it names its calls by.
pub(super) fn natives(messages: &[MessageRow], calls: &[CallRow]) -> Vec<NativeOf> {
    let mut ids: HashMap<MessageId, BTreeMap<u32, &str>> = HashMap::new();
    for call in calls {
        let of = ids.entry(call.view.message_id).or_default();
        of.insert(call.view.ordinal, &call.provider_id);
    }
    let with_ids = |row: &MessageRow| {
        let native = row.native.as_deref()?.clone();
        let message_id = row.message.message_id;
        let call_ids = ids.get(&message_id).into_iter().flat_map(BTreeMap::values);
        Some(NativeOf {
            message_id,
            native,
            call_ids: call_ids.map(|id| (*id).to_owned()).collect(),
        })
    };
    messages.iter().filter_map(with_ids).collect()
}

/// What an import says of it. What cannot be used is left out: the messages are there in our words.
#[derive(Debug, Default)]
pub(super) struct Said {
    natives: HashMap<MessageId, Arc<Native>>,
    call_ids: HashMap<MessageId, Vec<String>>,
    used_ids: HashSet<String>,
}

impl Said {
    pub(super) fn of(natives: Vec<NativeOf>) -> Self {
        let mut said = Self::default();
        for of in natives {
            if let Some(native) = drive::kept(of.native) {
                said.natives.insert(of.message_id, native);
                said.call_ids.insert(of.message_id, of.call_ids);
            }
        }
        said
    }

    /// The provider's id of a call where it is known and good, which keeps what was said true of
    /// it; otherwise ours, which is as good for all else.
    pub(super) fn provider_id(&mut self, call: &ToolCallView) -> String {
        let known = self.call_ids.get(&call.message_id);
        let id = known.and_then(|ids| ids.get(call.ordinal as usize));
        // One that looks like ours could be ours, of another call.
        let is_good = |id: &&String| {
            !id.is_empty() && id.len() <= LONGEST_ID && id.parse::<CallId>().is_err()
        };
        match id.filter(is_good) {
            Some(id) if self.used_ids.insert(id.clone()) => id.clone(),
            Some(_) | None => call.call_id.to_string(),
        }
    }

    /// A message with what was said in it.
    pub(super) fn row(&mut self, message: Message) -> MessageRow {
        let native = self.natives.remove(&message.message_id);
        let native = native.filter(|_| message.role == Role::Agent);
        MessageRow {
            message,
            native,
            contents: Vec::new(),
        }
    }
}
