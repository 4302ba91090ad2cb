//! Model servers on this computer: who answers at which port. None is used until a person says so.

use serde::{Deserialize, Serialize};

use crate::{Dialect, ProviderId, ProviderModel};

/// A port of this computer where model servers are looked for, and who is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LocalServer {
    /// The port.
    pub port: u16,
    /// The address for the screen, as in `127.0.0.1:11434`.
    pub address: String,
    /// Whether the person added the port (`local_ports`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_added: bool,
    /// Whether the app serves it itself (`serve_model_file`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_served: bool,
    /// Who is there.
    pub found: LocalFound,
    /// The provider that leads to this port, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<ProviderId>,
}

/// Who is at a port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "found", rename_all = "snake_case")]
pub enum LocalFound {
    /// A model server.
    Server {
        /// Which one.
        kind: LocalKind,
        /// Its name on screen, which is a good one for a provider.
        name: String,
        /// How a provider of it is spoken to.
        dialect: Dialect,
        /// The address for a provider of it.
        base_url: String,
        /// Its models; it may have none yet.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        models: Vec<ProviderModel>,
    },
    /// A model server that cannot answer yet: it loads its model.
    Starting {},
    /// Somebody who speaks nothing that is known here.
    Stranger {},
    /// Nobody. Only ports that the person added are told so; the usual ones are left out.
    Nobody {},
}

/// Which model server it is, by what it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LocalKind {
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// llama.cpp.
    LlamaCpp,
    /// Another one that speaks a known dialect.
    Other,
}
