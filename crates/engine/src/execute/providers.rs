//! Commands about providers and their keys. They take turns: each sees what the one before left.

use protocol::{
    CommandError, ErrorCode, ProviderFields, ProviderId, ProviderSecret, ProviderTest,
    ProviderView, Reply, Secret,
};
use store::{Change, ProviderRow};

use crate::Engine;
use crate::command_error::not_found;
use crate::registry::{Providers, Slot};

impl Engine {
    pub(super) async fn list_providers(&self) -> Result<Reply, CommandError> {
        let rows = self.read(|reader| reader.providers()).await?;
        let known = self.inner.models.providers();
        let views = rows.into_iter().map(|row| match known {
            Some(known) => Ok(view(row, known)),
            None => Err(no_providers()),
        });
        let providers = views.collect::<Result<Vec<ProviderView>, _>>()?;
        Ok(Reply::Providers { providers })
    }

    pub(super) async fn create_provider(
        &self,
        fields: ProviderFields,
    ) -> Result<Reply, CommandError> {
        let _turn = self.inner.provider_turn.lock().await;
        let fields = tidy(fields);
        self.known()?.check(&fields)?;
        let at_ms = self.inner.now_ms();
        let provider_id = ProviderId::from_uuid(self.inner.new_id());
        let row = ProviderRow {
            provider_id,
            fields,
            secrets: Vec::new(),
            revision: 1,
            models: Vec::new(),
            listed_at_ms: None,
            created_at_ms: at_ms,
            updated_at_ms: at_ms,
        };
        self.change_app(Change::CreateProvider(Box::new(row)))
            .await?;
        self.shown(provider_id).await
    }

    /// An edit of something else than what is there now is a conflict: nothing is overwritten. A
    /// secret goes to the host that it was given for, and to no other.
    pub(super) async fn update_provider(
        &self,
        provider_id: ProviderId,
        fields: ProviderFields,
        revision: u32,
    ) -> Result<Reply, CommandError> {
        let _turn = self.inner.provider_turn.lock().await;
        let fields = tidy(fields);
        self.known()?.check(&fields)?;
        let row = self.provider(provider_id).await?;
        if row.revision != revision {
            return Err(edited_meanwhile());
        }
        let is_same_host = self
            .known()?
            .is_same_host(&row.fields.base_url, &fields.base_url);
        let is_kept = |secret: &ProviderSecret| is_same_host && is_wanted(secret, &fields);
        let (kept, dropped): (Vec<_>, Vec<_>) = row.secrets.iter().cloned().partition(is_kept);
        // Before the row: a secret that is still there and that nobody knows of would stay for ever.
        for secret in dropped {
            self.forget(provider_id, secret).await?;
        }
        self.change_app(Change::UpdateProvider {
            provider_id,
            fields,
            secrets: kept,
            revision,
            at_ms: self.inner.now_ms(),
        })
        .await?;
        self.mended(provider_id).await
    }

    /// What uses it is told, unless the person has said that it does not matter.
    pub(super) async fn delete_provider(
        &self,
        provider_id: ProviderId,
        anyway: bool,
    ) -> Result<Reply, CommandError> {
        let _turn = self.inner.provider_turn.lock().await;
        let row = self.provider(provider_id).await?;
        if !anyway {
            self.refuse_used(provider_id).await?;
        }
        for secret in row.secrets {
            match self.forget(provider_id, secret).await {
                Err(error) if anyway => {
                    tracing::warn!(name: "engine.provider.key_left", %provider_id, message = error.message);
                }
                forgotten => forgotten?,
            }
        }
        self.change_app(Change::DeleteProvider { provider_id })
            .await?;
        self.reload().await?;
        // Runs that waited for it learn that it is gone.
        self.release(provider_id).await?;
        self.list_providers().await
    }

