//! What goes back to a provider as it said it, and what is made to fit where it cannot.

use std::borrow::Cow;

use protocol::Native;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The items of a reply that this model said in this dialect. Thoughts of another model are not for
/// this one: their signatures and keys are its own.
pub(crate) fn items<'a>(
    native: Option<&'a Native>,
    dialect: &str,
    model: &str,
) -> Option<Vec<&'a RawValue>> {
    let native = native.filter(|native| native.dialect == dialect && native.model == model)?;
    serde_json::from_str(&native.items).ok()
}

/// What was said, to be kept. Nothing if there is nothing to say.
pub(crate) fn native(dialect: &str, model: &str, items: &[Box<RawValue>]) -> Option<Native> {
    let items = serde_json::to_string(items).ok()?;
    Some(Native {
        dialect: dialect.to_owned(),
        model: model.to_owned(),
        items,
    })
}

/// The arguments of a call as JSON: exactly what the model wrote if that is an object, and otherwise
/// inside of one, because no provider accepts anything else.
pub(crate) fn arguments(written: &str) -> Cow<'_, RawValue> {
    let written = if written.trim().is_empty() {
        "{}"
    } else {
        written.trim()
    };
    match serde_json::from_str::<&RawValue>(written) {
        Ok(object) if is_object(written) => Cow::Borrowed(object),
        Ok(_) | Err(_) => Cow::Owned(raw(&json!({ "malformed": written }))),
    }
}

/// Whether it is whole: no beginning of an object is an object.
pub(crate) fn is_object(written: &str) -> bool {
    let written = written.trim();
    // Not as a value: that would refuse numbers that no variable holds.
    written.starts_with('{') && serde_json::from_str::<&RawValue>(written).is_ok()
}

/// A value as it is written.
pub(crate) fn raw(value: &Value) -> Box<RawValue> {
    // A value always has a written form; its own is JSON.
    RawValue::from_string(value.to_string()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// A name or an id in the characters and the length that a provider accepts. It stays the same for
/// the same id, and different ids stay different: another provider's call must still find its result.
pub(crate) fn fitting<'a>(name: &'a str, longest: usize, or: &'a str) -> Cow<'a, str> {
    let is_good = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() {
        return or.into();
    }
    if name.len() <= longest && name.chars().all(is_good) {
        return name.into();
    }
    let mark = format!("_{:016x}", fingerprint(name));
    let kept = longest.saturating_sub(mark.len());
    let kept = name.chars().take(kept);
    let kept: String = kept.map(|c| if is_good(c) { c } else { '_' }).collect();
    format!("{kept}{mark}").into()
}

/// FNV-1a: enough to tell the ids of one session apart.
fn fingerprint(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_words_of_the_same_model_and_dialect_count() {
        let native = Native {
            dialect: "a".to_owned(),
            model: "m".to_owned(),
            items: r#"[ {"x": 1.0},2 ]"#.to_owned(),
        };
        let found = items(Some(&native), "a", "m").expect("the same");
        let found: Vec<&str> = found.iter().map(|item| item.get()).collect();
        assert_eq!(found, [r#"{"x": 1.0}"#, "2"]);
        assert!(items(Some(&native), "b", "m").is_none());
        assert!(items(Some(&native), "a", "other").is_none());
        assert!(items(None, "a", "m").is_none());
        for broken in ["", "{}", "[1", "null"] {
            let native = Native {
                items: broken.to_owned(),
                ..native.clone()
            };
            assert!(items(Some(&native), "a", "m").is_none(), "{broken}");
        }
    }

    #[test]
    fn arguments_are_an_object_whatever_was_written() {
        for (written, expected) in [
            (r#"{"a":1.0,  "b":"\u00e9"}"#, r#"{"a":1.0,  "b":"\u00e9"}"#),
            (" {\"n\": 1e400}\n", r#"{"n": 1e400}"#),
            ("", "{}"),
            (" \n", "{}"),
            (r#"{"path": "a"#, r#"{"malformed":"{\"path\": \"a"}"#),
            ("[1]", r#"{"malformed":"[1]"}"#),
            ("{} {}", r#"{"malformed":"{} {}"}"#),
        ] {
            assert_eq!(arguments(written).get(), expected, "{written}");
        }
    }

    #[test]
    fn ids_of_other_providers_are_made_to_fit_and_stay_apart() {
        assert_eq!(fitting("toolu_01-a", 64, "x"), "toolu_01-a");
        assert_eq!(fitting("", 64, "x"), "x");
        let odd = ["functions.f:0", "functions.f:1", "functions_f_0", "ü", "é"];
        let long: Vec<String> = (0..3).map(|n| format!("{}{n}", "x".repeat(90))).collect();
        let all = odd.iter().copied().chain(long.iter().map(String::as_str));
        let mut seen = std::collections::HashSet::new();
        for id in all {
            let fitted = fitting(id, 64, "x");
            let is_good = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
            assert!(
                fitted.len() <= 64 && fitted.chars().all(is_good),
                "{fitted}"
            );
            assert_eq!(fitted, fitting(id, 64, "x"), "always the same");
            assert!(seen.insert(fitted.into_owned()), "{id}");
        }
    }
}
