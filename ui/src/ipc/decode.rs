//! Values of JavaScript to values of ours.

use js_sys::JSON;
use protocol::{Envelope, Event, Push, SessionId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use wasm_bindgen::JsValue;

/// Reads a value by way of its JSON text: one codec on both sides.
pub(super) fn from_js<T: DeserializeOwned>(value: &JsValue) -> Result<T, String> {
    let text = JSON::stringify(value).map_err(|_| "no JSON".to_owned())?;
    // `undefined` has no JSON text.
    let text = text.as_string().ok_or_else(|| "no value".to_owned())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// Reads an array of pushes.
pub(super) fn pushes(value: &JsValue) -> Vec<Push> {
    let text = JSON::stringify(value)
        .ok()
        .and_then(|text| text.as_string());
    text.map_or_else(Vec::new, |text| pushes_from_json(&text))
}

/// An event of a kind that is not known here still has a seq, and is passed on as such. What is not
/// even that is dropped: the gap shows, and is mended by subscribing again.
fn pushes_from_json(text: &str) -> Vec<Push> {
    let values: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
    values
        .into_iter()
        .filter_map(|value| push_from_json(value.get()))
        .collect()
}

fn push_from_json(text: &str) -> Option<Push> {
    let unknown = || serde_json::from_str(text).ok().map(UnknownPush::into_push);
    serde_json::from_str(text).ok().or_else(unknown)
}

#[derive(Deserialize)]
struct UnknownPush {
    event: UnknownEvent,
}

#[derive(Deserialize)]
struct UnknownEvent {
    session_id: SessionId,
    seq: u64,
    at_ms: u64,
    #[serde(rename = "type")]
    kind: String,
}

impl UnknownPush {
    fn into_push(self) -> Push {
        let Self { event } = self;
        Push::Event(Envelope {
            session_id: event.session_id,
            seq: event.seq,
            at_ms: event.at_ms,
            event: Event::Unrecognised { kind: event.kind },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_event_among_known_ones_keeps_its_seq() {
        let text = r#"[
            {"event":{"session_id":"ses_01920000000070008000000000000001","seq":1,"at_ms":5,"type":"session_renamed","title":"A"}},
            {"event":{"session_id":"ses_01920000000070008000000000000001","seq":2,"at_ms":6,"type":"tide_turned","height":3}},
            {"weather":{}}
        ]"#;
        let seen: Vec<(u64, Event)> = pushes_from_json(text)
            .into_iter()
            .filter_map(|push| match push {
                Push::Event(envelope) => Some((envelope.seq, envelope.event)),
                Push::Delta(_)
                | Push::Session(_)
                | Push::Gone { .. }
                | Push::Show { .. }
                | Push::Ended { .. } => None,
            })
            .collect();
        assert_eq!(
            seen,
            [
                (
                    1,
                    Event::SessionRenamed {
                        title: "A".to_owned()
                    }
                ),
                (
                    2,
                    Event::Unrecognised {
                        kind: "tide_turned".to_owned()
                    }
                ),
            ]
        );
    }
}
