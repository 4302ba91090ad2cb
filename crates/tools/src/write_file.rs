//! `write_file`: a whole text file, exactly once.

use engine::{
    CallInput, FileIntent, Intent, Output, Plan, Tool, ToolContext, ToolError, ToolFuture, ToolSpec,
};
use protocol::{EffectClass, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::blocking::blocking;
use crate::change::{Change, Sides, look};
use crate::path::WorkspacePath;
use crate::{arguments, difference, file, protected, refusal};

mod preview;

const NAME: &str = "write_file";

/// Writes a text file.
#[derive(Debug)]
pub(crate) struct WriteFile;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, relative to the workspace, with /.
    path: String,
    /// Everything that the file will hold.
    content: String,
}

#[derive(Debug)]
struct Request {
    path: WorkspacePath,
    content: String,
}

impl Tool for WriteFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: NAME.to_owned(),
            description:
                "Writes a text file in the workspace: creates it, with the folders on the \
                          way, or replaces everything it holds."
                    .to_owned(),
            parameters: arguments::schema::<Arguments>(),
        }
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move {
            let request = parse(call)?;
            let workspace = call.workspace.clone();
            blocking(&CancellationToken::new(), move |_| {
                let found = look(&workspace, &request.path)?;
                let path = request.path.text();
                Ok(Plan {
                    effect: EffectClass::Idempotent,
                    verdict: Verdict::Ask,
                    preview: preview::make(
                        &path,
                        &request.path.full(&workspace),
                        found.as_ref().map(|found| found.bytes.as_slice()),
                        &request.content,
                    ),
                    resources: vec![path],
                    // The difference that is shown is the one that is made: a file that changed
                    // since is asked about again.
                    binding: found.map_or_else(Vec::new, |found| file::hash(&found.bytes).to_vec()),
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
                let found = look(&workspace, &request.path)?;
                Ok(Intent {
                    files: vec![FileIntent {
                        path: request.path.text(),
                        before: found.map(|found| found.bytes),
                        after: file::hash(request.content.as_bytes()),
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
            let sides = Sides::of(intent, &request.path, &request.content)?;
            let workspace = call.workspace.clone();
            let key = call.effect_key();
            blocking(&context.cancel, move |steps| {
                Change {
                    workspace: &workspace,
                    path: &request.path,
                    content: &request.content,
                    sides,
                    key: &key,
                }
                .make(steps)?;
                Ok(Output::text(result(&request, sides)))
            })
            .await
        })
    }
}

/// The same whichever body comes to it.
fn result(request: &Request, sides: Sides) -> String {
    let path = request.path.text();
    let size = format!(
        "{}, {} bytes",
        difference::lines(&request.content),
        request.content.len()
    );
    match sides.before {
        None => format!("Created {path} ({size})."),
        Some(before) if before == sides.after => format!("{path} held this already ({size})."),
        Some(_) => format!("Replaced {path} ({size})."),
    }
}

fn parse(call: &CallInput) -> Result<Request, ToolError> {
    let arguments: Arguments = arguments::parse(NAME, &call.arguments)?;
    let path = WorkspacePath::file(&arguments.path)?;
    protected::check_write(path.names())?;
    if arguments.content.contains('\0') {
        return Err(refusal::invalid(
            "`content` has a zero byte in it. write_file writes text.",
        ));
    }
    Ok(Request {
        path,
        content: arguments.content,
    })
}
