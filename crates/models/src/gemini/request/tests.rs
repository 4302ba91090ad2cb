//! What is sent.

use std::sync::Arc;

use super::*;
use crate::given;
use engine::RequestPart;
use engine::{RequestCall, RequestMessage};
use protocol::{ErrorClass, Native};

fn user(text: &str) -> RequestMessage {
    RequestMessage::User {
        parts: Vec::new(),
        text: text.to_owned(),
    }
}

fn agent_with(text: &str, calls: &[(&str, &str)], native: Option<Native>) -> RequestMessage {
    let calls = calls.iter().map(|(id, arguments)| RequestCall {
        id: (*id).to_owned(),
        tool: "read_file".to_owned(),
        arguments: (*arguments).to_owned(),
    });
    RequestMessage::Agent {
        text: text.to_owned(),
        calls: calls.collect(),
        native: native.map(Arc::new),
    }
}

fn agent(text: &str, calls: &[(&str, &str)]) -> RequestMessage {
    agent_with(text, calls, None)
}

fn result(call_id: &str, text: &str, is_error: bool) -> RequestMessage {
    RequestMessage::Result {
        call_id: call_id.to_owned(),
        tool: "read_file".to_owned(),
        text: text.to_owned(),
        is_error,
    }
}

fn native(items: &str) -> Native {
    Native {
        dialect: "gemini".to_owned(),
        model: "m".to_owned(),
        items: items.to_owned(),
    }
}

fn request(messages: Vec<RequestMessage>) -> ModelRequest {
    ModelRequest {
        model: "our-id".to_owned(),
        instructions: None,
        messages: messages.into(),
        tools: Vec::new(),
    }
}

fn endpoint() -> Endpoint {
    Endpoint::new("https://a.example/v1beta", "m")
}

fn bytes(messages: Vec<RequestMessage>) -> String {
    let bytes = body(&endpoint(), &request(messages)).expect("it can be sent");
    String::from_utf8(bytes).expect("text")
}

fn sent(messages: Vec<RequestMessage>) -> Value {
    serde_json::from_str(&bytes(messages)).expect("it is JSON")
}

// RUN-20
#[test]
fn the_same_request_gives_these_very_bytes() {
    let mut request = request(vec![
        user("Read \"a\"\n"),
        agent("I look.", &[("c1", "{ \"path\":  1e400 }"), ("c2", "{}")]),
        result("c1", "ü", false),
        result("c2", "Denied.", true),
        agent("Done.", &[]),
    ]);
    request.instructions = Some("Be brief.".to_owned());
    request.tools = vec![ToolSpec {
        name: "read_file".to_owned(),
        description: "Reads.".to_owned(),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
    }];
    let mut endpoint = endpoint();
    endpoint.max_output_tokens = Some(100);
    for (name, value) in [
        (
            "generationConfig",
            json!({"thinkingConfig": {"includeThoughts": true}, "maxOutputTokens": 7}),
        ),
        ("contents", json!("not changed by it")),
        ("safetySettings", json!([])),
    ] {
        endpoint.options.insert(name.to_owned(), value);
    }
    let expected = concat!(
        r#"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":["#,
        r#"{"role":"user","parts":[{"text":"Read \"a\"\n"}]},"#,
        r#"{"role":"model","parts":[{"text":"I look."},"#,
        r#"{"functionCall":{"id":"c1","name":"read_file","args":{ "path":  1e400 }}},"#,
        r#"{"functionCall":{"id":"c2","name":"read_file","args":{}}}]},"#,
        r#"{"role":"user","parts":["#,
        r#"{"functionResponse":{"id":"c1","name":"read_file","response":{"output":"ü"}}},"#,
        r#"{"functionResponse":{"id":"c2","name":"read_file","response":{"error":"Denied."}}}]},"#,
        r#"{"role":"model","parts":[{"text":"Done."}]}],"#,
        r#""tools":[{"functionDeclarations":[{"name":"read_file","description":"Reads.","#,
        r#""parametersJsonSchema":{"properties":{"path":{"type":"string"}},"type":"object"}}]}],"#,
        r#""generationConfig":{"maxOutputTokens":100,"thinkingConfig":{"includeThoughts":true}},"#,
        r#""safetySettings":[]}"#,
    );
    for _ in 0..2 {
        let bytes = body(&endpoint, &request).expect("it can be sent");
        assert_eq!(String::from_utf8(bytes).expect("text"), expected);
    }
}

