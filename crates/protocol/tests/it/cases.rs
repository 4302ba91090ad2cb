//! Every variant by its name: the compiler asks for a new one here, and a test then asks for it in
//! the samples.

use std::collections::BTreeSet;

use protocol::{
    ApprovalStatus, AttachmentKind, AttentionAction, AttentionKind, BlockKind, CallStatus, Command,
    CommandError, Decision, Dialect, EffectClass, ErrorClass, ErrorCode, Event, ExportFormat,
    KeyPlace, LocalFound, LocalKind, MessageStatus, PreviewPart, ProviderState, ProviderTest,
    ProxySetting, Push, RecoveryPolicy, Reply, Resolution, Role, RuleScope, RunReason, RunStatus,
    SentOutcome, ServedState, StartState, StepStatus, Verdict,
};

/// A type with variants.
pub(crate) trait Cases {
    const ALL: &'static [&'static str];

    fn case(&self) -> &'static str;
}

macro_rules! cases {
    ($type:ident: $($variant:ident)+) => {
        impl Cases for $type {
            const ALL: &'static [&'static str] = &[$(stringify!($variant)),+];

            fn case(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => stringify!($variant)),+
                }
            }
        }
    };
}

cases!(Command: GetApp ListSessions ListAttention CreateSession RenameSession ArchiveSession
    DeleteSession RestoreSession SetSessionAgent SetSessionModel ForkSession SelectBranch ExportSession
    ImportSession GetSession ListMessages SendMessage AddAttachment GetAttachment RemoveAttachment EditQueued RemoveQueued SendQueued
    EditMessage Regenerate RetryRun StartRun GetRun StopRun ResumeRun CancelRun ListApprovals
    GetCall GetResult DecideCall DecideCalls ResolveCall UndoCall UndoRun ListRules AddRule
    RevokeRule ListAgents CreateAgent UpdateAgent DuplicateAgent DeleteAgent ListProviders
    CreateProvider UpdateProvider DeleteProvider SetProviderKey ForgetProviderKey TestProvider
    ResumeProvider RefreshModels FindLocalServers
    ServeModelFile StopServing GetServedModel GetSettings
    UpdateSettings Subscribe Unsubscribe WatchSessions);
cases!(Event: SessionCreated SessionRenamed MessageAdded RunStarted StepStarted StepCompleted
    ToolCallChanged StepInterrupted StepFailed StepCancelled RunWaiting RunContinued
    RetryScheduled QueueChanged BranchStarted BranchSelected SessionArchived AgentChanged
    ModelChanged HistorySummarised
    RunStopped RunInterrupted RunResumed RunCompleted RunFailed RunCancelled Unrecognised);
cases!(Reply: App Sessions Session Snapshot Messages Sent Attached Attachment AttachmentRemoved Queue Calls Call Result Decided Undone
    Rules Agents Agent Providers Provider ProviderTested LocalServers Served Settings Exported Deleted RunStarted Run RunMoved Subscribed Unsubscribed
    Watching);
cases!(Push: Event Delta Session Gone Show Ended);
cases!(ErrorCode: InvalidCommand InvalidValue TooLarge Unsupported NotFound AlreadyRunning NotActionable
    WrongDigest InvalidCursor Truncated Conflict StorageFailed DataFolderInUse NewerDatabase DamagedDatabase
    Unavailable Internal);
cases!(StartState: Ready Failed);
cases!(SentOutcome: Started Joined Queued);
cases!(Decision: AllowOnce AllowInSession AllowAlways EditAndAllow Deny);
cases!(Resolution: Check Happened RunAgain Skip);
cases!(RuleScope: Global Workspace Session);
cases!(PreviewPart: Path Diff Command Text);
cases!(RunStatus: Queued Running Waiting Stopped Interrupted Completed Failed Cancelled);
cases!(StepStatus: Planned Running Completed Failed Interrupted Cancelled);
cases!(CallStatus: Proposed Waiting Ready Running Completed Failed Denied Skipped InDoubt
    Cancelled);
cases!(ApprovalStatus: Pending Allowed Denied Expired Superseded Closed);
cases!(EffectClass: Read Idempotent Once);
cases!(Verdict: Allow Ask Deny);
cases!(RunReason: StoppedByUser AppClosed AppEnded Superseded Discarded StepLimit TimeLimit
    TokenLimit CostLimit);
cases!(ErrorClass: Auth Billing Permission RateLimit Overloaded Network Timeout InvalidRequest
    ContextLength ContentRefused Tool Internal Cancelled InDoubt Limit);
cases!(BlockKind: Text Reasoning Arguments);
cases!(AttachmentKind: Image Text Pdf);
cases!(Role: User Agent);
cases!(MessageStatus: Complete Partial Unreadable);
cases!(AttentionKind: Interrupted Waiting InDoubt Stopped Failed);
cases!(AttentionAction: Resume Decide Retry Discard);
cases!(RecoveryPolicy: Ask Resume);
cases!(ExportFormat: Json Markdown);
cases!(Dialect: ChatCompletions Responses Anthropic Ollama Gemini);
cases!(KeyPlace: Keychain File);
cases!(ProviderState: Ok Disabled Paused);
cases!(ProviderTest: Works Unusable KeyUnavailable NoNetwork WrongServer KeyRefused NoCredit Busy);

cases!(LocalFound: Server Starting Stranger Nobody);
cases!(ProxySetting: System None Url);
cases!(ServedState: Starting Ready Failed);
cases!(LocalKind: Ollama LmStudio LlamaCpp Other);

impl Cases for CommandError {
    const ALL: &'static [&'static str] = ErrorCode::ALL;

    fn case(&self) -> &'static str {
        self.code.case()
    }
}

/// Every variant is among the values.
#[track_caller]
pub(crate) fn assert_all<'a, T: Cases + 'a>(values: impl IntoIterator<Item = &'a T>) {
    let listed: BTreeSet<&str> = values.into_iter().map(Cases::case).collect();
    let all: BTreeSet<&str> = T::ALL.iter().copied().collect();
    assert_eq!(listed, all);
}
