//! Everyone who can answer: the built-in guide, a model from the command line, and the providers
//! that a person added. They change while runs are going; whoever was given a model keeps it.

mod card;
mod gate;
mod local;
mod model;
mod provider;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use engine::{Answer, Clock, Model, Models, ProviderRow, Providers, Served, Slot};
use models::{
    EndpointError, Limits, LocalFinder, PriceTable, Proxy, SecretString, check_key,
    is_proxy_address, list_models,
};
use protocol::{
    CommandError, ErrorCode, KeyPlace, LocalServer, ModelInfo, ProviderFields, ProviderId,
    ProviderModel, ProviderState, ProviderTest, ProxySetting, RunError, Secret, Settings,
};

use crate::keys::{Desk, KeyError, Keys};
use crate::serving::Serving;
use model::ProvidedModel;
use provider::Provider;

/// A list or a test is not waited for as long as an answer is.
const SILENCE: Duration = Duration::from_secs(30);

/// Where keys are kept, and what every provider needs.
#[derive(Debug)]
struct Shared {
    keychain: Desk,
    file: Desk,
    clock: Arc<dyn Clock>,
    prices: PriceTable,
    /// Which way requests go from now on.
    proxy: RwLock<Proxy>,
}

/// The models of this app.
#[derive(Debug)]
pub(crate) struct Registry {
    shared: Arc<Shared>,
    /// The command line's model, if there is one, then the guide.
    built_in: Vec<Arc<dyn Model>>,
    /// The command line says who answers: for this start it goes before the settings.
    is_told: bool,
    finder: Arc<LocalFinder>,
    serving: Arc<Serving>,
    now: Arc<RwLock<Now>>,
}

/// What changes.
#[derive(Debug)]
struct Now {
    default_id: Arc<str>,
    providers: HashMap<ProviderId, Arc<Provider>>,
    /// In the order in which people see them.
    order: Vec<ProviderId>,
    /// Where else servers of this computer are looked for.
    local_ports: Vec<u16>,
    /// The model file that is served.
    served_file: Option<String>,
}

impl Now {
    fn in_order(&self) -> Vec<Arc<Provider>> {
        let order = self.order.iter();
        order
            .filter_map(|id| self.providers.get(id).cloned())
            .collect()
    }
}

fn read(now: &RwLock<Now>) -> RwLockReadGuard<'_, Now> {
    now.read().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    /// Without providers: what is stored is taken over when the engine opens.
    pub(crate) fn new(
        told: Option<Arc<dyn Model>>,
        guide: Arc<dyn Model>,
        keychain: Arc<dyn Keys>,
        file: Arc<dyn Keys>,
        serving: Arc<Serving>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let is_told = told.is_some();
        let built_in: Vec<_> = told.into_iter().chain([guide]).collect();
        let now = Now {
            default_id: built_in[0].info().id.into(),
            providers: HashMap::new(),
            order: Vec::new(),
            local_ports: Vec::new(),
            served_file: None,
        };
        Self {
            serving,
            finder: Arc::new(LocalFinder::new(Arc::clone(&clock))),
            shared: Arc::new(Shared {
                keychain: Desk::new(keychain),
                file: Desk::new(file),
                clock,
                prices: PriceTable::built_in(),
                proxy: RwLock::default(),
            }),
            built_in,
            is_told,
            now: Arc::new(RwLock::new(now)),
        }
    }

    fn provider(&self, provider_id: ProviderId) -> Option<Arc<Provider>> {
        let now = read(&self.now);
        now.providers.get(&provider_id).cloned()
    }

    fn provided(&self, id: &str) -> Option<ProvidedModel> {
        let (provider_id, name) = id.split_once('/')?;
        let provider = self.provider(provider_id.parse().ok()?)?;
        let is_name = !name.trim().is_empty();
        (provider.row.fields.is_enabled && is_name)
            .then(|| ProvidedModel::new(provider, name, Arc::clone(&self.shared)))
    }

    /// The provider as this row says, with the pause and what is known of its secrets.
    fn with_row(&self, row: ProviderRow) -> Arc<Provider> {
        match self.provider(row.provider_id) {
            Some(known) if known.row == row => known,
            known => Arc::new(Provider::new(row, known.as_deref())),
        }
    }
}

impl Models for Registry {
    fn get(&self, id: &str) -> Option<Arc<dyn Model>> {
        let built_in = self.built_in.iter().find(|one| one.info().id == id);
        built_in
            .cloned()
            .or_else(|| Some(Arc::new(self.provided(id)?)))
    }

