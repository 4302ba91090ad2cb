//! Which texts are calls, and which only look like them.

use engine::ModelError;
use futures_util::FutureExt;
use protocol::{ErrorClass, Usage};
use serde_json::json;

use super::*;

const READ: &str = r#"{"name": "read_file", "arguments": {"path": "a.txt"}}"#;
const LIST: &str = r#"{"name": "list_files", "arguments": {}}"#;

fn is_tool(name: &str) -> bool {
    matches!(name, "read_file" | "list_files" | "write_file")
}

/// The calls of a text, each as its tool and its arguments, and the text before them.
fn found(text: &str) -> Option<(&str, Vec<(String, String)>)> {
    let (at, calls) = find(text, is_tool)?;
    let calls = calls.into_iter().map(|call| (call.tool, call.arguments));
    Some((&text[..at], calls.collect()))
}

fn read() -> (String, String) {
    ("read_file".to_owned(), r#"{"path": "a.txt"}"#.to_owned())
}

fn list() -> (String, String) {
    ("list_files".to_owned(), "{}".to_owned())
}

#[test]
fn a_call_in_any_of_its_guises_is_a_call() {
    let text_of_object = r#"{"name":"read_file","arguments":"{\"path\": \"a.txt\"}"}"#;
    let parameters = r#"{"type":"function","name":"read_file","parameters":{"path": "a.txt"}}"#;
    let function = r#"{"id":"call_1","type":"function","function":{"name":"read_file","arguments":{"path": "a.txt"}}}"#;
    for text in [
        READ.to_owned(),
        format!("  \n{READ}\n\n"),
        format!("[{READ}]"),
        format!("```json\n{READ}\n```"),
        format!("```\n{READ}\n```\n"),
        format!("``` JSON\r\n{READ}\r\n```\r\n"),
        format!("```tool_call\n{READ}\n```"),
        format!("<tool_call>\n{READ}\n</tool_call>"),
        format!("<tool_call>{READ}</tool_call>"),
        // Some servers take the end of the tag for the end of the reply.
        format!("<tool_call>\n{READ}\n"),
        format!("```\n<tool_call>\n{READ}\n</tool_call>\n```"),
        format!("<think>The file {{\"name\": 1}} first.</think>\n\n{READ}"),
        text_of_object.to_owned(),
        parameters.to_owned(),
        function.to_owned(),
        format!("{{\"tool_calls\": [{function}]}}"),
    ] {
        let (_, calls) = found(&text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(calls, [read()], "{text}");
    }
}

#[test]
fn several_calls_keep_their_order() {
    for text in [
        format!("{READ}\n{LIST}"),
        format!("[{READ}, {LIST}]"),
        format!("<tool_call>{READ}</tool_call>\n<tool_call>{LIST}</tool_call>"),
        format!("```json\n{READ}\n```\n\n```json\n{LIST}\n```"),
        format!("```json\n{READ}\n{LIST}\n```"),
    ] {
        let (_, calls) = found(&text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(calls, [read(), list()], "{text}");
    }
}

#[test]
fn a_model_may_say_what_it_does_before_it_does_it() {
    for call in [
        format!("<tool_call>{READ}</tool_call>"),
        format!("```json\n{READ}\n```"),
    ] {
        let text = format!("I will look at the file.\n\n{call}\n");
        let (before, calls) = found(&text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(calls, [read()]);
        assert_eq!(before, "I will look at the file.\n\n");
    }
}

/// The bytes that are approved are those that the model wrote, with all that is odd about them.
#[test]
fn arguments_are_kept_as_they_were_written() {
    let arguments = r#"{ "path" :"a\u0041</tool_call>``` .txt", "n": 1.50e400 , "path2":{} }"#;
    for text in [
        format!(r#"{{"name":"read_file","arguments":{arguments}}}"#),
        format!(r#"<tool_call>{{"name":"read_file","arguments":{arguments}}}</tool_call>"#),
        format!("```json\n{{\"name\":\"read_file\",\"arguments\":{arguments}}}\n```"),
    ] {
        let (_, calls) = found(&text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(calls, [("read_file".to_owned(), arguments.to_owned())]);
    }
}

#[test]
fn what_only_looks_like_a_call_is_text() {
    let fenced = format!("```json\n{READ}\n```");
    let tagged = format!("<tool_call>{READ}</tool_call>");
    for text in [
        String::new(),
        "No call at all.".to_owned(),
        // Shown in the middle of an explanation.
        format!("A call looks like this:\n{fenced}\nThe path is where the file is."),
        format!("A call looks like this: {tagged} and then the result comes."),
        format!("A call looks like this: {READ}"),
        format!("{READ}\nThat is how it is called."),
        // Beside other listings.
        format!("```python\nprint(1)\n```\n{fenced}"),
        format!("```\nsome text\n```\n\n{fenced}"),
        format!("```python\n{READ}\n```"),
        // Quoted, or not closed.
        format!("```json\n{READ}"),
        format!("````json\n{READ}\n````"),
        format!("```json\n{tagged}\nis a call\n```"),
        format!("`{READ}`"),
        format!("> {READ}"),
        // Not a tool, or none of the request.
        READ.replace("read_file", "send_mail"),
        READ.replace("read_file", "Read_File"),
        READ.replace("read_file", ""),
        // One of two is none.
        format!("{READ}\n{{\"name\": \"x\"}}"),
        format!("[{READ}, {}]", READ.replace("read_file", "send_mail")),
        format!("{tagged}\n<tool_call>so</tool_call>"),
        format!("{fenced}\n```json\n{{\"path\": \"b.txt\"}}\n```"),
        // The arguments are no object, or are not there.
        r#"{"name": "read_file", "arguments": ["a.txt"]}"#.to_owned(),
        r#"{"name": "read_file", "arguments": "a.txt"}"#.to_owned(),
        r#"{"name": "read_file", "arguments": null}"#.to_owned(),
        r#"{"name": "read_file"}"#.to_owned(),
        r#"{"name": "read_file", "arguments": {}, "parameters": {}}"#.to_owned(),
        // It says something else as well, or the same twice.
        r#"{"name": "read_file", "arguments": {}, "description": "Reads a file."}"#.to_owned(),
        r#"{"name": "read_file", "arguments": {}, "type": "object"}"#.to_owned(),
        r#"{"name": "read_file", "name": "write_file", "arguments": {}}"#.to_owned(),
        // Cut off, or no JSON.
        READ[..READ.len() - 2].to_owned(),
        format!("<tool_call>{}", &READ[..READ.len() - 1]),
        r#"{name: "read_file", arguments: {}}"#.to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        "<tool_call></tool_call>".to_owned(),
        "<tool_call>".to_owned(),
        "```json\n\n```".to_owned(),
        "<think>".to_owned(),
        format!("<think>{READ}"),
    ] {
        assert_eq!(found(&text), None, "{text}");
    }
}

#[test]
fn what_is_hostile_is_text() {
    let deep = format!("{}{READ}{}", "[".repeat(100_000), "]".repeat(100_000));
    let nested = r#"{"function":"#.repeat(50_000);
    let many = format!("[{READ}{}]", format!(",{READ}").repeat(10_000));
    for text in [
        deep,
        nested,
        many,
        "```\n".repeat(100_000),
        TAGS.repeat(10_000),
    ] {
        assert_eq!(found(&text), None);
    }
    // Wherever a text is cut, it is no call and no panic.
    let whole = format!("Ö <tool_call>{READ}</tool_call> ```json\n{READ}\n``` ü");
    for (at, _) in whole.char_indices() {
        assert_eq!(
            found(&whole[..at]).is_some(),
            is_whole(&whole[..at]),
            "{at}"
        );
    }
}

const TAGS: &str = "<tool_call><tool_call>";

/// With the call and nothing after it.
fn is_whole(text: &str) -> bool {
    let (start, end) = (text.find('{'), text.find("}}"));
    let after = end.map(|end| text[end + 2..].trim());
    start.is_some() && after.is_some_and(|after| after.is_empty() || after == "</tool_call>")
}

fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({}),
    };
    vec![tool("read_file"), tool("list_files")]
}

fn text(kind: BlockKind, text: &str) -> Result<ModelEvent, ModelError> {
    Ok(ModelEvent::Text {
        block: 0,
        kind,
        text: text.to_owned(),
    })
}

fn finished(ending: Ending) -> Result<ModelEvent, ModelError> {
    Ok(ModelEvent::Finished {
        usage: Usage::default(),
        ending,
        native: None,
    })
}

fn call(tool: &str, arguments: &str) -> Result<ModelEvent, ModelError> {
    Ok(ModelEvent::Call {
        id: String::new(),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
    })
}

fn all(
    events: Vec<Result<ModelEvent, ModelError>>,
    tools: &[ToolSpec],
) -> Vec<Result<ModelEvent, ModelError>> {
    let heard = heard(Box::pin(stream::iter(events)), tools).collect();
    FutureExt::now_or_never(heard).expect("all is there")
}

/// What was streamed stays as it is; the call comes before the end.
#[test]
fn a_written_call_is_heard_at_the_end_of_the_reply() {
    let (first, second) = READ.split_at(20);
    let said = vec![
        text(BlockKind::Reasoning, "Which file?"),
        text(BlockKind::Text, first),
        text(BlockKind::Text, second),
        Ok(ModelEvent::BlockEnded),
        finished(Ending::Complete),
    ];
    let mut expected = said.clone();
    expected.insert(4, call("read_file", r#"{"path": "a.txt"}"#));
    assert_eq!(all(said.clone(), &tools()), expected);
    // Nobody offered a tool.
    assert_eq!(all(said.clone(), &[]), said);
}

#[test]
fn a_reply_with_a_call_of_its_own_a_cut_or_an_error_has_none() {
    let written = || text(BlockKind::Text, READ);
    for said in [
        vec![
            written(),
            call("list_files", "{}"),
            finished(Ending::Complete),
        ],
        vec![written(), finished(Ending::Length)],
        vec![
            written(),
            Err(ModelError::new(ErrorClass::Network, "It broke.")),
        ],
        vec![written()],
        vec![text(BlockKind::Reasoning, READ), finished(Ending::Complete)],
        vec![
            text(BlockKind::Text, &" ".repeat(MOST_BYTES)),
            written(),
            finished(Ending::Complete),
        ],
    ] {
        assert_eq!(all(said.clone(), &tools()), said);
    }
}

#[test]
fn the_model_is_not_told_the_same_call_twice() {
    let made = |arguments: &str| RequestCall {
        id: "1".to_owned(),
        tool: "read_file".to_owned(),
        arguments: arguments.to_owned(),
    };
    let same = || [made(r#"{"path": "a.txt"}"#)];
    let written = format!("I look.\n<tool_call>{READ}</tool_call>");
    assert_eq!(text_beside(&written, &same()), "I look.");
    assert_eq!(text_beside(READ, &same()), "");
    for (text, calls) in [
        ("I look.", same().to_vec()),
        // A person has changed it, or there are others.
        (READ, vec![made("{}")]),
        (READ, [same(), same()].concat()),
        (READ, Vec::new()),
    ] {
        assert_eq!(text_beside(text, &calls), text);
    }
}