// RUN-20
#[test]
fn what_was_sent_stays_the_same_when_more_is_told() {
    let mut messages = vec![
        user("Go"),
        agent("I look.", &[("c1", "{}")]),
        result("c1", "a", false),
    ];
    let before = sent(messages.clone());
    messages.extend([agent("", &[("c2", "{}")]), result("c2", "b", true)]);
    let after = sent(messages);
    let before = before["contents"].as_array().expect("a list");
    let after = after["contents"].as_array().expect("a list");
    assert_eq!(before[..], after[..before.len()]);
    assert_eq!(after.len(), before.len() + 2);
}

#[test]
fn what_is_not_there_is_not_sent() {
    assert_eq!(
        sent(vec![user("Hi"), agent("", &[])]),
        json!({"contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"text": ""}]},
        ]})
    );
}

#[test]
fn kept_parts_go_back_byte_for_byte_and_results_have_the_ids_that_they_have() {
    let first =
        r#"{ "thoughtSignature":"QQ==", "functionCall":{"name":"read_file","args":{ "a":1.0 }} }"#;
    let second = r#"{"functionCall":{"id":"own","name":"read_file","args":{}}}"#;
    let items = format!(r#"[{{"text":"I look."}},{first},{second}]"#);
    let calls = [("made-1", "{}"), ("made-2", "{}")];
    let sent = bytes(vec![
        agent_with("I look.", &calls, Some(native(&items))),
        result("made-2", "two", false),
        result("made-1", "one", false),
    ]);
    let expected = format!(
        concat!(
            r#"{{"contents":[{{"role":"model","parts":{}}},{{"role":"user","parts":["#,
            r#"{{"functionResponse":{{"id":"own","name":"read_file","response":{{"output":"two"}}}}}},"#,
            r#"{{"functionResponse":{{"name":"read_file","response":{{"output":"one"}}}}}}]}}]}}"#,
        ),
        items
    );
    assert_eq!(sent, expected);
}

#[test]
fn parts_of_somebody_else_or_of_other_calls_are_told_in_our_words() {
    let one = r#"[{"functionCall":{"name":"read_file"},"thoughtSignature":"QQ=="}]"#;
    let other_tool = r#"[{"functionCall":{"name":"write_file"},"thoughtSignature":"QQ=="}]"#;
    let no_call = r#"[{"text":"x","thoughtSignature":"QQ=="}]"#;
    let of = |dialect: &str, model: &str| Native {
        dialect: dialect.to_owned(),
        model: model.to_owned(),
        items: one.to_owned(),
    };
    for kept in [
        of("messages", "m"),
        of("gemini", "other"),
        native(other_tool),
        native(no_call),
        native(""),
        native("{}"),
        native("[7]"),
        native("[{\"text\":7}]"),
    ] {
        let told = agent_with("", &[("c", "{}")], Some(kept));
        let sent = sent(vec![told, result("c", "", false)]);
        let part = &sent["contents"][0]["parts"][0];
        assert_eq!(part["functionCall"]["id"], "c");
        assert_eq!(
            sent["contents"][1]["parts"][0]["functionResponse"]["id"],
            "c"
        );
    }
}

// RUN-20
#[test]
fn a_call_without_its_result_is_never_sent() {
    let unpaired = request(vec![agent("", &[("a", "{}")]), user("Go on")]);
    let error = body(&endpoint(), &unpaired).expect_err("unpaired");
    assert_eq!(error.class, ErrorClass::Internal);
}

fn along(parts: Vec<RequestPart>) -> RequestMessage {
    RequestMessage::User {
        parts,
        text: "What is it?".to_owned(),
    }
}

/// The form that is documented: parts with `text` and `inlineData`.
#[test]
fn what_is_given_along_goes_in_these_very_bytes() {
    let message = along(given::samples());
    let bytes = body(&endpoint(), &request(vec![message])).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let wanted = r#"{"role":"user","parts":[{"text":"<attachment>\ntide\n</attachment>"},{"text":"[image: tide.png]"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"text":"What is it?"}]}"#;
    assert!(text.contains(wanted), "{text}");
}
