//! Everything the window knows, in one tree. [`apply`] is where session state changes.

mod apply;
mod branches;
mod calls;
mod draft;
mod list;
mod live;
mod models;
mod session;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use protocol::{
    AgentId, AgentView, AppInfo, BackupInfo, CallId, CommandError, LocalServer, ProviderId,
    ProviderView, SessionId, SessionSummary,
};
use reactive_stores::Store;

pub(crate) use apply::{apply, apply_earlier, apply_sessions, apply_snapshot, clear_session};
pub(crate) use branches::fork_at;
pub(crate) use calls::{CallStage, calls_of, pending_calls};
pub(crate) use draft::{Draft, DraftFile, DraftProblem, FileStage, picture};
pub(crate) use list::{attention_ids, summary_of, waiting_call};
pub(crate) use live::{LiveHead, LiveKey, LiveTextStoreFields};
pub(crate) use models::{
    ModelChoice, ModelGroup, filtered, model_groups, model_label, provider_of,
};
pub(crate) use session::{
    Cut, MessageRow, RunState, SessionState, SessionStateStoreFields, SyncState,
};

/// The state of the window.
#[derive(Debug, Clone, Default, Store)]
pub(crate) struct AppState {
    /// How far the start has come.
    pub(crate) phase: Phase,
    /// The app, once the engine runs.
    pub(crate) app: Option<AppInfo>,
    /// Whether the engine answers.
    pub(crate) reach: Reach,
    /// Whether the list still follows the engine.
    pub(crate) list_sync: SyncState,
    /// All sessions, in no order.
    #[store(key: SessionId = |row| row.session_id)]
    pub(crate) sessions: Vec<SessionSummary>,
    /// The session in the middle.
    pub(crate) session: SessionState,
    /// What is written and not sent, per session; `None` is the session that does not exist yet.
    pub(crate) drafts: HashMap<Option<SessionId>, Draft>,
    /// The session whose title is being written.
    pub(crate) renaming: Option<SessionId>,
    /// Every agent, the default one first.
    pub(crate) agents: Vec<AgentView>,
    /// The agent that a new session is with; the default one when absent.
    pub(crate) new_agent: Option<AgentId>,
    /// The model of a new session; its agent's when absent.
    pub(crate) new_model: Option<String>,
    /// Every provider, by name; none until they were read.
    pub(crate) providers: Option<Vec<ProviderView>>,
    /// Model servers on this computer; none until they were looked for.
    pub(crate) local: Option<Vec<LocalServer>>,
    /// The provider whose key the models page asks for next.
    pub(crate) wanted_provider: Option<ProviderId>,
    /// Whether the list shows what was put away instead.
    pub(crate) shows_archived: bool,
    /// What was deleted and can still be taken back.
    pub(crate) deleted: Vec<DeletedSession>,
    /// The session that the person asked for from outside the window.
    pub(crate) wanted_session: Option<SessionId>,
    /// The card that gets the focus once it is there.
    pub(crate) wanted_call: Option<CallId>,
    /// What covers the middle or the left.
    pub(crate) panel: Panel,
    /// A failure that belongs to no place on screen.
    pub(crate) notice: Option<String>,
    /// Something that went well and has no place on screen.
    pub(crate) said: Option<String>,
    /// The time, as coarse as relative times need it.
    pub(crate) now_ms: u64,
}

/// How far the start has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing is known yet.
    #[default]
    Starting,
    /// The session list is there.
    Ready,
    /// The engine could not start.
    Failed {
        error: CommandError,
        backup: Option<BackupInfo>,
    },
}

/// Whether the engine answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Reach {
    #[default]
    Up,
    /// It does not; trying again goes on by itself.
    Lost,
}

/// What is laid over the session view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Panel {
    #[default]
    None,
    /// Everything that needs a person.
    Resume,
    /// The session list, in a narrow window.
    Drawer,
    /// All agents.
    Agents,
    /// Settings and rules.
    Settings,
    /// Providers and their models.
    Models,
    /// Who is to answer, asked at the first start.
    FirstRun,
}

/// A session that was deleted and can be taken back for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeletedSession {
    pub(crate) session_id: SessionId,
    pub(crate) title: Option<String>,
    pub(crate) until_ms: u64,
}
