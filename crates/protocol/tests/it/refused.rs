//! STR-9: whatever is not a command is answered with a typed error. The cases are made from every
//! command's own form, at every depth, so that a new command or a new field is tried as well.

use std::mem::discriminant;

use protocol::{Command, ErrorCode, limits};
use serde_json::{Value, json};

use crate::cases::assert_all;
use crate::places::{name, objects, pattern, places, text_with_twice, with, with_member, without};
use crate::sample;

/// Every command as a value.
pub(crate) fn values() -> Vec<Value> {
    let commands = sample::commands();
    assert_all(&commands);
    commands
        .iter()
        .map(|command| serde_json::to_value(command).unwrap())
        .collect()
}

/// Refused from text and from a value alike, with something to say and something to do. What only
/// its value is wrong with is refused in the same words when it comes from within.
#[track_caller]
pub(crate) fn assert_refused(value: &Value, codes: &[ErrorCode]) {
    let shown = value.to_string();
    let error = Command::from_json(&shown).expect_err(&shown);
    let same = Command::from_value(value.clone()).expect_err(&shown);
    assert_eq!(same.code, error.code, "{shown}");
    assert!(codes.contains(&error.code), "{shown}: {error:?}");
    assert!(!error.hint.is_empty(), "{error:?}");
    assert!((1..600).contains(&error.message.len()), "{error:?}");
    if error.code != ErrorCode::InvalidCommand {
        let command: Command = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(command.validate(), Err(error));
    }
}

#[track_caller]
pub(crate) fn assert_accepted(value: &Value) {
    let command = Command::from_value(value.clone());
    assert!(command.is_ok(), "{value}: {command:?}");
    assert_eq!(Command::from_json(&value.to_string()), command);
    assert_eq!(command.unwrap().validate(), Ok(()));
}

pub(crate) const SHAPE: &[ErrorCode] = &[ErrorCode::InvalidCommand];
pub(crate) const VALUE: &[ErrorCode] = &[ErrorCode::InvalidValue];
pub(crate) const TOO_LARGE: &[ErrorCode] = &[ErrorCode::TooLarge];
const EITHER: &[ErrorCode] = &[ErrorCode::InvalidCommand, ErrorCode::InvalidValue];

/// Whether a field may be absent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Absence {
    Never,
    LeftOut,
    /// Left out, or null.
    Null,
}

fn absence(command: &Value, place: &str) -> Absence {
    let kind = command["type"].as_str().unwrap();
    match (kind, pattern(place).as_str()) {
        ("list_sessions" | "get_session" | "list_messages", "/limit")
        | ("list_sessions", "/after")
        | ("create_session", "/session_id" | "/title" | "/agent_id")
        | ("send_message", "/session_id" | "/request_key" | "/agent_id")
        | ("add_attachment", "/attachment_id")
        | ("get_attachment", "/offset")
        | ("start_run", "/session_id" | "/request_key")
        | ("edit_message" | "regenerate" | "retry_run", "/request_key")
        | ("list_approvals", "/session_id")
        | ("decide_call" | "decide_calls", "/from")
        | ("decide_call", "/decision/pattern" | "/decision/reason")
        | ("decide_calls", "/decisions/*/decision/pattern" | "/decisions/*/decision/reason")
        | ("resolve_call", "/resolution/result")
        | ("add_rule", "/pattern")
        | (
            "create_agent" | "update_agent",
            "/fields/instructions"
            | "/fields/model"
            | "/fields/tools"
            | "/fields/limits/steps"
            | "/fields/limits/seconds"
            | "/fields/limits/tokens"
            | "/fields/limits/cost_microusd",
        )
        | ("set_session_model", "/model")
        | (
            "create_provider" | "update_provider",
            "/fields/headers/*/value"
            | "/fields/options/api_version"
            | "/fields/options/key_header"
            | "/fields/options/max_output_tokens"
            | "/fields/options/calls_in_text"
            | "/fields/options/silence_seconds",
        )
        | ("set_provider_key" | "forget_provider_key", "/header")
        | (
            "update_settings",
            "/settings/approval_minutes" | "/settings/default_model" | "/settings/served_file",
        ) => Absence::Null,
        ("list_sessions", "/archived")
        | ("send_message", "/stop_first" | "/attachments")
        | ("get_attachment", "/as_text")
        | ("create_agent" | "update_agent", "/fields/limits")
        | ("create_provider" | "update_provider", "/fields/headers" | "/fields/options")
        | ("delete_provider", "/anyway") => Absence::LeftOut,
        _ => Absence::Never,
    }
}

