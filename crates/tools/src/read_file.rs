//! `read_file`: a text file, or a part of it.

use std::path::Path;

use engine::{CallInput, Intent, Output, Plan, Tool, ToolContext, ToolError, ToolFuture, ToolSpec};
use protocol::{CallPreview, EffectClass, PreviewPart, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::blocking::{Steps, blocking};
use crate::path::WorkspacePath;
use crate::place::{self, Links};
use crate::{arguments, file, folder, protected, refusal};

const NAME: &str = "read_file";
/// Bytes of a file that is read at all.
const FILE_BYTES: u64 = 10 * 1024 * 1024;
/// Bytes of text in one result.
const TEXT_BYTES: usize = 64 * 1024;
/// Lines in one result, if not asked for otherwise.
const LINES: u64 = 2_000;

/// Reads a text file.
#[derive(Debug)]
pub(crate) struct ReadFile;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, relative to the workspace, with /.
    path: String,
    /// The first line to read, from 1.
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1))]
    offset: Option<u64>,
    /// How many lines to read.
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1))]
    limit: Option<u64>,
    /// The first character of the first line, from 1. Only for lines too long for one result.
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1))]
    column: Option<u64>,
}

#[derive(Debug)]
struct Request {
    path: WorkspacePath,
    range: Range,
}

#[derive(Debug, Clone, Copy)]
struct Range {
    offset: u64,
    limit: u64,
    column: u64,
}

impl Tool for ReadFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: NAME.to_owned(),
            description:
                "Reads a text file in the workspace. A long file comes in parts: the last \
                          line says which lines these are and how to read on."
                    .to_owned(),
            parameters: arguments::schema::<Arguments>(),
        }
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move {
            let request = parse(call)?;
            let path = request.path.text();
            Ok(Plan {
                effect: EffectClass::Read,
                verdict: Verdict::Allow,
                preview: CallPreview {
                    summary: format!("Read {path}"),
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
                read(&workspace, &request, steps).map(Output::text)
            })
            .await
        })
    }
}

fn parse(call: &CallInput) -> Result<Request, ToolError> {
    let arguments: Arguments = arguments::parse(NAME, &call.arguments)?;
    let path = WorkspacePath::file(&arguments.path)?;
    protected::check_read(path.names())?;
    let range = Range {
        offset: arguments.offset.unwrap_or(1),
        limit: arguments.limit.unwrap_or(LINES),
        column: arguments.column.unwrap_or(1),
    };
    for (field, value) in [
        ("offset", range.offset),
        ("limit", range.limit),
        ("column", range.column),
    ] {
        if value == 0 {
            return Err(refusal::invalid(format!("`{field}` counts from 1.")));
        }
    }
    Ok(Request { path, range })
}

fn read(workspace: &Path, request: &Request, steps: &Steps) -> Result<String, ToolError> {
    let path = request.path.text();
    let workspace = folder::open_workspace(workspace)?.ok_or_else(|| refusal::missing(&path))?;
    let place = place::find(workspace, &request.path, Links::Inside)?
        .ok_or_else(|| refusal::missing(&path))?;
    // A link may have led to a name that is not read.
    protected::check_read(&place.names)?;
    steps.go_on()?;
    let found = file::read(&place.folder, &place.name, &path, FILE_BYTES)?
        .ok_or_else(|| refusal::missing(&path))?;
    steps.go_on()?;
    part(file::text(&found.bytes, &path)?, request.range, &path)
}

/// The part of a text that was asked for, and after it what part it is, unless it is the whole.
fn part(text: &str, range: Range, path: &str) -> Result<String, ToolError> {
    if text.is_empty() {
        return Ok(format!("[{path} is empty]"));
    }
    let total = text.split_inclusive('\n').count() as u64;
    let skipped = usize::try_from(range.offset - 1).unwrap_or(usize::MAX);
    let mut lines = text.split_inclusive('\n').skip(skipped);
    let Some(first) = lines.next() else {
        return Err(refusal::invalid(format!(
            "{path} has {total} lines; there is no line {}.",
            range.offset
        )));
    };
    let first = from_column(first, range, path)?;
    if first.len() > TEXT_BYTES {
        return Ok(long_line(first, range, total));
    }
    let mut shown = first.to_owned();
    let mut last = range.offset;
    for line in lines {
        if last - range.offset + 1 >= range.limit || shown.len() + line.len() > TEXT_BYTES {
            break;
        }
        shown.push_str(line);
        last += 1;
    }
    if range.offset > 1 || range.column > 1 || last < total {
        end_line(&mut shown);
        let read_on = if last < total {
            format!("; read on with offset {}", last + 1)
        } else {
            String::new()
        };
        let offset = range.offset;
        shown.push_str(&format!("[lines {offset}–{last} of {total}{read_on}]"));
    }
    Ok(shown)
}

fn from_column<'a>(line: &'a str, range: Range, path: &str) -> Result<&'a str, ToolError> {
    let skipped = usize::try_from(range.column - 1).unwrap_or(usize::MAX);
    match line.char_indices().nth(skipped) {
        Some((start, _)) => Ok(&line[start..]),
        None => Err(refusal::invalid(format!(
            "Line {} of {path} has {} characters; there is no column {}.",
            range.offset,
            line.chars().count(),
            range.column
        ))),
    }
}

/// The beginning of a line that is too long for one result.
fn long_line(line: &str, range: Range, total: u64) -> String {
    let mut shown = line[..line.floor_char_boundary(TEXT_BYTES)].to_owned();
    let next = range.column + shown.chars().count() as u64;
    let characters = range.column - 1 + line.trim_end_matches('\n').chars().count() as u64;
    shown.push('\n');
    shown.push_str(&format!(
        "[line {offset} of {total}, characters {column}–{last} of {characters}; read on with \
         offset {offset} and column {next}]",
        offset = range.offset,
        column = range.column,
        last = next - 1,
    ));
    shown
}

fn end_line(text: &mut String) {
    if !text.ends_with('\n') {
        text.push('\n');
    }
}
