//! The wall between the window and the shell: commands out, replies and pushes in.

mod channel;
mod decode;
mod ordering;

use js_sys::{JSON, Object, Reflect};
use protocol::{Command, CommandError, ErrorCode, ExportFormat, Reply, SessionId, StartState};
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

pub(crate) use channel::{Arrival, Receipt, Subscription, subscribe, watch_sessions};

use crate::browser;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["window", "__TAURI_INTERNALS__"], js_name = invoke)]
    async fn invoke_raw(command: &str, arguments: &JsValue) -> Result<JsValue, JsValue>;
}

/// Why something asked of the engine has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The engine answered that it will not. Nothing was changed.
    Refused(CommandError),
    /// No answer: whether it was done is not known.
    Lost,
}

/// How the start went.
pub(crate) async fn start_state() -> Result<StartState, Failure> {
    call("start_state", &Object::new()).await
}

/// Restores the newest backup and starts.
pub(crate) async fn restore_backup() -> Result<StartState, Failure> {
    call("restore_backup", &Object::new()).await
}

/// Asks one thing of the engine.
pub(crate) async fn execute(command: &Command) -> Result<Reply, Failure> {
    let json = serde_json::to_string(command).map_err(|error| ours(&error.to_string()))?;
    let value = JSON::parse(&json).map_err(|_| ours("a command could not be written"))?;
    let arguments = Object::new();
    put(&arguments, "command", &value);
    call("execute", &arguments).await
}

/// Says that the session list has been painted.
pub(crate) async fn report_ready() {
    // It only ends a measurement: the window works without it.
    invoke("report_ready", &Object::new()).await.ok();
}

/// Puts text on the clipboard; says whether that worked.
pub(crate) async fn copy_text(text: &str) -> bool {
    let arguments = Object::new();
    put(&arguments, "text", &text.into());
    invoke("copy_text", &arguments).await.is_ok() || browser::copy_in_page(text).await
}

/// Writes a session to a file; gives its path, or nothing if the person chose none.
pub(crate) async fn save_export(
    session_id: SessionId,
    format: ExportFormat,
) -> Result<Option<String>, Failure> {
    let format = match format {
        ExportFormat::Json => "json",
        ExportFormat::Markdown => "markdown",
    };
    let arguments = Object::new();
    // Tauri passes arguments by their names in camel case.
    put(&arguments, "sessionId", &session_id.to_string().into());
    put(&arguments, "format", &format.into());
    call("save_export", &arguments).await
}

async fn call<T: DeserializeOwned>(command: &str, arguments: &Object) -> Result<T, Failure> {
    let value = invoke(command, arguments).await?;
    decode::from_js(&value).map_err(|error| ours(&error))
}

async fn invoke(command: &str, arguments: &Object) -> Result<JsValue, Failure> {
    match invoke_raw(command, arguments.unchecked_ref()).await {
        Ok(value) => Ok(value),
        // What is not a typed error comes from the transport.
        Err(value) => Err(decode::from_js(&value).map_or(Failure::Lost, refused)),
    }
}

/// An engine that is closing is as good as one that does not answer.
fn refused(error: CommandError) -> Failure {
    if error.code == ErrorCode::Unavailable {
        Failure::Lost
    } else {
        Failure::Refused(error)
    }
}

fn ours(what: &str) -> Failure {
    Failure::Refused(CommandError::new(
        ErrorCode::Internal,
        format!("The window and the engine do not understand each other: {what}."),
        "Start the app again.",
    ))
}

fn put(object: &Object, key: &str, value: &JsValue) {
    // Setting a field of an object made here cannot fail.
    Reflect::set(object, &key.into(), value).ok();
}