#[test]
fn a_field_of_a_wrong_type_is_refused() {
    let wrongs = [
        json!(true),
        json!(0),
        json!(1),
        json!(7),
        json!("seven"),
        json!([]),
        json!([1]),
        json!({}),
        json!({ "x": 1 }),
    ];
    for command in values() {
        for (place, value) in places(&command) {
            let others = wrongs
                .iter()
                .filter(|wrong| discriminant(*wrong) != discriminant(&value));
            for wrong in others {
                assert_refused(&with(&command, &place, wrong.clone()), SHAPE);
            }
            let null = with(&command, &place, Value::Null);
            if absence(&command, &place) == Absence::Null {
                assert_accepted(&null);
            } else {
                assert_refused(&null, SHAPE);
            }
        }
    }
}

/// A list of values is no object, and an object is no word, though the parser would take them.
#[test]
fn a_value_in_another_guise_is_refused() {
    let mut tried = 0;
    for command in values() {
        for (place, object) in objects(&command) {
            let guise = Value::Array(object.values().cloned().collect());
            if !place.is_empty() {
                assert_refused(&with(&command, &place, guise), SHAPE);
            }
        }
        for (place, value) in places(&command) {
            if let Some(word) = value.as_str().filter(|_| is_word(&place)) {
                tried += 1;
                for inner in [json!(null), json!({}), json!([])] {
                    let guise = json!({ word: inner });
                    assert_refused(&with(&command, &place, guise), SHAPE);
                }
                for wrong in ["", "fly", &word.to_uppercase(), &format!(" {word}")] {
                    assert_refused(&with(&command, &place, json!(wrong)), SHAPE);
                }
                for number in 0..9 {
                    assert_refused(&with(&command, &place, json!(number)), SHAPE);
                }
            }
        }
    }
    assert!(tried > 100, "{tried}");
    let id = &values()[5]["session_id"];
    let call = json!({ "type": "resolve_call", "call_id": "cal_01920000000070008000000000000001" });
    for (command, field, guise) in [
        (&call, "resolution", json!(["run_again"])),
        (&call, "resolution", json!(["happened", "Sent."])),
        (&call, "resolution", json!({ "type": 2 })),
        (
            &json!({ "type": "create_agent" }),
            "fields",
            json!(["Scribe"]),
        ),
        (
            &json!({ "type": "update_settings" }),
            "settings",
            json!(["resume", true, null, true]),
        ),
        (
            &json!({ "type": "add_rule", "verdict": "allow", "tool": "*" }),
            "scope",
            json!(["session", id]),
        ),
    ] {
        assert_refused(&with_member(command, "", field, guise), SHAPE);
    }
}

/// A word of a closed list: a tag, or one of its own.
fn is_word(place: &str) -> bool {
    matches!(
        name(place),
        "type" | "format" | "verdict" | "recovery" | "dialect" | "key_store" | "key_header"
    )
}

/// An id, which has a form of its own.
fn is_id(place: &str) -> bool {
    name(place).ends_with("_id") || place == "/after" || place.starts_with("/attachments/")
}

/// What a person or a model wrote.
pub(crate) fn is_text(place: &str, value: &Value) -> bool {
    value.is_string() && !is_word(place) && !is_id(place)
}

#[test]
fn a_missing_field_is_refused() {
    for command in values() {
        for (object, fields) in objects(&command) {
            for field in fields.keys() {
                let place = format!("{object}/{field}");
                let lacking = without(&command, &place);
                if absence(&command, &place) == Absence::Never {
                    assert_refused(&lacking, SHAPE);
                } else {
                    assert_accepted(&lacking);
                }
            }
        }
    }
}

