//! Tells identifiers and string literals of Rust code from its comments.

/// A piece of code that names something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) kind: Kind,
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Identifier,
    Text,
}

/// Identifiers and string literals, in order; comments and all else are left out.
pub(super) fn tokens(code: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        rest: code,
        line: 1,
        tokens: Vec::new(),
    };
    while !lexer.rest.is_empty() {
        lexer.step();
    }
    lexer.tokens
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn step(&mut self) {
        if self.rest.starts_with("//") {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.take(end);
        } else if self.rest.starts_with("/*") {
            self.take(block_comment_length(self.rest));
        } else if let Some(hashes) = raw_string_hashes(self.rest) {
            self.raw_string(hashes);
        } else if self.rest.starts_with('"') {
            self.string();
        } else if self.rest.starts_with('\'') {
            self.take(char_or_lifetime_length(self.rest));
        } else if self
            .rest
            .starts_with(|first: char| first.is_alphabetic() || first == '_')
        {
            let end = self
                .rest
                .find(|next: char| !is_word(next))
                .unwrap_or(self.rest.len());
            // `b"…"`, `c"…"` and `r"…"` are prefixes, not names.
            let line = self.line;
            let text = self.take(end);
            if !(self.rest.starts_with('"') && text.len() == 1) {
                self.tokens.push(Token {
                    line,
                    kind: Kind::Identifier,
                    text,
                });
            }
        } else {
            let length = self.rest.chars().next().map_or(0, char::len_utf8);
            self.take(length);
        }
    }

    fn string(&mut self) {
        let line = self.line;
        let mut escaped = false;
        let end = self.rest.char_indices().skip(1).find(|(_, character)| {
            let closes = *character == '"' && !escaped;
            escaped = *character == '\\' && !escaped;
            closes
        });
        let end = end.map_or(self.rest.len(), |(index, _)| index + 1);
        let literal = self.take(end);
        let text = literal.trim_matches('"').to_owned();
        self.tokens.push(Token {
            line,
            kind: Kind::Text,
            text,
        });
    }

    fn raw_string(&mut self, hashes: usize) {
        let line = self.line;
        let start = self
            .rest
            .find('"')
            .map_or(self.rest.len(), |index| index + 1);
        let close = format!("\"{}", "#".repeat(hashes));
        let end = self.rest[start..]
            .find(&close)
            .map_or(self.rest.len(), |index| start + index);
        let text = self.rest[start..end].to_owned();
        self.take((end + close.len()).min(self.rest.len()));
        self.tokens.push(Token {
            line,
            kind: Kind::Text,
            text,
        });
    }

    fn take(&mut self, length: usize) -> String {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken.to_owned()
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn block_comment_length(code: &str) -> usize {
    let (mut depth, mut index) = (0, 0);
    while index < code.len() {
        let rest = &code[index..];
        if rest.starts_with("/*") {
            depth += 1;
            index += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            index += 2;
            if depth == 0 {
                return index;
            }
        } else {
            index += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    code.len()
}

fn raw_string_hashes(code: &str) -> Option<usize> {
    let rest = code.strip_prefix("br").or_else(|| code.strip_prefix('r'))?;
    let bare = rest.trim_start_matches('#');
    bare.starts_with('"').then_some(rest.len() - bare.len())
}

/// `'a'` and `'\n'` are characters; `'a` alone is a lifetime, of which the quote is skipped.
fn char_or_lifetime_length(code: &str) -> usize {
    let mut characters = code.char_indices().skip(1);
    match characters.next() {
        Some((_, '\\')) => {
            characters.next();
            characters
                .find(|(_, character)| *character == '\'')
                .map_or(code.len(), |(index, _)| index + 1)
        }
        Some((_, _)) => match characters.next() {
            Some((index, '\'')) => index + 1,
            Some(_) | None => 1,
        },
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(code: &str, kind: Kind) -> Vec<String> {
        tokens(code)
            .into_iter()
            .filter(|found| found.kind == kind)
            .map(|found| found.text)
            .collect()
    }

    #[test]
    fn comments_are_left_out() {
        let code = "/// A chat.\nstruct Session; // chat\n/* a /* nested */ chat */ struct Run;\n";
        assert_eq!(
            texts(code, Kind::Identifier),
            ["struct", "Session", "struct", "Run"]
        );
    }

    #[test]
    fn strings_are_texts_with_their_line() {
        let code = "let a = \"one \\\" two\";\nlet b = r#\"raw \" text\"#;\nlet c = b\"bytes\";";
        assert_eq!(
            texts(code, Kind::Text),
            ["one \\\" two", "raw \" text", "bytes"]
        );
        assert_eq!(tokens(code).last().map(|found| found.line), Some(3));
    }

    #[test]
    fn quotes_of_characters_and_lifetimes_open_no_string() {
        let code = "fn f<'a>(x: &'a str) { '\"'; '\\''; 'x'; after }";
        assert_eq!(
            texts(code, Kind::Identifier),
            ["fn", "f", "a", "x", "a", "str", "after"]
        );
        assert!(texts(code, Kind::Text).is_empty());
    }
}
