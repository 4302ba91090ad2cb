//! Building what a model is asked: pure, so that the same state gives the same bytes.

use protocol::{Message, MessageStatus, Role};

use crate::model::{ModelRequest, RequestMessage};

/// Partial messages are for the person: a model that is asked again starts from what is whole.
pub(crate) fn build(model: &str, instructions: Option<&str>, messages: &[Message]) -> ModelRequest {
    let messages = messages
        .iter()
        .filter(|message| message.status == MessageStatus::Complete)
        .map(|message| match message.role {
            Role::User => RequestMessage::User {
                text: message.text(),
            },
            Role::Agent => RequestMessage::Agent {
                text: message.text(),
                calls: Vec::new(),
            },
        })
        .collect();
    ModelRequest {
        model: model.to_owned(),
        instructions: instructions.map(str::to_owned),
        messages,
        tools: Vec::new(),
    }
}
