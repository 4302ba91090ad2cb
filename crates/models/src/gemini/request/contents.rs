//! The session as the provider reads it: contents of parts, by turns of the person and the model.

use std::borrow::Cow;

use engine::{RequestCall, RequestMessage};
use protocol::Native;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::super::parts::{self, Sent};
use crate::given::{self, Piece};
use crate::replay;

/// What one side said.
#[derive(Serialize)]
pub(super) struct Content<'a> {
    role: &'static str,
    parts: Vec<Cow<'a, RawValue>>,
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InlineDataPart<'a> {
    inline_data: InlineData<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InlineData<'a> {
    mime_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FunctionCallPart<'a> {
    function_call: FunctionCall<'a>,
}

#[derive(Serialize)]
struct FunctionCall<'a> {
    id: &'a str,
    name: &'a str,
    args: Cow<'a, RawValue>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FunctionResponsePart<'a> {
    function_response: FunctionResponse<'a>,
}

#[derive(Serialize)]
struct FunctionResponse<'a> {
    // Only where the call was sent with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    response: Response<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Response<'a> {
    Output(&'a str),
    Error(&'a str),
}

/// All of them. The results of a reply's calls are one content: the provider counts them.
pub(super) fn of<'a>(
    model: &str,
    messages: &'a [RequestMessage],
) -> Result<Vec<Content<'a>>, serde_json::Error> {
    let mut told = Told::default();
    for message in messages {
        told.add(model, message)?;
    }
    told.end_results();
    Ok(told.contents)
}

#[derive(Default)]
struct Told<'a> {
    contents: Vec<Content<'a>>,
    /// Of the last reply's calls: the ids as they are told, and as they were sent.
    ids: Vec<(&'a str, Option<String>)>,
    /// Of those calls, as far as they were told.
    results: Vec<Cow<'a, RawValue>>,
}

impl<'a> Told<'a> {
    fn add(&mut self, model: &str, message: &'a RequestMessage) -> Result<(), serde_json::Error> {
        match message {
            RequestMessage::User { parts, text } => {
                let pieces = given::pieces(parts, text);
                let parts: Result<Vec<_>, _> = pieces.iter().map(piece).collect();
                self.push("user", parts?);
            }
            RequestMessage::Agent {
                text,
                calls,
                native,
            } => {
                let Sent { parts, call_ids } = agent(model, text, calls, native.as_deref())?;
                self.push("model", parts);
                let told = calls.iter().map(|call| call.id.as_str());
                self.ids = told.zip(call_ids).collect();
            }
            RequestMessage::Result {
                call_id,
                tool,
                text,
                is_error,
            } => {
                let response = if *is_error {
                    Response::Error(text)
                } else {
                    Response::Output(text)
                };
                self.add_result(call_id, tool, response)?;
            }
        }
        Ok(())
    }

    fn add_result(
        &mut self,
        call_id: &str,
        name: &str,
        response: Response<'_>,
    ) -> Result<(), serde_json::Error> {
        let sent = self.ids.iter().find(|(told, _)| *told == call_id);
        self.results.push(part(&FunctionResponsePart {
            function_response: FunctionResponse {
                id: sent.and_then(|(_, sent)| sent.as_deref()),
                name,
                response,
            },
        })?);
        Ok(())
    }

    fn push(&mut self, role: &'static str, parts: Vec<Cow<'a, RawValue>>) {
        self.end_results();
        self.contents.push(Content { role, parts });
    }

    fn end_results(&mut self) {
        let parts = std::mem::take(&mut self.results);
        if !parts.is_empty() {
            let role = "user";
            self.contents.push(Content { role, parts });
        }
    }
}

/// A reply: as it came where that was kept, otherwise in our words.
fn agent<'a>(
    model: &str,
    text: &str,
    calls: &[RequestCall],
    native: Option<&'a Native>,
) -> Result<Sent<'a>, serde_json::Error> {
    if let Some(kept) = parts::told(model, native, calls) {
        return Ok(kept);
    }
    let mut parts = Vec::new();
    // A content without parts is refused.
    if !text.is_empty() || calls.is_empty() {
        parts.push(part(&Text { text })?);
    }
    for call in calls {
        parts.push(part(&FunctionCallPart {
            function_call: FunctionCall {
                id: &call.id,
                name: &call.tool,
                args: replay::arguments(&call.arguments),
            },
        })?);
    }
    let call_ids = calls.iter().map(|call| Some(call.id.clone())).collect();
    Ok(Sent { parts, call_ids })
}

fn piece(piece: &Piece<'_>) -> Result<Cow<'static, RawValue>, serde_json::Error> {
    match piece {
        Piece::Text(text) => part(&Text { text }),
        Piece::Image(image) => part(&InlineDataPart {
            inline_data: InlineData {
                mime_type: &image.media_type,
                data: &image.data,
            },
        }),
    }
}

fn part(part: &impl Serialize) -> Result<Cow<'static, RawValue>, serde_json::Error> {
    Ok(Cow::Owned(to_raw_value(part)?))
}
