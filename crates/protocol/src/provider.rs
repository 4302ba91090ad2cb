//! Providers: where models are reached, what is known of them, how they stand. Never a key.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{ErrorClass, ProviderId};

/// One provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderView {
    /// Its id. A model of it is known as this id, a slash and the model's name.
    pub provider_id: ProviderId,
    /// What it is.
    pub fields: ProviderFields,
    /// Counted up with every edit.
    pub revision: u32,
    /// The secrets that are kept for it, and where: its key, which has no header, comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<ProviderSecret>,
    /// Whether it can be used.
    pub state: ProviderState,
    /// Its models, as it last listed them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ProviderModel>,
    /// When it last listed them, in milliseconds since 1970; absent if it never did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_at_ms: Option<u64>,
    /// When it was created.
    pub created_at_ms: u64,
    /// When it was last edited.
    pub updated_at_ms: u64,
}

impl ProviderView {
    /// Whether a key is kept for it.
    pub fn has_key(&self) -> bool {
        self.secrets.iter().any(|secret| secret.header.is_none())
    }
}

/// What a person can set of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ProviderFields {
    /// Its name, up to 80 bytes.
    pub name: String,
    /// How it is spoken to.
    pub dialect: Dialect,
    /// The address up to the version, as in `https://api.example.com/v1`.
    pub base_url: String,
    /// What else goes with every request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<ProviderHeader>,
    /// What else there is to say.
    #[serde(default, skip_serializing_if = "ProviderOptions::is_empty")]
    pub options: ProviderOptions,
    /// Whether its models can be used.
    pub is_enabled: bool,
}

/// A header that goes with every request to a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ProviderHeader {
    /// Its name.
    pub name: String,
    /// Its value; absent for a secret one, whose value is set like a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl ProviderHeader {
    /// Whether its value is kept where keys are.
    pub const fn is_secret(&self) -> bool {
        self.value.is_none()
    }
}

/// What a provider may be told beside its address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ProviderOptions {
    /// The version of the API, for a dialect that has versions; the newest when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Where the key goes, if not where the dialect puts it: compatible servers differ in that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_header: Option<KeyHeader>,
    /// The most tokens that one reply may have; the model's own limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// Whether tool calls that a model writes as text count, where the dialect is one of those that
    /// servers on this computer speak; only for servers on this computer when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_in_text: Option<bool>,
    /// How many seconds may pass without a single byte before a call has failed and is tried again;
    /// 300 when absent, because a local model may read a long session before its first word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence_seconds: Option<u32>,
    /// What else every request says, by the dialect's own names.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub request: serde_json::Map<String, serde_json::Value>,
    /// What the person knows of prices, by the model's name at the provider.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, ModelPrice>,
}

impl ProviderOptions {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Chat Completions, and whoever imitates it.
    ChatCompletions, // tidy: allow(chat) the dialect's own name.
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
    /// Ollama's own.
    Ollama,
    /// Gemini's own.
    Gemini,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 5] = [
        Self::ChatCompletions, // tidy: allow(chat) the same.
        Self::Responses,
        Self::Anthropic,
        Self::Ollama,
        Self::Gemini,
    ];

    /// The stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat_completions", // tidy: allow(chat) the same.
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
            Self::Gemini => "gemini",
        }
    }

    /// Reads the stored form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}

/// Where a key goes in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum KeyHeader {
    /// `Authorization: Bearer`.
    Bearer,
    /// `x-api-key`.
    XApiKey,
    /// `x-goog-api-key`.
    XGoogApiKey,
}

/// Where keys are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum KeyPlace {
    /// The system's own keychain.
    Keychain,
    /// An encrypted file in the data folder.
    File,
}

impl KeyPlace {
    /// Every place.
    pub const ALL: [Self; 2] = [Self::Keychain, Self::File];
}

/// A secret that is kept for a provider: that there is one, never what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderSecret {
    /// The header it goes into; absent for the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Where it is kept.
    pub place: KeyPlace,
}

/// Whether a provider can be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ProviderState {
    /// Nothing speaks against it.
    Ok {},
    /// The person has switched it off.
    Disabled {},
    /// It refused its key or has no credit left. Nothing is sent to it until the person gives it
    /// another key, changes it, tests it with success or resumes it. Runs that want it wait.
    Paused {
        /// What kind of refusal.
        class: ErrorClass,
        /// What it said.
        message: String,
    },
}

/// A model of a provider. What the provider does not say is absent, never guessed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderModel {
    /// Its name at the provider.
    pub name: String,
    /// Its name on screen.
    pub label: String,
    /// How many tokens a session may hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// How many tokens a reply may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// Whether it can call tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<bool>,
    /// Whether it can look at images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// Whether it can think before it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
    /// What it costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
}

/// What a million tokens cost, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelPrice {
    /// Of what is read.
    pub input: u64,
    /// Of what is written.
    pub output: u64,
    /// Of what is read from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// Of what is written to the provider's cache, where that has a price of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Longer inputs have other prices, which are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to_input_tokens: Option<u64>,
}

/// What came of trying a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum ProviderTest {
    /// It works.
    Works {
        /// How many models it offers.
        models: u32,
    },
    /// The address, the key or a header cannot be used at all.
    Unusable {
        /// Why.
        message: String,
    },
    /// The key could not be read from where it is kept.
    KeyUnavailable {
        /// Why, and what to do.
        message: String,
    },
    /// Nobody was reached, or nobody answered in time.
    NoNetwork {
        /// What happened.
        message: String,
    },
    /// Somebody answered, who does not speak this dialect.
    WrongServer {
        /// What was answered.
        message: String,
    },
    /// The key is wrong, missing, or not allowed to do this.
    KeyRefused {
        /// What was answered.
        message: String,
    },
    /// The key is good, and has nothing left to spend.
    NoCredit {
        /// What was answered.
        message: String,
    },
    /// The server is there and cannot say now.
    Busy {
        /// What it said.
        message: String,
        /// How long it asks to wait, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
}
