//! Commands about rules and settings.

use protocol::{
    CommandError, ErrorCode, Reply, RuleId, RuleScope, RuleView, SessionId, Settings, Verdict,
};
use store::Change;

use crate::Engine;
use crate::command_error::not_found;
use crate::policy;

impl Engine {
    pub(super) async fn list_rules(&self) -> Result<Reply, CommandError> {
        let rules = self.read(|reader| reader.rules()).await?;
        Ok(Reply::Rules { rules })
    }

    pub(super) async fn add_rule(
        &self,
        verdict: Verdict,
        tool: String,
        pattern: Option<String>,
        scope: RuleScope,
    ) -> Result<Reply, CommandError> {
        if let Some(pattern) = &pattern
            && !policy::is_pattern(pattern)
        {
            return Err(CommandError::new(
                ErrorCode::InvalidValue,
                "The pattern cannot be read.",
                "Use a path with * for anything in a folder, or ** for folders too.",
            ));
        }
        if let RuleScope::Session { session_id } = scope {
            self.must_be_there(session_id).await?;
        }
        let rule = RuleView {
            rule_id: RuleId::from_uuid(self.inner.new_id()),
            verdict,
            tool,
            pattern,
            scope,
            made_by: None,
            created_at_ms: self.inner.now_ms(),
        };
        self.change_app(Change::AddRule(rule)).await?;
        self.list_rules().await
    }

    /// A rule that is taken back no longer holds for the very next call.
    pub(super) async fn revoke_rule(&self, rule_id: RuleId) -> Result<Reply, CommandError> {
        let read = move |reader: &store::Reader<'_>| reader.rules();
        self.transact_on(read, |rules| {
            if !rules.iter().any(|rule| rule.rule_id == rule_id) {
                return Err(not_found("rule"));
            }
            let mut decision = crate::decide::Decision::nothing();
            decision.changes.push(Change::RemoveRule { rule_id });
            Ok(((), decision))
        })
        .await?;
        self.list_rules().await
    }

    pub(super) async fn update_settings(&self, settings: Settings) -> Result<Reply, CommandError> {
        let _turn = self.inner.provider_turn.lock().await;
        if let Some(model) = &settings.default_model {
            let before = self.read(|reader| reader.settings()).await?;
            // One that is gone may stay until another is chosen.
            if before.default_model.as_ref() != Some(model) {
                self.check_model(model)?;
            }
        }
        if let Some(known) = self.inner.models.providers() {
            known.check_proxy(&settings.proxy)?;
        }
        self.change_app(Change::SaveSettings(settings)).await?;
        self.reload().await?;
        let settings = self.read(|reader| reader.settings()).await?;
        Ok(Reply::Settings(settings))
    }

    async fn must_be_there(&self, session_id: SessionId) -> Result<(), CommandError> {
        let row = self
            .read(move |reader| reader.session_row(session_id))
            .await?;
        row.map(drop).ok_or_else(|| not_found("session"))
    }
}
