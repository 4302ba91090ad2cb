//! Every tool call has its result, right after the message that it is in.

use engine::{ModelError, RequestMessage};
use protocol::ErrorClass;

/// A call without a result is never sent: no provider accepts it, and each says so in its own way.
pub(crate) fn check(messages: &[RequestMessage]) -> Result<(), ModelError> {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        match message {
            RequestMessage::Result { call_id, .. } => {
                let Some(at) = open.iter().position(|id| id == call_id) else {
                    return Err(internal("A result has no tool call that it belongs to."));
                };
                open.remove(at);
            }
            RequestMessage::User { .. } | RequestMessage::Agent { .. } if !open.is_empty() => break,
            RequestMessage::User { .. } => {}
            RequestMessage::Agent { calls, .. } => {
                open.extend(calls.iter().map(|call| call.id.as_str()));
            }
        }
    }
    if open.is_empty() {
        return Ok(());
    }
    Err(internal("A tool call has no result."))
}

fn internal(message: &str) -> ModelError {
    ModelError::new(ErrorClass::Internal, message)
}
