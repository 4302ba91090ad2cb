//! STR-9: whatever is not a command is answered with a typed error. The cases are made from every
//! command's own form, so that a new command or a new field is tried as well.

use protocol::{Command, ErrorCode, limits};
use serde_json::{Map, Value, json};

use crate::sample;

/// Every command as an object.
fn objects() -> Vec<Map<String, Value>> {
    sample::commands()
        .iter()
        .map(|command| serde_json::to_value(command).unwrap())
        .map(|form| form.as_object().unwrap().clone())
        .collect()
}

/// Refused from text and from a value alike, with something to say and something to do.
#[track_caller]
fn assert_refused(value: &Value, codes: &[ErrorCode]) {
    for result in [
        Command::from_json(&value.to_string()),
        Command::from_value(value.clone()),
    ] {
        let error = result.expect_err(&value.to_string());
        assert!(codes.contains(&error.code), "{value}: {error:?}");
        assert!(
            !error.message.is_empty() && !error.hint.is_empty(),
            "{error:?}"
        );
    }
}

const SHAPE: &[ErrorCode] = &[ErrorCode::InvalidCommand];
const VALUE: &[ErrorCode] = &[ErrorCode::InvalidValue];
const EITHER: &[ErrorCode] = &[ErrorCode::InvalidCommand, ErrorCode::InvalidValue];
const TOO_LARGE: &[ErrorCode] = &[ErrorCode::TooLarge];

fn with(object: &Map<String, Value>, field: &str, value: Value) -> Value {
    let mut changed = object.clone();
    changed.insert(field.to_owned(), value);
    Value::Object(changed)
}

/// Fields that may be absent, by the command's `type`.
fn is_optional(kind: &str, field: &str) -> bool {
    matches!(
        (kind, field),
        ("list_sessions" | "get_session" | "list_messages", "limit")
            | ("list_sessions", "after")
            | ("create_session", "session_id" | "title")
            | ("start_run", "session_id" | "request_key")
    )
}

#[test]
fn a_field_of_a_wrong_type_is_refused() {
    for object in objects() {
        for (field, value) in &object {
            for wrong in [
                json!([]),
                json!({}),
                json!(true),
                json!([1]),
                json!({ "x": 1 }),
            ] {
                assert_refused(&with(&object, field, wrong), SHAPE);
            }
            let swapped = if value.is_string() {
                json!(7)
            } else {
                json!("seven")
            };
            assert_refused(&with(&object, field, swapped), SHAPE);
            let kind = object["type"].as_str().unwrap();
            if !is_optional(kind, field) {
                assert_refused(&with(&object, field, Value::Null), SHAPE);
            }
        }
    }
}

#[test]
fn a_missing_field_is_refused() {
    for object in objects() {
        let kind = object["type"].as_str().unwrap().to_owned();
        for field in object.keys() {
            let mut lacking = object.clone();
            lacking.remove(field);
            if is_optional(&kind, field) {
                assert!(
                    Command::from_value(Value::Object(lacking)).is_ok(),
                    "{kind} {field}"
                );
            } else {
                assert_refused(&Value::Object(lacking), SHAPE);
            }
        }
    }
}

#[test]
fn an_unknown_field_is_refused() {
    for object in objects() {
        assert_refused(&with(&object, "colour", json!("blue")), SHAPE);
        assert_refused(&with(&object, "Type", json!("get_app")), SHAPE);
    }
}

#[test]
fn a_field_that_comes_twice_is_refused() {
    for object in objects() {
        for (field, value) in &object {
            let whole = Value::Object(object.clone()).to_string();
            let twice = format!("{{\"{field}\":{value},{}", &whole[1..]);
            let error = Command::from_json(&twice).expect_err(&twice);
            assert_eq!(error.code, ErrorCode::InvalidCommand, "{twice}");
        }
    }
}

/// Where an integer is expected, nothing else is one, and none is out of its range.
#[test]
fn a_number_that_cannot_be_is_refused() {
    let mut tried = 0;
    for object in objects() {
        for (field, value) in object.iter().filter(|(_, value)| value.is_u64()) {
            tried += 1;
            for wrong in [
                json!(-1),
                json!(1.5),
                json!(1.0),
                json!("abc"),
                json!(value.to_string()),
                json!(i64::MAX),
                json!(u64::MAX),
                json!(1e300),
                json!(limits::INTEGER + 1),
            ] {
                assert_refused(&with(&object, field, wrong), EITHER);
            }
        }
    }
    assert!(tried >= 6, "{tried}");
}

