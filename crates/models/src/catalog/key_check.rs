//! Whether a key works, and if not, what exactly is wrong.

use std::sync::Arc;

use engine::{Clock, ModelError};
use protocol::ErrorClass;
use serde_json::Value;

use super::card::each_once;
use super::lists::{self, openai};
use super::source::{Dialect, Source, in_time};
use crate::endpoint::{Endpoint, EndpointError};
use crate::wire::{FetchError, Limits};

/// What came of trying a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyCheck {
    /// It works.
    Works {
        /// How many models it opens.
        models: usize,
    },
    /// The address, the key or a header cannot be used at all.
    Unusable(EndpointError),
    /// Nobody was reached, or nobody answered in time.
    NoNetwork(String),
    /// Somebody answered, who does not speak this dialect.
    WrongServer(String),
    /// The key is wrong, missing, or not allowed to do this.
    KeyRefused(String),
    /// The key is good, and has nothing left to spend.
    NoCredit(String),
    /// The server is there and cannot say now.
    Busy {
        /// What it said.
        message: String,
        /// How long it asks to wait, in milliseconds.
        retry_after_ms: Option<u64>,
    },
}

/// Tries a key by asking for the list of models, which costs nothing. The endpoint's own model does
/// not matter.
pub async fn check_key(
    dialect: Dialect,
    endpoint: &Endpoint,
    limits: Limits,
    clock: Arc<dyn Clock>,
) -> KeyCheck {
    let source = match Source::new(dialect, endpoint, limits, clock) {
        Ok(source) => source,
        Err(error) => return KeyCheck::Unusable(error),
    };
    let tried = in_time(limits, try_key(dialect, &source)).await;
    tried.unwrap_or_else(wrong)
}

async fn try_key(dialect: Dialect, source: &Source) -> Result<KeyCheck, FetchError> {
    if !matches!(dialect, Dialect::ChatCompletions | Dialect::Responses) {
        let models = lists::fetch(dialect, source).await?.len();
        return Ok(KeyCheck::Works { models });
    }
    let list = source.get("models").await?;
    let models = openai::read(&list).ok_or(FetchError::NotJson)?;
    if openai::is_open_to_all(&list) && is_spent(&source.get("key").await?) {
        let message = "The key has reached its limit.".to_owned();
        return Ok(KeyCheck::NoCredit(message));
    }
    let models = each_once(models).len();
    Ok(KeyCheck::Works { models })
}

/// A key without a limit has no rest either.
fn is_spent(key: &Value) -> bool {
    key["data"]["limit_remaining"]
        .as_f64()
        .is_some_and(|rest| rest <= 0.0)
}

fn wrong(error: FetchError) -> KeyCheck {
    let ModelError {
        class,
        message,
        retry_after_ms,
        ..
    } = error.into_model_error();
    match class {
        ErrorClass::Network | ErrorClass::Timeout => KeyCheck::NoNetwork(message),
        ErrorClass::Auth | ErrorClass::Permission => KeyCheck::KeyRefused(message),
        ErrorClass::Billing => KeyCheck::NoCredit(message),
        ErrorClass::RateLimit | ErrorClass::Overloaded => KeyCheck::Busy {
            message,
            retry_after_ms,
        },
        ErrorClass::InvalidRequest
        | ErrorClass::ContextLength
        | ErrorClass::ContentRefused
        | ErrorClass::Limit
        | ErrorClass::Tool
        | ErrorClass::Internal
        | ErrorClass::Cancelled
        | ErrorClass::InDoubt => KeyCheck::WrongServer(message),
    }
}