#[test]
fn an_unknown_field_is_refused() {
    for command in values() {
        for (object, _) in objects(&command) {
            for (name, value) in [
                ("colour", json!("blue")),
                ("Type", json!("get_app")),
                ("", Value::Null),
                ("x", json!({})),
                ("x", json!(false)),
            ] {
                assert_refused(&with_member(&command, &object, name, value), SHAPE);
            }
        }
    }
}

#[test]
fn a_field_that_comes_twice_is_refused() {
    for command in values() {
        for (object, fields) in objects(&command) {
            for field in fields.keys() {
                let twice = text_with_twice(&command, &object, field);
                let error = Command::from_json(&twice).expect_err(&twice);
                assert_eq!(error.code, ErrorCode::InvalidCommand, "{twice}");
            }
        }
    }
}

/// Where an integer is expected, nothing else is one, and none is out of its range.
#[test]
fn a_number_that_cannot_be_is_refused() {
    let mut tried = 0;
    for command in values() {
        for (place, value) in places(&command) {
            if !value.is_u64() {
                continue;
            }
            tried += 1;
            for wrong in [
                json!(-1),
                json!(1.5),
                json!(1.0),
                json!("abc"),
                json!(value.to_string()),
                json!(i64::MAX),
                json!(i64::MIN),
                json!(u64::MAX),
                json!(1e300),
                json!(limits::INTEGER + 1),
            ] {
                assert_refused(&with(&command, &place, wrong), EITHER);
            }
        }
    }
    assert!(tried >= 20, "{tried}");
}

#[test]
fn a_cursor_that_cannot_be_is_refused() {
    let session = values()[5]["session_id"].clone();
    let subscribe =
        |after: Value| json!({ "type": "subscribe", "session_id": session, "after_seq": after });
    for wrong in [json!(-1), json!(1.5), json!("abc")] {
        assert_refused(&subscribe(wrong), SHAPE);
    }
    assert_refused(&subscribe(json!(i64::MAX)), VALUE);
    assert_refused(&subscribe(json!(limits::INTEGER + 1)), VALUE);
    assert_accepted(&subscribe(json!(limits::INTEGER)));
    assert_accepted(&subscribe(json!(0)));
}

#[test]
fn an_id_of_another_kind_is_refused() {
    let mut tried = 0;
    for command in values() {
        for (place, value) in places(&command) {
            if !is_id(&place) {
                continue;
            }
            tried += 1;
            let id = value.as_str().unwrap();
            let (prefix, digits) = id.split_once('_').unwrap();
            for wrong in [
                String::new(),
                digits.to_owned(),
                format!("stp_{digits}"),
                format!("{prefix}_"),
                format!("{prefix}_{}", digits.to_uppercase()),
                format!("{id}0"),
                format!(" {id}"),
                format!("{id}\0"),
                "x".repeat(100_000),
                "'; DROP TABLE runs; --".to_owned(),
                "../../etc/passwd".to_owned(),
            ] {
                assert_refused(&with(&command, &place, json!(wrong)), SHAPE);
            }
        }
    }
    assert!(tried > 50, "{tried}");
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
        r#"{"type":"fly"}"#,
        r#"{"type":""}"#,
        r#"{"type":0}"#,
        r#"{"type":"GetApp"}"#,
        r#"{"get_app":{}}"#,
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

/// What is refused is not repeated at length.
#[test]
fn a_refusal_is_short() {
    let long = "y".repeat(100_000);
    assert_refused(&json!({ "type": long }), SHAPE);
    let unknown = with_member(&json!({ "type": "get_app" }), "", &long, json!(1));
    assert_refused(&unknown, SHAPE);
}

/// A list that may be left out may be empty as well.
#[test]
fn an_empty_list_of_attachments_is_none() {
    assert_accepted(&json!({"type": "send_message", "text": "hello", "attachments": []}));
}