    async fn refuse_used(&self, provider_id: ProviderId) -> Result<(), CommandError> {
        let beginning = format!("{provider_id}/");
        let start = beginning.clone();
        let ((agents, sessions), settings) = self
            .read(move |reader| Ok((reader.users_of_models(&start)?, reader.settings()?)))
            .await?;
        let mut users: Vec<String> = agents
            .into_iter()
            .map(|name| format!("the agent {name}"))
            .collect();
        match sessions {
            0 => {}
            1 => users.push("one session".to_owned()),
            many => users.push(format!("{many} sessions")),
        }
        let is_default = |model: &String| model.starts_with(&beginning);
        if settings.default_model.as_ref().is_some_and(is_default) {
            users.push("the setting for the default model".to_owned());
        }
        if users.is_empty() {
            return Ok(());
        }
        Err(CommandError::new(
            ErrorCode::NotActionable,
            format!("Models of this provider are used by {}.", users.join(", ")),
            "Choose other models there first, or delete it anyway.",
        ))
    }

    /// Kept first, noted then: what is noted and missing can be said, what is kept and not noted
    /// is written over the next time.
    pub(super) async fn set_provider_key(
        &self,
        provider_id: ProviderId,
        header: Option<String>,
        key: Secret,
    ) -> Result<Reply, CommandError> {
        let _turn = self.inner.provider_turn.lock().await;
        let row = self.provider(provider_id).await?;
        let header = named(&row, header)?;
        let place = self.read(|reader| reader.settings()).await?.key_store;
        let new = ProviderSecret { header, place };
        let slot = slot(provider_id, &new);
        self.known()?.keep(slot, place, key).await?;
        let mut secrets = row.secrets;
        let old = secrets.iter().position(|old| old.header == new.header);
        let old = old.map(|at| secrets.remove(at));
        secrets.push(new);
        secrets.sort_by(|one, other| one.header.cmp(&other.header));
        self.save_secrets(provider_id, secrets, row.revision)
            .await?;
        if let Some(old) = old.filter(|old| old.place != place) {
            // The new one counts; that the old one is still somewhere else is only said.
            if let Err(error) = self.forget(provider_id, old).await {
                tracing::warn!(name: "engine.provider.key_left", %provider_id, message = error.message);
            }
        }
        self.mended(provider_id).await
    }

