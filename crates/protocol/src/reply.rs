//! What a command is answered with when it succeeds.

use serde::{Deserialize, Serialize};

use crate::{
    AgentView, AppInfo, AttachmentId, AttachmentView, CallId, DecidedCall, LocalServer, Message,
    MessageId, ProviderTest, ProviderView, QueuedMessage, RuleView, RunId, RunStatus, RunView,
    ServedModel, SessionId, SessionSnapshot, SessionSummary, Settings, ToolCallView,
};

/// The answer to a command that succeeded. What it says is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    /// To `get_app`.
    App(AppInfo),
    /// To `list_sessions` and `list_attention`.
    Sessions {
        /// Newest first; for `list_attention`, the oldest need first.
        sessions: Vec<SessionSummary>,
        /// Whether older ones exist beyond the limit.
        has_more: bool,
    },
    /// To `create_session`, `rename_session`, `archive_session`, `restore_session`,
    /// `set_session_agent`, `set_session_model`, `select_branch`, `fork_session` and `import_session`.
    Session(Box<SessionSummary>),
    /// To `get_session`.
    Snapshot(Box<SessionSnapshot>),
    /// To `list_messages`.
    Messages {
        /// Oldest first.
        messages: Vec<Message>,
        /// Whether older ones exist.
        has_earlier: bool,
        /// The tool calls of those messages, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCallView>,
    },
    /// To `send_message`.
    Sent {
        /// The session, which may be new.
        session_id: SessionId,
        /// The message.
        message_id: MessageId,
        /// What became of it.
        outcome: SentOutcome,
    },
    /// To `add_attachment`.
    Attached {
        /// What it is, and what a model will get of it.
        attachment: AttachmentView,
        /// When it is removed if no message is sent with it, in milliseconds since 1970; nothing
        /// once one was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires_at_ms: Option<u64>,
    },
    /// To `get_attachment`.
    Attachment {
        /// What it is.
        attachment: AttachmentView,
        /// From which byte.
        offset: u64,
        /// The piece in Base64, up to 1 MiB of it. Pieces one after the other are the whole.
        data: String,
        /// Bytes of the whole.
        total_bytes: u64,
    },
    /// To `remove_attachment`.
    AttachmentRemoved {
        /// The attachment.
        attachment_id: AttachmentId,
    },
    /// To `edit_queued`, `remove_queued` and `send_queued`.
    Queue {
        /// The messages that wait now.
        queue: Vec<QueuedMessage>,
    },
    /// To `list_approvals`.
    Calls {
        /// The oldest first.
        calls: Vec<ToolCallView>,
    },
    /// To `get_call`, `resolve_call` and `undo_call`.
    Call(Box<ToolCallView>),
    /// To `get_result`.
    Result {
        /// The call.
        call_id: CallId,
        /// From which byte.
        offset: u64,
        /// The piece.
        text: String,
        /// Bytes of the whole.
        total_bytes: u64,
    },
    /// To `decide_call` and `decide_calls`, in the order of the decisions.
    Decided {
        /// What became of each.
        calls: Vec<DecidedCall>,
    },
    /// To `undo_run`.
    Undone {
        /// The paths that are as they were before.
        paths: Vec<String>,
    },
    /// To `list_rules`, `add_rule` and `revoke_rule`.
    Rules {
        /// The oldest first.
        rules: Vec<RuleView>,
    },
    /// To `list_agents` and `delete_agent`.
    Agents {
        /// The default one first, then by name.
        agents: Vec<AgentView>,
    },
    /// To `create_agent`, `update_agent` and `duplicate_agent`.
    Agent(AgentView),
    /// To `list_providers` and `delete_provider`.
    Providers {
        /// By name.
        providers: Vec<ProviderView>,
    },
    /// To `create_provider`, `update_provider`, `set_provider_key`, `forget_provider_key`,
    /// `resume_provider` and `refresh_models`.
    Provider(Box<ProviderView>),
    /// To `test_provider`.
    ProviderTested {
        /// What came of it.
        test: ProviderTest,
        /// The provider as it stands afterwards.
        provider: Box<ProviderView>,
    },
    /// To `find_local_servers`.
    LocalServers {
        /// At the usual ports first, then at those that the person added.
        servers: Vec<LocalServer>,
    },
    /// To `serve_model_file`, `stop_serving` and `get_served_model`.
    Served {
        /// The model file that is served, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        served: Option<ServedModel>,
        /// Whether there is a `llama-server` to serve with.
        can_serve: bool,
    },
    /// To `get_settings` and `update_settings`.
    Settings(Settings),
    /// To `export_session`.
    Exported {
        /// A good name for the file.
        file_name: String,
        /// What it holds.
        text: String,
    },
    /// To `delete_session`.
    Deleted {
        /// The session.
        session_id: SessionId,
        /// Until when it can be taken back, in milliseconds since 1970.
        restorable_until_ms: u64,
    },
    /// To `start_run`, `edit_message`, `regenerate` and `retry_run`.
    RunStarted {
        /// The session, which may be new.
        session_id: SessionId,
        /// The message.
        message_id: MessageId,
        /// The run, which may have been started before by the same request key.
        run_id: RunId,
    },
    /// To `get_run`.
    Run(RunView),
    /// To `stop_run`, `resume_run` and `cancel_run`.
    RunMoved {
        /// The run.
        run_id: RunId,
        /// Where it stands now.
        status: RunStatus,
    },
    /// To `subscribe`.
    Subscribed {
        /// The session.
        session_id: SessionId,
        /// The newest seq at this moment.
        head_seq: u64,
    },
    /// To `unsubscribe`.
    Unsubscribed {
        /// The session.
        session_id: SessionId,
    },
    /// To `watch_sessions`.
    Watching {},
}

/// What became of a message that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SentOutcome {
    /// It started a run.
    Started {
        /// The run.
        run_id: RunId,
    },
    /// It went into the run that was waiting for decisions, which goes on.
    Joined {
        /// The run.
        run_id: RunId,
    },
    /// It waits for its turn.
    Queued {},
}
