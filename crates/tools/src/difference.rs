//! What a change looks like to the person who is asked about it.

use std::time::Duration;

use protocol::PreviewPart;
use similar::TextDiff;

/// How long lines are compared. After that the rest is shown as replaced, which is also true.
const COMPARING: Duration = Duration::from_millis(500);

/// What was there.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Before<'a> {
    Nothing,
    Binary,
    Text(&'a str),
}

/// The difference as a unified diff.
pub(crate) fn part(path: &str, before: Before<'_>, content: &str) -> PreviewPart {
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

/// How many lines, in words.
pub(crate) fn lines(text: &str) -> String {
    counted(text.lines().count(), "line")
}

/// A number and what it counts.
pub(crate) fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}
