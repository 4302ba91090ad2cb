//! One provider as it is now: its row, its gate, and what was read and built for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engine::{Clock, Model, ModelError, ProviderRow, Slot};
use models::{Endpoint, EndpointError, Limits, SecretString, connect};
use protocol::{Dialect, ErrorClass, ModelInfo, ProviderFields, ProviderModel};

use super::gate::Gate;
use super::{Shared, card};
use crate::keys::KeyError;

/// A window that Ollama is asked for where nobody chose one: a larger one takes memory that a
/// computer may not have.
const OLLAMA_WINDOW: u64 = 32 * 1024;

/// A provider. Another row is another one of these; the gate stays.
#[derive(Debug)]
pub(super) struct Provider {
    pub(super) row: ProviderRow,
    pub(super) gate: Arc<Gate>,
    known: Mutex<Known>,
}

/// What need not be asked for again.
#[derive(Debug, Default)]
struct Known {
    /// Counted up when it is forgotten: what was read before is not put back.
    forgotten: u64,
    secrets: HashMap<Option<String>, SecretString>,
    /// By the model's name.
    built: HashMap<String, Arc<dyn Model>>,
}

impl Provider {
    pub(super) fn new(row: ProviderRow, before: Option<&Self>) -> Self {
        let gate = before.map_or_else(Arc::default, |before| Arc::clone(&before.gate));
        let known = Mutex::default();
        Self { row, gate, known }
    }

    pub(super) fn info(&self, model: &str) -> ModelInfo {
        let mut cards = self.row.models.iter();
        let card = cards.find(|card| card.name == model);
        let label = card.map_or(model, |card| card.label.as_str());
        let name = &self.row.fields.name;
        let id = format!("{}/{model}", self.row.provider_id);
        let said = self.row.fields.options.max_output_tokens;
        ModelInfo {
            provider: Some(name.clone()),
            context_tokens: self.window(card),
            max_output_tokens: said.or_else(|| card?.max_output_tokens),
            images: card.and_then(|card| card.images),
            tools: card.and_then(|card| card.tools),
            ..ModelInfo::new(id, format!("{label} ({name})"))
        }
    }

    /// What the model's window holds. Ollama makes one of the size it is told, and drops what does
    /// not fit without a word: it is told this number.
    fn window(&self, card: Option<&ProviderModel>) -> Option<u64> {
        let fields = &self.row.fields;
        let said = card.and_then(|card| card.context_tokens);
        match fields.dialect {
            Dialect::Ollama => {
                let chosen = fields.options.request.get("options");
                let chosen = chosen.and_then(|options| options["num_ctx"].as_u64());
                chosen.or_else(|| said.map(|tokens| tokens.min(OLLAMA_WINDOW)))
            }
            Dialect::ChatCompletions // tidy: allow(chat) the dialect's own name.
            | Dialect::Responses
            | Dialect::Anthropic
            | Dialect::Gemini => said,
        }
    }

    /// What was read and built with a secret that is no longer the one.
    pub(super) fn forget_known(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known = Known {
            forgotten: known.forgotten + 1,
            ..Known::default()
        };
    }

