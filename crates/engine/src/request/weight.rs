//! What a request weighs in tokens: an estimate, rather too much than too little. What a provider
//! counted itself is always better.

use crate::model::{RequestMessage, RequestPart};
use crate::pin::Pin;

/// Bytes of a token. English has four or more, source code and most other scripts about three.
pub(crate) const BYTES: u64 = 3;
/// What every message costs beside its text: its role, its ids, its brackets.
const FRAME: u64 = 8;
/// An image, whatever its bytes: providers make it smaller before they count it.
const IMAGE: u64 = 1_600;

/// A text.
pub(crate) fn of_text(text: &str) -> u64 {
    (text.len() as u64).div_ceil(BYTES)
}

/// One message of a request.
pub(crate) fn of(message: &RequestMessage) -> u64 {
    FRAME
        + match message {
            RequestMessage::User { parts, text } => {
                let parts = parts.iter().map(|part| match part {
                    RequestPart::Text(text) => FRAME + of_text(text),
                    RequestPart::Image(image) => IMAGE + of_text(&image.label),
                });
                parts.sum::<u64>() + of_text(text)
            }
            RequestMessage::Agent {
                text,
                calls,
                native,
            } => {
                let calls = calls.iter().map(|call| {
                    FRAME + of_text(&call.id) + of_text(&call.tool) + of_text(&call.arguments)
                });
                // Either the one or the other is told.
                let native = native.as_ref().map_or(0, |native| of_text(&native.items));
                (of_text(text) + calls.sum::<u64>()).max(native)
            }
            RequestMessage::Result {
                call_id,
                tool,
                text,
                ..
            } => of_text(call_id) + of_text(tool) + of_text(text),
        }
}

/// What stands before every message: the instructions and the tools.
pub(crate) fn of_pin(pin: &Pin) -> u64 {
    let instructions = pin.instructions.as_deref().map_or(0, of_text);
    let tools = pin.tools.iter().map(|tool| {
        let parameters = serde_json::to_string(&tool.parameters).unwrap_or_default();
        FRAME + of_text(&tool.name) + of_text(&tool.description) + of_text(&parameters)
    });
    instructions + tools.sum::<u64>()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use protocol::Native;

    use super::*;
    use crate::model::{RequestCall, RequestImage};

    #[test]
    fn everything_that_is_sent_weighs_something() {
        let user = |text: &str| {
            of(&RequestMessage::User {
                parts: Vec::new(),
                text: text.to_owned(),
            })
        };
        assert_eq!(user(""), FRAME);
        assert_eq!(user("abcd"), FRAME + 2);
        let along = RequestMessage::User {
            parts: vec![
                RequestPart::Text("abcdef".into()),
                RequestPart::Image(Arc::new(RequestImage {
                    label: "abc".to_owned(),
                    media_type: "image/png".to_owned(),
                    size: (1, 1),
                    data: "x".repeat(100_000),
                })),
            ],
            text: String::new(),
        };
        assert_eq!(of(&along), FRAME + FRAME + 2 + IMAGE + 1);
        let agent = |native: Option<&str>| {
            of(&RequestMessage::Agent {
                text: "abc".to_owned(),
                calls: vec![RequestCall {
                    id: "c1".to_owned(),
                    tool: "read".to_owned(),
                    arguments: "{}".to_owned(),
                }],
                native: native.map(|items| {
                    Arc::new(Native {
                        dialect: "d".to_owned(),
                        model: "m".to_owned(),
                        items: items.to_owned(),
                    })
                }),
            })
        };
        assert_eq!(agent(None), FRAME + 1 + FRAME + 1 + 2 + 1);
        assert_eq!(agent(Some("[]")), agent(None));
        assert_eq!(agent(Some(&"x".repeat(300))), FRAME + 100);
        let result = RequestMessage::Result {
            call_id: "c1".to_owned(),
            tool: "read".to_owned(),
            text: "x".repeat(30),
            is_error: false,
        };
        assert_eq!(of(&result), FRAME + 1 + 2 + 10);
    }
}
