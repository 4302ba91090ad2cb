//! Paths that rules keep from a call which looks at many of them.
//!
//! A rule is compared with the one subject of a call. A call that looks at a whole folder would pass
//! by the rules about what is in it, so its tool asks here about every file.

use std::sync::Arc;

use globset::GlobSet;
use protocol::{RuleView, Verdict};

use super::{fits, read};

/// What a call leaves out.
#[derive(Debug, Clone, Default)]
pub struct Withheld {
    rules: Arc<[Held]>,
}

#[derive(Debug)]
struct Held {
    tool: String,
    /// The pattern as it is; everything if there is none.
    exactly: Option<String>,
    /// What it fits; everything if it cannot be read.
    globs: Option<GlobSet>,
}

impl Withheld {
    /// By the rules that deny or ask, but for those that asked about this very call: they were
    /// answered.
    pub(crate) fn of(rules: &[RuleView], tool: &str, subject: Option<&str>) -> Self {
        let is_answered =
            |rule: &RuleView| rule.verdict == Verdict::Ask && fits(rule, tool, subject);
        Self {
            rules: rules
                .iter()
                .filter(|rule| rule.verdict != Verdict::Allow && !is_answered(rule))
                .map(Held::of)
                .collect(),
        }
    }

    /// Whether a path is left out by a rule about one of these tools.
    pub fn holds(&self, tools: &[&str], path: &str) -> bool {
        self.rules.iter().any(|rule| rule.holds(tools, path))
    }
}

impl Held {
    fn of(rule: &RuleView) -> Self {
        Self {
            tool: rule.tool.clone(),
            globs: rule.pattern.as_deref().and_then(|it| read(it).ok()),
            exactly: rule.pattern.clone(),
        }
    }

    fn holds(&self, tools: &[&str], path: &str) -> bool {
        let is_meant = self.tool == "*" || tools.contains(&self.tool.as_str());
        is_meant
            && (self.exactly.as_deref() == Some(path)
                || self.globs.as_ref().is_none_or(|globs| globs.is_match(path)))
    }
}
