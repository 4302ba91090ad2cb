//! What went wrong, in words, and what a person can do about it: one answer per class. Pure.

use protocol::{ErrorClass, RetryView};

use crate::time;

/// What to say of a failed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Advice {
    pub(super) words: &'static str,
    pub(super) hint: &'static str,
    pub(super) fix: Fix,
}

/// What the button does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fix {
    /// Tries the run again.
    Retry,
    /// Opens the provider at its key.
    Key,
    /// Opens the provider.
    Provider,
    /// Ends the provider's pause, then tries the run again.
    ResumeAndRetry,
    /// Begins a new session.
    NewSession,
}

/// A provider can be opened and mended here; a model from the command line cannot.
pub(super) const fn advice(class: ErrorClass, has_provider: bool) -> Advice {
    let (words, hint, fix) = match class {
        ErrorClass::Auth => (
            "The key was refused.",
            if has_provider {
                "Enter another key, then retry."
            } else {
                "It was given when the app was started: start it again with another one."
            },
            Fix::Key,
        ),
        ErrorClass::Permission => (
            "This key may not do that.",
            "Enter a key that may, or choose another model below.",
            Fix::Key,
        ),
        ErrorClass::Billing => (
            "No credit left.",
            "Add credit at your provider, then resume.",
            Fix::ResumeAndRetry,
        ),
        ErrorClass::RateLimit => (
            "Too many requests, even after several tries.",
            "Wait a little, then retry.",
            Fix::Retry,
        ),
        ErrorClass::Overloaded => (
            "The provider is overloaded, even after several tries.",
            "Retry later, or choose another model below.",
            Fix::Retry,
        ),
        ErrorClass::Network => (
            "The provider could not be reached.",
            "Check your connection and its address, then retry.",
            Fix::Provider,
        ),
        ErrorClass::Timeout => (
            "The provider did not answer in time.",
            "Retry, or choose another model below.",
            Fix::Retry,
        ),
        ErrorClass::InvalidRequest => (
            "The provider did not accept the request.",
            "Choose another model below, or look at what it says.",
            Fix::Provider,
        ),
        ErrorClass::ContextLength => (
            "This session is longer than the model can hold.",
            "Choose a model below that holds more, or begin a new session.",
            Fix::NewSession,
        ),
        ErrorClass::ContentRefused => (
            "The model refused to answer this.",
            "Write it differently, or choose another model below.",
            Fix::Retry,
        ),
        ErrorClass::Tool => ("A tool failed.", "Retry, or go on without it.", Fix::Retry),
        ErrorClass::Internal => (
            "Something went wrong.",
            "Retry. If it happens again, the log says more.",
            Fix::Retry,
        ),
        ErrorClass::Cancelled => ("This run was cancelled.", "", Fix::Retry),
        ErrorClass::InDoubt => (
            "The outcome of a call is unknown.",
            "Settle it above, then go on.",
            Fix::Retry,
        ),
        ErrorClass::Limit => (
            "This run reached a limit.",
            "Retry, or give its agent more.",
            Fix::Retry,
        ),
    };
    let fix = match fix {
        Fix::Key | Fix::Provider | Fix::ResumeAndRetry if !has_provider => Fix::Retry,
        Fix::Key | Fix::Provider | Fix::ResumeAndRetry | Fix::Retry | Fix::NewSession => fix,
    };
    Advice { words, hint, fix }
}

/// "Overloaded, next try in 8 s (2 of 5)".
pub(super) fn trying_again(now_ms: u64, retry: &RetryView) -> String {
    let RetryView {
        error,
        failed,
        of,
        at_ms,
    } = retry;
    let cause = match error.class {
        ErrorClass::RateLimit => "Too many requests",
        ErrorClass::Overloaded => "Overloaded",
        ErrorClass::Network => "No connection",
        ErrorClass::Timeout => "No answer in time",
        ErrorClass::Auth
        | ErrorClass::Billing
        | ErrorClass::Permission
        | ErrorClass::InvalidRequest
        | ErrorClass::ContextLength
        | ErrorClass::ContentRefused
        | ErrorClass::Tool
        | ErrorClass::Internal
        | ErrorClass::Cancelled
        | ErrorClass::InDoubt
        | ErrorClass::Limit => "It failed",
    };
    let next = failed + 1;
    let when = if *at_ms <= now_ms {
        "trying again now".to_owned()
    } else {
        format!("next try in {}", time::left(now_ms, *at_ms))
    };
    format!("{cause}, {when} ({next} of {of})")
}

#[cfg(test)]
mod tests {
    use protocol::RunError;

    use super::*;

    #[test]
    fn every_class_says_what_happened_and_offers_something() {
        for class in ErrorClass::ALL {
            for has_provider in [true, false] {
                let Advice { words, hint, fix } = advice(class, has_provider);
                assert!(words.ends_with('.'), "{class:?}");
                assert!(hint.is_empty() || hint.ends_with('.'), "{class:?}");
                let needs_provider = matches!(fix, Fix::Key | Fix::Provider | Fix::ResumeAndRetry);
                assert!(has_provider || !needs_provider, "{class:?}");
            }
        }
        assert_eq!(advice(ErrorClass::Auth, true).fix, Fix::Key);
        assert_eq!(advice(ErrorClass::Billing, true).fix, Fix::ResumeAndRetry);
        assert_eq!(
            advice(ErrorClass::ContextLength, false).fix,
            Fix::NewSession
        );
    }

    #[test]
    fn the_next_try_is_counted_down() {
        let retry = RetryView {
            error: RunError {
                class: ErrorClass::Overloaded,
                message: "Busy".to_owned(),
            },
            failed: 1,
            of: 5,
            at_ms: 10_000,
        };
        for (now_ms, words) in [
            (2_000, "Overloaded, next try in 8 s (2 of 5)"),
            (9_999, "Overloaded, next try in 1 s (2 of 5)"),
            (10_000, "Overloaded, trying again now (2 of 5)"),
        ] {
            assert_eq!(trying_again(now_ms, &retry), words);
        }
    }
}
