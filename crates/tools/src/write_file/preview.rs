//! What a person is shown before a file is written.

use std::path::Path;
use std::time::Duration;

use protocol::{CallPreview, PreviewPart};
use similar::TextDiff;

use crate::file;

/// How long lines are compared. After that the rest is shown as replaced, which is also true.
const COMPARING: Duration = Duration::from_millis(500);

/// The preview of a file that would hold `content` instead of `before`.
pub(super) fn make(
    path: &str,
    full_path: &Path,
    before: Option<&[u8]>,
    content: &str,
) -> CallPreview {
    let mut parts = vec![PreviewPart::Path {
        path: full_path.display().to_string(),
    }];
    let replaced = match before {
        None => {
            parts.push(diff(path, Before::Nothing, content));
            "new".to_owned()
        }
        Some(before) if before == content.as_bytes() => {
            parts.push(PreviewPart::Text {
                label: "No change".to_owned(),
                text: format!("{path} holds exactly this already."),
            });
            "no change".to_owned()
        }
        Some(before) => match file::as_text(before) {
            Some(text) => {
                parts.push(diff(path, Before::Text(text), content));
                format!("replaces {}", lines(text))
            }
            None => {
                let bytes = format!("{} bytes", before.len());
                parts.push(PreviewPart::Text {
                    label: "Not text".to_owned(),
                    text: format!("{path} holds {bytes} that are not text. All are replaced."),
                });
                parts.push(diff(path, Before::Binary, content));
                format!("replaces {bytes}")
            }
        },
    };
    CallPreview {
        summary: format!("Write {path} ({}, {replaced})", lines(content)),
        subject: Some(path.to_owned()),
        parts,
    }
}

/// How many lines, in words.
pub(super) fn lines(text: &str) -> String {
    match text.lines().count() {
        1 => "1 line".to_owned(),
        count => format!("{count} lines"),
    }
}

#[derive(Debug, Clone, Copy)]
enum Before<'a> {
    Nothing,
    Binary,
    Text(&'a str),
}

fn diff(path: &str, before: Before<'_>, content: &str) -> PreviewPart {
    let (old, header, is_new) = match before {
        Before::Nothing => ("", "/dev/null".to_owned(), true),
        Before::Binary => ("", format!("a/{path}"), false),
        Before::Text(text) => (text, format!("a/{path}"), false),
    };
    let diff = TextDiff::configure()
        .timeout(COMPARING)
        .diff_lines(old, content);
    PreviewPart::Diff {
        path: path.to_owned(),
        text: diff
            .unified_diff()
            .header(&header, &format!("b/{path}"))
            .to_string(),
        is_new,
    }
}