    /// A model of this provider, with its key.
    pub(super) async fn model(
        &self,
        name: &str,
        shared: &Shared,
    ) -> Result<Arc<dyn Model>, ModelError> {
        let forgotten = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(built) = known.built.get(name) {
                return Ok(Arc::clone(built));
            }
            known.forgotten
        };
        let endpoint = self.endpoint(name, shared).await.map_err(|error| {
            let message = format!("The key cannot be read: {error}. {}", error.hint());
            ModelError::new(ErrorClass::Auth, message)
        })?;
        let dialect = card::dialect(self.row.fields.dialect);
        let built = connect(
            dialect,
            endpoint,
            limits(&self.row.fields),
            Arc::clone(&shared.clock),
        )
        .map_err(|error| ModelError::new(ErrorClass::InvalidRequest, error.to_string()))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.forgotten == forgotten {
            known.built.insert(name.to_owned(), Arc::clone(&built));
        }
        Ok(built)
    }

    /// Where it is reached, with its secrets.
    pub(super) async fn endpoint(&self, name: &str, shared: &Shared) -> Result<Endpoint, KeyError> {
        let fields = &self.row.fields;
        let mut headers = Vec::with_capacity(fields.headers.len());
        for header in &fields.headers {
            let value = match &header.value {
                Some(value) => Some(SecretString::from(value.as_str())),
                None => self.secret(Some(&header.name), shared).await?,
            };
            headers.extend(value.map(|value| (header.name.clone(), value)));
        }
        let info = self.info(name);
        Ok(Endpoint {
            id: info.id,
            label: info.label,
            key: self.secret(None, shared).await?,
            headers,
            context_tokens: info.context_tokens,
            proxy: shared.proxy(),
            ..plain_endpoint(fields, name, self.max_output_tokens(name))
        })
    }

    /// What the person said; for a dialect that must be told something, the model's own limit.
    fn max_output_tokens(&self, name: &str) -> Option<u64> {
        let said = self.row.fields.options.max_output_tokens;
        let wants = self.row.fields.dialect == Dialect::Anthropic;
        let mut cards = self.row.models.iter().filter(|_| wants);
        let own = cards.find(|card| card.name == name);
        said.or_else(|| own?.max_output_tokens)
    }

    /// Nothing where none was given. One that was given and is gone is an error: without it the
    /// provider would say something else.
    async fn secret(
        &self,
        header: Option<&String>,
        shared: &Shared,
    ) -> Result<Option<SecretString>, KeyError> {
        let mut secrets = self.row.secrets.iter();
        let Some(kept) = secrets.find(|secret| secret.header.as_ref() == header) else {
            return Ok(None);
        };
        let forgotten = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(secret) = known.secrets.get(&kept.header) {
                return Ok(Some(secret.clone()));
            }
            known.forgotten
        };
        let slot = Slot {
            provider_id: self.row.provider_id,
            header: kept.header.clone(),
        };
        let name = key_name(&slot);
        let read = shared
            .desk(kept.place)
            .ask(move |keys| keys.get(&name))
            .await?;
        let read = read.ok_or(KeyError::Missing(kept.place))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.forgotten == forgotten {
            known.secrets.insert(slot.header, read.clone());
        }
        Ok(Some(read))
    }
}

/// What a secret is kept under: ids are unique, so folders do not meet in one keychain.
pub(super) fn key_name(slot: &Slot) -> String {
    match &slot.header {
        Some(header) => format!("{}/{}", slot.provider_id, header.to_ascii_lowercase()),
        None => slot.provider_id.to_string(),
    }
}

fn limits(fields: &ProviderFields) -> Limits {
    let mut limits = Limits::default();
    if let Some(seconds) = fields.options.silence_seconds {
        limits.silence = Duration::from_secs(seconds.into());
    }
    limits
}

fn plain_endpoint(fields: &ProviderFields, name: &str, most: Option<u64>) -> Endpoint {
    Endpoint {
        key_header: fields.options.key_header.map(card::key_header),
        api_version: fields.options.api_version.clone(),
        max_output_tokens: most,
        calls_in_text: fields.options.calls_in_text,
        options: fields.options.request.clone(),
        ..Endpoint::new(fields.base_url.clone(), name)
    }
}

/// Whether an endpoint can be made of this, whatever its secrets will be.
pub(super) fn check(fields: &ProviderFields, clock: Arc<dyn Clock>) -> Result<(), EndpointError> {
    let headers = fields.headers.iter().map(|header| {
        let value = header.value.as_deref().unwrap_or("secret");
        (header.name.clone(), SecretString::from(value))
    });
    let endpoint = Endpoint {
        headers: headers.collect(),
        ..plain_endpoint(fields, "model", None)
    };
    let dialect = card::dialect(fields.dialect);
    connect(dialect, endpoint, Limits::default(), clock).map(drop)
}
