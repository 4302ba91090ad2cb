//! RUN-20: the same state gives the same bytes, and every call has its result.

use protocol::{
    Block, BlockKind, CallId, CallStatus, EffectClass, ErrorClass, Message, MessageId,
    MessageStatus, Role, RunId, SessionId, ToolCallView, ToolResult,
};
use store::{CallRow, MessageRow};
use uuid::Uuid;

use super::{build, tell_each};
use crate::model::RequestMessage;
use crate::pin::Pin;
use crate::tool::ToolSpec;

fn message(number: u64, role: Role, status: MessageStatus, text: &str) -> Message {
    Message {
        message_id: message_id(number),
        position: number,
        branch: 0,
        role,
        status,
        blocks: vec![
            Block {
                kind: BlockKind::Reasoning,
                text: "hm".to_owned(),
            },
            Block {
                kind: BlockKind::Text,
                text: text.to_owned(),
            },
        ],
        attachments: Vec::new(),
        run_id: None,
        step_id: None,
        attempt: None,
        model: None,
        ending: protocol::Ending::Complete,
        created_at_ms: 1,
    }
}

fn message_id(number: u64) -> MessageId {
    MessageId::from_uuid(Uuid::from_u128(u128::from(number)))
}

/// A call of this message that gave back `text`.
pub(crate) fn call(of: u64, ordinal: u32, text: &str) -> CallRow {
    CallRow {
        view: ToolCallView {
            call_id: CallId::from_uuid(Uuid::from_u128(u128::from(of * 100) + u128::from(ordinal))),
            session_id: SessionId::from_uuid(Uuid::nil()),
            run_id: RunId::from_uuid(Uuid::nil()),
            message_id: message_id(of),
            ordinal,
            tool: "read_file".to_owned(),
            arguments: r#"{"path": "a"}"#.to_owned(),
            proposed_arguments: None,
            effect: EffectClass::Read,
            status: CallStatus::Completed,
            verdict: None,
            preview: None,
            approval: None,
            doubt: None,
            result: Some(ToolResult {
                text: text.to_owned(),
                is_error: false,
                class: None,
                total_bytes: text.len() as u64,
            }),
            files: Vec::new(),
            bodies: 1,
            created_at_ms: 1,
            started_at_ms: None,
            ended_at_ms: None,
        },
        revision: 1,
        provider_id: format!("id-{of}-{ordinal}"),
        tool_hash: None,
        resources: Vec::new(),
        digest: None,
        detail: None,
        step_id: None,
        attempt: 1,
    }
}

fn history() -> (Vec<Message>, Vec<CallRow>) {
    let messages = vec![
        message(1, Role::User, MessageStatus::Complete, "When?"),
        message(2, Role::Agent, MessageStatus::Complete, ""),
        message(3, Role::Agent, MessageStatus::Partial, "At n"),
        message(4, Role::Agent, MessageStatus::Unreadable, "?"),
        message(
            5,
            Role::Agent,
            MessageStatus::Complete,
            "Let me look again.",
        ),
        message(6, Role::User, MessageStatus::Complete, "Go on."),
        message(7, Role::Agent, MessageStatus::Complete, "At noon."),
    ];
    let calls = vec![call(2, 0, "a"), call(2, 1, "b"), call(5, 0, "c")];
    (messages, calls)
}

fn built(messages: &[Message], calls: &[CallRow]) -> Vec<RequestMessage> {
    let rows: Vec<MessageRow> = messages
        .iter()
        .map(|message| MessageRow {
            message: message.clone(),
            native: None,
            contents: Vec::new(),
        })
        .collect();
    let told = tell_each(&rows, calls).into_iter();
    told.flat_map(|(_, told)| told).collect()
}

/// The text of the only result.
fn only_result(call: CallRow) -> (String, bool) {
    let of = [message(2, Role::Agent, MessageStatus::Complete, "")];
    let built = built(&of, &[call]);
    let [
        RequestMessage::Agent { .. },
        RequestMessage::Result { text, is_error, .. },
    ] = &built[..]
    else {
        panic!("{built:?}")
    };
    (text.clone(), *is_error)
}

#[test]
fn the_same_state_gives_the_same_request() {
    let (messages, calls) = history();
    let pin = Pin {
        instructions: Some("Be brief.".to_owned()),
        tools: vec![ToolSpec {
            name: "read_file".to_owned(),
            description: "Reads.".to_owned(),
            parameters: serde_json::json!({"type": "object"}),
        }],
        limits: protocol::RunLimits::default(),
    };
    let asked = || build("model-a", pin.clone(), built(&messages, &calls).into());
    let first = asked();
    assert_eq!(first, asked());
    assert_eq!(first.model, "model-a");
    assert_eq!(first.instructions, pin.instructions);
    assert_eq!(first.tools, pin.tools);
}

