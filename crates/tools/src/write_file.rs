//! `write_file`: a whole text file, exactly once.

use std::path::Path;

use engine::{
    CallInput, FileIntent, Intent, Output, Plan, Tool, ToolContext, ToolError, ToolFuture, ToolSpec,
};
use protocol::{EffectClass, ErrorClass, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::blocking::{Steps, blocking};
use crate::file::Found;
use crate::path::WorkspacePath;
use crate::place::{self, Links};
use crate::replace::{self, Replacement};
use crate::{CHANGED_FILE_BYTES, arguments, file, folder, protected, refusal};

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
            let sides = Sides::of(intent, &request)?;
            let workspace = call.workspace.clone();
            let key = call.effect_key();
            blocking(&context.cancel, move |steps| {
                write(&workspace, &request, sides, &key, steps)?;
                Ok(Output::text(sides.result(&request)))
            })
            .await
        })
    }
}

/// The hashes on both sides of the rename, as they were committed before the body started.
#[derive(Debug, Clone, Copy)]
struct Sides {
    before: Option<[u8; 32]>,
    after: [u8; 32],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

impl Sides {
    fn of(intent: &Intent, request: &Request) -> Result<Self, ToolError> {
        let after = file::hash(request.content.as_bytes());
        match intent.files.as_slice() {
            [file] if file.path == request.path.text() && file.after == after => Ok(Self {
                before: file.before.as_deref().map(file::hash),
                after,
            }),
            _ => Err(
                ToolError::definite("What was prepared is not what is to be written.")
                    .of(ErrorClass::Internal),
            ),
        }
    }

    /// On which side of the rename this file is; a failure if on neither.
    fn of_file(self, found: Option<Found>, path: &WorkspacePath) -> Result<Side, ToolError> {
        let now = found.map(|found| found.hash());
        if now == Some(self.after) {
            Ok(Side::After)
        } else if now == self.before {
            Ok(Side::Before)
        } else {
            Err(replace::changed(&path.text()))
        }
    }

    /// The same whichever body comes to it.
    fn result(self, request: &Request) -> String {
        let path = request.path.text();
        let size = format!(
            "{}, {} bytes",
            preview::lines(&request.content),
            request.content.len()
        );
        match self.before {
            None => format!("Created {path} ({size})."),
            Some(before) if before == self.after => format!("{path} held this already ({size})."),
            Some(_) => format!("Replaced {path} ({size})."),
        }
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

/// What is at the path now. A file that nobody may write to stays as it is, although a rename
/// would not ask.
fn look(workspace: &Path, path: &WorkspacePath) -> Result<Option<Found>, ToolError> {
    let Some(workspace) = folder::open_workspace(workspace)? else {
        return Ok(None);
    };
    let Some(place) = place::find(workspace, path, Links::Refused)? else {
        return Ok(None);
    };
    let text = path.text();
    let found = file::read(&place.folder, &place.name, &text, CHANGED_FILE_BYTES)?;
    if found
        .as_ref()
        .is_some_and(|found| found.permissions.readonly())
    {
        return Err(refusal::forbidden(format!(
            "{text} is read-only. Ask the person to change that, or write another file."
        )));
    }
    Ok(found)
}

fn write(
    workspace: &Path,
    request: &Request,
    sides: Sides,
    key: &str,
    steps: &Steps,
) -> Result<(), ToolError> {
    // Before folders are made for nothing.
    sides.of_file(look(workspace, &request.path)?, &request.path)?;
    steps.go_on()?;
    let workspace = folder::open_or_create_workspace(workspace)?;
    let folder = folder::open_or_create(workspace, request.path.parents())?;
    let path = request.path.text();
    let replacement = Replacement {
        folder: &folder,
        name: request.path.name(),
        path: &path,
        expected: sides.before,
        key,
    };
    let found = file::read(&folder, request.path.name(), &path, CHANGED_FILE_BYTES)?;
    match sides.of_file(found, &request.path)? {
        Side::Before => replacement.write(request.content.as_bytes(), steps),
        Side::After => replacement.finish(),
    }
}
