//! What a provider's error means: by its code, its type and its status, never by its text.

mod google;

use engine::ModelError;
use protocol::ErrorClass;
use serde_json::Value;

/// The error that a provider answered with instead of a reply.
pub(crate) fn from_body(status: u16, body: &[u8]) -> ModelError {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => from_value(Some(status), error_of(&value)),
        Err(_) => from_value(Some(status), &Value::Null),
    }
}

/// An error object, with the status where there is one: an error in the middle of a stream comes
/// after a status of 200, which says nothing.
pub(crate) fn from_value(status: Option<u16>, error: &Value) -> ModelError {
    let status =
        status.or_else(|| status_in(&error["code"]).or_else(|| status_in(&error["status"])));
    let class = class_of(status, error);
    let message = [&error["message"], &error["detail"], error]
        .into_iter()
        .find_map(Value::as_str)
        .map(str::trim)
        .filter(|message| !message.is_empty());
    let said = status.map_or_else(String::new, |status| format!(" ({status})"));
    let what = sentence(class);
    ModelError {
        class,
        message: message.map_or_else(
            || format!("{what}{said}."),
            |message| format!("{what}{said}: {message}"),
        ),
        retry_after_ms: google::retry_after_ms(error),
        is_held: false,
    }
}

/// A stream that ended without its end.
pub(crate) fn cut_off() -> ModelError {
    ModelError::new(ErrorClass::Network, "The reply was cut off before its end.")
}

/// Like a connection that garbles: the same request may well be answered next time.
pub(crate) fn unreadable() -> ModelError {
    ModelError::new(
        ErrorClass::Network,
        "The provider sent something that cannot be read.",
    )
}

/// A reply that is none. What the model said is there for the person.
pub(crate) fn refused() -> ModelError {
    ModelError::new(ErrorClass::ContentRefused, "The model refused to answer.")
}

/// A reply that stopped in the middle of a call: such a call must never run.
pub(crate) fn call_cut_off() -> ModelError {
    ModelError::new(
        ErrorClass::Limit,
        "The reply reached its length limit in the middle of a tool call.",
    )
}

/// A request that cannot be written down.
pub(crate) fn no_form(error: &serde_json::Error) -> ModelError {
    ModelError::new(
        ErrorClass::Internal,
        format!("The request has no form: {error}"),
    )
}

/// Most wrap it in `error`, some in a list, and some send it bare.
fn error_of(value: &Value) -> &Value {
    let value = value.get(0).unwrap_or(value);
    match value.get("error") {
        Some(error) if !error.is_null() => error,
        Some(_) | None => value,
    }
}

/// Some servers put the status into the code, as a number or as its digits.
fn status_in(code: &Value) -> Option<u16> {
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
    u16::try_from(number)
        .ok()
        .filter(|status| (100..600).contains(status))
}

fn class_of(status: Option<u16>, error: &Value) -> ErrorClass {
    let names = [
        &error["details"]["error_code"],
        &error["code"],
        &error["type"],
        &error["status"],
    ];
    let names = names.into_iter().filter_map(Value::as_str);
    // These two mean one thing each, whatever name comes with them.
    let plain = match status {
        Some(402) => Some(ErrorClass::Billing),
        // Some call it a limit of calls, but the same request is as large at every try.
        Some(413) => Some(ErrorClass::ContextLength),
        _ => None,
    };
    plain
        .or_else(|| google::class_of(status, error))
        .or_else(|| names.clone().find_map(by_name))
        .or_else(|| status.and_then(by_status))
        .or_else(|| names.into_iter().find_map(by_vague_name))
        .unwrap_or(ErrorClass::Internal)
}

/// Names that say more than the status does.
fn by_name(name: &str) -> Option<ErrorClass> {
    let class = match name.to_ascii_lowercase().as_str() {
        "authentication_error" | "invalid_api_key" | "unauthenticated" => ErrorClass::Auth,
        "permission_error"
        | "permission_denied"
        | "usage_not_included"
        | "unsupported_country_region_territory" => ErrorClass::Permission,
        "insufficient_quota"
        | "insufficient_credits"
        | "payment_required"
        | "billing_error"
        | "enforced_spend_limit_reached"
        | "billing_hard_limit_reached"
        | "billing_not_active" => ErrorClass::Billing,
        "rate_limit_error" | "rate_limit_exceeded" | "too_many_requests" | "resource_exhausted" => {
            ErrorClass::RateLimit
        }
        "overloaded"
        | "overloaded_error"
        | "server_is_overloaded"
        | "slow_down"
        | "unavailable"
        | "unavailable_error"
        | "insufficient_system_resource" => ErrorClass::Overloaded,
        "timeout" | "timeout_error" | "request_timeout" | "deadline_exceeded" => {
            ErrorClass::Timeout
        }
        "context_length_exceeded"
        | "exceed_context_size_error"
        | "model_context_window_exceeded"
        | "request_too_large" => ErrorClass::ContextLength,
        "content_filter"
        | "content_policy_violation"
        | "invalid_prompt"
        | "cyber_policy"
        | "bio_policy"
        | "misalignment_policy_violation" => ErrorClass::ContentRefused,
        _ => return None,
    };
    Some(class)
}

/// Names that are sent with many a status: they count where there is none.
fn by_vague_name(name: &str) -> Option<ErrorClass> {
    let class = match name.to_ascii_lowercase().as_str() {
        "invalid_request_error" | "invalid_argument" | "not_found_error" | "model_not_found" => {
            ErrorClass::InvalidRequest
        }
        "server_error" | "api_error" | "internal_server_error" => ErrorClass::Overloaded,
        _ => return None,
    };
    Some(class)
}

fn by_status(status: u16) -> Option<ErrorClass> {
    let class = match status {
        401 => ErrorClass::Auth,
        402 => ErrorClass::Billing,
        403 => ErrorClass::Permission,
        408 | 504 | 522 | 524 => ErrorClass::Timeout,
        413 => ErrorClass::ContextLength,
        429 => ErrorClass::RateLimit,
        // These will be the same at every try.
        501 | 505 => ErrorClass::Internal,
        // A server that failed, or is about something else, may well be ready in a moment.
        409 | 425 | 500..=599 => ErrorClass::Overloaded,
        300..=499 => ErrorClass::InvalidRequest,
        _ => return None,
    };
    Some(class)
}

const fn sentence(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Auth => "The provider refused the key",
        ErrorClass::Billing => "The provider wants to be paid first",
        ErrorClass::Permission => "The provider does not allow this",
        ErrorClass::RateLimit => "The provider asks for fewer calls",
        ErrorClass::Overloaded => "The provider cannot answer now",
        ErrorClass::Network => "The connection to the provider failed",
        ErrorClass::Timeout => "The provider took too long",
        ErrorClass::InvalidRequest => "The provider did not accept the request",
        ErrorClass::ContextLength => "The session is longer than the model can hold",
        ErrorClass::ContentRefused => "The provider refused the content",
        ErrorClass::Limit => "A limit of the provider was reached",
        ErrorClass::Tool | ErrorClass::Internal | ErrorClass::Cancelled | ErrorClass::InDoubt => {
            "The provider failed"
        }
    }
}

#[cfg(test)]
mod tests;
