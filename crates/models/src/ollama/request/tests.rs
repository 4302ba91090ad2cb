//! What is sent.

use std::sync::Arc;

use protocol::ErrorClass;
use serde_json::json;

use super::*;
use engine::RequestPart;

fn user(text: &str) -> RequestMessage {
    RequestMessage::User {
        parts: Vec::new(),
        text: text.to_owned(),
    }
}

fn agent(text: &str, calls: &[(&str, &str)]) -> RequestMessage {
    let calls = calls.iter().map(|(id, arguments)| RequestCall {
        id: (*id).to_owned(),
        tool: "read_file".to_owned(),
        arguments: (*arguments).to_owned(),
    });
    RequestMessage::Agent {
        text: text.to_owned(),
        calls: calls.collect(),
        native: None,
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

fn windowed(endpoint: Endpoint) -> Endpoint {
    Endpoint {
        context_tokens: Some(32_768),
        ..endpoint
    }
}

fn endpoint(model: &str) -> Endpoint {
    Endpoint::new("http://127.0.0.1:11434", model)
}

fn request(messages: Vec<RequestMessage>) -> ModelRequest {
    ModelRequest {
        model: "our-id".to_owned(),
        instructions: None,
        messages: messages.into(),
        tools: Vec::new(),
    }
}

fn sent(messages: Vec<RequestMessage>) -> Value {
    let bytes = body(&endpoint("m"), &request(messages)).expect("it can be sent");
    serde_json::from_slice(&bytes).expect("it is JSON")
}

// RUN-20
#[test]
fn the_same_request_gives_these_very_bytes() {
    let mut request = request(vec![
        user("Read \"a\"\n"),
        agent("", &[("c1", "{ \"path\":  \"a\", \"n\": 1e400 }")]),
        result("c1", "ü", false),
    ]);
    request.instructions = Some("Be brief.".to_owned());
    request.tools = vec![ToolSpec {
        name: "read_file".to_owned(),
        description: "Reads.".to_owned(),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
    }];
    let expected = concat!(
        r#"{"model":"m","messages":["#,
        r#"{"role":"system","content":"Be brief."},"#,
        r#"{"role":"user","content":"Read \"a\"\n"},"#,
        r#"{"role":"assistant","content":"","tool_calls":[{"id":"c1","#,
        r#""function":{"name":"read_file","arguments":{ "path":  "a", "n": 1e400 }}}]},"#,
        r#"{"role":"tool","tool_name":"read_file","tool_call_id":"c1","content":"ü"}],"#,
        r#""tools":[{"type":"function","function":{"name":"read_file","description":"Reads.","#,
        r#""parameters":{"properties":{"path":{"type":"string"}},"type":"object"}}}],"#,
        r#""stream":true,"options":{"num_ctx":32768}}"#,
    );
    for _ in 0..2 {
        let bytes = body(&windowed(endpoint("m")), &request).expect("it can be sent");
        assert_eq!(String::from_utf8(bytes).expect("text"), expected);
    }
}

#[test]
fn what_a_person_adds_is_sent_beside_what_is_ours() {
    let mut endpoint = endpoint("m");
    let added = json!({"keep_alive": "10m", "think": true, "stream": false, "options": {"num_ctx": 4096, "top_k": 1}});
    endpoint.options = added.as_object().expect("an object").clone();
    let bytes = body(&windowed(endpoint), &request(vec![user("Hi")])).expect("it can be sent");
    let sent: Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(sent["stream"], true);
    assert_eq!(sent["options"], json!({"num_ctx": 4096, "top_k": 1}));
    assert_eq!(
        (&sent["keep_alive"], &sent["think"]),
        (&json!("10m"), &json!(true))
    );
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
    let before = before["messages"].as_array().expect("a list");
    let after = after["messages"].as_array().expect("a list");
    assert_eq!(before[..], after[..before.len()]);
    assert_eq!(after.len(), before.len() + 2);
}

#[test]
fn what_is_not_there_is_not_sent() {
    assert_eq!(
        sent(vec![user("Hi"), agent("", &[])]),
        json!({
            "model": "m",
            "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": ""}],
            "stream": true,
        })
    );
}

#[test]
fn a_failed_call_says_so_in_its_text() {
    let body = sent(vec![
        agent("Two.", &[("a", "{}")]),
        result("a", "Denied.", true),
    ]);
    assert_eq!(body["messages"][1]["content"], "Error: Denied.");
}

#[test]
fn a_thought_goes_back_to_the_model_that_had_it() {
    let mut told = agent("", &[("a", "{}")]);
    if let RequestMessage::Agent { native, .. } = &mut told {
        *native = thought::kept("m", "Hm.").map(Arc::new);
    }
    let messages = vec![told, result("a", "", false)];
    assert_eq!(sent(messages.clone())["messages"][0]["thinking"], "Hm.");
    let other = body(&endpoint("other"), &request(messages)).expect("it can be sent");
    assert!(!String::from_utf8_lossy(&other).contains("Hm."));
}

// RUN-20
#[test]
fn arguments_that_are_no_object_are_sent_inside_of_one() {
    for (written, expected) in [
        ("", json!({})),
        (" \n", json!({})),
        ("{\"path\": \"a", json!({"malformed": "{\"path\": \"a"})),
        ("[1]", json!({"malformed": "[1]"})),
    ] {
        let body = sent(vec![agent("", &[("c", written)]), result("c", "", false)]);
        let arguments = &body["messages"][0]["tool_calls"][0]["function"]["arguments"];
        assert_eq!(arguments, &expected, "{written}");
    }
}

// RUN-20
#[test]
fn a_call_without_its_result_is_never_sent() {
    let unpaired = request(vec![agent("", &[("a", "{}")]), user("Go on")]);
    let error = body(&endpoint("m"), &unpaired).expect_err("unpaired");
    assert_eq!(error.class, ErrorClass::Internal);
}

fn along(parts: Vec<RequestPart>) -> RequestMessage {
    RequestMessage::User {
        parts,
        text: "What is it?".to_owned(),
    }
}

/// The form that is documented: one text, and `images` as bare Base64.
#[test]
fn what_is_given_along_goes_in_these_very_bytes() {
    let message = along(given::samples());
    let bytes = body(&endpoint("m"), &request(vec![message])).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let wanted = r#"{"role":"user","content":"<attachment>\ntide\n</attachment>\n\n[image: tide.png]\n\nWhat is it?","images":["iVBORw0KGgo="]}"#;
    assert!(text.contains(wanted), "{text}");
}