    fn list(&self) -> Vec<ModelInfo> {
        let now = read(&self.now);
        let built_in = self.built_in.iter().map(|model| model.info());
        let providers = now.in_order().into_iter();
        let enabled = providers.filter(|provider| provider.row.fields.is_enabled);
        let provided = enabled.flat_map(|provider| {
            let models = provider.row.models.iter();
            let infos = models.map(|model| provider.info(&model.name));
            infos.collect::<Vec<_>>()
        });
        built_in.chain(provided).collect()
    }

    fn default_model(&self) -> ModelInfo {
        let id = self.default_id();
        self.get(&id).map_or_else(
            || ModelInfo::new(&*id, id.split_once('/').map_or(&*id, |(_, name)| name)),
            |model| model.info(),
        )
    }

    fn default_id(&self) -> Arc<str> {
        let now = read(&self.now);
        Arc::clone(&now.default_id)
    }

    fn take_over(&self, providers: Vec<ProviderRow>, settings: &Settings) {
        let chosen = settings.default_model.as_deref().filter(|_| !self.is_told);
        let default_id = match chosen {
            Some(model) => model.into(),
            None => self.built_in[0].info().id.into(),
        };
        let order = providers.iter().map(|row| row.provider_id).collect();
        let is_another_way = self.shared.go_by(card::proxy(&settings.proxy));
        let providers = providers.into_iter().map(|row| {
            let provider = self.with_row(row);
            if is_another_way {
                provider.forget_known();
            }
            (provider.row.provider_id, provider)
        });
        let now = Now {
            default_id,
            providers: providers.collect(),
            order,
            local_ports: settings.local_ports.clone(),
            served_file: settings.served_file.clone(),
        };
        self.serving
            .want(settings.served_file.as_ref().map(PathBuf::from));
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = now;
    }

    fn providers(&self) -> Option<&dyn Providers> {
        Some(self)
    }
}

impl Providers for Registry {
    fn check(&self, fields: &ProviderFields) -> Result<(), CommandError> {
        provider::check(fields, Arc::clone(&self.shared.clock)).map_err(|error| {
            CommandError::new(
                ErrorCode::InvalidValue,
                error.to_string(),
                "Mend the provider's address or headers.",
            )
        })
    }

    fn check_proxy(&self, proxy: &ProxySetting) -> Result<(), CommandError> {
        match proxy {
            ProxySetting::Url { url } if !is_proxy_address(url) => Err(CommandError::new(
                ErrorCode::InvalidValue,
                EndpointError::BadProxy.to_string(),
                "Mend the address. A proxy with a password belongs into HTTPS_PROXY.",
            )),
            ProxySetting::System {} | ProxySetting::None {} | ProxySetting::Url { .. } => Ok(()),
        }
    }

    fn is_same_host(&self, one: &str, other: &str) -> bool {
        models::is_same_host(one, other)
    }

    fn state(&self, row: &ProviderRow) -> ProviderState {
        if !row.fields.is_enabled {
            return ProviderState::Disabled {};
        }
        let provider = self.provider(row.provider_id);
        match provider.and_then(|provider| provider.gate.paused()) {
            Some(RunError { class, message }) => ProviderState::Paused { class, message },
            None => ProviderState::Ok {},
        }
    }

    fn priced(&self, row: &ProviderRow) -> Vec<ProviderModel> {
        let models = row.models.iter();
        models
            .map(|model| card::priced(model, &row.fields, &self.shared.prices))
            .collect()
    }

    fn keep(&self, slot: Slot, place: KeyPlace, key: Secret) -> Answer<()> {
        let desk = self.shared.desk(place);
        let provider = self.provider(slot.provider_id);
        let key = SecretString::from(key.expose());
        Box::pin(async move {
            let name = provider::key_name(&slot);
            desk.ask(move |keys| keys.put(&name, &key))
                .await
                .map_err(|error| refused(&error))?;
            // What was read or built with the old one is not used any more.
            if let Some(provider) = provider {
                provider.forget_known();
            }
            Ok(())
        })
    }

    fn forget(&self, slot: Slot, place: KeyPlace) -> Answer<()> {
        let desk = self.shared.desk(place);
        let provider = self.provider(slot.provider_id);
        Box::pin(async move {
            let name = provider::key_name(&slot);
            desk.ask(move |keys| keys.remove(&name))
                .await
                .map_err(|error| refused(&error))?;
            if let Some(provider) = provider {
                provider.forget_known();
            }
            Ok(())
        })
    }

