//! `find_files`: files by the pattern of their path.
//!
//! Files with credentials are named like all others: that there is an `.env` is no secret, and an
//! agent that knows can tell the person. What they hold is kept back where it would be read.

use std::path::Path;
use std::time::Duration;

use engine::{
    CallInput, Intent, Output, Plan, Tool, ToolContext, ToolError, ToolFuture, ToolSpec, Withheld,
};
use protocol::{CallPreview, EffectClass, PreviewPart, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::blocking::{Steps, looking};
use crate::difference::counted;
use crate::glob::Glob;
use crate::path::WorkspacePath;
use crate::walk::{self, Flow, Start, Wanted};
use crate::{arguments, refusal};

const NAME: &str = "find_files";
/// The tool whose rules hold here too: it names files as well.
const KIN: &str = "list_files";
/// Files in one result.
const SHOWN: usize = 1_000;
/// Bytes of text in one result.
const TEXT_BYTES: usize = 48 * 1024;
/// How long it looks.
const LOOKING: Duration = Duration::from_secs(20);

/// Finds files by their path.
#[derive(Debug)]
pub(crate) struct FindFiles;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Which files: *.md fits names in every folder, docs/**/*.md fits paths below `path`.
    pattern: String,
    /// The folder to look below, relative to the workspace, with /. The workspace if left out.
    #[serde(default)]
    #[schemars(with = "String")]
    path: Option<String>,
    /// Whether to look at hidden files too: names that begin with a dot.
    #[serde(default)]
    #[schemars(with = "bool")]
    hidden: Option<bool>,
    /// Whether to look at what .gitignore and .ignore name too.
    #[serde(default)]
    #[schemars(with = "bool")]
    ignored: Option<bool>,
}

#[derive(Debug)]
struct Request {
    pattern: String,
    glob: Glob,
    path: WorkspacePath,
    wanted: Wanted,
}

impl Tool for FindFiles {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: NAME.to_owned(),
            description:
                "Finds files below a folder of the workspace by a pattern, in order of their \
                          paths. Hidden files and what ignore files name are left out unless asked \
                          for; links are named and not followed."
                    .to_owned(),
            parameters: arguments::schema::<Arguments>(),
        }
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move {
            let request = parse(call)?;
            let path = request.path.text();
            let pattern = &request.pattern;
            Ok(Plan {
                effect: EffectClass::Read,
                verdict: Verdict::Allow,
                preview: CallPreview {
                    summary: if path == "." {
                        format!("Find {pattern}")
                    } else {
                        format!("Find {pattern} in {path}")
                    },
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
            let withheld = context.withheld.clone();
            looking(&context.cancel, LOOKING, move |steps| {
                find(&workspace, &request, &withheld, steps).map(Output::text)
            })
            .await
        })
    }
}

fn parse(call: &CallInput) -> Result<Request, ToolError> {
    let arguments: Arguments = arguments::parse(NAME, &call.arguments)?;
    Ok(Request {
        glob: Glob::read("pattern", &arguments.pattern)?,
        pattern: arguments.pattern,
        path: WorkspacePath::folder(arguments.path.as_deref().unwrap_or("."))?,
        wanted: Wanted {
            hidden: arguments.hidden.unwrap_or(false),
            ignored: arguments.ignored.unwrap_or(false),
        },
    })
}

fn find(
    workspace: &Path,
    request: &Request,
    withheld: &Withheld,
    steps: &Steps,
) -> Result<String, ToolError> {
    let mut page = Page::default();
    let left_out = match walk::start(workspace, &request.path)? {
        None => walk::LeftOut::default(),
        Some(Start::File(_)) => {
            return Err(refusal::invalid(format!(
                "{} is not a folder. read_file reads a file.",
                request.path.text()
            )));
        }
        Some(Start::Folder(folder)) => walk::walk(folder, request.wanted, steps, &mut |entry| {
            if !request.glob.fits(entry.below) {
                return Ok(Flow::Go);
            }
            if withheld.holds(&[NAME, KIN], &entry.names.join("/")) {
                page.withheld += 1;
                return Ok(Flow::Go);
            }
            let path = walk::shown(&request.path, entry.below);
            Ok(page.add(if entry.kind.is_symlink() {
                format!("{path} (link)")
            } else {
                path
            }))
        })?,
    };
    Ok(page.told(request, left_out.notes()))
}

/// What was found so far.
#[derive(Debug, Default)]
struct Page {
    lines: Vec<String>,
    bytes: usize,
    withheld: usize,
    is_full: bool,
}

impl Page {
    fn add(&mut self, line: String) -> Flow {
        if self.lines.len() == SHOWN || self.bytes + line.len() > TEXT_BYTES {
            self.is_full = true;
            return Flow::Enough;
        }
        self.bytes += line.len() + 1;
        self.lines.push(line);
        Flow::Go
    }

    fn told(mut self, request: &Request, left_out: Vec<String>) -> String {
        let mut notes = Vec::new();
        if self.lines.is_empty() {
            notes.push(format!("no file fits {}", request.pattern));
            notes.extend(not_asked_for(request.wanted));
        } else if self.is_full {
            notes.push(format!(
                "these are the first {}; there are more. Narrow it with `path` or a longer pattern",
                counted(self.lines.len(), "file")
            ));
        }
        notes.extend(left_out);
        if self.withheld > 0 {
            let files = counted(self.withheld, "file");
            notes.push(format!("{files} left out because of a rule"));
        }
        if !notes.is_empty() {
            self.lines.push(format!("[{}]", notes.join("; ")));
        }
        self.lines.join("\n")
    }
}

/// What may be the reason that nothing was found.
pub(crate) fn not_asked_for(wanted: Wanted) -> Option<String> {
    let what = match (wanted.hidden, wanted.ignored) {
        (true, true) => return None,
        (true, false) => "ignored files were",
        (false, true) => "hidden files were",
        (false, false) => "hidden and ignored files were",
    };
    Some(format!("{what} not looked at"))
}
