//! What answers allow, ask or deny for a tool call. Pure.

#[cfg(test)]
mod tests;
mod withheld;

pub use withheld::Withheld;

use globset::{GlobBuilder, GlobSet};
use protocol::{RuleScope, RuleView, Verdict, VerdictView};

/// Deny wins over ask, ask over allow; where no rule fits, the tool's own verdict stands.
pub(crate) fn verdict(
    rules: &[RuleView],
    tool: &str,
    subject: Option<&str>,
    default: Verdict,
) -> VerdictView {
    for wanted in [Verdict::Deny, Verdict::Ask, Verdict::Allow] {
        let found = rules
            .iter()
            .find(|rule| rule.verdict == wanted && fits(rule, tool, subject));
        if let Some(rule) = found {
            return VerdictView {
                verdict: wanted,
                rule_id: Some(rule.rule_id),
                explanation: format!("{} by the rule {}", past(wanted), describe(rule)),
            };
        }
    }
    let explanation = match default {
        Verdict::Allow => "Allowed: this tool only looks at the workspace or keeps to itself",
        Verdict::Ask => "Asked: no rule allows this",
        Verdict::Deny => "Denied: this tool is never allowed without a rule",
    };
    VerdictView {
        verdict: default,
        rule_id: None,
        explanation: explanation.to_owned(),
    }
}

const fn past(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "Allowed",
        Verdict::Ask => "Asked",
        Verdict::Deny => "Denied",
    }
}

fn describe(rule: &RuleView) -> String {
    let place = match &rule.scope {
        RuleScope::Global {} => "everywhere",
        RuleScope::Workspace { .. } => "in this workspace",
        RuleScope::Session { .. } => "in this session",
    };
    match &rule.pattern {
        Some(pattern) => format!("{} {pattern} ({place})", rule.tool),
        None => format!("{} ({place})", rule.tool),
    }
}

fn fits(rule: &RuleView, tool: &str, subject: Option<&str>) -> bool {
    if rule.tool != "*" && rule.tool != tool {
        return false;
    }
    let Some(pattern) = &rule.pattern else {
        return true;
    };
    let Some(subject) = subject else {
        // A pattern over something that the call does not have: a denial errs on the safe side.
        return rule.verdict != Verdict::Allow;
    };
    matches(pattern, subject, rule.verdict)
}

/// A star stays inside one folder, two stars do not.
fn matches(pattern: &str, subject: &str, verdict: Verdict) -> bool {
    if pattern == subject {
        return true;
    }
    match read(pattern) {
        Ok(globs) => globs.is_match(subject),
        // A pattern that cannot be read allows nothing and holds back everything.
        Err(_) => verdict != Verdict::Allow,
    }
}

/// A pattern that fits exactly this subject.
pub(crate) fn exactly(subject: &str) -> String {
    globset::escape(subject)
}

/// Whether a pattern can be read.
pub(crate) fn is_pattern(pattern: &str) -> bool {
    read(pattern).is_ok()
}

/// A single glob panics when its form is fine and its size is not; a set of one says so. A backslash
/// is a character like any other: in what a person allows exactly, it must not stand for the next.
fn read(pattern: &str) -> Result<GlobSet, globset::Error> {
    let glob = GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(false)
        .build()?;
    GlobSet::builder().add(glob).build()
}
