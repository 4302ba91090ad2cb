//! Exact edits of a text. Pure.
//!
//! Every edit looks for its text in the file as it is, never in what another edit would make of it.
//! So their order does not matter, and a line that a refusal names is a line of the file.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use engine::ToolError;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{CHANGED_FILE_BYTES, refusal};

/// Edits in one call.
const EDITS: usize = 100;
/// Places that one call changes.
const PLACES: usize = 100_000;
/// Places of an ambiguous text that are counted: overlapping ones are looked for one by one.
const COUNTED: usize = 100;
/// Lines that a refusal names.
const NAMED_LINES: usize = 10;
/// What some editors put at the beginning of a file. It stays there.
const MARK: char = '\u{feff}';

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(super) struct Edit {
    /// The text to replace, exactly as the file has it, with enough around it to be there once.
    pub(super) old: String,
    /// What comes in its place.
    pub(super) new: String,
    /// Whether to replace it everywhere, however often it is there.
    #[serde(default)]
    #[schemars(with = "bool")]
    pub(super) all: Option<bool>,
}

impl Edit {
    /// What is replaced by what, without the mark that stays at the beginning of the file.
    fn unmarked(&self) -> (&str, &str) {
        match self.old.strip_prefix(MARK) {
            Some(old) if !old.is_empty() => (old, self.new.strip_prefix(MARK).unwrap_or(&self.new)),
            Some(_) | None => (&self.old, &self.new),
        }
    }
}

/// A text after its edits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edited {
    pub(super) text: String,
    /// In how many places it changed.
    pub(super) places: usize,
}

/// Refuses what is wrong whatever the file holds.
pub(super) fn check(edits: &[Edit]) -> Result<(), ToolError> {
    if edits.is_empty() || edits.len() > EDITS {
        return Err(refusal::invalid(format!(
            "`edits` has {} edits; 1 to {EDITS} are taken.",
            edits.len()
        )));
    }
    for (index, edit) in edits.iter().enumerate() {
        if edit.old.is_empty() {
            return Err(refusal::invalid(format!(
                "`edits[{index}].old` is empty, which is nowhere and everywhere. Give the text beside \
                 which something is to be added, and repeat it in `new`."
            )));
        }
        if edit.new.contains('\0') {
            return Err(refusal::invalid(format!(
                "`edits[{index}].new` has a zero byte in it. edit_file edits text."
            )));
        }
        if edit.old == edit.new {
            return Err(refusal::invalid(format!(
                "`edits[{index}]` changes nothing: `old` and `new` are the same."
            )));
        }
    }
    Ok(())
}

/// Makes all edits, or none.
pub(super) fn apply(text: &str, edits: &[Edit], path: &str) -> Result<Edited, ToolError> {
    let body = text.strip_prefix(MARK).unwrap_or(text);
    let breaks = Breaks::of(body);
    let adapted: Vec<(Cow<'_, str>, Cow<'_, str>)> = edits
        .iter()
        .map(Edit::unmarked)
        .map(|(old, new)| (breaks.adapt(old), breaks.adapt(new)))
        .collect();
    let mut pieces = Vec::new();
    for (index, (edit, (old, new))) in edits.iter().zip(&adapted).enumerate() {
        let asked = Asked {
            index,
            old,
            body,
            path,
        };
        let places = if edit.all.unwrap_or(false) {
            asked.everywhere(PLACES - pieces.len())?
        } else {
            asked.once()?
        };
        pieces.extend(places.into_iter().map(|place| Piece { index, place, new }));
    }
    pieces.sort_by_key(|piece| (piece.place.start, piece.index));
    check_apart(&pieces, body, path)?;
    check_size(text.len(), &pieces, path)?;
    let mark = &text[..text.len() - body.len()];
    Ok(Edited {
        text: joined(mark, body, &pieces),
        places: pieces.len(),
    })
}

/// One place that is replaced.
#[derive(Debug)]
struct Piece<'a> {
    index: usize,
    place: Range<usize>,
    new: &'a str,
}

fn joined(mark: &str, body: &str, pieces: &[Piece<'_>]) -> String {
    let mut text = mark.to_owned();
    let mut done = 0;
    for piece in pieces {
        text.push_str(&body[done..piece.place.start]);
        text.push_str(piece.new);
        done = piece.place.end;
    }
    text.push_str(&body[done..]);
    text
}

/// How a text ends its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Breaks {
    /// With `\n` alone.
    Short,
    /// With `\r\n` alone.
    Long,
    /// One way here, another there, or none at all: what is given is taken as it is.
    AsGiven,
}

impl Breaks {
    fn of(text: &str) -> Self {
        let all = text.matches('\n').count();
        let long = text.matches("\r\n").count();
        match (all, long) {
            (0, _) => Self::AsGiven,
            (_, 0) => Self::Short,
            (all, long) if all == long => Self::Long,
            _ => Self::AsGiven,
        }
    }

