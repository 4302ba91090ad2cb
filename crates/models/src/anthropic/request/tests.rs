//! What is sent.

use std::sync::Arc;

use engine::RequestCall;
use protocol::{ErrorClass, Native};
use serde_json::json;

use super::*;
use crate::given;
use engine::RequestPart;

/// A thought, text, and a call of `read_file`, as the model wrote them.
const ITEMS: &str = r#"[{"signature":"c2ln","thinking":"Hm. ","type":"thinking"},{"text":"I look.","type":"text"},{"id":"toolu_1","input":{ "path":  "a" },"name":"read_file","type":"tool_use"}]"#;

fn endpoint() -> Endpoint {
    Endpoint::new("https://a.example/v1", "claude-x")
}

fn user(text: &str) -> RequestMessage {
    RequestMessage::User {
        parts: Vec::new(),
        text: text.to_owned(),
    }
}

fn native(model: &str, items: &str) -> Option<Arc<Native>> {
    Some(Arc::new(Native {
        dialect: super::super::DIALECT.to_owned(),
        model: model.to_owned(),
        items: items.to_owned(),
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
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "Reads.".to_owned(),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
    };
    ModelRequest {
        model: "our-id".to_owned(),
        instructions: Some("Be brief.".to_owned()),
        messages: messages.into(),
        tools: vec![tool("list_files"), tool("read_file")],
    }
}

fn bytes(messages: Vec<RequestMessage>) -> String {
    let bytes = body(&endpoint(), &request(messages)).expect("it can be sent");
    String::from_utf8(bytes).expect("text")
}

fn sent(messages: Vec<RequestMessage>) -> Value {
    serde_json::from_str(&bytes(messages)).expect("JSON")
}

/// The session of the tests: two calls, then one in the model's own words.
fn session() -> Vec<RequestMessage> {
    vec![
        user("Read \"a\"\n"),
        agent(
            "",
            &[("toolu_a", r#"{"path":"a"}"#), ("toolu_b", "{}")],
            None,
        ),
        result("toolu_a", "ü", false),
        result("toolu_b", "No.", true),
        agent(
            "I look.",
            &[("toolu_1", r#"{ "path":  "a" }"#)],
            native("claude-x", ITEMS),
        ),
        result("toolu_1", "", false),
    ]
}

// RUN-20
#[test]
fn the_same_request_gives_these_very_bytes() {
    let expected = concat!(
        r#"{"model":"claude-x","max_tokens":32000,"#,
        r#""system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"#,
        r#""tools":[{"name":"list_files","description":"Reads.","input_schema":{"properties":{"path":{"type":"string"}},"type":"object"}},"#,
        r#"{"name":"read_file","description":"Reads.","input_schema":{"properties":{"path":{"type":"string"}},"type":"object"},"cache_control":{"type":"ephemeral"}}],"#,
        r#""messages":[{"role":"user","content":[{"type":"text","text":"Read \"a\"\n"}]},"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"toolu_a","name":"read_file","input":{"path":"a"}},"#,
        r#"{"type":"tool_use","id":"toolu_b","name":"read_file","input":{}}]},"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a","content":"ü"},"#,
        r#"{"type":"tool_result","tool_use_id":"toolu_b","content":"No.","is_error":true,"cache_control":{"type":"ephemeral"}}]},"#,
        r#"{"role":"assistant","content":[{"signature":"c2ln","thinking":"Hm. ","type":"thinking"},{"text":"I look.","type":"text"},"#,
        r#"{"id":"toolu_1","input":{ "path":  "a" },"name":"read_file","type":"tool_use"}]},"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"","cache_control":{"type":"ephemeral"}}]}],"#,
        r#""stream":true}"#,
    );
    for _ in 0..2 {
        assert_eq!(bytes(session()), expected);
    }
}

/// The elements of a list in the body, each as it was written, without its cache marks.
fn elements(body: &str, list: &str) -> Vec<String> {
    let lists: std::collections::BTreeMap<String, &serde_json::value::RawValue> =
        serde_json::from_str(body).expect("an object");
    let elements: Vec<&serde_json::value::RawValue> =
        serde_json::from_str(lists[list].get()).expect("a list");
    let plain = |raw: &&serde_json::value::RawValue| {
        raw.get()
            .replace(r#","cache_control":{"type":"ephemeral"}"#, "")
    };
    elements.iter().map(plain).collect()
}

// RUN-20
#[test]
fn what_was_sent_is_at_the_head_of_what_is_sent_next() {
    let mut all = session();
    all.extend([
        agent("Done.", &[], None),
        user("And b?"),
        agent("", &[("toolu_9", "{}")], None),
    ]);
    all.extend([
        result("toolu_9", "b", false),
        agent("Two.", &[], None),
        user("Thanks"),
    ]);
    // The requests of each step: they end with the person, or with all results of a reply.
    let steps = [1, 4, 6, 8, 10, 12].map(|count| bytes(all[..count].to_vec()));
    for pair in steps.windows(2) {
        for list in ["system", "tools"] {
            assert_eq!(elements(&pair[0], list), elements(&pair[1], list));
        }
        let (before, after) = (
            elements(&pair[0], "messages"),
            elements(&pair[1], "messages"),
        );
        assert!(before.len() < after.len());
        assert_eq!(before[..], after[..before.len()]);
    }
}

#[test]
fn at_most_four_places_are_marked_and_the_last_but_one_is_the_end_of_the_step_before() {
    let all = session();
    let marks = |count: usize| {
        let body = sent(all[..count].to_vec());
        let messages = body["messages"].as_array().expect("a list").clone();
        let is_marked = |message: &Value| {
            let blocks = message["content"].as_array().expect("blocks");
            blocks.iter().any(|block| !block["cache_control"].is_null())
        };
        let marked: Vec<usize> = (0..messages.len())
            .filter(|at| is_marked(&messages[*at]))
            .collect();
        let total = body.to_string().matches("cache_control").count();
        (marked, total)
    };
    assert_eq!(marks(1), (vec![0], 3));
    assert_eq!(marks(4), (vec![0, 2], 4));
    assert_eq!(marks(6), (vec![2, 4], 4));
    let bare = ModelRequest {
        instructions: None,
        tools: Vec::new(),
        ..request(vec![user("Hi")])
    };
    let body = body(&endpoint(), &bare).expect("good");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(body.get("system").or(body.get("tools")), None);
}

#[test]
fn words_of_another_model_or_dialect_are_told_in_ours() {
    let other = native("claude-y", ITEMS);
    let mut foreign = native("claude-x", ITEMS).expect("some").as_ref().clone();
    foreign.dialect = "responses".to_owned();
    for native in [
        other,
        Some(Arc::new(foreign)),
        native("claude-x", "[1]"),
        None,
    ] {
        let messages = vec![
            user("Hi"),
            agent("I look.", &[("toolu_1", r#"{ "path":  "a" }"#)], native),
            result("toolu_1", "x", false),
        ];
        let content = &sent(messages)["messages"][1]["content"];
        assert_eq!(content.as_array().expect("blocks").len(), 2, "{content}");
        assert_eq!(content[0], json!({"type": "text", "text": "I look."}));
        assert_eq!(content[1]["id"], "toolu_1");
    }
}

// RUN-20
#[test]
fn a_call_that_was_stored_otherwise_is_told_as_it_was_stored_among_its_thoughts() {
    for (id, arguments) in [("call_7", r#"{ "path":  "a" }"#), ("toolu_1", "{}")] {
        let messages = vec![
            user("Hi"),
            agent("I look.", &[(id, arguments)], native("claude-x", ITEMS)),
            result(id, "x", false),
        ];
        let body = sent(messages);
        let content = &body["messages"][1]["content"];
        assert_eq!(content[0]["signature"], "c2ln");
        assert_eq!(content[1]["text"], "I look.");
        assert_eq!(content[2]["id"], id);
        let expected: Value = serde_json::from_str(arguments).expect("JSON");
        assert_eq!(content[2]["input"], expected);
        assert_eq!(body["messages"][2]["content"][0]["tool_use_id"], id);
    }
}

#[test]
fn words_that_say_something_else_are_not_sent() {
    let call = ("toolu_1", "{}");
    for (text, calls) in [
        ("I look elsewhere.", &[call][..]),
        ("I look.", &[][..]),
        ("I look.", &[call, ("toolu_2", "{}")][..]),
        ("", &[call][..]),
    ] {
        let mut messages = vec![user("Hi"), agent(text, calls, native("claude-x", ITEMS))];
        messages.extend(calls.iter().map(|(id, _)| result(id, "x", false)));
        messages.push(user("Go on"));
        let text = bytes(messages);
        assert!(!text.contains("c2ln"), "{text}");
    }
    // Blank blocks, and how blocks are joined, do not matter.
    let items = r#"[{"type":"thinking","thinking":"","signature":"c2ln"},{"type":"text","text":"I\n"},{"type":"text","text":"look."}]"#;
    let messages = vec![
        user("Hi"),
        agent("I\n\n\n\n \n\nlook.", &[], native("claude-x", items)),
        user("Go on"),
    ];
    assert!(bytes(messages).contains("c2ln"));
}

#[test]
fn a_message_without_words_is_not_told() {
    let items = r#"[{"type":"thinking","thinking":"Hm.","signature":"c2ln"}]"#;
    let silent = agent(" \n", &[], native("claude-x", items));
    let body = sent(vec![user("Hi"), silent, user("Go on")]);
    let roles: Vec<&Value> = body["messages"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|m| &m["role"])
        .collect();
    assert_eq!(roles, ["user", "user"]);
}

#[test]
fn ids_and_names_of_other_providers_are_made_to_fit() {
    let odd = "functions.read:0";
    let mut call = agent("", &[(odd, "[1]")], None);
    if let RequestMessage::Agent { calls, .. } = &mut call {
        calls[0].tool = "read file!".to_owned();
    }
    let body = sent(vec![user("Hi"), call, result(odd, "x", false)]);
    let (used, given) = (
        &body["messages"][1]["content"][0],
        &body["messages"][2]["content"][0],
    );
    assert_eq!(used["id"], given["tool_use_id"]);
    let is_good = |text: &Value| {
        text.as_str()
            .expect("text")
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
    };
    assert!(is_good(&used["id"]) && is_good(&used["name"]), "{used}");
    assert_eq!(used["input"], json!({"malformed": "[1]"}));
}

// RUN-20
#[test]
fn a_call_and_its_result_have_one_id_in_any_words() {
    let odd = "functions.read_file:0";
    let items = ITEMS.replace("toolu_1", odd);
    let said = agent(
        "I look.",
        &[(odd, r#"{ "path":  "a" }"#)],
        native("claude-x", &items),
    );
    let messages = &sent(vec![user("Hi"), said, result(odd, "x", false)])["messages"];
    assert_eq!(messages[1]["content"][0]["signature"], "c2ln");
    let (used, given) = (&messages[1]["content"][2], &messages[2]["content"][0]);
    assert_eq!(used["id"], given["tool_use_id"]);
}

#[test]
fn what_a_person_chooses_is_sent_and_what_is_ours_stays() {
    let mut endpoint = endpoint();
    endpoint.max_output_tokens = Some(64_000);
    let options = json!({"thinking": {"type": "adaptive"}, "stream": false, "max_tokens": 1});
    endpoint.options = options.as_object().expect("an object").clone();
    let bytes = body(&endpoint, &request(vec![user("Hi")])).expect("good");
    let sent: Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(sent["thinking"], json!({"type": "adaptive"}));
    assert_eq!(
        (&sent["stream"], &sent["max_tokens"]),
        (&json!(true), &json!(64_000))
    );
    // What newer versions refuse even at its default is never sent by itself.
    for name in ["temperature", "top_p", "top_k"] {
        assert_eq!(sent.get(name), None);
    }
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

/// The form that is documented: an `image` block with a `base64` source.
#[test]
fn what_is_given_along_goes_in_these_very_bytes() {
    let message = along(given::samples());
    let bytes = body(&endpoint(), &request(vec![message])).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let wanted = r#"{"role":"user","content":[{"type":"text","text":"<attachment>\ntide\n</attachment>"},{"type":"text","text":"[image: tide.png]"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},{"type":"text","text":"What is it?","cache_control":{"type":"ephemeral"}}]}"#;
    assert!(text.contains(wanted), "{text}");
}
