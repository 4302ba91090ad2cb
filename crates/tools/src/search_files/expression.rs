//! The expression that lines are compared with.

use engine::ToolError;
use regex::{Regex, RegexBuilder};

use crate::refusal;

/// Bytes of an expression.
const PATTERN_BYTES: usize = 1_000;
/// Bytes of what it is compiled to: what a byte of text can cost at most grows with it.
const SIZE_BYTES: usize = 2 * 1024 * 1024;
/// Bytes that are kept to search faster.
const FAST_BYTES: usize = 2 * 1024 * 1024;
/// Groups in groups.
const NESTED: u32 = 50;
/// Bytes of a line that are searched: no step may take long.
const LINE_BYTES: usize = 256 * 1024;

/// A regular expression, looked for in one line at a time.
#[derive(Debug)]
pub(super) struct Expression {
    regex: Regex,
}

impl Expression {
    pub(super) fn read(pattern: &str, is_case_ignored: bool) -> Result<Self, ToolError> {
        if pattern.is_empty() {
            return Err(refusal::invalid(
                "`pattern` is empty, which fits every line. Say what to look for.",
            ));
        }
        if pattern.len() > PATTERN_BYTES {
            return Err(refusal::invalid(format!(
                "`pattern` has {} bytes; at most {PATTERN_BYTES} are taken.",
                pattern.len()
            )));
        }
        RegexBuilder::new(pattern)
            .case_insensitive(is_case_ignored)
            .size_limit(SIZE_BYTES)
            .dfa_size_limit(FAST_BYTES)
            .nest_limit(NESTED)
            .build()
            .map(|regex| Self { regex })
            .map_err(|error| refused(&error))
    }

    /// Where in the line it fits first, and whether all of the line was looked at.
    pub(super) fn find(&self, line: &str) -> (Option<usize>, bool) {
        let searched = &line[..line.floor_char_boundary(LINE_BYTES)];
        let found = self.regex.find(searched).map(|found| found.start());
        (found, searched.len() == line.len())
    }
}

/// What is wrong, with the place marked in the expression.
fn refused(error: &regex::Error) -> ToolError {
    if matches!(error, regex::Error::CompiledTooBig(_)) {
        return refusal::too_large(
            "`pattern` becomes too large: it repeats too much too often. Use smaller counts.",
        );
    }
    refusal::invalid(format!(
        "`pattern` is not a regular expression that can be used:\n{error}\nA \\ before a character \
         makes it mean itself. There are no look-arounds and no back-references."
    ))
}
