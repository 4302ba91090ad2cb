//! Runs that wait until their provider is mended. That they do is in their rows, so a start knows
//! it; a pause that nobody waits for is forgotten with the process, and costs one request.

use protocol::{CommandError, ProviderId};
use store::HeldRun;

use crate::decide::{self, Decision};
use crate::registry::Models;
use crate::{Engine, Options};

/// Tells whoever knows the providers what is stored, before anything goes on.
pub(crate) fn take_over(options: &Options) -> Result<(), store::Error> {
    let (providers, settings, held) = options
        .store
        .read(|reader| Ok((reader.providers()?, reader.settings()?, reader.held_runs()?)))?;
    options.models.take_over(providers, &settings);
    pause_for(&*options.models, held);
    Ok(())
}

fn pause_for(models: &dyn Models, held: Vec<HeldRun>) {
    let Some(providers) = models.providers() else {
        return;
    };
    for run in held {
        if let Some(provider_id) = provider_of(&run.model) {
            providers.pause(provider_id, run.error);
        }
    }
}

/// The provider of a model, as its id says.
fn provider_of(model: &str) -> Option<ProviderId> {
    model.split_once('/')?.0.parse().ok()
}

impl Engine {
    /// Whoever waited for this provider goes on.
    pub(crate) async fn release(&self, provider_id: ProviderId) -> Result<(), CommandError> {
        let held = self.read(|reader| reader.held_runs()).await?;
        let waited = |run: &HeldRun| provider_of(&run.model) == Some(provider_id);
        for run in held.into_iter().filter(waited) {
            let released = self.transact(run.session_id, |state| {
                let decision = state.map_or_else(Decision::nothing, |state| {
                    decide::release_model(state, run.run_id, &self.inner.given())
                });
                Ok(((), decision))
            });
            // One that cannot go on now does so when its time comes.
            if let Err(error) = released.await {
                tracing::warn!(name: "engine.held.not_released", trace_id = %run.run_id, message = error.message);
            }
        }
        Ok(())
    }
}
