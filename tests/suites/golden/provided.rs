//! Providers of the story: nobody is asked, and what is kept is kept nowhere.

use std::sync::Arc;

use engine::{Answer, FixedModels, Model, Models, ProviderRow, Providers, Served, Slot};
use protocol::{
    CommandError, KeyPlace, LocalServer, ModelInfo, ProviderFields, ProviderId, ProviderModel,
    ProviderState, ProviderTest, ProxySetting, RunError, Secret,
};

/// One model that answers, beside providers that are only written down.
#[derive(Debug)]
pub(super) struct Provided(Arc<FixedModels>);

impl Provided {
    pub(super) fn beside(model: Arc<dyn Model>) -> Arc<Self> {
        Arc::new(Self(FixedModels::only(model)))
    }
}

impl Models for Provided {
    fn get(&self, id: &str) -> Option<Arc<dyn Model>> {
        self.0.get(id)
    }

    fn list(&self) -> Vec<ModelInfo> {
        self.0.list()
    }

    fn default_model(&self) -> ModelInfo {
        self.0.default_model()
    }

    fn default_id(&self) -> Arc<str> {
        self.0.default_id()
    }

    fn providers(&self) -> Option<&dyn Providers> {
        Some(self)
    }
}

impl Providers for Provided {
    fn check(&self, _: &ProviderFields) -> Result<(), CommandError> {
        Ok(())
    }

    fn check_proxy(&self, _: &ProxySetting) -> Result<(), CommandError> {
        Ok(())
    }

    fn is_same_host(&self, one: &str, other: &str) -> bool {
        one == other
    }

    fn state(&self, _: &ProviderRow) -> ProviderState {
        ProviderState::Ok {}
    }

    fn priced(&self, provider: &ProviderRow) -> Vec<ProviderModel> {
        provider.models.clone()
    }

    fn keep(&self, _: Slot, _: KeyPlace, _: Secret) -> Answer<()> {
        Box::pin(async { Ok(()) })
    }

    fn forget(&self, _: Slot, _: KeyPlace) -> Answer<()> {
        Box::pin(async { Ok(()) })
    }

    fn test(&self, _: ProviderRow) -> Answer<ProviderTest> {
        Box::pin(async { Ok(ProviderTest::Works { models: 1 }) })
    }

    fn list_models(&self, _: ProviderRow) -> Answer<Vec<ProviderModel>> {
        let model = ProviderModel {
            name: "large".to_owned(),
            label: "Large".to_owned(),
            context_tokens: Some(128_000),
            max_output_tokens: None,
            tools: Some(true),
            images: None,
            reasoning: Some(false),
            price: None,
        };
        Box::pin(async { Ok(vec![model]) })
    }

    fn find_local(&self) -> Answer<Vec<LocalServer>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn check_model_file(&self, _: String) -> Answer<()> {
        Box::pin(async { Ok(()) })
    }

    fn serve_again(&self) {}

    fn served(&self) -> Answer<Served> {
        Box::pin(async {
            Ok(Served {
                model: None,
                can_serve: false,
            })
        })
    }

    fn pause(&self, _: ProviderId, _: RunError) {}

    fn resume(&self, _: ProviderId) -> bool {
        false
    }
}
