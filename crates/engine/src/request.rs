//! Building what a model is asked: pure, so that the same state gives the same bytes.

#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod weight;
pub(crate) mod window;

use std::collections::HashMap;
use std::sync::Arc;

use protocol::{Message, MessageId, MessageStatus, Native, Role, ToolResult};
use store::{CallRow, MessageRow};

use crate::attachment;
use crate::model::{ModelRequest, RequestCall, RequestMessage, RequestPart};
use crate::pin::Pin;

/// What a model is asked: what was pinned to the run, and the session as it is told.
pub(crate) fn build(model: &str, pin: Pin, messages: Arc<Vec<RequestMessage>>) -> ModelRequest {
    ModelRequest {
        model: model.to_owned(),
        instructions: pin.instructions,
        messages,
        tools: pin.tools,
    }
}

/// How a model is told what earlier messages said, in their place.
pub(crate) fn summarised(summary: &str) -> String {
    format!(
        "[The earlier messages of this session no longer fit. This is a summary of them, written by \
         the model:]\n\n{summary}\n\n[End of the summary.]"
    )
}

/// How messages and their calls are told to a model, message by message.
/// Partial messages are for the person: nothing is told of them, and a model that is asked again
/// starts from what is whole. Every call is followed by its result; a call that has none never gets
/// this far, because nothing goes on past one.
pub(crate) fn tell_each<'a>(
    messages: &'a [MessageRow],
    calls: &[CallRow],
) -> Vec<(&'a Message, Vec<RequestMessage>)> {
    let mut by_message: HashMap<MessageId, Vec<&CallRow>> = HashMap::new();
    for call in calls {
        by_message
            .entry(call.view.message_id)
            .or_default()
            .push(call);
    }
    let mut built = Vec::with_capacity(messages.len());
    for row in messages {
        let MessageRow {
            message, native, ..
        } = row;
        let mut told = Vec::new();
        if message.status == MessageStatus::Complete {
            let text = message.text();
            match message.role {
                Role::User => told.push(RequestMessage::User {
                    parts: parts(row),
                    text,
                }),
                Role::Agent => {
                    let calls = by_message.remove(&message.message_id).unwrap_or_default();
                    push_agent(&mut told, text, native.clone(), &calls);
                }
            }
        }
        built.push((message, told));
    }
    built
}

/// What was given along with a message, in order.
fn parts(row: &MessageRow) -> Vec<RequestPart> {
    let attachments = row.message.attachments.iter().enumerate();
    attachments
        .map(|(place, view)| {
            let content = row.contents.get(place).and_then(Option::as_ref);
            attachment::told(view, content)
        })
        .collect()
}

fn push_agent(
    built: &mut Vec<RequestMessage>,
    text: String,
    native: Option<Arc<Native>>,
    calls: &[&CallRow],
) {
    built.push(RequestMessage::Agent {
        text,
        calls: calls.iter().map(|call| request_call(call)).collect(),
        native,
    });
    for call in calls {
        built.push(RequestMessage::Result {
            call_id: call.provider_id.clone(),
            tool: call.view.tool.clone(),
            text: result_text(call),
            is_error: call
                .view
                .result
                .as_ref()
                .is_none_or(|result| result.is_error),
        });
    }
}

/// What the model wrote, where that is an object: a provider would refuse anything else.
fn request_call(call: &CallRow) -> RequestCall {
    let written = call
        .view
        .proposed_arguments
        .as_ref()
        .unwrap_or(&call.view.arguments);
    let is_object = serde_json::from_str::<serde_json::Map<_, _>>(written).is_ok();
    RequestCall {
        id: call.provider_id.clone(),
        tool: call.view.tool.clone(),
        arguments: if is_object {
            written.clone()
        } else {
            "{}".to_owned()
        },
    }
}

fn result_text(call: &CallRow) -> String {
    let Some(result) = &call.view.result else {
        return "This call has no result.".to_owned();
    };
    let mut text = shown(call, result);
    if call.view.proposed_arguments.is_some() {
        let arguments = &call.view.arguments;
        text =
            format!("The person changed the arguments to {arguments} before this ran.\n\n{text}");
    }
    text
}

/// The result, with what is left out and how to read it.
fn shown(call: &CallRow, result: &ToolResult) -> String {
    let shown = result.text.len() as u64;
    if shown >= result.total_bytes {
        return result.text.clone();
    }
    format!(
        "{}\n\n[bytes 0 to {shown} of {}; read on with read_result, call_id {}, offset {shown}]",
        result.text, result.total_bytes, call.view.call_id
    )
}
