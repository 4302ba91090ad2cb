//! The tool that reads on in a long result of an earlier call.

use protocol::{CallId, CallPreview, EffectClass, ErrorClass, Verdict};
use serde::Deserialize;
use serde_json::json;
use store::Store;

use crate::decide::RESULT_BYTES;
use crate::tool::{
    CallInput, Intent, Output, Plan, Tool, ToolContext, ToolError, ToolFuture, ToolSpec,
};

#[derive(Debug)]
pub(crate) struct ReadResult {
    store: Store,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    call_id: CallId,
    offset: u64,
}

impl ReadResult {
    pub(crate) const fn new(store: Store) -> Self {
        Self { store }
    }

    /// Only results of the same session.
    fn read(store: &Store, call: &CallInput) -> Result<Output, ToolError> {
        let arguments = arguments(call)?;
        let found = store
            .read(|reader| {
                let of = reader.call(arguments.call_id)?;
                if of.is_none_or(|of| of.view.session_id != call.session_id) {
                    return Ok(None);
                }
                reader.result_piece(arguments.call_id, arguments.offset, RESULT_BYTES as u64)
            })
            .map_err(|error| ToolError::definite(error.to_string()))?;
        let Some((text, total)) = found else {
            return Err(ToolError::definite(
                "There is no such call with a result in this session.",
            ));
        };
        let end = arguments.offset + text.len() as u64;
        let rest = if end < total && !text.is_empty() {
            format!("; read on with offset {end}")
        } else {
            String::new()
        };
        Ok(Output::text(format!(
            "{text}\n\n[bytes {} to {end} of {total}{rest}]",
            arguments.offset
        )))
    }
}

fn arguments(call: &CallInput) -> Result<Arguments, ToolError> {
    serde_json::from_str(&call.arguments).map_err(|error| {
        let text = format!("The arguments do not fit: {error}.");
        ToolError::definite(text).of(ErrorClass::InvalidRequest)
    })
}

impl Tool for ReadResult {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read_result".to_owned(),
            description: "Reads on in a long result of an earlier tool call. The end of a result \
                          that was cut says with which call_id and offset."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "call_id": { "type": "string", "description": "The id of the earlier call." },
                    "offset": { "type": "integer", "minimum": 0, "description": "From which byte." }
                },
                "required": ["call_id", "offset"],
                "additionalProperties": false
            }),
        }
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move {
            let arguments = arguments(call)?;
            Ok(Plan {
                effect: EffectClass::Read,
                verdict: Verdict::Allow,
                preview: CallPreview {
                    summary: format!("Read on in a result, from byte {}", arguments.offset),
                    subject: None,
                    parts: Vec::new(),
                },
                resources: Vec::new(),
                binding: Vec::new(),
            })
        })
    }

    fn looks_first(&self) -> bool {
        false
    }

    fn run<'a>(
        &'a self,
        call: &'a CallInput,
        _: &'a Intent,
        _: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        let (store, call) = (self.store.clone(), call.clone());
        Box::pin(async move {
            tokio::task::spawn_blocking(move || Self::read(&store, &call))
                .await
                .map_err(|_| ToolError::definite("The result could not be read."))?
        })
    }
}
