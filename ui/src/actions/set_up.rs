//! Setting a provider up: keep it, keep its secrets, try it, list its models; and stop where it fails.

use leptos::prelude::{ReadUntracked, RwSignal, Set};
use protocol::{CommandError, ErrorCode, ProviderFields, ProviderId, ProviderView, Secret};

use super::Actions;
use crate::model_words::{Fault, Place};
use crate::state::AppStateStoreFields;

/// What is to be set up.
pub(crate) struct Order {
    /// The provider that is there, at this revision; a new one when absent.
    pub(crate) edited: Option<(ProviderId, u32)>,
    pub(crate) fields: ProviderFields,
    /// The key, which has no header, and the values of secret headers.
    pub(crate) secrets: Vec<(Option<String>, Secret)>,
}

/// How far it has come, for whoever shows it.
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    /// What is being done now.
    pub(crate) stage: RwSignal<Option<&'static str>>,
    /// What the provider is by now: trying again goes on from there.
    pub(crate) saved: RwSignal<Option<(ProviderId, u32)>>,
    /// What went wrong.
    pub(crate) flaw: RwSignal<Option<Flaw>>,
}

/// Why it stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The provider was changed meanwhile.
    Stale(CommandError),
    /// The key could not be kept: the person may choose another place.
    NotKept(CommandError),
    /// Anything else, beside the field that it is about.
    Fault(Fault),
}

impl Progress {
    pub(crate) fn new(edited: Option<(ProviderId, u32)>) -> Self {
        Self {
            stage: RwSignal::new(None),
            saved: RwSignal::new(edited),
            flaw: RwSignal::new(None),
        }
    }
}

impl Actions {
    /// Does all of it. Says what was set up, or leaves in `progress` what went wrong. Secrets that
    /// were kept are said to be gone through `on_kept`, so that the page forgets them.
    pub(crate) async fn set_up(
        self,
        order: Order,
        progress: Progress,
        on_kept: impl Fn(),
    ) -> Option<ProviderView> {
        progress.flaw.try_set(None);
        let outcome = self.stages(order, progress, on_kept).await;
        progress.stage.try_set(None);
        match outcome {
            Ok(provider) => provider,
            Err(flaw) => {
                progress.flaw.try_set(Some(flaw));
                None
            }
        }
    }

    async fn stages(
        self,
        order: Order,
        progress: Progress,
        on_kept: impl Fn(),
    ) -> Result<Option<ProviderView>, Flaw> {
        progress.stage.try_set(Some("Saving…"));
        // A change lets waiting runs go on: with the old key, if only the key is new.
        let mut provider = match self.unchanged(&order) {
            Some(provider) => provider,
            None => {
                let saved = self.save_provider(order.edited, order.fields).await;
                let Some(saved) = saved.map_err(refused)? else {
                    return Ok(None);
                };
                saved
            }
        };
        let provider_id = provider.provider_id;
        progress
            .saved
            .try_set(Some((provider_id, provider.revision)));
        for (header, secret) in order.secrets {
            progress.stage.try_set(Some("Keeping the key…"));
            let kept = self.set_key(provider_id, header, secret).await;
            let Some(kept) = kept.map_err(not_kept)? else {
                return Ok(None);
            };
            progress.saved.try_set(Some((provider_id, kept.revision)));
            provider = kept;
        }
        on_kept();
        if !provider.fields.is_enabled {
            return Ok(Some(provider));
        }
        progress.stage.try_set(Some("Testing…"));
        let test = self.test_provider(provider_id).await.map_err(refused)?;
        if let Some(fault) = test.as_ref().and_then(Fault::of_test) {
            return Err(Flaw::Fault(fault));
        }
        progress.stage.try_set(Some("Listing its models…"));
        self.refresh_models(provider_id).await.map_err(refused)
    }

    /// The provider, if it is already as it is wanted.
    fn unchanged(self, order: &Order) -> Option<ProviderView> {
        let edited = order.edited?;
        let providers = self.store.providers().read_untracked();
        let mut providers = providers.as_ref()?.iter();
        let is_it = |one: &&ProviderView| {
            (one.provider_id, one.revision) == edited && one.fields == order.fields
        };
        providers.find(is_it).cloned()
    }
}

fn refused(error: CommandError) -> Flaw {
    if error.code == ErrorCode::Conflict {
        return Flaw::Stale(error);
    }
    Flaw::Fault(Fault {
        place: Place::Whole,
        words: format!("{} {}", error.message, error.hint),
        hint: "",
        said: None,
    })
}

fn not_kept(error: CommandError) -> Flaw {
    if error.code == ErrorCode::NotActionable {
        return Flaw::NotKept(error);
    }
    match refused(error) {
        Flaw::Fault(fault) => Flaw::Fault(Fault {
            place: Place::Key,
            ..fault
        }),
        flaw @ (Flaw::Stale(_) | Flaw::NotKept(_)) => flaw,
    }
}
