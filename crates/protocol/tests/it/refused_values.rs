//! STR-9, SEC-3: values of the right type that cannot be used: too large, empty, out of range.

use protocol::{Command, ErrorCode, limits};
use serde_json::{Value, json};

use crate::places::{pattern, places, with};
use crate::refused::{TOO_LARGE, VALUE, assert_accepted, assert_refused, is_text, values};

/// Whether a text may be empty, and may have several lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Anything.
    Free,
    /// Not blank.
    Written,
    /// Not blank, one line.
    Line,
    /// Exactly so long, in hexadecimal.
    Digest,
    /// A JSON object.
    Json,
}

/// The cap and the form of every text in a command.
fn rule_of(kind: &str, place: &str) -> Option<(usize, Form)> {
    let rule = match (kind, pattern(place).as_str()) {
        ("send_message" | "start_run" | "edit_message" | "edit_queued", "/text") => {
            (limits::MESSAGE_BYTES, Form::Written)
        }
        ("add_attachment", "/name") => (limits::ATTACHMENT_NAME_BYTES, Form::Line),
        ("add_attachment", "/data") => (limits::ATTACHMENT_DATA_BYTES, Form::Written),
        ("import_session", "/json") => (limits::IMPORT_BYTES, Form::Written),
        ("create_session" | "rename_session", "/title") => (limits::TITLE_BYTES, Form::Line),
        (
            "send_message" | "start_run" | "edit_message" | "regenerate" | "retry_run",
            "/request_key",
        ) => (limits::REQUEST_KEY_BYTES, Form::Line),
        ("decide_call" | "decide_calls", "/from") => (limits::FROM_BYTES, Form::Line),
        ("decide_call", "/digest") | ("decide_calls", "/decisions/*/digest") => {
            (limits::DIGEST_BYTES, Form::Digest)
        }
        ("decide_call", "/decision/pattern")
        | ("decide_calls", "/decisions/*/decision/pattern")
        | ("add_rule", "/tool" | "/pattern")
        | ("create_agent" | "update_agent", "/fields/model" | "/fields/tools/*") => {
            (limits::PATTERN_BYTES, Form::Line)
        }
        ("decide_call", "/decision/reason") | ("decide_calls", "/decisions/*/decision/reason") => {
            (limits::REASON_BYTES, Form::Free)
        }
        ("decide_call", "/decision/arguments")
        | ("decide_calls", "/decisions/*/decision/arguments") => {
            (limits::ARGUMENTS_BYTES, Form::Json)
        }
        ("resolve_call", "/resolution/result") => (limits::RESULT_BYTES, Form::Free),
        ("add_rule", "/scope/workspace")
        | ("serve_model_file", "/path")
        | ("update_settings", "/settings/served_file") => (limits::PATH_BYTES, Form::Line),
        (
            "create_agent" | "update_agent" | "create_provider" | "update_provider",
            "/fields/name",
        ) => (limits::NAME_BYTES, Form::Line),
        ("set_session_model", "/model") | ("update_settings", "/settings/default_model") => {
            (limits::MODEL_BYTES, Form::Line)
        }
        ("create_provider" | "update_provider", "/fields/base_url")
        | ("update_settings", "/settings/proxy/url") => (limits::URL_BYTES, Form::Line),
        (
            "create_provider" | "update_provider",
            "/fields/headers/*/name" | "/fields/options/api_version",
        )
        | ("set_provider_key" | "forget_provider_key", "/header") => {
            (limits::HEADER_NAME_BYTES, Form::Line)
        }
        ("create_provider" | "update_provider", "/fields/headers/*/value") => {
            (limits::HEADER_VALUE_BYTES, Form::Line)
        }
        ("set_provider_key", "/key") => (limits::KEY_BYTES, Form::Line),
        ("create_agent" | "update_agent", "/fields/instructions") => {
            (limits::INSTRUCTIONS_BYTES, Form::Free)
        }
        _ => return None,
    };
    Some(rule)
}

/// Every text of every command, with its place and its rule; a text without a rule fails here.
fn texts() -> Vec<(Value, String, usize, Form)> {
    let mut found = Vec::new();
    for command in values() {
        let kind = command["type"].as_str().unwrap();
        for (place, value) in places(&command) {
            if is_text(&place, &value) {
                let (cap, form) = rule_of(kind, &place).unwrap_or_else(|| panic!("{kind} {place}"));
                found.push((command.clone(), place, cap, form));
            }
        }
    }
    assert!(found.len() > 50, "{}", found.len());
    found
}

/// One byte more than allowed, counted in bytes and not in characters.
#[test]
fn what_is_too_large_is_refused() {
    for (command, place, cap, form) in texts() {
        let of = |text: String| with(&command, &place, json!(text));
        match form {
            Form::Digest => {
                for wrong in [cap - 1, cap + 1, 2 * cap] {
                    assert_refused(&of("a".repeat(wrong)), VALUE);
                }
            }
            Form::Json => {
                assert_accepted(&of(format!("{{{}}}", " ".repeat(cap - 2))));
                assert_refused(&of(format!("{{{}}}", " ".repeat(cap - 1))), TOO_LARGE);
            }
            Form::Free | Form::Written | Form::Line => {
                assert_accepted(&of("x".repeat(cap)));
                assert_refused(&of("x".repeat(cap + 1)), TOO_LARGE);
                assert_refused(&of("ö".repeat(cap / 2 + 1)), TOO_LARGE);
            }
        }
    }
}

#[test]
fn a_whole_command_has_a_cap() {
    let padding = " ".repeat(limits::COMMAND_BYTES);
    let whole = format!("{padding}{{\"type\":\"get_app\"}}");
    let error = Command::from_json(&whole).unwrap_err();
    assert_eq!(error.code, ErrorCode::TooLarge);
}

