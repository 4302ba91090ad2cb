//! What a search has found so far, and how it is told.

use std::collections::VecDeque;

use engine::ToolError;

use super::Request;
use super::expression::Expression;
use crate::blocking::Steps;
use crate::difference::counted;
use crate::find_files::not_asked_for;
use crate::walk::Flow;

/// Lines that fit, in one result.
const FITTING: usize = 300;
/// Bytes of text in one result.
const TEXT_BYTES: usize = 48 * 1024;
/// Bytes of one line that are shown.
const LINE_BYTES: usize = 400;
/// Bytes before the place that fits, where a line is cut.
const BEFORE_BYTES: usize = 100;
/// Bytes that are searched between two looks at whether to go on.
const STEP_BYTES: usize = 64 * 1024;

/// What was looked at, and what was not.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) files: usize,
    pub(super) binary: usize,
    pub(super) large: usize,
    pub(super) secret: usize,
    pub(super) withheld: usize,
    pub(super) unreadable: usize,
    pub(super) long_lines: usize,
    pub(super) is_over_files: bool,
}

/// The result while it grows.
#[derive(Debug, Default)]
pub(super) struct Page {
    context: usize,
    text: String,
    fitting: usize,
    files: usize,
    is_full: bool,
    is_over_time: bool,
    pub(super) counts: Counts,
}

impl Page {
    pub(super) fn new(context: usize) -> Self {
        Self {
            context,
            ..Self::default()
        }
    }

    /// Adds the lines of a text that fit.
    pub(super) fn search(
        &mut self,
        path: &str,
        text: &str,
        expression: &Expression,
        steps: &Steps,
    ) -> Result<Flow, ToolError> {
        self.counts.files += 1;
        let mut around = Around::new(self.context);
        let mut bytes = 0;
        let mut has_fitting = false;
        for (line, number) in text.lines().zip(1..) {
            bytes += line.len() + 1;
            if bytes > STEP_BYTES {
                bytes = 0;
                steps.go_on()?;
                if steps.is_time_up() {
                    self.is_over_time = true;
                    return Ok(Flow::Enough);
                }
            }
            let (found, is_whole) = expression.find(line);
            self.counts.long_lines += usize::from(!is_whole);
            let Some(at) = found else {
                if let Some(line) = around.after(number, line) {
                    self.push(path, number, '-', line);
                }
                continue;
            };
            if self.is_at_end() {
                self.is_full = true;
                return Ok(Flow::Enough);
            }
            self.fitting += 1;
            self.files += usize::from(!std::mem::replace(&mut has_fitting, true));
            if around.has_gap(number) && !self.text.is_empty() {
                self.text.push_str("--\n");
            }
            for (number, line) in around.before(number) {
                self.push(path, number, '-', cut(line, 0));
            }
            self.push(path, number, ':', cut(line, at));
        }
        Ok(Flow::Go)
    }

    fn is_at_end(&self) -> bool {
        self.fitting == FITTING || self.text.len() >= TEXT_BYTES
    }

    fn push(&mut self, path: &str, number: usize, sign: char, line: impl AsRef<str>) {
        self.text
            .push_str(&format!("{path}{sign}{number}{sign} {}\n", line.as_ref()));
    }

    /// The lines, and after them what was searched and what was not.
    pub(super) fn told(mut self, request: &Request, left_out: Vec<String>) -> String {
        let mut notes = Vec::new();
        if self.fitting == 0 {
            notes.push("no line fits".to_owned());
        } else {
            let lines = counted(self.fitting, "line");
            notes.push(format!("{lines} in {}", counted(self.files, "file")));
        }
        if self.is_full {
            notes.push(
                "there are more: narrow it with `path`, `glob` or a longer pattern".to_owned(),
            );
        }
        notes.push(format!("{} searched", counted(self.counts.files, "file")));
        notes.extend(self.counts.notes());
        if self.is_over_time {
            notes.push("the time was over before everything was searched".to_owned());
        }
        notes.extend(left_out);
        if self.fitting == 0 {
            notes.extend(not_asked_for(request.wanted));
            if request.pattern.contains("\\n") {
                notes.push("lines are searched one by one, so \\n fits nowhere".to_owned());
            }
        }
        self.text.push_str(&format!("[{}]", notes.join("; ")));
        self.text
    }
}

