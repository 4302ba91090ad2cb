//! Settings and rules.

use protocol::{Command, CommandError, Reply, RuleId, RuleScope, RuleView, Settings, Verdict};

use super::Actions;

impl Actions {
    /// Reads the settings.
    pub(crate) async fn settings(self) -> Option<Settings> {
        match self.ask_or_say(Command::GetSettings {}).await {
            Some(Reply::Settings(settings)) => Some(settings),
            Some(_) | None => None,
        }
    }

    /// Changes the settings, and gives what they are now.
    pub(crate) async fn save_settings(
        self,
        settings: Settings,
    ) -> Result<Option<Settings>, CommandError> {
        match self.ask(Command::UpdateSettings { settings }).await? {
            Some(Reply::Settings(settings)) => Ok(Some(settings)),
            Some(_) | None => Ok(None),
        }
    }

    /// Changes one thing of the settings as they are at this moment.
    pub(super) async fn change_settings(
        self,
        change: impl FnOnce(&mut Settings),
    ) -> Result<(), CommandError> {
        if let Some(Reply::Settings(mut settings)) = self.ask(Command::GetSettings {}).await? {
            change(&mut settings);
            self.act(Command::UpdateSettings { settings }).await?;
        }
        Ok(())
    }

    /// Reads every rule.
    pub(crate) async fn rules(self) -> Option<Vec<RuleView>> {
        rules_of(self.ask_or_say(Command::ListRules {}).await)
    }

    /// Adds a rule that holds everywhere.
    pub(crate) async fn add_rule(
        self,
        verdict: Verdict,
        tool: String,
        pattern: Option<String>,
    ) -> Result<Option<Vec<RuleView>>, CommandError> {
        let command = Command::AddRule {
            verdict,
            tool,
            pattern,
            scope: RuleScope::Global {},
        };
        Ok(rules_of(self.ask(command).await?))
    }

    /// Takes a rule back.
    pub(crate) async fn revoke_rule(self, rule_id: RuleId) -> Option<Vec<RuleView>> {
        rules_of(self.ask_or_say(Command::RevokeRule { rule_id }).await)
    }
}

fn rules_of(reply: Option<Reply>) -> Option<Vec<RuleView>> {
    match reply {
        Some(Reply::Rules { rules }) => Some(rules),
        Some(_) | None => None,
    }
}
