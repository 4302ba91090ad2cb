//! What the reasons mean for which a reply ends.

use engine::ModelError;
use protocol::{Ending, ErrorClass};

use crate::failure;

/// How a reply ends for this reason, whether it has calls or not.
pub(super) fn of(reason: &str, has_calls: bool) -> Result<Ending, ModelError> {
    let error = match reason {
        // The second is what some say who imitate the provider.
        "STOP" | "FUNCTION_CALL" => return Ok(Ending::Complete),
        // It could go on later, but nobody could tell what a call would have become.
        "MAX_TOKENS" | "CONTINUATION" if !has_calls => return Ok(Ending::Length),
        "MAX_TOKENS" | "CONTINUATION" => failure::call_cut_off(),
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "MODEL_ARMOR"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => refused(reason),
        // As with what a connection garbled: the model may well write it better next time.
        "MALFORMED_FUNCTION_CALL" | "MALFORMED_RESPONSE" => ModelError::new(
            ErrorClass::Network,
            "The model wrote a tool call that cannot be read.",
        ),
        "TOO_MANY_TOOL_CALLS" => ModelError::new(
            ErrorClass::Limit,
            "The provider does not allow so many tool calls in a row.",
        ),
        "MISSING_THOUGHT_SIGNATURE" => ModelError::new(
            ErrorClass::InvalidRequest,
            "The provider wants a signature of a thought that is not there.",
        ),
        "UNEXPECTED_TOOL_CALL" | "OTHER" | "IMAGE_OTHER" | "NO_IMAGE" => failed(reason),
        // What is not known ends a text as well as anything. Nobody knows what it does to a call.
        _ if !has_calls => return Ok(Ending::Complete),
        _ => failed(reason),
    };
    Err(error)
}

/// The provider did not let it through, for a reason that it has a name for.
pub(super) fn refused(reason: &str) -> ModelError {
    ModelError::new(
        ErrorClass::ContentRefused,
        format!("The provider refused the content ({}).", name(reason)),
    )
}

fn failed(reason: &str) -> ModelError {
    ModelError::new(
        ErrorClass::Internal,
        format!("The provider ended the reply ({}).", name(reason)),
    )
}

/// A reason as it may be shown: one word, whatever is sent.
fn name(reason: &str) -> String {
    reason
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        .take(60)
        .collect()
}
