//! `edit_file`: exact edits of one text file, all of them or none, exactly once.

use std::path::Path;

use engine::{
    CallInput, FileIntent, Intent, Output, Plan, Tool, ToolContext, ToolError, ToolFuture, ToolSpec,
};
use protocol::{CallPreview, EffectClass, PreviewPart, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::blocking::blocking;
use crate::change::{self, Change, Sides};
use crate::difference::{self, Before, counted};
use crate::path::WorkspacePath;
use crate::{arguments, file, protected, refusal};

mod edits;

use edits::{Edit, Edited};

const NAME: &str = "edit_file";

/// Edits a text file.
#[derive(Debug)]
pub(crate) struct EditFile;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, relative to the workspace, with /.
    path: String,
    /// The edits. Each finds its text in the file as it is now, so their order does not matter.
    #[schemars(length(min = 1, max = 100))]
    edits: Vec<Edit>,
}

#[derive(Debug)]
struct Request {
    path: WorkspacePath,
    edits: Vec<Edit>,
}

impl Tool for EditFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: NAME.to_owned(),
            description:
                "Edits a text file in the workspace: replaces exact pieces of its text, all or \
                          none. A piece that is not there, or that is there more than once, is \
                          refused. Line endings stay as the file has them."
                    .to_owned(),
            parameters: arguments::schema::<Arguments>(),
        }
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move {
            let request = parse(call)?;
            let workspace = call.workspace.clone();
            blocking(&CancellationToken::new(), move |_| {
                let before = look(&workspace, &request.path)?;
                let path = request.path.text();
                Ok(Plan {
                    effect: EffectClass::Idempotent,
                    verdict: Verdict::Ask,
                    preview: preview(&request, &workspace, &before)?,
                    resources: vec![path],
                    // The difference that is shown is the one that is made: a file that changed
                    // since is asked about again.
                    binding: file::hash(&before).to_vec(),
                })
            })
            .await
        })
    }

    fn prepare<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Intent> {
        Box::pin(async move {
            let request = parse(call)?;
            let workspace = call.workspace.clone();
            blocking(&CancellationToken::new(), move |_| {
                let before = look(&workspace, &request.path)?;
                let after = file::hash(edited(&request, &before)?.text.as_bytes());
                Ok(Intent {
                    files: vec![FileIntent {
                        path: request.path.text(),
                        before: Some(before),
                        after,
                    }],
                    ..Intent::default()
                })
            })
            .await
        })
    }

    fn run<'a>(
        &'a self,
        call: &'a CallInput,
        intent: &'a Intent,
        context: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        Box::pin(async move {
            let request = parse(call)?;
            // From what was there when it was prepared: a body that runs again finds the file
            // changed, by the one before it.
            let before = intent.files.first().and_then(|file| file.before.clone());
            let before = before.ok_or_else(change::not_prepared)?;
            let intent = intent.clone();
            let workspace = call.workspace.clone();
            let key = call.effect_key();
            blocking(&context.cancel, move |steps| {
                let edited = edited(&request, &before)?;
                let sides = Sides::of(&intent, &request.path, &edited.text)?;
                Change {
                    workspace: &workspace,
                    path: &request.path,
                    content: &edited.text,
                    sides,
                    key: &key,
                }
                .make(steps)?;
                Ok(Output::text(format!(
                    "Edited {} ({}; now {}, {} bytes).",
                    request.path.text(),
                    counted(edited.places, "place"),
                    difference::lines(&edited.text),
                    edited.text.len()
                )))
            })
            .await
        })
    }
}

fn parse(call: &CallInput) -> Result<Request, ToolError> {
    let arguments: Arguments = arguments::parse(NAME, &call.arguments)?;
    let path = WorkspacePath::file(&arguments.path)?;
    protected::check_write(path.names())?;
    // What is refused says where a text is, and where it is not: that is reading.
    protected::check_read(path.names())?;
    edits::check(&arguments.edits)?;
    Ok(Request {
        path,
        edits: arguments.edits,
    })
}

fn look(workspace: &Path, path: &WorkspacePath) -> Result<Vec<u8>, ToolError> {
    match change::look(workspace, path)? {
        Some(found) => Ok(found.bytes),
        None => Err(ToolError::definite(format!(
            "{} does not exist. list_files shows what is there; write_file writes a new file.",
            path.text()
        ))),
    }
}

fn edited(request: &Request, before: &[u8]) -> Result<Edited, ToolError> {
    let path = request.path.text();
    let edited = edits::apply(file::text(before, &path)?, &request.edits, &path)?;
    if edited.text.as_bytes() == before {
        return Err(refusal::invalid(format!(
            "The edits leave {path} as it is. Nothing is to be done."
        )));
    }
    Ok(edited)
}

fn preview(request: &Request, workspace: &Path, before: &[u8]) -> Result<CallPreview, ToolError> {
    let path = request.path.text();
    let edited = edited(request, before)?;
    let text = file::text(before, &path)?;
    Ok(CallPreview {
        summary: format!("Edit {path} ({})", counted(edited.places, "place")),
        subject: Some(path.clone()),
        parts: vec![
            PreviewPart::Path {
                path: request.path.full(workspace).display().to_string(),
            },
            difference::part(&path, Before::Text(text), &edited.text),
        ],
    })
}
