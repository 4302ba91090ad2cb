//! `search_files`: lines of text files that fit a regular expression.
//!
//! The engine behind it takes linear time whatever the expression; expressions that would become
//! large are refused, and so is nothing else. Files with credentials are not searched.

use std::path::Path;
use std::time::Duration;

use engine::{
    CallInput, Intent, Output, Plan, Tool, ToolContext, ToolError, ToolFuture, ToolSpec, Withheld,
};
use protocol::{CallPreview, EffectClass, PreviewPart, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::blocking::{Steps, looking};
use crate::glob::Glob;
use crate::path::{WorkspacePath, visible};
use crate::walk::{self, Flow, Start, Wanted};
use crate::{arguments, file, protected, refusal};

mod expression;
mod page;

use expression::Expression;
use page::Page;

const NAME: &str = "search_files";
/// The tool whose rules hold here too: lines of a file are read.
const KIN: &str = "read_file";
/// Bytes of a file that is searched.
const FILE_BYTES: u64 = 10 * 1024 * 1024;
/// Files that are searched in one call.
const FILES: usize = 50_000;
/// Lines around one that fits.
const CONTEXT: u64 = 10;
/// How long it looks.
const LOOKING: Duration = Duration::from_secs(20);
/// Characters of an expression in the line that says what is done.
const SUMMARY_CHARACTERS: usize = 60;

/// Searches the text of files.
#[derive(Debug)]
pub(crate) struct SearchFiles;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// A regular expression that is looked for in each line; (, [, { and the like need a \ to mean
    /// themselves.
    pattern: String,
    /// The folder or file to search, relative to the workspace, with /. The workspace if left out.
    #[serde(default)]
    #[schemars(with = "String")]
    path: Option<String>,
    /// Which files: *.rs fits names in every folder, src/**/*.rs fits paths below `path`.
    #[serde(default)]
    #[schemars(with = "String")]
    glob: Option<String>,
    /// Whether upper and lower case are the same.
    #[serde(default)]
    #[schemars(with = "bool")]
    ignore_case: Option<bool>,
    /// How many lines to show before and after each that fits, at most 10.
    #[serde(default)]
    #[schemars(with = "u32", range(max = 10))]
    context: Option<u64>,
    /// Whether to search hidden files too: names that begin with a dot.
    #[serde(default)]
    #[schemars(with = "bool")]
    hidden: Option<bool>,
    /// Whether to search what .gitignore and .ignore name too.
    #[serde(default)]
    #[schemars(with = "bool")]
    ignored: Option<bool>,
}

#[derive(Debug)]
struct Request {
    pattern: String,
    expression: Expression,
    path: WorkspacePath,
    glob: Option<Glob>,
    context: usize,
    wanted: Wanted,
}

impl Tool for SearchFiles {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: NAME.to_owned(),
            description:
                "Searches the text files below a folder of the workspace for lines that fit a \
                          regular expression, and gives them as path:line: text. Hidden files and \
                          what ignore files name are left out unless asked for."
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
                    summary: summary(&request.pattern, &path),
                    subject: Some(path.clone()),
                    parts: vec![
                        PreviewPart::Path {
                            path: request.path.full(&call.workspace).display().to_string(),
                        },
                        PreviewPart::Text {
                            label: "Expression".to_owned(),
                            text: request.pattern,
                        },
                    ],
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
            let withheld = context.withheld.clone();
            looking(&context.cancel, LOOKING, move |steps| {
                search(&workspace, &request, &withheld, steps).map(Output::text)
            })
            .await
        })
    }
}

