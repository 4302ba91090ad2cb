//! A provider as it is stored.

use protocol::{
    ProviderFields, ProviderId, ProviderModel, ProviderSecret, RunError, RunId, SessionId,
};

/// A provider: everything but its secrets themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRow {
    /// Its id.
    pub provider_id: ProviderId,
    /// What the person set.
    pub fields: ProviderFields,
    /// Which secrets are kept, and where.
    pub secrets: Vec<ProviderSecret>,
    /// Counted up with every edit.
    pub revision: u32,
    /// What it listed last.
    pub models: Vec<ProviderModel>,
    /// When that was.
    pub listed_at_ms: Option<u64>,
    /// When it was created.
    pub created_at_ms: u64,
    /// When it was last edited.
    pub updated_at_ms: u64,
}

/// A run whose model call waits until its provider is mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRun {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The model that it wants.
    pub model: String,
    /// Why it waits.
    pub error: RunError,
}