impl Counts {
    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = [
            (self.binary, "not text"),
            (self.large, "too large to search"),
            (self.secret, "with credentials, which are not searched"),
            (self.withheld, "left out because of a rule"),
            (self.unreadable, "that could not be opened"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
        if self.long_lines > 0 {
            let lines = counted(self.long_lines, "very long line");
            notes.push(format!("{lines} searched only at the beginning"));
        }
        if self.is_over_files {
            notes.push("too many files: narrow it with `path` or `glob`".to_owned());
        }
        notes
    }
}

/// The lines around those that fit.
#[derive(Debug)]
struct Around<'a> {
    context: usize,
    /// Lines that were passed and not shown, the newest last.
    passed: VecDeque<(usize, &'a str)>,
    /// How many lines are still to be shown after one that fits.
    to_come: usize,
    /// The last line that was shown.
    last: usize,
}

impl<'a> Around<'a> {
    fn new(context: usize) -> Self {
        Self {
            context,
            passed: VecDeque::with_capacity(context),
            to_come: 0,
            last: 0,
        }
    }

    /// A line that does not fit: what is shown of it because of one that did.
    fn after(&mut self, number: usize, line: &'a str) -> Option<String> {
        if self.context == 0 {
            return None;
        }
        if self.to_come > 0 {
            self.to_come -= 1;
            self.last = number;
            return Some(cut(line, 0));
        }
        if self.passed.len() == self.context {
            self.passed.pop_front();
        }
        self.passed.push_back((number, line));
        None
    }

    /// Whether lines are left out before this one that fits.
    fn has_gap(&self, number: usize) -> bool {
        let first = self.passed.front().map_or(number, |(first, _)| *first);
        self.context > 0 && (self.last == 0 || first > self.last + 1)
    }

    /// The lines to show before this one that fits.
    fn before(&mut self, number: usize) -> Vec<(usize, &'a str)> {
        self.last = number;
        self.to_come = self.context;
        self.passed.drain(..).collect()
    }
}

/// A line as far as it is shown: with the place that fits in it.
fn cut(line: &str, at: usize) -> String {
    if line.len() <= LINE_BYTES {
        return line.to_owned();
    }
    let begin = if at + BEFORE_BYTES <= LINE_BYTES {
        0
    } else {
        line.floor_char_boundary(at - BEFORE_BYTES)
    };
    let end = line.floor_char_boundary(begin + LINE_BYTES);
    let sign = |is_cut: bool| if is_cut { "…" } else { "" };
    format!(
        "{}{}{}",
        sign(begin > 0),
        &line[begin..end],
        sign(end < line.len())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_time_keeps_what_it_has() {
        let expression = Expression::read("tide", false).unwrap();
        let text = format!("tide\n{}tide\n", "ebb\n".repeat(50_000));
        for (steps, flow, fitting) in [
            (Steps::without_time(), Flow::Enough, 1),
            (Steps::without_end(), Flow::Go, 2),
        ] {
            let mut page = Page::new(0);
            assert_eq!(page.search("a", &text, &expression, &steps).unwrap(), flow);
            assert_eq!(page.fitting, fitting);
            assert_eq!(page.is_over_time, flow == Flow::Enough);
        }
    }

    #[test]
    fn a_line_is_cut_so_that_what_fits_is_seen() {
        let line = format!("{}tide{}", "ü".repeat(1_000), "→".repeat(1_000));
        let at = line.find("tide").unwrap();
        let shown = cut(&line, at);
        assert!(shown.contains("tide") && shown.starts_with('…') && shown.ends_with('…'));
        for at in 0..line.len() {
            assert!(cut(&line, at).len() <= LINE_BYTES + 6);
        }
        assert_eq!(cut("short", 3), "short");
    }
}