fn parse(call: &CallInput) -> Result<Request, ToolError> {
    let arguments: Arguments = arguments::parse(NAME, &call.arguments)?;
    let path = WorkspacePath::folder(arguments.path.as_deref().unwrap_or("."))?;
    protected::check_read(path.names())?;
    let context = arguments.context.unwrap_or(0);
    if context > CONTEXT {
        return Err(refusal::invalid(format!(
            "`context` is {context}; at most {CONTEXT} lines are shown around each."
        )));
    }
    let is_case_ignored = arguments.ignore_case.unwrap_or(false);
    Ok(Request {
        expression: Expression::read(&arguments.pattern, is_case_ignored)?,
        pattern: arguments.pattern,
        path,
        glob: match &arguments.glob {
            Some(glob) => Some(Glob::read("glob", glob)?),
            None => None,
        },
        context: usize::try_from(context).unwrap_or_default(),
        wanted: Wanted {
            hidden: arguments.hidden.unwrap_or(false),
            ignored: arguments.ignored.unwrap_or(false),
        },
    })
}

fn summary(pattern: &str, path: &str) -> String {
    let pattern = visible(pattern);
    let mut shown: String = pattern.chars().take(SUMMARY_CHARACTERS).collect();
    if shown.len() < pattern.len() {
        shown.push('…');
    }
    if path == "." {
        format!("Search for {shown}")
    } else {
        format!("Search for {shown} in {path}")
    }
}

fn search(
    workspace: &Path,
    request: &Request,
    withheld: &Withheld,
    steps: &Steps,
) -> Result<String, ToolError> {
    let mut page = Page::new(request.context);
    let left_out = match walk::start(workspace, &request.path)? {
        None => walk::LeftOut::default(),
        Some(Start::File(place)) => {
            // A link may have led to a name that is not read.
            protected::check_read(&place.names)?;
            let path = request.path.text();
            if withheld.holds(&[NAME, KIN], &place.names.join("/")) {
                return Err(refusal::forbidden(format!(
                    "A rule says that {path} is not searched. Read it with read_file, or ask the \
                     person."
                )));
            }
            let found = file::read(&place.folder, &place.name, &path, FILE_BYTES)?
                .ok_or_else(|| refusal::missing(&path))?;
            let text = file::text(&found.bytes, &path)?;
            page.search(&path, text, &request.expression, steps)?;
            walk::LeftOut::default()
        }
        Some(Start::Folder(folder)) => walk::walk(folder, request.wanted, steps, &mut |entry| {
            one(entry, request, withheld, &mut page, steps)
        })?,
    };
    Ok(page.told(request, left_out.notes()))
}

/// Searches what was found on the way, if it is a text that may be read. Links are not followed:
/// what they lead to inside is searched where it is.
fn one(
    entry: &walk::Entry<'_>,
    request: &Request,
    withheld: &Withheld,
    page: &mut Page,
    steps: &Steps,
) -> Result<Flow, ToolError> {
    let is_meant = request.glob.as_ref().is_none_or(|it| it.fits(entry.below));
    if !is_meant || !entry.kind.is_file() {
        return Ok(Flow::Go);
    }
    if protected::check_read(entry.names).is_err() {
        page.counts.secret += 1;
        return Ok(Flow::Go);
    }
    if withheld.holds(&[NAME, KIN], &entry.names.join("/")) {
        page.counts.withheld += 1;
        return Ok(Flow::Go);
    }
    // Every tool takes a name as text; one that is none cannot be opened by anybody.
    let Some(name) = entry.name.to_str() else {
        page.counts.unreadable += 1;
        return Ok(Flow::Go);
    };
    if page.counts.files == FILES {
        page.counts.is_over_files = true;
        return Ok(Flow::Enough);
    }
    let path = walk::shown(&request.path, entry.below);
    match file::read(entry.folder, name, &path, FILE_BYTES) {
        Ok(Some(found)) => match file::as_text(&found.bytes) {
            Some(text) => return page.search(&path, text, &request.expression, steps),
            None => page.counts.binary += 1,
        },
        // Gone meanwhile.
        Ok(None) => {}
        Err(error) if error.class == protocol::ErrorClass::Limit => page.counts.large += 1,
        Err(_) => page.counts.unreadable += 1,
    }
    Ok(Flow::Go)
}