/// What is empty, and what only looks like something.
#[test]
fn an_empty_text_is_refused() {
    for (command, place, _, form) in texts() {
        let wrong: &[&str] = match form {
            Form::Free => &[],
            Form::Written => &["", " \n\t ", "\u{3000}"],
            Form::Line => &["", "two\nlines", "\u{1b}[31m", "a\0"],
            Form::Digest => &["", " "],
            Form::Json => &["", " ", "null", "[]", "7", "{", "{} {}", "{'a': 1}"],
        };
        for text in wrong {
            assert_refused(&with(&command, &place, json!(text)), VALUE);
        }
        if form == Form::Free {
            assert_accepted(&with(&command, &place, json!("")));
        }
        // A key is compared, not read: one of spaces is as good as any.
        if form == Form::Line && !place.ends_with("/request_key") {
            assert_refused(&with(&command, &place, json!("  ")), VALUE);
        }
    }
}

#[test]
fn a_digest_is_lower_case_hexadecimal() {
    for (command, place, cap, _) in texts().iter().filter(|text| text.3 == Form::Digest) {
        for wrong in ["A", "g", " ", "\n", "-"] {
            assert_refused(&with(command, place, json!(wrong.repeat(*cap))), VALUE);
        }
        assert_accepted(&with(command, place, json!("0".repeat(*cap))));
    }
}

#[test]
fn a_limit_is_between_one_and_a_thousand() {
    for command in values() {
        if command.get("limit").is_none() {
            continue;
        }
        for wrong in [0, 1_001, u32::MAX] {
            assert_refused(&with(&command, "/limit", json!(wrong)), VALUE);
        }
        for right in [1, 1_000] {
            assert_accepted(&with(&command, "/limit", json!(right)));
        }
    }
}

#[test]
fn silence_lasts_between_a_second_and_an_hour() {
    let place = "/fields/options/silence_seconds";
    let said = |command: &Value| command.pointer(place).is_some_and(Value::is_u64);
    let commands: Vec<Value> = values().into_iter().filter(said).collect();
    assert!(!commands.is_empty());
    for command in commands {
        for wrong in [0, 3_601, u32::MAX] {
            assert_refused(&with(&command, place, json!(wrong)), VALUE);
        }
        for right in [1, 3_600] {
            assert_accepted(&with(&command, place, json!(right)));
        }
    }
}

/// A run that may do nothing, and a question that cannot be answered in time.
#[test]
fn a_limit_of_nothing_is_refused() {
    let mut tried = 0;
    for command in values() {
        for (place, value) in places(&command) {
            let is_limit =
                place.starts_with("/fields/limits/") || place == "/settings/approval_minutes";
            if is_limit && value.is_u64() {
                tried += 1;
                assert_refused(&with(&command, &place, json!(0)), VALUE);
                assert_accepted(&with(&command, &place, json!(1)));
                assert_accepted(&with(&command, &place, json!(u32::MAX)));
            }
        }
    }
    assert_eq!(tried, 9);
}

#[test]
fn a_list_has_a_cap() {
    for command in values() {
        if let Some(one) = command.pointer("/decisions/0") {
            let of = |count| with(&command, "/decisions", json!(vec![one.clone(); count]));
            assert_refused(&of(0), VALUE);
            assert_refused(&of(limits::BATCH + 1), VALUE);
            assert_accepted(&of(1));
            assert_accepted(&of(limits::BATCH));
        }
        if let Some(one) = command.pointer("/fields/tools/0") {
            let of = |count| with(&command, "/fields/tools", json!(vec![one.clone(); count]));
            assert_refused(&of(limits::AGENT_TOOLS + 1), VALUE);
            assert_accepted(&of(limits::AGENT_TOOLS));
            assert_accepted(&of(0));
        }
    }
}

/// Ports: at most 16, each once, and none that nobody can be at.
#[test]
fn ports_are_ports() {
    let mut tried = 0;
    for command in values() {
        if command.pointer("/settings/local_ports").is_none() {
            continue;
        }
        tried += 1;
        let of = |ports: Value| with(&command, "/settings/local_ports", ports);
        assert_refused(&of(json!([0])), VALUE);
        assert_refused(&of(json!([9_000, 1, 9_000])), VALUE);
        assert_refused(&of(json!((1..=17).collect::<Vec<_>>())), VALUE);
        for wrong in [json!([65_536]), json!([-1]), json!(["80"]), json!([1.5])] {
            assert_refused(&of(wrong), &[ErrorCode::InvalidCommand]);
        }
        assert_accepted(&of(json!((1..=16).collect::<Vec<_>>())));
        assert_accepted(&of(json!([])));
    }
    assert_eq!(tried, 3);
}

/// An approval is its own command; no message can be taken for one.
#[test]
fn a_message_is_never_a_decision() {
    let decide = values()
        .into_iter()
        .find(|command| command["type"] == "decide_call")
        .unwrap();
    for kind in ["send_message", "start_run"] {
        let text = decide.to_string();
        let command = Command::from_value(json!({ "type": kind, "text": text })).unwrap();
        assert!(matches!(
            command,
            Command::SendMessage { text: ref said, .. } | Command::StartRun { text: ref said, .. }
                if *said == text
        ));
        let mut mixed = decide.clone();
        mixed["type"] = json!(kind);
        mixed["text"] = json!("yes");
        assert_refused(&mixed, &[ErrorCode::InvalidCommand]);
    }
    let mut mixed = decide;
    mixed["text"] = json!("yes");
    assert_refused(&mixed, &[ErrorCode::InvalidCommand]);
}
