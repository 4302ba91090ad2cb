//! The lifecycle of rules: made and taken back, never changed.

use protocol::{RuleId, RuleScope, RuleView, SessionId};
use rusqlite::{Connection, params};

use super::statement::{check_text, insert, set, update_one};
use crate::Error;

pub(super) fn add(connection: &Connection, rule: &RuleView) -> Result<(), Error> {
    let (scope, workspace, session_id) = scope(&rule.scope);
    check_text("the name of the tool", Some(&rule.tool))?;
    check_text("the pattern", rule.pattern.as_deref())?;
    check_text("the name of the workspace", workspace)?;
    insert(
        connection,
        "INSERT INTO rules
             (id, verdict, tool, pattern, scope, workspace, session_id, made_by, created_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            rule.rule_id.uuid().as_bytes(),
            rule.verdict.as_str(),
            rule.tool,
            set(rule.pattern.as_deref()),
            scope,
            workspace,
            session_id.map(|id| id.uuid().into_bytes()),
            rule.made_by.map(|id| id.uuid().into_bytes()),
            rule.created_at_ms
        ],
        "the rule exists, or its session is gone",
    )
}

fn scope(scope: &RuleScope) -> (&'static str, Option<&str>, Option<SessionId>) {
    match scope {
        RuleScope::Global {} => ("global", None, None),
        RuleScope::Workspace { workspace } => ("workspace", Some(workspace), None),
        RuleScope::Session { session_id } => ("session", None, Some(*session_id)),
    }
}

pub(super) fn remove(connection: &Connection, rule_id: RuleId) -> Result<(), Error> {
    update_one(
        connection,
        "DELETE FROM rules WHERE id = ?1",
        params![rule_id.uuid().as_bytes()],
        "the rule is gone",
    )
}
