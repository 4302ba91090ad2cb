//! What the title and the notifications say: short, and nothing of any message.

use protocol::{AttentionKind, SessionId};

use super::plan::Need;

const APP: &str = "Holdfast";
/// As the window calls a session without a title.
const UNTITLED: &str = "New session";
/// Sessions that are named; the rest is counted.
const MOST_NAMED: usize = 5;
/// Enough of a title to recognise it.
const TITLE_CHARS: usize = 60;

/// One notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) summary: String,
    /// Lines of plain text.
    pub(crate) body: String,
    /// The session that a click opens.
    pub(crate) session_id: SessionId,
}

/// What the window is called while so many sessions need a person.
pub(super) fn window_title(needs: usize) -> String {
    match needs {
        0 => APP.to_owned(),
        needs => format!("({needs}) {APP}"),
    }
}

/// One notification for all of them; nothing for none.
pub(super) fn notice_of(needs: &[Need]) -> Option<Notice> {
    let first = needs.first()?;
    let (summary, body) = if needs.len() == 1 {
        (line(first), String::new())
    } else {
        let mut lines: Vec<String> = needs.iter().take(MOST_NAMED).map(line).collect();
        if needs.len() > MOST_NAMED {
            lines.push(format!("and {} more", needs.len() - MOST_NAMED));
        }
        let summary = format!("{} sessions wait for you", needs.len());
        (summary, lines.join("\n"))
    };
    Some(Notice {
        summary,
        body,
        session_id: first.session_id,
    })
}

fn line(need: &Need) -> String {
    format!("{}: {}", title(need), what(need))
}

fn what(need: &Need) -> String {
    match (need.kind, need.calls) {
        (AttentionKind::Waiting, 1) => "1 call waits for you".to_owned(),
        (AttentionKind::Waiting, 0) => "it waits for you".to_owned(),
        (AttentionKind::Waiting, calls) => format!("{calls} calls wait for you"),
        (AttentionKind::InDoubt, 0 | 1) => "the outcome of 1 call is unknown".to_owned(),
        (AttentionKind::InDoubt, calls) => format!("the outcome of {calls} calls is unknown"),
        (AttentionKind::Failed, _) => "the run failed".to_owned(),
        (AttentionKind::Interrupted, _) => "the run was interrupted".to_owned(),
        (AttentionKind::Stopped, _) => "the run reached a limit".to_owned(),
    }
}

/// One line without anything that could pretend to be more of the notification.
fn title(need: &Need) -> String {
    let title = need.title.as_deref().unwrap_or(UNTITLED);
    let words: Vec<&str> = title
        .split(|character: char| character.is_whitespace() || character.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let title = words.join(" ");
    if title.chars().count() <= TITLE_CHARS {
        return title;
    }
    let cut: String = title.chars().take(TITLE_CHARS - 1).collect();
    format!("{}…", cut.trim_end())
}
