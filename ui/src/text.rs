//! Text that somebody else wrote, made safe to judge by eye. Pure.

/// A part of a text on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Shown as it is.
    Plain(String),
    /// A character that would be invisible, or would change what stands around it.
    Hidden(char),
}

/// Splits a text into what can be shown and what must be named.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    for character in text.chars() {
        if is_hidden(character) {
            if !plain.is_empty() {
                pieces.push(Piece::Plain(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Hidden(character));
        } else {
            plain.push(character);
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Plain(plain));
    }
    pieces
}

/// The name of a hidden character: "⟨U+202E⟩".
pub(crate) fn name_of(character: char) -> String {
    format!("⟨U+{:04X}⟩", u32::from(character))
}

/// Controls, marks that turn the direction of text, what has no width, and what only machines read.
fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{00AD}'
        | '\u{034F}'
        | '\u{061C}'
        | '\u{115F}'..='\u{1160}'
        | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}' => true,
        character => character.is_control(),
    }
}

/// JSON with line breaks, token by token: nothing is reordered, left out or read.
pub(crate) fn spread_json(json: &str) -> String {
    let mut spread = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut is_in_string = false;
    let mut is_escaped = false;
    let mut characters = json.trim().chars().peekable();
    while let Some(character) = characters.next() {
        if is_in_string {
            spread.push(character);
            is_in_string = is_escaped || character != '"';
            is_escaped = character == '\\' && !is_escaped;
            continue;
        }
        match character {
            '"' => {
                is_in_string = true;
                spread.push(character);
            }
            '{' | '[' => {
                spread.push(character);
                while characters.peek().is_some_and(char::is_ascii_whitespace) {
                    characters.next();
                }
                if !matches!(characters.peek(), Some('}' | ']')) {
                    depth += 1;
                    break_line(&mut spread, depth);
                } else if let Some(end) = characters.next() {
                    spread.push(end);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut spread, depth);
                spread.push(character);
            }
            ',' => {
                spread.push(character);
                break_line(&mut spread, depth);
            }
            ':' => spread.push_str(": "),
            ' ' | '\n' | '\r' | '\t' => {}
            other => spread.push(other),
        }
    }
    spread
}

/// The same JSON with hidden characters written as escapes, so that they can be seen where it is
/// edited. They occur in strings only, where both mean the same.
pub(crate) fn visible_json(json: &str) -> String {
    let mut visible = String::with_capacity(json.len());
    for character in json.chars() {
        if is_hidden(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                visible.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            visible.push(character);
        }
    }
    visible
}

fn break_line(text: &mut String, depth: usize) {
    text.push('\n');
    for _ in 0..depth {
        text.push_str("  ");
    }
}

/// The beginning of a text, if it is longer than so many lines or characters.
pub(crate) fn beginning(text: &str, lines: usize, characters: usize) -> Option<&str> {
    let by_lines = text.match_indices('\n').nth(lines.saturating_sub(1));
    let by_lines = by_lines
        .map(|(index, _)| index)
        .filter(|index| index + 1 < text.len());
    let by_characters = text.char_indices().nth(characters).map(|(index, _)| index);
    let end = match (by_lines, by_characters) {
        (Some(one), Some(other)) => one.min(other),
        (Some(end), None) | (None, Some(end)) => end,
        (None, None) => return None,
    };
    text.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// APR-6: what is shown is what runs; nothing hides in between.
    #[test]
    fn hidden_characters_are_named() {
        let text = "rm \u{202E}txt.exe\u{200B}\u{1b}[2J\tok\n\u{E0041}é";
        let shown: String = pieces(text)
            .into_iter()
            .map(|piece| match piece {
                Piece::Plain(text) => text,
                Piece::Hidden(character) => name_of(character),
            })
            .collect();
        assert_eq!(
            shown,
            "rm ⟨U+202E⟩txt.exe⟨U+200B⟩⟨U+001B⟩[2J\tok\n⟨U+E0041⟩é"
        );
        assert_eq!(pieces("plain"), [Piece::Plain("plain".to_owned())]);
        assert_eq!(pieces(""), []);
    }

    #[test]
    fn json_is_spread_without_being_read() {
        let json = r#"{"b":"a, \"{b}\": c","a":[1, {}],"a":null,"c":[]}"#;
        assert_eq!(
            spread_json(json),
            "{\n  \"b\": \"a, \\\"{b}\\\": c\",\n  \"a\": [\n    1,\n    {}\n  ],\n  \"a\": null,\n  \"c\": []\n}"
        );
        // What is no JSON is still all there.
        assert_eq!(spread_json("{oops"), "{\n  oops");
    }

    #[test]
    fn hidden_characters_can_be_edited() {
        assert_eq!(
            visible_json("{\"a\": \"x\u{202E}y\u{E0041}\"}"),
            r#"{"a": "x\u202ey\udb40\udc41"}"#
        );
    }

    #[test]
    fn a_text_has_a_beginning_when_it_is_long() {
        assert_eq!(beginning("a\nb\nc", 2, 99), Some("a\nb"));
        assert_eq!(beginning("a\nb\n", 2, 99), None);
        assert_eq!(beginning("aébc", 9, 2), Some("aé"));
        assert_eq!(beginning("aé", 9, 2), None);
    }
}