    fn test(&self, row: ProviderRow) -> Answer<ProviderTest> {
        let (shared, provider) = (Arc::clone(&self.shared), self.with_row(row));
        Box::pin(async move {
            let endpoint = match provider.endpoint("", &shared).await {
                Ok(endpoint) => endpoint,
                Err(error) => {
                    let message = format!("{error}. {}", error.hint());
                    return Ok(ProviderTest::KeyUnavailable { message });
                }
            };
            let dialect = card::dialect(provider.row.fields.dialect);
            let clock = Arc::clone(&shared.clock);
            let found = check_key(dialect, &endpoint, short(), clock).await;
            if let Some(error) = card::refusal(&found) {
                provider.gate.pause(error);
            }
            Ok(card::test(found))
        })
    }

    fn list_models(&self, row: ProviderRow) -> Answer<Vec<ProviderModel>> {
        let (shared, provider) = (Arc::clone(&self.shared), self.with_row(row));
        Box::pin(async move {
            let endpoint = provider.endpoint("", &shared).await;
            let endpoint = endpoint.map_err(|error| refused(&error))?;
            let dialect = card::dialect(provider.row.fields.dialect);
            let clock = Arc::clone(&shared.clock);
            let cards = list_models(dialect, &endpoint, short(), clock).await;
            let cards = cards.map_err(|error| {
                CommandError::new(
                    ErrorCode::NotActionable,
                    error.message,
                    "Test the provider: that says exactly what is wrong.",
                )
            })?;
            Ok(cards.into_iter().map(card::model).collect())
        })
    }

    fn find_local(&self) -> Answer<Vec<LocalServer>> {
        let (finder, known) = (Arc::clone(&self.finder), Arc::clone(&self.now));
        let served = self.serving.shown().and_then(|shown| shown.port);
        Box::pin(async move {
            let added = read(&known).local_ports.clone();
            let places = local::places(&added, served);
            let answers = finder.find(&places).await;
            // As they are now: one may have been added while nobody answered.
            let providers = read(&known).in_order();
            let found = places.into_iter().zip(answers);
            Ok(found
                .filter_map(|(place, answer)| {
                    let mut found = local::found(place, answer, &added, &providers)?;
                    found.is_served = served == Some(found.port);
                    Some(found)
                })
                .collect())
        })
    }

    fn check_model_file(&self, path: String) -> Answer<()> {
        let serving = Arc::clone(&self.serving);
        Box::pin(async move {
            let check = move || serving.check(Path::new(&path));
            let checked = tokio::task::spawn_blocking(check).await;
            checked.unwrap_or_else(|error| Err(CommandError::internal(error.to_string())))
        })
    }

    fn serve_again(&self) {
        self.serving.again();
    }

    fn served(&self) -> Answer<Served> {
        let (finder, serving) = (Arc::clone(&self.finder), Arc::clone(&self.serving));
        let path = read(&self.now).served_file.clone();
        Box::pin(async move {
            let model = match path {
                Some(path) => Some(local::served(path, serving.shown(), &finder).await),
                None => None,
            };
            Ok(Served {
                model,
                can_serve: serving.can_serve(),
            })
        })
    }

    fn pause(&self, provider_id: ProviderId, error: RunError) {
        if let Some(provider) = self.provider(provider_id) {
            provider.gate.pause(error);
        }
    }

    fn resume(&self, provider_id: ProviderId) -> bool {
        self.provider(provider_id)
            .is_some_and(|provider| provider.gate.resume())
    }
}

impl Shared {
    fn proxy(&self) -> Proxy {
        let proxy = self.proxy.read().unwrap_or_else(PoisonError::into_inner);
        proxy.clone()
    }

    /// Whether that is another way than before.
    fn go_by(&self, proxy: Proxy) -> bool {
        let mut now = self.proxy.write().unwrap_or_else(PoisonError::into_inner);
        let is_another = *now != proxy;
        *now = proxy;
        is_another
    }

    fn desk(&self, place: KeyPlace) -> Desk {
        match place {
            KeyPlace::Keychain => self.keychain.clone(),
            KeyPlace::File => self.file.clone(),
        }
    }
}

fn short() -> Limits {
    Limits {
        silence: SILENCE,
        ..Limits::default()
    }
}

fn refused(error: &KeyError) -> CommandError {
    CommandError::new(ErrorCode::NotActionable, format!("{error}."), error.hint())
}
