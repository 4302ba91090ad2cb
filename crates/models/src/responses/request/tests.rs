//! What is sent.

use std::sync::Arc;

use engine::RequestCall;
use protocol::{ErrorClass, Native};
use serde_json::json;
use serde_json::value::RawValue;

use super::*;
use crate::given;
use engine::RequestPart;

const THOUGHT: &str = r#"{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA"}"#;
const MESSAGE: &str = r#"{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"I look.","annotations":[]}]}"#;
const CALL: &str = r#"{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"read_file","arguments":"{ \"path\":  \"a\" }"}"#;

fn endpoint() -> Endpoint {
    Endpoint::new("https://a.example/v1", "gpt-x")
}

fn user(text: &str) -> RequestMessage {
    RequestMessage::User {
        parts: Vec::new(),
        text: text.to_owned(),
    }
}

fn native(dialect: &str, model: &str) -> Option<Arc<Native>> {
    Some(Arc::new(Native {
        dialect: dialect.to_owned(),
        model: model.to_owned(),
        items: format!("[{THOUGHT},{MESSAGE}, {CALL}]"),
    }))
}

fn agent(text: &str, calls: &[(&str, &str)], native: Option<Arc<Native>>) -> RequestMessage {
    let calls = calls.iter().map(|(id, arguments)| RequestCall {
        id: (*id).to_owned(),
        tool: "read_file".to_owned(),
        arguments: (*arguments).to_owned(),
    });
    RequestMessage::Agent {
        text: text.to_owned(),
        calls: calls.collect(),
        native,
    }
}

fn result(call_id: &str, text: &str, is_error: bool) -> RequestMessage {
    RequestMessage::Result {
        call_id: call_id.to_owned(),
        tool: "read_file".to_owned(),
        text: text.to_owned(),
        is_error,
    }
}

fn request(messages: Vec<RequestMessage>) -> ModelRequest {
    ModelRequest {
        model: "our-id".to_owned(),
        instructions: Some("Be brief.".to_owned()),
        messages: messages.into(),
        tools: vec![ToolSpec {
            name: "read_file".to_owned(),
            description: "Reads.".to_owned(),
            parameters: json!({"type": "object"}),
        }],
    }
}

fn bytes(messages: Vec<RequestMessage>) -> String {
    let bytes = body(&endpoint(), &request(messages)).expect("it can be sent");
    String::from_utf8(bytes).expect("text")
}

fn sent(messages: Vec<RequestMessage>) -> Value {
    serde_json::from_str(&bytes(messages)).expect("JSON")
}

fn session() -> Vec<RequestMessage> {
    vec![
        user("Read \"a\"\n"),
        agent("", &[("call_a", " {\"path\":\"a\"}"), ("call_b", "")], None),
        result("call_a", "ü", false),
        result("call_b", "No.", true),
        agent(
            "I look.",
            &[("call_1", "{ \"path\":  \"a\" }")],
            native("responses", "gpt-x"),
        ),
        result("call_1", "", false),
    ]
}

// RUN-20
#[test]
fn the_same_request_gives_these_very_bytes() {
    let expected = [
        r#"{"model":"gpt-x","instructions":"Be brief.","#,
        r#""input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Read \"a\"\n"}]},"#,
        r#"{"type":"function_call","call_id":"call_a","name":"read_file","arguments":" {\"path\":\"a\"}"},"#,
        r#"{"type":"function_call","call_id":"call_b","name":"read_file","arguments":"{}"},"#,
        r#"{"type":"function_call_output","call_id":"call_a","output":"ü"},"#,
        r#"{"type":"function_call_output","call_id":"call_b","output":"Error: No."},"#,
        THOUGHT,
        ",",
        MESSAGE,
        ",",
        CALL,
        r#",{"type":"function_call_output","call_id":"call_1","output":""}],"#,
        r#""tools":[{"type":"function","name":"read_file","description":"Reads.","parameters":{"type":"object"},"strict":false}],"#,
        r#""store":false,"stream":true,"include":["reasoning.encrypted_content"]}"#,
    ];
    for _ in 0..2 {
        assert_eq!(bytes(session()), expected.concat());
    }
}

fn elements(body: &str, list: &str) -> Vec<String> {
    let fields: std::collections::BTreeMap<String, &RawValue> =
        serde_json::from_str(body).expect("an object");
    let elements: Vec<&RawValue> = serde_json::from_str(fields[list].get()).expect("a list");
    elements.iter().map(|raw| raw.get().to_owned()).collect()
}

// RUN-20
#[test]
fn what_was_sent_is_at_the_head_of_what_is_sent_next() {
    let mut all = session();
    all.extend([
        agent("Done.", &[], None),
        user("And b?"),
        agent("", &[("call_9", "{}")], None),
    ]);
    all.extend([
        result("call_9", "b", false),
        agent("Two.", &[], None),
        user("Thanks"),
    ]);
    let steps = [1, 4, 6, 8, 10, 12].map(|count| bytes(all[..count].to_vec()));
    for pair in steps.windows(2) {
        assert_eq!(elements(&pair[0], "tools"), elements(&pair[1], "tools"));
        let (before, after) = (elements(&pair[0], "input"), elements(&pair[1], "input"));
        assert!(before.len() < after.len());
        assert_eq!(before[..], after[..before.len()]);
    }
}

