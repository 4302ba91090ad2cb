//! A part of a session as one text, for a model that is to summarise it. No longer than asked for:
//! what is long is shortened in its middle, and if that is not enough, what is old is left out.

use crate::model::{RequestMessage, RequestPart};

/// Shorter pieces say nothing.
const LEAST: usize = 160;
/// What is between two pieces.
const BETWEEN: &str = "\n\n";

/// What was told, in no more than about so many bytes.
pub(super) fn of(told: &[RequestMessage], bytes: usize) -> String {
    let mut pieces: Vec<String> = told.iter().map(piece).collect();
    let lengths: Vec<usize> = pieces
        .iter()
        .map(|piece| piece.len() + BETWEEN.len())
        .collect();
    let longest = longest(&lengths, bytes).max(LEAST);
    for piece in &mut pieces {
        shorten(piece, longest);
    }
    // The first one may be the summary of what was before: it stays, as do the newest.
    let room = |pieces: &[String]| {
        pieces
            .iter()
            .map(|piece| piece.len() + BETWEEN.len())
            .sum::<usize>()
    };
    let mut left_out = 0;
    while pieces.len() > 2 && room(&pieces) > bytes {
        let excess = room(&pieces) - bytes;
        let mut gone = 0;
        let count = pieces[1..pieces.len() - 1]
            .iter()
            .take_while(|piece| {
                let is_needed = gone < excess;
                gone += piece.len() + BETWEEN.len();
                is_needed
            })
            .count();
        pieces.drain(1..=count);
        left_out += count;
    }
    if left_out > 0 {
        pieces.insert(1, format!("[{left_out} pieces are left out here.]"));
    }
    pieces.join(BETWEEN)
}

/// What was given along is its name: a summary is of what was said.
fn named(part: &RequestPart) -> String {
    match part {
        RequestPart::Text(text) => format!("{}\n", text.lines().next().unwrap_or_default()),
        RequestPart::Image(image) => format!("[image: {}]\n", image.label),
    }
}

fn piece(told: &RequestMessage) -> String {
    match told {
        RequestMessage::User { parts, text } => {
            let parts: String = parts.iter().map(named).collect();
            format!("The person:\n{parts}{text}")
        }
        RequestMessage::Agent { text, calls, .. } => {
            let mut said = format!("The agent:\n{text}");
            for call in calls {
                said.push_str(&format!("\n[calls {} {}]", call.tool, call.arguments));
            }
            said
        }
        RequestMessage::Result {
            tool,
            text,
            is_error,
            ..
        } => {
            let failed = if *is_error { ", which failed" } else { "" };
            format!("[{tool}{failed}, gave back:]\n{text}")
        }
    }
}

/// How long a piece may be at most, so that all of them together fit: short ones leave their room to
/// the others.
fn longest(lengths: &[usize], bytes: usize) -> usize {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let mut left = bytes;
    for (index, length) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - index);
        if *length > share {
            return share;
        }
        left -= length;
    }
    usize::MAX
}

/// The beginning and the end say most.
fn shorten(text: &mut String, bytes: usize) {
    const GAP: &str = "\n[…]\n";
    if text.len() <= bytes {
        return;
    }
    let room = bytes.saturating_sub(GAP.len());
    let head = text.floor_char_boundary(room * 3 / 4);
    let tail = text.ceil_char_boundary(text.len() - room / 4);
    text.replace_range(head..tail.max(head), GAP);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RequestCall;

    fn user(text: &str) -> RequestMessage {
        RequestMessage::User {
            parts: Vec::new(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn what_fits_is_told_whole() {
        let told = [
            user("Read a"),
            RequestMessage::Agent {
                text: "Sure.".to_owned(),
                calls: vec![RequestCall {
                    id: "c1".to_owned(),
                    tool: "read_file".to_owned(),
                    arguments: r#"{"path":"a"}"#.to_owned(),
                }],
                native: None,
            },
            RequestMessage::Result {
                call_id: "c1".to_owned(),
                tool: "read_file".to_owned(),
                text: "no such file".to_owned(),
                is_error: true,
            },
        ];
        let expected = "The person:\nRead a\n\nThe agent:\nSure.\n[calls read_file {\"path\":\"a\"}]\n\n\
                        [read_file, which failed, gave back:]\nno such file";
        assert_eq!(of(&told, 1_000), expected);
        assert_eq!(of(&[], 0), "");
    }

    #[test]
    fn what_is_long_is_shortened_and_the_short_stays_whole() {
        let told = [user("short"), user(&"ü".repeat(5_000)), user("last")];
        let text = of(&told, 2_000);
        assert!(text.len() <= 2_000, "{}", text.len());
        assert!(text.len() > 1_900, "{}", text.len());
        assert!(text.contains("short") && text.contains("\n[…]\n") && text.ends_with("last"));
    }

    #[test]
    fn what_is_too_many_is_left_out_from_the_old_end() {
        let told: Vec<RequestMessage> = (0..1_000)
            .map(|number| user(&format!("{number} {}", "x".repeat(500))))
            .collect();
        for bytes in [0, 500, 5_000, 50_000] {
            let text = of(&told, bytes);
            assert!(
                text.len() <= bytes.max(2 * LEAST) + 100,
                "{bytes}: {}",
                text.len()
            );
            assert!(text.starts_with("The person:\n0 x"), "the first one stays");
            assert!(text.contains("pieces are left out here"));
            assert!(text.contains("\n999 x"), "the newest one stays");
        }
    }
}
