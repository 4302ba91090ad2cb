//! Commands: everything that can be asked of the engine.

mod check;
mod check_attachment;
mod check_provider;
mod read;
mod validate;

use serde::{Deserialize, Serialize};

use crate::{
    AgentFields, AgentId, AttachmentId, CallDecision, CallId, Decision, ExportFormat, MessageId,
    ProviderFields, ProviderId, Resolution, RuleId, RuleScope, RunId, Secret, SessionId, Settings,
    Verdict,
};

/// What can be asked. Commands that change something answer once that is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Tells the version, the data folder and the model.
    GetApp {},
    /// Lists the sessions, newest first.
    ListSessions {
        /// At most so many, 1 to 1000; 1000 when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<u32>,
        /// Only those that stand after this one: the last of the page before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<SessionId>,
        /// Only those that are put away; those that are not when absent.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        archived: bool,
    },
    /// Lists every session that needs a person, the oldest need first.
    ListAttention {},
    /// Creates a session. The same `session_id` again answers with the same session.
    CreateSession {
        /// An id of the caller's making; one is made when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_id: Option<SessionId>,
        /// A title; the first message gives one when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// Its agent; the default one when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent_id: Option<AgentId>,
    },
    /// Gives a session another title.
    RenameSession {
        /// The session.
        session_id: SessionId,
        /// The title, up to 200 bytes.
        title: String,
    },
    /// Puts a session away, or takes it back.
    ArchiveSession {
        /// The session.
        session_id: SessionId,
        /// Whether it is put away.
        is_archived: bool,
    },
    /// Deletes a session. For a minute it can be taken back (`restore_session`); then nothing of
    /// it is left.
    DeleteSession {
        /// The session.
        session_id: SessionId,
    },
    /// Takes a deleted session back.
    RestoreSession {
        /// The session.
        session_id: SessionId,
    },
    /// Gives a session another agent. A run that is going keeps what it began with.
    SetSessionAgent {
        /// The session.
        session_id: SessionId,
        /// The agent.
        agent_id: AgentId,
    },
    /// Gives a session a model of its own, which goes before its agent's. A run that is going keeps
    /// the one it began with.
    SetSessionModel {
        /// The session.
        session_id: SessionId,
        /// The model; its agent's again when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// Makes a new session with the history up to and with this message.
    ForkSession {
        /// The session.
        session_id: SessionId,
        /// The last message to take along.
        message_id: MessageId,
    },
    /// Shows another branch of a session's history.
    SelectBranch {
        /// The session.
        session_id: SessionId,
        /// The branch.
        branch: u32,
    },
    /// Writes a session out as text.
    ExportSession {
        /// The session.
        session_id: SessionId,
        /// In which form.
        format: ExportFormat,
    },
    /// Makes a new session of an exported one.
    ImportSession {
        /// What `export_session` gave, as JSON text, up to 32 MiB.
        json: String,
    },
    /// Reads one session with its newest messages and what is being streamed.
    GetSession {
        /// The session.
        session_id: SessionId,
        /// At most so many messages, 1 to 1000; 200 when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<u32>,
    },
    /// Reads older messages of a session.
    ListMessages {
        /// The session.
        session_id: SessionId,
        /// Only messages before this position.
        before: u64,
        /// At most so many, 1 to 1000; 200 when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<u32>,
    },
    /// Sends a message: starts a run, or goes into the run that waits for decisions, or waits for
    /// its turn behind the run that is going.
    SendMessage {
        /// The session; one is created in the same transaction when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_id: Option<SessionId>,
        /// The message, up to 256 KiB.
        text: String,
        /// The same key again answers with the same message, also after a restart.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_key: Option<String>,
        /// Stop the run that is going and send at once, instead of waiting for it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        stop_first: bool,
        /// The agent of a session that is created with it; the default one when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent_id: Option<AgentId>,
        /// What is given along with it, up to 10: ids from `add_attachment`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<AttachmentId>,
    },
    /// Keeps a file to be given along with a message. What it is is found by looking at its bytes:
    /// an image (PNG, JPEG, GIF, WebP), text, or a PDF with text in it. One that no message was sent
    /// with is removed after a week.
    AddAttachment {
        /// An id of the caller's making: the same again answers with the same attachment. One is
        /// made when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attachment_id: Option<AttachmentId>,
        /// The name of the file, up to 255 bytes.
        name: String,
        /// Its bytes in Base64; up to 10 MiB before that.
        data: String,
    },
    /// Reads an attachment, piece by piece.
    GetAttachment {
        /// The attachment.
        attachment_id: AttachmentId,
        /// From which byte; from the first when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
        /// The text that a model gets of it, instead of the file.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        as_text: bool,
    },
    /// Removes an attachment that no message was sent with.
    RemoveAttachment {
        /// The attachment.
        attachment_id: AttachmentId,
    },
    /// Changes a message that waits for its turn.
    EditQueued {
        /// The message.
        message_id: MessageId,
        /// The new text.
        text: String,
    },
    /// Takes a message that waits for its turn away.
    RemoveQueued {
        /// The message.
        message_id: MessageId,
    },
    /// Sends the messages that were held after a stop, a failure or a restart.
    SendQueued {
        /// The session.
        session_id: SessionId,
    },
    /// Writes a message anew and answers it in a new branch.
    EditMessage {
        /// The message, one of the person's.
        message_id: MessageId,
        /// The new text.
        text: String,
        /// The same key again answers with the same run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_key: Option<String>,
    },
    /// Answers a message again, in a new branch.
    Regenerate {
        /// The agent's message to be written anew, or the person's to be answered anew.
        message_id: MessageId,
        /// The same key again answers with the same run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_key: Option<String>,
    },
    /// Tries a run that failed or was cancelled again, as a new run after what it had done.
    RetryRun {
        /// The run.
        run_id: RunId,
        /// The same key again answers with the same run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_key: Option<String>,
    },
    /// Sends a message and starts a run, in a new session when none is named.
    StartRun {
        /// The session; one is created in the same transaction when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_id: Option<SessionId>,
        /// The message, up to 256 KiB.
        text: String,
        /// The same key again answers with the same run, also after a restart.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_key: Option<String>,
    },
    /// Reads one run.
    GetRun {
        /// The run.
        run_id: RunId,
    },
    /// Halts a live run; it can be resumed.
    StopRun {
        /// The run.
        run_id: RunId,
    },
    /// Continues a stopped or interrupted run. One that waits for its next try tries now.
    ResumeRun {
        /// The run.
        run_id: RunId,
    },
    /// Ends a run for good; "Discard" in the resume panel.
    CancelRun {
        /// The run.
        run_id: RunId,
    },
    /// Lists the tool calls that wait for a decision or are in doubt.
    ListApprovals {
        /// Of this session; of all when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_id: Option<SessionId>,
    },
    /// Reads one tool call.
    GetCall {
        /// The call.
        call_id: CallId,
    },
    /// Reads on in a long result.
    GetResult {
        /// The call.
        call_id: CallId,
        /// From which byte.
        offset: u64,
    },
    /// Answers one approval.
    DecideCall {
        /// The call.
        call_id: CallId,
        /// The digest of what was shown.
        digest: String,
        /// The answer.
        decision: Decision,
        /// From where: a window's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
    },
    /// Answers several approvals; each gets its own result.
    DecideCalls {
        /// The answers, up to 256.
        decisions: Vec<CallDecision>,
        /// From where: a window's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
    },
    /// Settles a tool call in doubt.
    ResolveCall {
        /// The call.
        call_id: CallId,
        /// How.
        resolution: Resolution,
    },
    /// Takes the file changes of one tool call back.
    UndoCall {
        /// The call.
        call_id: CallId,
    },
    /// Takes all file changes of a run back, the newest first.
    UndoRun {
        /// The run.
        run_id: RunId,
    },
    /// Lists the rules.
    ListRules {},
    /// Adds a rule.
    AddRule {
        /// What it answers.
        verdict: Verdict,
        /// The tool, or `*` for every tool.
        tool: String,
        /// A glob over the call's subject; every call when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
        /// Where it holds.
        scope: RuleScope,
    },
    /// Takes a rule back.
    RevokeRule {
        /// The rule.
        rule_id: RuleId,
    },
    /// Lists the agents.
    ListAgents {},
    /// Creates an agent.
    CreateAgent {
        /// What it is.
        fields: AgentFields,
    },
    /// Changes an agent. Runs keep what they began with.
    UpdateAgent {
        /// The agent.
        agent_id: AgentId,
        /// What it is from now on.
        fields: AgentFields,
        /// The revision that was edited; another one is a conflict.
        revision: u32,
    },
    /// Copies an agent.
    DuplicateAgent {
        /// The agent.
        agent_id: AgentId,
    },
    /// Deletes an agent. Its sessions go on with the default one.
    DeleteAgent {
        /// The agent.
        agent_id: AgentId,
    },
    /// Lists the providers with their models and how they stand.
    ListProviders {},
    /// Adds a provider. It has no key yet.
    CreateProvider {
        /// What it is.
        fields: ProviderFields,
    },
    /// Changes a provider. With another host in its address its key and its secret headers are
    /// forgotten: they were given for the old one.
    UpdateProvider {
        /// The provider.
        provider_id: ProviderId,
        /// What it is from now on.
        fields: ProviderFields,
        /// The revision that was edited; another one is a conflict.
        revision: u32,
    },
    /// Deletes a provider with its key. Refused while an agent, a session or the settings name a
    /// model of it.
    DeleteProvider {
        /// The provider.
        provider_id: ProviderId,
        /// Also while it is used: what names its models keeps naming them, and runs of those fail
        /// until another model is chosen. Also if its key cannot be removed from the keychain now.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        anyway: bool,
    },
    /// Keeps a key for a provider, where the setting `key_store` says. It is never told again.
    SetProviderKey {
        /// The provider.
        provider_id: ProviderId,
        /// The secret header whose value it is; the key when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        header: Option<String>,
        /// The key, up to 16 KiB.
        key: Secret,
    },
    /// Forgets a key.
    ForgetProviderKey {
        /// The provider.
        provider_id: ProviderId,
        /// The secret header whose value it is; the key when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        header: Option<String>,
    },
    /// Tries whether a provider can be reached with its key, by asking for its models, which costs
    /// nothing. One that works is no longer paused.
    TestProvider {
        /// The provider.
        provider_id: ProviderId,
    },
    /// Ends the pause of a provider: the runs that wait for it go on.
    ResumeProvider {
        /// The provider.
        provider_id: ProviderId,
    },
    /// Asks a provider for its models and keeps the list.
    RefreshModels {
        /// The provider.
        provider_id: ProviderId,
    },
    /// Looks for model servers on this computer: at the ports where they usually are and at those
    /// that the person added. Changes nothing and chooses nothing.
    FindLocalServers {},
    /// Serves a model file with the `llama-server` of this computer, now and at every start until
    /// `stop_serving`. Another file takes its place. The model is then found like those of other
    /// local servers.
    ServeModelFile {
        /// The whole path of a file in the GGUF format.
        path: String,
    },
    /// Ends the server of the model file.
    StopServing {},
    /// Reads which model file is served, and how that stands.
    GetServedModel {},
    /// Reads the settings.
    GetSettings {},
    /// Changes the settings: all of them, as they are from now on.
    UpdateSettings {
        /// The settings, whole: one that is left out is an error.
        settings: Settings,
    },
    /// Sends the events after `after_seq`, then what is being streamed, then whatever follows.
    Subscribe {
        /// The session.
        session_id: SessionId,
        /// The last seq that the caller has; 0 for all.
        after_seq: u64,
    },
    /// Ends a subscription.
    Unsubscribe {
        /// The session.
        session_id: SessionId,
    },
    /// Sends every session that is new or changed from now on.
    WatchSessions {},
}