#[test]
fn words_of_another_model_or_dialect_are_told_in_ours() {
    for native in [
        native("responses", "gpt-y"),
        native("anthropic", "gpt-x"),
        None,
    ] {
        let messages = vec![
            user("Hi"),
            agent("I look.", &[("call_1", "{ \"path\":  \"a\" }")], native),
            result("call_1", "x", false),
        ];
        let input = &sent(messages)["input"];
        assert_eq!(input.as_array().expect("items").len(), 4, "{input}");
        let said = json!([{"type": "output_text", "text": "I look."}]);
        assert_eq!(
            (&input[1]["role"], &input[1]["content"]),
            (&json!("assistant"), &said)
        );
        assert_eq!(
            (&input[2]["call_id"], input[2].get("id")),
            (&json!("call_1"), None)
        );
    }
}

// RUN-20
#[test]
fn a_call_that_was_stored_otherwise_is_told_as_it_was_stored_among_its_thoughts() {
    for (id, arguments) in [("other", "{ \"path\":  \"a\" }"), ("call_1", "{}")] {
        let messages = vec![
            user("Hi"),
            agent("I look.", &[(id, arguments)], native("responses", "gpt-x")),
            result(id, "x", false),
        ];
        let input = &sent(messages)["input"];
        assert_eq!(input[1]["encrypted_content"], "gAAA");
        assert_eq!(
            (&input[3]["call_id"], &input[3]["arguments"]),
            (&json!(id), &json!(arguments))
        );
        assert_eq!(input[4]["call_id"], id);
    }
}

#[test]
fn words_that_say_something_else_are_not_sent() {
    let call = ("call_1", "{}");
    for (text, calls) in [
        ("I look elsewhere.", &[call][..]),
        ("I look.", &[][..]),
        ("I look.", &[call, ("call_2", "{}")][..]),
        ("", &[call][..]),
    ] {
        let mut messages = vec![user("Hi"), agent(text, calls, native("responses", "gpt-x"))];
        messages.extend(calls.iter().map(|(id, _)| result(id, "x", false)));
        messages.push(user("Go on"));
        let text = bytes(messages);
        assert!(!text.contains("gAAA"), "{text}");
    }
}

#[test]
fn a_message_without_words_is_not_told() {
    let body = sent(vec![user("Hi"), agent("\n", &[], None), user("Go on")]);
    assert_eq!(body["input"].as_array().expect("items").len(), 2);
}

#[test]
fn ids_of_other_providers_are_made_to_fit() {
    let long = "x".repeat(90);
    let messages = vec![
        user("Hi"),
        agent("", &[(&long, "[1]")], None),
        result(&long, "x", false),
    ];
    let input = &sent(messages)["input"];
    assert_eq!(input[1]["call_id"], input[2]["call_id"]);
    assert!(input[1]["call_id"].as_str().expect("text").len() <= 64);
    assert_eq!(input[1]["arguments"], r#"{"malformed":"[1]"}"#);
}

// RUN-20
#[test]
fn a_call_and_its_result_have_one_id_in_any_words() {
    let odd = "functions.read_file:0";
    let mut odd_native = native("responses", "gpt-x").expect("some").as_ref().clone();
    odd_native.items = odd_native.items.replace("call_1", odd);
    let calls = &[(odd, "{ \"path\":  \"a\" }")];
    let said = agent("I look.", calls, Some(Arc::new(odd_native)));
    let input = &sent(vec![user("Hi"), said, result(odd, "x", false)])["input"];
    assert_eq!(input[1]["encrypted_content"], "gAAA");
    assert_eq!(input[3]["call_id"], input[4]["call_id"]);
}

#[test]
fn what_a_person_chooses_is_sent_and_what_is_ours_stays() {
    let mut endpoint = endpoint();
    endpoint.max_output_tokens = Some(9);
    let options =
        json!({"reasoning": {"effort": "high"}, "include": [], "store": true, "stream": false});
    endpoint.options = options.as_object().expect("an object").clone();
    let mut request = request(vec![user("Hi")]);
    request.instructions = None;
    request.tools.clear();
    let bytes = body(&endpoint, &request).expect("good");
    let expected = concat!(
        r#"{"model":"gpt-x","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}],"#,
        r#""store":false,"stream":true,"max_output_tokens":9,"include":[],"reasoning":{"effort":"high"}}"#,
    );
    assert_eq!(String::from_utf8(bytes).expect("text"), expected);
}

// RUN-20
#[test]
fn a_call_without_its_result_is_never_sent() {
    let unpaired = vec![user("Hi"), agent("", &[("a", "{}")], None), user("Go on")];
    let error = body(&endpoint(), &request(unpaired)).expect_err("unpaired");
    assert_eq!(error.class, ErrorClass::Internal);
}

fn along(parts: Vec<RequestPart>) -> RequestMessage {
    RequestMessage::User {
        parts,
        text: "What is it?".to_owned(),
    }
}

/// The form that is documented: `input_text` and `input_image` with a data URL.
#[test]
fn what_is_given_along_goes_in_these_very_bytes() {
    let message = along(given::samples());
    let bytes = body(&endpoint(), &request(vec![message])).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let wanted = r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"<attachment>\ntide\n</attachment>"},{"type":"input_text","text":"[image: tide.png]"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo=","detail":"auto"},{"type":"input_text","text":"What is it?"}]}"#;
    assert!(text.contains(wanted), "{text}");
}
