//! `list_files`: what is in one folder.

use std::ffi::OsString;
use std::path::Path;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use engine::{CallInput, Intent, Output, Plan, Tool, ToolContext, ToolError, ToolFuture, ToolSpec};
use protocol::{CallPreview, EffectClass, PreviewPart, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::blocking::{Steps, blocking};
use crate::path::{WorkspacePath, visible};
use crate::place::{self, Links};
use crate::{arguments, folder, refusal};

const NAME: &str = "list_files";
/// Entries in one result.
const SHOWN: usize = 1_000;
/// Entries of a folder that is listed at all: all of them have to be put in order.
const ENTRIES: usize = 200_000;
/// What an empty folder is listed as.
const EMPTY: &str = "[the folder is empty]";

/// Lists one folder.
#[derive(Debug)]
pub(crate) struct ListFiles;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The folder, relative to the workspace, with /. The workspace itself if left out.
    #[serde(default)]
    #[schemars(with = "String")]
    path: Option<String>,
    /// The first entry to list, from 1.
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1))]
    offset: Option<u64>,
}

#[derive(Debug)]
struct Request {
    path: WorkspacePath,
    offset: usize,
}

impl Tool for ListFiles {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: NAME.to_owned(),
            description:
                "Lists one folder of the workspace, in order of names: folders end with /, \
                          files have their size, links are shown and not followed."
                    .to_owned(),
            parameters: arguments::schema::<Arguments>(),
        }
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move {
            let request = parse(call)?;
            let path = request.path.text();
            let summary = if path == "." {
                "List the workspace".to_owned()
            } else {
                format!("List {path}")
            };
            Ok(Plan {
                effect: EffectClass::Read,
                verdict: Verdict::Allow,
                preview: CallPreview {
                    summary,
                    subject: Some(path.clone()),
                    parts: vec![PreviewPart::Path {
                        path: request.path.full(&call.workspace).display().to_string(),
                    }],
                },
                resources: vec![path],
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
        _intent: &'a Intent,
        context: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        Box::pin(async move {
            let request = parse(call)?;
            let workspace = call.workspace.clone();
            blocking(&context.cancel, move |steps| {
                list(&workspace, &request, steps).map(Output::text)
            })
            .await
        })
    }
}

fn parse(call: &CallInput) -> Result<Request, ToolError> {
    let arguments: Arguments = arguments::parse(NAME, &call.arguments)?;
    let offset = arguments.offset.unwrap_or(1);
    if offset == 0 {
        return Err(refusal::invalid("`offset` counts from 1."));
    }
    Ok(Request {
        path: WorkspacePath::folder(arguments.path.as_deref().unwrap_or("."))?,
        offset: usize::try_from(offset).unwrap_or(usize::MAX),
    })
}

fn list(workspace: &Path, request: &Request, steps: &Steps) -> Result<String, ToolError> {
    let path = request.path.text();
    let Some(workspace) = folder::open_workspace(workspace)? else {
        // It is made when the first file is written.
        return if path == "." {
            Ok(EMPTY.to_owned())
        } else {
            Err(refusal::missing(&path))
        };
    };
    let place = place::find(workspace, &request.path, Links::Inside)?
        .ok_or_else(|| refusal::missing(&path))?;
    let is_file = place
        .folder
        .symlink_metadata(&place.name)
        .is_ok_and(|metadata| !metadata.is_dir());
    if is_file {
        return Err(refusal::invalid(format!(
            "{path} is not a folder. read_file reads a file."
        )));
    }
    let folder = place
        .folder
        .open_dir_nofollow(&place.name)
        .map_err(|error| refusal::by_system(&path, &error))?;
    let names = names(&folder, &path, steps)?;
    page(&folder, &names, request, steps)
}

fn names(folder: &Dir, path: &str, steps: &Steps) -> Result<Vec<OsString>, ToolError> {
    let failed = |error| refusal::by_system(path, &error);
    let mut names = Vec::new();
    for entry in folder.entries().map_err(failed)? {
        steps.go_on()?;
        names.push(entry.map_err(failed)?.file_name());
        if names.len() > ENTRIES {
            return Err(refusal::too_large(format!(
                "{path} has more than {ENTRIES} entries, too many to list."
            )));
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn page(
    folder: &Dir,
    names: &[OsString],
    request: &Request,
    steps: &Steps,
) -> Result<String, ToolError> {
    let total = names.len();
    if total == 0 {
        return Ok(EMPTY.to_owned());
    }
    let first = request.offset;
    if first > total {
        return Err(refusal::invalid(format!(
            "{} has {total} entries; there is no entry {first}.",
            request.path.text()
        )));
    }
    let last = total.min(first - 1 + SHOWN);
    let mut lines = Vec::with_capacity(last - first + 2);
    for name in &names[first - 1..last] {
        steps.go_on()?;
        lines.push(line(folder, name));
    }
    if first > 1 || last < total {
        let read_on = if last < total {
            format!("; list on with offset {}", last + 1)
        } else {
            String::new()
        };
        lines.push(format!("[entries {first}–{last} of {total}{read_on}]"));
    }
    Ok(lines.join("\n"))
}

/// One entry. What it is comes from the entry itself, never from what a link leads to.
fn line(folder: &Dir, name: &OsString) -> String {
    let shown = visible(&name.to_string_lossy());
    // It may be gone since; then its name is all there is to say.
    let Ok(metadata) = folder.symlink_metadata(name) else {
        return shown;
    };
    let kind = metadata.file_type();
    if kind.is_dir() {
        format!("{shown}/")
    } else if kind.is_symlink() {
        let target = folder
            .read_link_contents(name)
            .map(|target| visible(&target.to_string_lossy()))
            .unwrap_or_default();
        format!("{shown} -> {target} (link)")
    } else if kind.is_file() {
        format!("{shown} ({} bytes)", metadata.len())
    } else {
        format!("{shown} (pipe, socket or device)")
    }
}