    /// A model sees lines and not how they end; what it gives gets the endings that the file has.
    fn adapt(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::AsGiven => Cow::Borrowed(text),
            Self::Short if !text.contains("\r\n") => Cow::Borrowed(text),
            Self::Short => Cow::Owned(text.replace("\r\n", "\n")),
            Self::Long if !text.contains('\n') => Cow::Borrowed(text),
            Self::Long => Cow::Owned(text.replace("\r\n", "\n").replace('\n', "\r\n")),
        }
    }
}

/// One edit, while its text is looked for.
#[derive(Debug)]
struct Asked<'a> {
    index: usize,
    old: &'a str,
    body: &'a str,
    path: &'a str,
}

impl Asked<'_> {
    /// The one place where the text is.
    fn once(&self) -> Result<Vec<Range<usize>>, ToolError> {
        let found = self.overlapping();
        match found.as_slice() {
            [] => Err(self.missing()),
            [start] => {
                let place = *start..start + self.old.len();
                Ok(vec![place])
            }
            _ => Err(self.ambiguous(&found)),
        }
    }

    /// Every place where it is, from the beginning on.
    fn everywhere(&self, most: usize) -> Result<Vec<Range<usize>>, ToolError> {
        let places: Vec<Range<usize>> = self
            .body
            .match_indices(self.old)
            .take(most + 1)
            .map(|(start, found)| start..start + found.len())
            .collect();
        if places.is_empty() {
            return Err(self.missing());
        }
        if places.len() > most {
            return Err(refusal::too_large(format!(
                "The edits change more than {PLACES} places of {}. Write the file with write_file.",
                self.path
            )));
        }
        Ok(places)
    }

    /// Where it begins, also inside of itself: `aa` is in `aaa` twice, and nobody said which.
    fn overlapping(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let mut from = 0;
        while found.len() <= COUNTED
            && let Some(start) = self.body[from..].find(self.old)
        {
            let start = from + start;
            found.push(start);
            let first = self.body[start..].chars().next();
            from = start + first.map_or(1, char::len_utf8);
        }
        found
    }

    fn ambiguous(&self, found: &[usize]) -> ToolError {
        let places = if found.len() > COUNTED {
            format!("more than {COUNTED}")
        } else {
            found.len().to_string()
        };
        refusal::invalid(format!(
            "`edits[{}].old` is in {places} places of {}: {}. Give more of the text around it, so \
             that it is there once, or set `all`.",
            self.index,
            self.path,
            named(&line_numbers(self.body, found))
        ))
    }

    fn missing(&self) -> ToolError {
        let alike = match self.alike().as_slice() {
            [] => String::new(),
            lines => format!(
                " Its first line is like {}, but for blanks, what comes after it or how lines end.",
                named(lines)
            ),
        };
        refusal::invalid(format!(
            "`edits[{}].old` is not in {}.{alike} Read the file again and copy the text exactly.",
            self.index, self.path
        ))
    }

    /// Lines that are what the text begins with, but for blanks.
    fn alike(&self) -> Vec<usize> {
        let Some(first) = self
            .old
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
        else {
            return Vec::new();
        };
        let lines = self.body.lines().enumerate();
        lines
            .filter(|(_, line)| line.trim() == first)
            .map(|(index, _)| index + 1)
            .take(NAMED_LINES + 1)
            .collect()
    }
}

/// Two edits that would replace the same text cannot both be made.
fn check_apart(pieces: &[Piece<'_>], body: &str, path: &str) -> Result<(), ToolError> {
    for pair in pieces.windows(2) {
        let [one, other] = pair else { continue };
        if one.place.end > other.place.start {
            let line = line_numbers(body, &[other.place.start]);
            return Err(refusal::invalid(format!(
                "`edits[{}]` and `edits[{}]` both change {} of {path}. Make them one edit.",
                one.index.min(other.index),
                one.index.max(other.index),
                named(&line)
            )));
        }
    }
    Ok(())
}

/// Before anything is put together: a short text in many places can become a very long one.
fn check_size(bytes: usize, pieces: &[Piece<'_>], path: &str) -> Result<(), ToolError> {
    let removed: usize = pieces.iter().map(|piece| piece.place.len()).sum();
    let added = pieces
        .iter()
        .fold(0_usize, |sum, piece| sum.saturating_add(piece.new.len()));
    let after = (bytes - removed).saturating_add(added) as u64;
    if after > CHANGED_FILE_BYTES {
        return Err(refusal::too_large(format!(
            "{path} would have {after} bytes; at most {CHANGED_FILE_BYTES} are taken."
        )));
    }
    Ok(())
}

/// The lines in which these places begin, each once. The places are in order.
fn line_numbers(text: &str, places: &[usize]) -> Vec<usize> {
    let mut lines = Vec::new();
    let (mut line, mut counted) = (1, 0);
    for &place in places {
        line += text[counted..place].matches('\n').count();
        counted = place;
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    lines
}

fn named(lines: &[usize]) -> String {
    let shown: Vec<String> = lines
        .iter()
        .take(NAMED_LINES)
        .map(ToString::to_string)
        .collect();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let rest = if lines.len() > NAMED_LINES {
        " and others"
    } else {
        ""
    };
    format!("{word} {}{rest}", shown.join(", "))
}
