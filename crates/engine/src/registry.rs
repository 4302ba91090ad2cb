//! Who can answer, and what is asked of whoever knows the providers. Both may change while runs are
//! going: whoever was given a model keeps it.

use std::pin::Pin;
use std::sync::Arc;

use protocol::{
    CommandError, KeyPlace, LocalServer, ModelInfo, ProviderFields, ProviderId, ProviderModel,
    ProviderState, ProviderTest, ProxySetting, RunError, Secret, ServedModel, Settings,
};
use store::ProviderRow;

use crate::model::Model;

/// Everyone who can answer at this moment.
pub trait Models: std::fmt::Debug + Send + Sync + 'static {
    /// The model of this id, if it can be used now.
    fn get(&self, id: &str) -> Option<Arc<dyn Model>>;

    /// Every model that is known, the one that answers first.
    fn list(&self) -> Vec<ModelInfo>;

    /// The one that answers where nobody has chosen another.
    fn default_model(&self) -> ModelInfo;

    /// Its id, which every decision is given.
    fn default_id(&self) -> Arc<str>;

    /// Takes over what is stored: at the start, and after every change of it.
    fn take_over(&self, _providers: Vec<ProviderRow>, _settings: &Settings) {}

    /// Whoever knows the providers, where there can be any.
    fn providers(&self) -> Option<&dyn Providers> {
        None
    }
}

/// An answer that takes its time. Every one of them comes: whoever gives it has a limit.
pub type Answer<T> = Pin<Box<dyn Future<Output = Result<T, CommandError>> + Send>>;

/// What the engine does not do itself for a provider: keep its secrets, and speak to it.
pub trait Providers: Send + Sync {
    /// Whether what a person set can be used at all. Nobody is asked.
    fn check(&self, fields: &ProviderFields) -> Result<(), CommandError>;

    /// Whether requests can go through this proxy. Nobody is asked.
    fn check_proxy(&self, proxy: &ProxySetting) -> Result<(), CommandError>;

    /// Whether a key that was given for the one address may go to the other.
    fn is_same_host(&self, one: &str, other: &str) -> bool;

    /// How it stands.
    fn state(&self, provider: &ProviderRow) -> ProviderState;

    /// Its models with what they cost, as far as that is known.
    fn priced(&self, provider: &ProviderRow) -> Vec<ProviderModel>;

    /// Keeps a secret: its key, or the value of a header.
    fn keep(&self, slot: Slot, place: KeyPlace, key: Secret) -> Answer<()>;

    /// Forgets a secret. One that is not there is forgotten.
    fn forget(&self, slot: Slot, place: KeyPlace) -> Answer<()>;

    /// Tries whether it can be reached with its key. Whether it is paused follows from that.
    fn test(&self, provider: ProviderRow) -> Answer<ProviderTest>;

    /// Asks for its models.
    fn list_models(&self, provider: ProviderRow) -> Answer<Vec<ProviderModel>>;

    /// Looks for model servers on this computer. Nothing is chosen by that.
    fn find_local(&self) -> Answer<Vec<LocalServer>>;

    /// Whether a model file can be served at all.
    fn check_model_file(&self, path: String) -> Answer<()>;

    /// A server of the stored model file that was given up is started once more.
    fn serve_again(&self);

    /// The model file that is served, and how that stands.
    fn served(&self) -> Answer<Served>;

    /// Nothing is sent to it any more. Said once more changes nothing.
    fn pause(&self, provider_id: ProviderId, error: RunError);

    /// Things are sent to it again. Whether it was paused.
    fn resume(&self, provider_id: ProviderId) -> bool;
}

/// What is served, if anything is, and whether anything could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// The model.
    pub model: Option<ServedModel>,
    /// Whether there is a server for model files.
    pub can_serve: bool,
}

/// A place for one secret of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The provider.
    pub provider_id: ProviderId,
    /// The header; nothing for the key.
    pub header: Option<String>,
}

/// Models that stay as they are. The first one answers.
#[derive(Debug)]
pub struct FixedModels {
    models: Vec<Arc<dyn Model>>,
    default_id: Arc<str>,
}

impl FixedModels {
    /// One that answers, and others that can be chosen.
    pub fn new(first: Arc<dyn Model>, others: Vec<Arc<dyn Model>>) -> Self {
        let default_id = first.info().id.into();
        let mut models = vec![first];
        models.extend(others);
        Self { models, default_id }
    }

    /// One that answers everything.
    pub fn only(model: Arc<dyn Model>) -> Arc<Self> {
        Arc::new(Self::new(model, Vec::new()))
    }
}

impl Models for FixedModels {
    fn get(&self, id: &str) -> Option<Arc<dyn Model>> {
        self.models.iter().find(|one| one.info().id == id).cloned()
    }

    fn list(&self) -> Vec<ModelInfo> {
        self.models.iter().map(|model| model.info()).collect()
    }

    fn default_model(&self) -> ModelInfo {
        // There is always a first one.
        self.models[0].info()
    }

    fn default_id(&self) -> Arc<str> {
        Arc::clone(&self.default_id)
    }
}
