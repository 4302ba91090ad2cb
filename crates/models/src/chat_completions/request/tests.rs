//! What is sent.

use protocol::ErrorClass;
use serde_json::json;

use super::*;

fn endpoint() -> Endpoint {
    Endpoint::new("https://a.example/v1", "m")
}

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

fn request(messages: Vec<RequestMessage>) -> ModelRequest {
    ModelRequest {
        model: "our-id".to_owned(),
        instructions: None,
        messages: messages.into(),
        tools: Vec::new(),
    }
}

fn sent(messages: Vec<RequestMessage>) -> Value {
    let bytes = body(&endpoint(), &request(messages)).expect("it can be sent");
    serde_json::from_slice(&bytes).expect("it is JSON")
}

// RUN-20
#[test]
fn the_same_request_gives_these_very_bytes() {
    let mut request = request(vec![
        user("Read \"a\"\n"),
        agent("", &[("c1", r#"{ "path":  "a" }"#)]),
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
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","#,
        r#""function":{"name":"read_file","arguments":"{ \"path\":  \"a\" }"}}]},"#,
        r#"{"role":"tool","tool_call_id":"c1","content":"ü"}],"#,
        r#""tools":[{"type":"function","function":{"name":"read_file","description":"Reads.","#,
        r#""parameters":{"properties":{"path":{"type":"string"}},"type":"object"}}}],"#,
        r#""stream":true,"stream_options":{"include_usage":true}}"#,
    );
    for _ in 0..2 {
        let bytes = body(&endpoint(), &request).expect("it can be sent");
        assert_eq!(String::from_utf8(bytes).expect("text"), expected);
    }
}

#[test]
fn what_is_not_there_is_not_sent() {
    assert_eq!(
        sent(vec![user("Hi"), agent("", &[])]),
        json!({
            "model": "m",
            "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": ""}],
            "stream": true,
            "stream_options": {"include_usage": true},
        })
    );
}

#[test]
fn a_failed_call_says_so_in_its_text() {
    let body = sent(vec![
        agent("Two.", &[("a", "{}"), ("b", "{}")]),
        result("b", "Denied.", true),
        result("a", "ok", false),
    ]);
    assert_eq!(body["messages"][0]["content"], "Two.");
    assert_eq!(body["messages"][1]["content"], "Error: Denied.");
    assert_eq!(body["messages"][2]["content"], "ok");
}

// RUN-20
#[test]
fn arguments_are_sent_as_they_were_written_or_inside_of_an_object() {
    for (written, expected) in [
        (r#"{"a":1.0,  "b":"\u00e9"}"#, r#"{"a":1.0,  "b":"\u00e9"}"#),
        ("", "{}"),
        (" \n", "{}"),
        (r#"{"path": "a"#, r#"{"malformed":"{\"path\": \"a"}"#),
        ("[1]", r#"{"malformed":"[1]"}"#),
    ] {
        let body = sent(vec![agent("", &[("c", written)]), result("c", "", false)]);
        let arguments = &body["messages"][0]["tool_calls"][0]["function"]["arguments"];
        assert_eq!(arguments, expected, "{written}");
    }
}

// RUN-20
#[test]
fn a_call_without_its_result_is_never_sent() {
    for messages in [
        vec![agent("", &[("a", "{}")])],
        vec![agent("", &[("a", "{}")]), user("Go on")],
        vec![
            agent("", &[("a", "{}"), ("b", "{}")]),
            result("a", "", false),
        ],
        vec![
            agent("", &[("a", "{}")]),
            user("Go on"),
            result("a", "", false),
        ],
        vec![
            agent("", &[("a", "{}")]),
            agent("", &[]),
            result("a", "", false),
        ],
        vec![result("a", "", false)],
        vec![
            agent("", &[("a", "{}")]),
            result("a", "", false),
            result("a", "", false),
        ],
    ] {
        let error = body(&endpoint(), &request(messages.clone())).expect_err("unpaired");
        assert_eq!(error.class, ErrorClass::Internal, "{messages:?}");
    }
}

#[test]
fn what_a_person_adds_is_sent_beside_what_is_ours() {
    let mut endpoint = endpoint();
    let options = json!({"temperature": 0.5, "model": "other", "stream": false, "a": {"b": [1]}});
    endpoint.options = options.as_object().expect("an object").clone();
    let bytes = body(&endpoint, &request(vec![user("Hi")])).expect("it can be sent");
    let sent: Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(
        (&sent["model"], &sent["stream"]),
        (&json!("m"), &json!(true))
    );
    assert_eq!(
        (&sent["temperature"], &sent["a"]),
        (&json!(0.5), &json!({"b": [1]}))
    );
    assert!(bytes.ends_with(br#""a":{"b":[1]},"temperature":0.5}"#));
}

fn along(parts: Vec<RequestPart>) -> RequestMessage {
    RequestMessage::User {
        parts,
        text: "What is it?".to_owned(),
    }
}

/// The form that is documented: a list of `text` and `image_url` with a data URL.
#[test]
fn what_is_given_along_goes_in_these_very_bytes() {
    let message = along(given::samples());
    let bytes = body(&endpoint(), &request(vec![message])).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let wanted = r#"{"role":"user","content":[{"type":"text","text":"<attachment>\ntide\n</attachment>"},{"type":"text","text":"[image: tide.png]"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},{"type":"text","text":"What is it?"}]}"#;
    assert!(text.contains(wanted), "{text}");
    // Not every server takes a list: without an image it is one text.
    let text = given::samples().remove(0);
    let message = sent(vec![along(vec![text])])["messages"][0]["content"].clone();
    assert_eq!(message, "<attachment>\ntide\n</attachment>\n\nWhat is it?");
}
