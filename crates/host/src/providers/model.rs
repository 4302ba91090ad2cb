//! A model of a provider, as the engine calls it: past the gate, with its key, and with what it
//! cost.

use std::sync::Arc;

use engine::{ImageLimits, Model, ModelEvent, ModelRequest, ModelStream};
use futures_util::{StreamExt, TryStreamExt, stream};
use models::{Price, cost};
use protocol::{ModelInfo, Usage};

use super::provider::Provider;
use super::{Shared, card};

/// Holds on to the provider as it was when it was asked for.
#[derive(Debug)]
pub(super) struct ProvidedModel {
    provider: Arc<Provider>,
    name: String,
    shared: Arc<Shared>,
}

impl ProvidedModel {
    pub(super) fn new(provider: Arc<Provider>, name: &str, shared: Arc<Shared>) -> Self {
        Self {
            provider,
            name: name.to_owned(),
            shared,
        }
    }
}

impl Model for ProvidedModel {
    fn info(&self) -> ModelInfo {
        self.provider.info(&self.name)
    }

    fn images(&self) -> ImageLimits {
        models::image_limits(card::dialect(self.provider.row.fields.dialect))
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let (provider, name) = (Arc::clone(&self.provider), self.name.clone());
        let shared = Arc::clone(&self.shared);
        let price = card::price_of(&self.name, &provider.row, &shared.prices);
        let called = provider.row.fields.name.clone();
        let passed = match provider.gate.pass(&called) {
            Ok(passed) => passed,
            Err(held) => return Box::pin(stream::iter([Err(held)])),
        };
        let gate = Arc::clone(&provider.gate);
        let answer = async move {
            let model = provider.model(&name, &shared).await?;
            Ok(model.stream(request))
        };
        let events = stream::once(answer).try_flatten();
        Box::pin(events.map(move |event| match event {
            Ok(event) => Ok(with_cost(event, price.as_ref())),
            Err(error) => Err(gate.met(&called, passed, error)),
        }))
    }
}

/// What the provider says itself stays; what is not known stays unknown.
fn with_cost(event: ModelEvent, price: Option<&Price>) -> ModelEvent {
    match (event, price) {
        (
            ModelEvent::Finished {
                usage,
                ending,
                native,
            },
            Some(price),
        ) => ModelEvent::Finished {
            usage: Usage {
                cost_microusd: cost(&usage, price),
                ..usage
            },
            ending,
            native,
        },
        (event, _) => event,
    }
}
