//! What is said about a tool call. Pure.

use protocol::{
    ApprovalStatus, ApprovalView, CallStatus, Decision, EffectClass, RuleScope, RuleView,
    ToolCallView, Verdict,
};

/// The one line that says what a call does.
pub(super) fn summary(call: &ToolCallView) -> String {
    call.preview
        .as_ref()
        .map_or_else(|| call.tool.clone(), |preview| preview.summary.clone())
}

/// The whole card, for those who do not see it.
pub(super) fn label(call: &ToolCallView) -> String {
    format!("{}: {}", status(call), summary(call))
}

/// Where a call stands, in a word or two.
pub(super) fn status(call: &ToolCallView) -> &'static str {
    match call.status {
        CallStatus::Proposed => "Proposed",
        CallStatus::Waiting => "Waiting for you",
        CallStatus::Ready => "About to run",
        CallStatus::Running => "Running",
        CallStatus::Completed => "Done",
        CallStatus::Failed => "Failed",
        CallStatus::Denied => "Denied",
        CallStatus::Skipped => "Skipped",
        CallStatus::InDoubt => "Outcome unknown",
        CallStatus::Cancelled => "Not run",
    }
}

/// Why a call did not run, or can no longer be answered.
pub(super) fn why_not_run(call: &ToolCallView) -> String {
    let approval = call.approval.as_ref().map(|approval| approval.status);
    match (call.status, approval) {
        (CallStatus::Denied, Some(ApprovalStatus::Denied)) => match denial(call) {
            Some(reason) => format!("You denied it: {reason}"),
            None => "You denied it.".to_owned(),
        },
        (_, Some(ApprovalStatus::Expired)) => {
            "The time to answer is over. It was not run.".to_owned()
        }
        (CallStatus::Denied, _) => call
            .verdict
            .as_ref()
            .filter(|verdict| verdict.verdict == Verdict::Deny)
            .map_or_else(
                || "It was not allowed.".to_owned(),
                |verdict| sentence(&verdict.explanation),
            ),
        (_, Some(ApprovalStatus::Superseded)) => {
            "You wrote a message instead. It was not run.".to_owned()
        }
        (CallStatus::Skipped, _) => "Skipped. Nobody knows whether it happened.".to_owned(),
        (_, Some(ApprovalStatus::Pending)) => {
            "Expired: its run is over. It was not run.".to_owned()
        }
        (
            _,
            Some(ApprovalStatus::Closed | ApprovalStatus::Allowed | ApprovalStatus::Denied) | None,
        ) => "The run was halted before it started.".to_owned(),
    }
}

fn denial(call: &ToolCallView) -> Option<String> {
    match &call.approval.as_ref()?.decision.as_ref()?.decision {
        Decision::Deny { reason } => reason.clone(),
        Decision::AllowOnce {}
        | Decision::AllowInSession { .. }
        | Decision::AllowAlways { .. }
        | Decision::EditAndAllow { .. } => None,
    }
}

/// How it came that a call could run.
pub(super) fn why_allowed(call: &ToolCallView) -> Option<String> {
    if let Some(decision) = call.approval.as_ref().and_then(|it| it.decision.as_ref()) {
        return answered(&decision.decision).map(str::to_owned);
    }
    let verdict = call.verdict.as_ref()?;
    (verdict.verdict == Verdict::Allow).then(|| sentence(&verdict.explanation))
}

const fn answered(decision: &Decision) -> Option<&'static str> {
    match decision {
        Decision::AllowOnce {} => Some("You allowed it once."),
        Decision::AllowInSession { .. } => Some("You allowed it in this session."),
        Decision::AllowAlways { .. } => Some("You allowed it for good."),
        Decision::EditAndAllow { .. } => Some("You edited the arguments and allowed it."),
        Decision::Deny { .. } => None,
    }
}

/// The decision that stands, after one that came too late.
pub(super) fn stands(approval: &ApprovalView, clock: impl Fn(u64) -> String) -> String {
    let what = match approval.status {
        ApprovalStatus::Pending => "It still waits for an answer",
        ApprovalStatus::Allowed => "It was already allowed",
        ApprovalStatus::Denied => "It was already denied",
        ApprovalStatus::Expired => "The time to answer is over",
        ApprovalStatus::Superseded => "A message came instead of an answer",
        ApprovalStatus::Closed => "Its run was halted",
    };
    match &approval.decision {
        Some(decision) => {
            let from = decision.from.as_deref().unwrap_or("elsewhere");
            format!("{what}, at {} ({from}).", clock(decision.at_ms))
        }
        None => format!("{what}."),
    }
}

/// Whether it may be run again, for a person.
pub(super) const fn effect(class: EffectClass) -> &'static str {
    match class {
        EffectClass::Read => "Only reads: changes nothing.",
        EffectClass::Idempotent => "Safe to repeat: doing it twice is like doing it once.",
        EffectClass::Once => "Not safe to repeat: it runs at most once by itself.",
    }
}

/// A rule in words.
pub(crate) fn rule(rule: &RuleView) -> String {
    let verb = match rule.verdict {
        Verdict::Allow => "Allows",
        Verdict::Ask => "Asks about",
        Verdict::Deny => "Denies",
    };
    let tool = match rule.tool.as_str() {
        "*" => "every tool",
        tool => tool,
    };
    let what = match &rule.pattern {
        Some(pattern) => format!("{tool} for {pattern}"),
        None => tool.to_owned(),
    };
    let place = match &rule.scope {
        RuleScope::Global {} => "everywhere".to_owned(),
        RuleScope::Workspace { workspace } => format!("in {workspace}"),
        RuleScope::Session { .. } => "in one session".to_owned(),
    };
    format!("{verb} {what}, {place}.")
}

fn sentence(words: &str) -> String {
    if words.ends_with(['.', '!', '?']) {
        words.to_owned()
    } else {
        format!("{words}.")
    }
}
