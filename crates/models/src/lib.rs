//! Who answers.
//!
//! Invariants: a model gets its whole question as a value and gives back a stream; it keeps no
//! state between calls, retries nothing, and never sees the store. The network is reached in
//! `wire` alone. A dialect is a pure request builder and a pure decoder around it.
//!
//! Entry points: [`Guide`], the built-in scripted model; [`ChatCompletions`], what most providers
//! and local servers speak; [`Anthropic`] and [`Responses`], in which thoughts go back as they came.
//! [`Ollama`] and [`Gemini`] have their own dialects. [`list_models`], [`LocalFinder`] and
//! [`check_key`] say what there is.

mod anthropic;
mod blocks;
mod catalog;
mod chat_completions;
mod connect;
mod endpoint;
mod failure;
mod gemini;
mod given;
mod guide;
mod held;
mod images;
#[cfg(test)]
mod mangling;
mod ollama;
mod pairs;
mod replay;
mod responses;
mod slots;
#[cfg(test)]
mod streams;
mod wire;
mod written_calls;

pub use anthropic::Anthropic;
pub use catalog::{
    Capabilities, Dialect, KeyCheck, Known, LocalAddress, LocalAnswer, LocalFinder, LocalKind,
    LocalServer, ModelCard, Price, PriceTable, check_key, cost, list_models,
};
pub use chat_completions::ChatCompletions;
pub use connect::connect;
pub use endpoint::{Endpoint, EndpointError, KeyHeader, Proxy};
pub use gemini::Gemini;
pub use guide::{Guide, GuideOptions};
pub use images::image_limits;
pub use ollama::Ollama;
pub use responses::Responses;
pub use secrecy::SecretString;
pub use wire::{Limits, is_proxy_address, is_same_host, leads_to_port};
