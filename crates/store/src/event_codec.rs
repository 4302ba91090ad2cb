//! The stored form of events: a kind, a version, and a JSON body without the kind.
//!
//! It is a contract: what was written once must be readable for ever. Each variant's form is
//! pinned by a snapshot; a change of form is a new `v` and an upcaster here.

use protocol::Event;
use serde_json::Value;

use crate::Error;

/// The version of the forms written now.
pub(crate) const VERSION: u32 = 1;

pub(crate) struct Stored {
    pub(crate) kind: String,
    pub(crate) body: String,
}

pub(crate) fn encode(event: &Event) -> Result<Stored, Error> {
    let unreadable = |detail: String| Error::Unreadable {
        what: "event",
        detail,
    };
    if matches!(event, Event::Unrecognised { .. }) {
        return Err(unreadable(
            "what was not understood is not written".to_owned(),
        ));
    }
    let text = serde_json::to_string(event).map_err(|error| unreadable(error.to_string()))?;
    split(&text).ok_or_else(|| unreadable("an event without a type".to_owned()))
}

/// The tag of an event is the first thing in its text, and a plain word: it is cut off as it stands,
/// because taking the whole apart and putting it together again took longer than writing it.
fn split(text: &str) -> Option<Stored> {
    let (kind, rest) = text.strip_prefix("{\"type\":\"")?.split_once('"')?;
    Some(Stored {
        kind: kind.to_owned(),
        body: format!("{{{}", rest.strip_prefix(',').unwrap_or(rest)),
    })
}

/// Reads a stored event. One that this version does not know keeps its place and is skipped by
/// whoever applies it.
pub(crate) fn decode(kind: &str, version: u32, body: &str) -> Event {
    let unrecognised = || {
        tracing::warn!(name: "store.event.unrecognised", kind, version);
        Event::Unrecognised {
            kind: kind.to_owned(),
        }
    };
    if version != VERSION {
        return unrecognised();
    }
    let Ok(Value::Object(mut object)) = serde_json::from_str(body) else {
        return unrecognised();
    };
    object.insert("type".to_owned(), Value::String(kind.to_owned()));
    serde_json::from_value(Value::Object(object)).unwrap_or_else(|_| unrecognised())
}