    pub(super) async fn forget_provider_key(
        &self,
        provider_id: ProviderId,
        header: Option<String>,
    ) -> Result<Reply, CommandError> {
        let _turn = self.inner.provider_turn.lock().await;
        let mut row = self.provider(provider_id).await?;
        let at = row
            .secrets
            .iter()
            .position(|secret| match (&secret.header, &header) {
                (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
                (one, other) => one.is_none() && other.is_none(),
            });
        if let Some(at) = at {
            let secret = row.secrets.remove(at);
            self.forget(provider_id, secret).await?;
            self.save_secrets(provider_id, row.secrets, row.revision)
                .await?;
        }
        self.shown(provider_id).await
    }

    /// Speaks to the provider without a turn: others need not wait for a slow server.
    pub(super) async fn test_provider(
        &self,
        provider_id: ProviderId,
    ) -> Result<Reply, CommandError> {
        let row = self.provider(provider_id).await?;
        let test = self.known()?.test(row).await?;
        if matches!(test, ProviderTest::Works { .. }) {
            self.known()?.resume(provider_id);
            self.release(provider_id).await?;
        }
        let row = self.provider(provider_id).await?;
        let provider = Box::new(view(row, self.known()?));
        Ok(Reply::ProviderTested { test, provider })
    }

    pub(super) async fn resume_provider(
        &self,
        provider_id: ProviderId,
    ) -> Result<Reply, CommandError> {
        self.provider(provider_id).await?;
        let _turn = self.inner.provider_turn.lock().await;
        self.mended(provider_id).await
    }

    pub(super) async fn refresh_models(
        &self,
        provider_id: ProviderId,
    ) -> Result<Reply, CommandError> {
        let row = self.provider(provider_id).await?;
        let models = self.known()?.list_models(row).await?;
        let _turn = self.inner.provider_turn.lock().await;
        self.change_app(Change::SaveProviderModels {
            provider_id,
            models,
            at_ms: self.inner.now_ms(),
        })
        .await?;
        self.shown(provider_id).await
    }

    /// Without a turn, like everything that waits for somebody else.
    pub(super) async fn find_local_servers(&self) -> Result<Reply, CommandError> {
        let servers = self.known()?.find_local().await?;
        Ok(Reply::LocalServers { servers })
    }

    /// What is stored is what can answer from now on.
    pub(super) async fn reload(&self) -> Result<(), CommandError> {
        let (providers, settings) = self
            .read(|reader| Ok((reader.providers()?, reader.settings()?)))
            .await?;
        self.inner.models.take_over(providers, &settings);
        Ok(())
    }

    /// The person has done something about it: it is tried again, and whoever waited goes on.
    async fn mended(&self, provider_id: ProviderId) -> Result<Reply, CommandError> {
        self.reload().await?;
        self.known()?.resume(provider_id);
        self.release(provider_id).await?;
        self.shown(provider_id).await
    }

    async fn shown(&self, provider_id: ProviderId) -> Result<Reply, CommandError> {
        self.reload().await?;
        let row = self.provider(provider_id).await?;
        Ok(Reply::Provider(Box::new(view(row, self.known()?))))
    }

    async fn provider(&self, provider_id: ProviderId) -> Result<ProviderRow, CommandError> {
        self.read(move |reader| reader.provider(provider_id))
            .await?
            .ok_or_else(|| not_found("provider"))
    }

    async fn save_secrets(
        &self,
        provider_id: ProviderId,
        secrets: Vec<ProviderSecret>,
        revision: u32,
    ) -> Result<(), CommandError> {
        self.change_app(Change::SaveProviderSecrets {
            provider_id,
            secrets,
            revision,
            at_ms: self.inner.now_ms(),
        })
        .await
    }

    async fn forget(
        &self,
        provider_id: ProviderId,
        secret: ProviderSecret,
    ) -> Result<(), CommandError> {
        let slot = slot(provider_id, &secret);
        self.known()?.forget(slot, secret.place).await
    }

    pub(super) fn known(&self) -> Result<&dyn Providers, CommandError> {
        self.inner.models.providers().ok_or_else(no_providers)
    }
}

fn view(row: ProviderRow, known: &dyn Providers) -> ProviderView {
    ProviderView {
        state: known.state(&row),
        models: known.priced(&row),
        provider_id: row.provider_id,
        fields: row.fields,
        revision: row.revision,
        secrets: row.secrets,
        listed_at_ms: row.listed_at_ms,
        created_at_ms: row.created_at_ms,
        updated_at_ms: row.updated_at_ms,
    }
}

fn slot(provider_id: ProviderId, secret: &ProviderSecret) -> Slot {
    Slot {
        provider_id,
        header: secret.header.clone(),
    }
}

/// Its key, or the value of a header that the provider still has.
fn is_wanted(secret: &ProviderSecret, fields: &ProviderFields) -> bool {
    let Some(name) = &secret.header else {
        return true;
    };
    let mut headers = fields.headers.iter();
    headers.any(|header| header.is_secret() && header.name == *name)
}

/// The header as the provider spells it.
fn named(row: &ProviderRow, header: Option<String>) -> Result<Option<String>, CommandError> {
    let Some(name) = header else {
        return Ok(None);
    };
    let mut headers = row.fields.headers.iter();
    let found = headers.find(|one| one.is_secret() && one.name.eq_ignore_ascii_case(&name));
    found.map(|found| Some(found.name.clone())).ok_or_else(|| {
        CommandError::new(
            ErrorCode::InvalidValue,
            "This provider has no secret header of that name.",
            "Add the header without a value first.",
        )
    })
}

fn tidy(mut fields: ProviderFields) -> ProviderFields {
    fields.name = fields.name.trim().to_owned();
    fields.base_url = fields.base_url.trim().to_owned();
    for header in &mut fields.headers {
        header.name = header.name.trim().to_owned();
    }
    fields
}

fn edited_meanwhile() -> CommandError {
    CommandError::new(
        ErrorCode::Conflict,
        "This provider was changed meanwhile.",
        "Look at it again and make your change once more.",
    )
}

fn no_providers() -> CommandError {
    CommandError::new(
        ErrorCode::NotActionable,
        "There can be no providers here.",
        "Start the app itself, or headless.",
    )
}