#[test]
fn a_limit_is_between_one_and_a_thousand() {
    for object in objects()
        .iter()
        .filter(|object| object.contains_key("limit"))
    {
        for wrong in [0, 1_001, u32::MAX] {
            assert_refused(&with(object, "limit", json!(wrong)), VALUE);
        }
        for right in [1, 1_000] {
            assert!(Command::from_value(with(object, "limit", json!(right))).is_ok());
        }
    }
}

#[test]
fn an_id_of_another_kind_is_refused() {
    for object in objects() {
        for (field, value) in object.iter().filter(|(field, _)| field.ends_with("_id")) {
            let id = value.as_str().unwrap();
            let (prefix, digits) = id.split_once('_').unwrap();
            for wrong in [
                String::new(),
                digits.to_owned(),
                format!("msg_{digits}"),
                format!("{prefix}_"),
                format!("{prefix}_{}", digits.to_uppercase()),
                format!("{id}0"),
                format!(" {id}"),
                "'; DROP TABLE runs; --".to_owned(),
            ] {
                // Digits that have no upper case are the id itself.
                if wrong != id {
                    assert_refused(&with(&object, field, json!(wrong)), SHAPE);
                }
            }
        }
    }
}

/// What is empty, and what only looks like something.
#[test]
fn an_empty_text_is_refused() {
    let start = json!({ "type": "start_run", "text": "hello", "request_key": "key" });
    let rename = serde_json::to_value(&sample::commands()[5]).unwrap();
    let create = json!({ "type": "create_session", "title": "Title" });
    for (command, field, wrong) in [
        (&start, "text", ""),
        (&start, "text", " \n\t "),
        (&start, "request_key", ""),
        (&start, "request_key", "a\nb"),
        (&rename, "title", ""),
        (&rename, "title", "  "),
        (&rename, "title", "two\nlines"),
        (&create, "title", ""),
        (&create, "title", "\u{1b}[31m"),
    ] {
        let object = command.as_object().unwrap();
        assert!(Command::from_value(command.clone()).is_ok());
        assert_refused(&with(object, field, json!(wrong)), VALUE);
    }
}

/// One byte more than allowed, counted in bytes and not in characters.
#[test]
fn what_is_too_large_is_refused() {
    let start = json!({ "type": "start_run", "text": "hello", "request_key": "key" });
    let create = json!({ "type": "create_session", "title": "Title" });
    for (command, field, cap) in [
        (&start, "text", limits::MESSAGE_BYTES),
        (&start, "request_key", limits::REQUEST_KEY_BYTES),
        (&create, "title", limits::TITLE_BYTES),
    ] {
        let object = command.as_object().unwrap();
        let of = |text: String| with(object, field, json!(text));
        assert!(Command::from_value(of("x".repeat(cap))).is_ok(), "{field}");
        assert_refused(&of("x".repeat(cap + 1)), TOO_LARGE);
        assert_refused(&of("ö".repeat(cap / 2 + 1)), TOO_LARGE);
    }
    let whole = format!(
        "{}{{\"type\":\"get_app\"}}",
        " ".repeat(limits::COMMAND_BYTES)
    );
    let error = Command::from_json(&whole).unwrap_err();
    assert_eq!(error.code, ErrorCode::TooLarge);
}

#[test]
fn what_is_no_command_at_all_is_refused() {
    for text in [
        "",
        " ",
        "nul",
        "null",
        "7",
        "\"get_app\"",
        "[]",
        r#"["get_app"]"#,
        "{}",
        "{",
    ] {
        let error = Command::from_json(text).expect_err(text);
        assert_eq!(error.code, ErrorCode::InvalidCommand, "{text}");
    }
    for text in [
        r#"{"type":"fly"}"#,
        r#"{"type":""}"#,
        r#"{"type":"GetApp"}"#,
        r#"{"type":"get_app"} {"type":"get_app"}"#,
        r#"{"type":"get_app"},"#,
        "\u{feff}{\"type\":\"get_app\"}",
    ] {
        let error = Command::from_json(text).expect_err(text);
        assert_eq!(error.code, ErrorCode::InvalidCommand, "{text}");
    }
    let nested = format!("{{\"type\":{}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let error = Command::from_json(&nested).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidCommand);
}
