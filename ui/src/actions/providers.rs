//! Providers: list, add, change, test, resume, delete; their keys and models.

use leptos::prelude::{Set, Update};
use protocol::{
    Command, CommandError, KeyPlace, ProviderFields, ProviderId, ProviderTest, ProviderView, Reply,
    Secret,
};

use super::Actions;
use crate::state::{AppStateStoreFields, Panel};

impl Actions {
    /// Reads every provider.
    pub(crate) async fn load_providers(self) {
        if let Some(Reply::Providers { providers }) =
            self.ask_or_say(Command::ListProviders {}).await
        {
            self.store.providers().set(Some(providers));
        }
    }

    /// Reads anew who can answer.
    pub(crate) async fn load_app(self) {
        if let Some(Reply::App(app)) = self.ask_or_say(Command::GetApp {}).await {
            self.store.app().set(Some(app));
        }
    }

    /// Shows the models page with the key field of this provider.
    pub(crate) fn open_key(self, provider_id: ProviderId) {
        self.store.wanted_provider().set(Some(provider_id));
        self.store.panel().set(Panel::Models);
    }

    /// Adds a provider, or changes the one with this id at this revision.
    pub(crate) async fn save_provider(
        self,
        edited: Option<(ProviderId, u32)>,
        fields: ProviderFields,
    ) -> Result<Option<ProviderView>, CommandError> {
        let command = match edited {
            None => Command::CreateProvider { fields },
            Some((provider_id, revision)) => Command::UpdateProvider {
                provider_id,
                fields,
                revision,
            },
        };
        self.change_provider(command).await
    }

    /// Deletes a provider; `anyway` also while its models are used.
    pub(crate) async fn delete_provider(
        self,
        provider_id: ProviderId,
        anyway: bool,
    ) -> Result<(), CommandError> {
        let command = Command::DeleteProvider {
            provider_id,
            anyway,
        };
        if let Some(Reply::Providers { providers }) = self.ask(command).await? {
            self.store.providers().set(Some(providers));
            self.load_app().await;
        }
        Ok(())
    }

    /// Gives a provider its key, or the value of a secret header. It never comes back.
    pub(crate) async fn set_key(
        self,
        provider_id: ProviderId,
        header: Option<String>,
        key: Secret,
    ) -> Result<Option<ProviderView>, CommandError> {
        self.change_provider(Command::SetProviderKey {
            provider_id,
            header,
            key,
        })
        .await
    }

    /// Forgets a provider's key.
    pub(crate) async fn forget_key(
        self,
        provider_id: ProviderId,
    ) -> Result<Option<ProviderView>, CommandError> {
        self.change_provider(Command::ForgetProviderKey {
            provider_id,
            header: None,
        })
        .await
    }

    /// Tries whether a provider can be reached with its key.
    pub(crate) async fn test_provider(
        self,
        provider_id: ProviderId,
    ) -> Result<Option<ProviderTest>, CommandError> {
        match self.ask(Command::TestProvider { provider_id }).await? {
            Some(Reply::ProviderTested { test, provider }) => {
                self.take_provider(*provider);
                Ok(Some(test))
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Ends the pause of a provider.
    pub(crate) async fn resume_provider(
        self,
        provider_id: ProviderId,
    ) -> Result<Option<ProviderView>, CommandError> {
        self.change_provider(Command::ResumeProvider { provider_id })
            .await
    }

    /// Asks a provider for its models.
    pub(crate) async fn refresh_models(
        self,
        provider_id: ProviderId,
    ) -> Result<Option<ProviderView>, CommandError> {
        self.change_provider(Command::RefreshModels { provider_id })
            .await
    }

    /// Says which model answers where neither the session nor its agent names one.
    pub(crate) async fn choose_default(self, model: Option<String>) -> Result<(), CommandError> {
        self.change_settings(|settings| settings.default_model = model)
            .await?;
        self.load_app().await;
        Ok(())
    }

    /// Says where keys are put from now on.
    pub(crate) async fn choose_key_store(self, place: KeyPlace) -> Result<(), CommandError> {
        self.change_settings(|settings| settings.key_store = place)
            .await
    }

    async fn change_provider(self, command: Command) -> Result<Option<ProviderView>, CommandError> {
        let Some(Reply::Provider(provider)) = self.ask(command).await? else {
            return Ok(None);
        };
        self.take_provider((*provider).clone());
        self.load_app().await;
        Ok(Some(*provider))
    }

    fn take_provider(self, provider: ProviderView) {
        self.store.providers().update(|providers| {
            let providers = providers.get_or_insert_default();
            let id = provider.provider_id;
            match providers.iter_mut().find(|known| known.provider_id == id) {
                Some(known) => *known = provider,
                None => providers.push(provider),
            }
            providers.sort_by_key(|one| one.fields.name.to_lowercase());
        });
    }
}