#[test]
fn every_call_is_followed_by_its_one_result_right_after_its_message() {
    let (messages, calls) = history();
    let mut open: Vec<String> = Vec::new();
    let mut paired = 0;
    for message in built(&messages, &calls) {
        match message {
            RequestMessage::Agent { calls, .. } => {
                assert!(open.is_empty(), "unpaired: {open:?}");
                open = calls.into_iter().map(|call| call.id).collect();
            }
            RequestMessage::Result { call_id, .. } => {
                assert_eq!(open.remove(0), call_id, "in the order of the calls");
                paired += 1;
            }
            RequestMessage::User { .. } => assert!(open.is_empty(), "unpaired: {open:?}"),
        }
    }
    assert!(open.is_empty());
    assert_eq!(paired, calls.len());
}

#[test]
fn what_is_not_whole_is_left_out_with_its_calls() {
    let (messages, mut calls) = history();
    calls.push(call(3, 0, "never"));
    let text = format!("{:?}", built(&messages, &calls));
    assert!(!text.contains("At n\""), "{text}");
    assert!(!text.contains("never"), "{text}");
    assert!(!text.contains("hm"), "reasoning is not sent back: {text}");
}

#[test]
fn a_call_of_a_message_that_is_not_there_is_left_out() {
    let calls = [call(9, 0, "elsewhere")];
    let messages = [message(1, Role::User, MessageStatus::Complete, "When?")];
    assert_eq!(built(&messages, &calls).len(), 1);
}

#[test]
fn the_model_sees_what_it_wrote_and_what_ran_instead() {
    let mut edited = call(2, 0, "done");
    edited.view.proposed_arguments = Some(r#"{"path": "b"}"#.to_owned());
    let of = [message(2, Role::Agent, MessageStatus::Complete, "")];
    let built = built(&of, std::slice::from_ref(&edited));
    let RequestMessage::Agent { calls, .. } = &built[0] else {
        panic!("{built:?}")
    };
    assert_eq!(calls[0].arguments, r#"{"path": "b"}"#);
    let (text, _) = only_result(edited);
    assert!(
        text.contains(r#"changed the arguments to {"path": "a"}"#),
        "{text}"
    );
    assert!(text.ends_with("\n\ndone"), "{text}");
}

#[test]
fn arguments_are_sent_back_exactly_unless_a_provider_would_refuse_them() {
    for (arguments, expected) in [
        (r#"{ "path" : "a" }"#, r#"{ "path" : "a" }"#),
        ("{}", "{}"),
        ("", "{}"),
        ("[1]", "{}"),
        ("\"a\"", "{}"),
        ("{\"path\":", "{}"),
        ("{} {}", "{}"),
    ] {
        let mut call = call(2, 0, "done");
        arguments.clone_into(&mut call.view.arguments);
        let of = [message(2, Role::Agent, MessageStatus::Complete, "")];
        let built = built(&of, &[call]);
        let RequestMessage::Agent { calls, .. } = &built[0] else {
            panic!("{built:?}")
        };
        assert_eq!(calls[0].arguments, expected, "{arguments}");
    }
}

// EFF-6
#[test]
fn a_cut_result_says_the_range_the_total_and_how_to_read_on() {
    let mut long = call(2, 0, "ebb");
    long.view.result.as_mut().unwrap().total_bytes = 70_000;
    let id = long.view.call_id;
    let (text, is_error) = only_result(long);
    assert!(!is_error);
    assert_eq!(
        text,
        format!("ebb\n\n[bytes 0 to 3 of 70000; read on with read_result, call_id {id}, offset 3]")
    );
    assert_eq!(
        only_result(call(2, 0, "[error] ebb")),
        ("[error] ebb".to_owned(), false)
    );
}

// EFF-6
#[test]
fn failure_is_a_flag_and_a_call_without_a_result_is_one() {
    let mut failed = call(2, 0, "ok");
    failed.view.result.as_mut().unwrap().is_error = true;
    failed.view.result.as_mut().unwrap().class = Some(ErrorClass::Tool);
    assert_eq!(only_result(failed), ("ok".to_owned(), true));
    let mut none = call(2, 0, "");
    none.view.result = None;
    assert!(only_result(none).1);
}
