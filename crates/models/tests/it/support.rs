//! A model at a scripted server, and what it says.

use std::sync::Arc;
use std::time::Duration;

use engine::{Model, ModelError, ModelEvent, ModelRequest, RequestMessage, SystemClock, ToolSpec};
use futures_util::StreamExt;
use models::{ChatCompletions, Endpoint, Limits, SecretString};
use protocol::BlockKind;
use serde_json::json;
use testkit::model_server::Dialect;

pub(crate) const KEY: &str = "sk-holdfast-0123456789abcdef";

/// The scripted server's word for a dialect, in ours.
pub(crate) const fn spoken(dialect: Dialect) -> models::Dialect {
    match dialect {
        Dialect::ChatCompletions => models::Dialect::ChatCompletions,
        Dialect::Responses => models::Dialect::Responses,
        Dialect::Anthropic => models::Dialect::Anthropic,
        Dialect::Ollama => models::Dialect::Ollama,
        Dialect::Gemini => models::Dialect::Gemini,
    }
}

pub(crate) fn model_at(url: &str) -> ChatCompletions {
    model_with(url, Limits::default())
}

pub(crate) fn model_with(url: &str, limits: Limits) -> ChatCompletions {
    let endpoint = Endpoint {
        id: "scripted".to_owned(),
        label: "Scripted".to_owned(),
        key: Some(SecretString::from(KEY)),
        ..Endpoint::new(url, "scripted-1")
    };
    ChatCompletions::new(endpoint, limits, Arc::new(SystemClock)).unwrap()
}

pub(crate) fn question(text: &str) -> ModelRequest {
    let message = RequestMessage::User {
        parts: Vec::new(),
        text: text.to_owned(),
    };
    let tool = ToolSpec {
        name: "read_file".to_owned(),
        description: "Reads a file.".to_owned(),
        parameters: json!({"type": "object"}),
    };
    ModelRequest {
        model: "scripted".to_owned(),
        instructions: Some("Be brief.".to_owned()),
        messages: vec![message].into(),
        tools: vec![tool],
    }
}

pub(crate) type Heard = Vec<Result<ModelEvent, ModelError>>;

/// Everything that is said, with a deadline.
pub(crate) async fn hear(model: &(impl Model + ?Sized), request: ModelRequest) -> Heard {
    let all = model.stream(request).collect();
    tokio::time::timeout(Duration::from_secs(60), all)
        .await
        .expect("the reply never ended")
}

/// The text of one kind.
pub(crate) fn text_of(heard: &Heard, wanted: BlockKind) -> String {
    let pieces = heard.iter().filter_map(|event| match event {
        Ok(ModelEvent::Text { kind, text, .. }) if *kind == wanted => Some(text.as_str()),
        _ => None,
    });
    pieces.collect()
}

/// The error that ended it, which is the last thing that is heard.
pub(crate) fn error_of(heard: &Heard) -> &ModelError {
    let errors = heard.iter().filter(|event| event.is_err()).count();
    assert_eq!(errors, 1, "{heard:?}");
    heard.last().unwrap().as_ref().unwrap_err()
}
