//! Events as they are on the wire. What is not named here is skipped.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A block's fields, each as it was written.
pub(super) type Fields = BTreeMap<String, Box<RawValue>>;

/// What every event has.
#[derive(Debug, Deserialize)]
pub(super) struct Named {
    pub(super) r#type: Option<String>,
    pub(super) error: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct MessageStart {
    pub(super) message: StartedMessage,
}

#[derive(Debug, Deserialize)]
pub(super) struct StartedMessage {
    #[serde(default)]
    pub(super) usage: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct BlockStart {
    pub(super) index: u64,
    pub(super) content_block: Fields,
}

#[derive(Debug, Deserialize)]
pub(super) struct BlockDelta {
    pub(super) index: u64,
    pub(super) delta: Piece,
}

#[derive(Debug, Deserialize)]
pub(super) struct BlockStop {
    pub(super) index: u64,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "they are called so on the wire")]
pub(super) enum Piece {
    TextDelta {
        text: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    SignatureDelta {
        signature: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    CitationsDelta {
        citation: Value,
    },
    #[serde(other)]
    OtherDelta,
}

#[derive(Debug, Deserialize)]
pub(super) struct MessageDelta {
    pub(super) delta: Option<End>,
    pub(super) usage: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct End {
    pub(super) stop_reason: Option<String>,
    pub(super) stop_details: Option<Value>,
}
