//! Reading rules. One that cannot be read whole never allows.

use protocol::{CallId, RuleScope, RuleView, SessionId, Verdict};
use rusqlite::params;

use super::Reader;
use super::row::{Row, get, rule_id, session_id, unreadable, uuid_or_drop};
use crate::Error;

const COLUMNS: &str = "
    SELECT id, verdict, tool, pattern, scope, workspace, session_id, made_by, created_at_ms
    FROM rules";

impl Reader<'_> {
    /// Every rule, the oldest first.
    pub fn rules(&self) -> Result<Vec<RuleView>, Error> {
        let sql = format!("{COLUMNS} ORDER BY created_at_ms, id");
        self.all(&sql, [], rule)
    }

    /// The rules that hold in a session with this workspace, the oldest first.
    pub fn rules_for(
        &self,
        session_id: SessionId,
        workspace: &str,
    ) -> Result<Vec<RuleView>, Error> {
        let sql = format!(
            "{COLUMNS} WHERE session_id IS NULL OR session_id = ?1 ORDER BY created_at_ms, id"
        );
        let mut found = self.all(&sql, params![session_id.uuid().as_bytes()], rule)?;
        found.retain(|rule| match &rule.scope {
            RuleScope::Global {} => true,
            RuleScope::Workspace { workspace: of } => of == workspace,
            RuleScope::Session { session_id: of } => *of == session_id,
        });
        Ok(found)
    }
}

/// What cannot be read makes a rule wider, and one that allows a question.
fn rule(row: &Row<'_>) -> Result<RuleView, Error> {
    let rule_id = rule_id(row, "id")?;
    let mut is_whole = true;
    let mut note = |error: Error| {
        tracing::error!(name: "store.rule.unreadable", %rule_id, %error);
        is_whole = false;
    };
    let verdict = get::<String>(row, "verdict").map(|text| {
        let verdict = Verdict::parse(&text);
        if verdict.as_str() != text {
            tracing::error!(name: "store.rule.unknown_verdict", %rule_id, text);
        }
        verdict
    });
    let verdict = verdict.map_err(&mut note).unwrap_or(Verdict::Ask);
    let tool = get(row, "tool").map_err(&mut note);
    let pattern = get(row, "pattern").map_err(&mut note).unwrap_or(None);
    let scope = scope(row)
        .map_err(&mut note)
        .unwrap_or(RuleScope::Global {});
    Ok(RuleView {
        rule_id,
        tool: tool.unwrap_or_else(|()| "*".to_owned()),
        pattern,
        scope,
        verdict: match verdict {
            Verdict::Allow if !is_whole => Verdict::Ask,
            Verdict::Allow | Verdict::Ask | Verdict::Deny => verdict,
        },
        made_by: uuid_or_drop(row, "made_by").map(CallId::from_uuid),
        created_at_ms: get(row, "created_at_ms").unwrap_or(0),
    })
}

fn scope(row: &Row<'_>) -> Result<RuleScope, Error> {
    let scope: String = get(row, "scope")?;
    match scope.as_str() {
        "global" => Ok(RuleScope::Global {}),
        "workspace" => Ok(RuleScope::Workspace {
            workspace: get(row, "workspace")?,
        }),
        "session" => Ok(RuleScope::Session {
            session_id: session_id(row, "session_id")?,
        }),
        other => Err(unreadable("rule", &format!("scope {other}"))),
    }
}
