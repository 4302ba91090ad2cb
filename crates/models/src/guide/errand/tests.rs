//! What the guide does next.

use engine::{RequestCall, ToolSpec};
use serde_json::{Value, json};

use super::*;

fn request(question: &str, tools: &[&str]) -> ModelRequest {
    let tools = tools.iter().map(|name| ToolSpec {
        name: (*name).to_owned(),
        description: String::new(),
        parameters: json!({}),
    });
    ModelRequest {
        model: "guide".to_owned(),
        instructions: None,
        messages: vec![RequestMessage::User {
            parts: Vec::new(),
            text: question.to_owned(),
        }]
        .into(),
        tools: tools.collect(),
    }
}

const ALL: &[&str] = &["list_files", "read_file", "write_file"];

/// The call is made, and this comes back.
fn answer(request: &mut ModelRequest, turn: &Turn, text: &str, is_error: bool) {
    let step = turn.call.expect("a call");
    let id = format!("c{}", request.messages.len());
    std::sync::Arc::make_mut(&mut request.messages).push(RequestMessage::Agent {
        native: None,
        text: turn.text.clone(),
        calls: vec![RequestCall {
            id: id.clone(),
            tool: step.tool.to_owned(),
            arguments: step.arguments.to_owned(),
        }],
    });
    std::sync::Arc::make_mut(&mut request.messages).push(RequestMessage::Result {
        call_id: id,
        tool: step.tool.to_owned(),
        text: text.to_owned(),
        is_error,
    });
}

fn next(errand: Errand, request: &ModelRequest) -> Turn {
    errand.next(request).expect("something to do")
}

#[test]
fn messages_find_their_errand() {
    for (question, expected) in [
        ("Show me tools", Some(Errand::Look)),
        ("list the files", Some(Errand::Look)),
        ("Write a note, please!", Some(Errand::Note)),
        ("show me an approval", Some(Errand::Note)),
        ("Give me the tour.", Some(Errand::Tour)),
        ("Let me practise stop and resume", Some(Errand::Practise)),
        ("show me how to stop", Some(Errand::Practise)),
        ("how do I stop a reply", None),
        ("What are tools?", None),
        ("Where are my files kept?", None),
        ("Tell me a long story about the sea", None),
        ("show me a table and some code", None),
        ("What happens if I pull the plug?", None),
        ("", None),
    ] {
        assert_eq!(Errand::asked_for(question), expected, "{question}");
    }
}

#[test]
fn the_tour_looks_writes_and_reads_and_then_ends() {
    let mut request = request("tour", ALL);
    let mut called = Vec::new();
    for result in ["a.txt", "Wrote guide-note.md", "# A note from the guide"] {
        let turn = next(Errand::Tour, &request);
        assert_eq!(next(Errand::Tour, &request), turn, "the same for the same");
        called.extend(turn.call.map(|step| step.tool));
        answer(&mut request, &turn, result, false);
    }
    assert_eq!(called, ["list_files", "write_file", "read_file"]);
    let end = next(Errand::Tour, &request);
    assert_eq!(end.call, None);
    assert!(end.text.contains("# A note from the guide"), "{}", end.text);
}

#[test]
fn a_call_that_was_denied_or_failed_ends_it_with_what_came_back() {
    for text in [
        "The person denied this call: not today",
        "The disk is full.",
    ] {
        let mut request = request("write a note", ALL);
        let turn = next(Errand::Note, &request);
        assert_eq!(turn.call.map(|step| step.tool), Some("write_file"));
        answer(&mut request, &turn, text, true);
        let end = next(Errand::Note, &request);
        assert_eq!(end.call, None);
        assert!(end.text.contains("not carried out") && end.text.contains(text));
    }
}

#[test]
fn the_next_message_begins_anew() {
    let mut request = request("show me tools", ALL);
    let turn = next(Errand::Look, &request);
    answer(&mut request, &turn, "a.txt", false);
    assert_eq!(next(Errand::Look, &request).call, None);
    std::sync::Arc::make_mut(&mut request.messages).push(RequestMessage::User {
        parts: Vec::new(),
        text: "show me tools".to_owned(),
    });
    assert_eq!(next(Errand::Look, &request), turn);
}

#[test]
fn only_tools_that_are_there_are_called() {
    assert_eq!(Errand::Look.next(&request("", &["write_file"])), None);
    assert_eq!(Errand::Note.next(&request("", &["read_file"])), None);
    assert_eq!(Errand::Tour.next(&request("", &[])), None);
    let mut request = request("", &["write_file"]);
    let turn = next(Errand::Note, &request);
    answer(&mut request, &turn, "Wrote it.", false);
    let end = next(Errand::Note, &request);
    assert_eq!(end.call, None, "there is no way to read it back");
    assert!(end.text.contains("Wrote it."));
}

#[test]
fn arguments_are_objects() {
    for step in Errand::Tour.steps() {
        let arguments: Value = serde_json::from_str(step.arguments).expect(step.tool);
        assert!(arguments.is_object());
    }
}

#[test]
fn a_result_stays_inside_of_its_quotation() {
    assert_eq!(quoted("a\n```\nb\n"), "````text\na\n```\nb\n````");
    let long = "line\n".repeat(1_000);
    assert_eq!(quoted(&long).lines().count(), SHOWN_LINES + 3);
    assert!(quoted(&"ü".repeat(10_000)).chars().count() < SHOWN_CHARS + 20);
}

#[test]
fn a_practice_needs_no_tools_and_lasts_long_enough_to_be_stopped() {
    let turn = next(Errand::Practise, &request("practise stop", &[]));
    assert_eq!(turn.call, None);
    assert!(turn.text.split_whitespace().count() > 150, "{}", turn.text);
    for word in ["Esc", "Stop", "Resume", "Discard", "resume panel"] {
        assert!(turn.text.contains(word), "{word}");
    }
}
