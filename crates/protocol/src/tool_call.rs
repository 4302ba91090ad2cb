//! Tool calls: what the agent asked for, what will really run, and what became of it.

use serde::{Deserialize, Serialize};

use crate::{ApprovalView, CallId, CallStatus, ErrorClass, MessageId, RuleId, RunId, SessionId};

/// Whether a tool call may be run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Changes nothing: may be run again.
    Read,
    /// May be run again with the same effect key.
    Idempotent,
    /// Must not be repeated silently. What is not declared is this.
    Once,
}

impl EffectClass {
    /// Every class.
    pub const ALL: [Self; 3] = [Self::Read, Self::Idempotent, Self::Once];

    /// The stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Idempotent => "idempotent",
            Self::Once => "once",
        }
    }

    /// Reads the stored form; what is not known is the careful one.
    pub fn parse(text: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|class| class.as_str() == text)
            .unwrap_or(Self::Once)
    }
}

/// One tool call, as it can be read at any time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCallView {
    /// Its id, the same from proposal to result.
    pub call_id: CallId,
    /// Its session.
    pub session_id: SessionId,
    /// Its run.
    pub run_id: RunId,
    /// The agent's message that asked for it.
    pub message_id: MessageId,
    /// Its place among the calls of that message, from 0.
    pub ordinal: u32,
    /// The tool.
    pub tool: String,
    /// The arguments that will run or ran, exactly.
    pub arguments: String,
    /// The arguments as the model sent them, where the person edited them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_arguments: Option<String>,
    /// Whether it may be run again.
    pub effect: EffectClass,
    /// Where it stands.
    pub status: CallStatus,
    /// What decided that it was allowed, asked about or denied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictView>,
    /// What will really run, for the person. Absent if the call could not be understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<CallPreview>,
    /// The question to the person, where there is or was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalView>,
    /// Present while its outcome is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<DoubtView>,
    /// What it gave back, once it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ToolResult>,
    /// The files it changed, each with its way back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
    /// How often its body was started.
    pub bodies: u32,
    /// When it was proposed, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// When its body was last started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at_ms: Option<u64>,
    /// When it was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<u64>,
}

/// What a policy answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Runs.
    Allow,
    /// Waits for the person.
    Ask,
    /// Does not run.
    Deny,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    /// The stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Reads the stored form; what is not known is asked about.
    pub fn parse(text: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == text)
            .unwrap_or(Self::Ask)
    }
}

/// A verdict and what made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerdictView {
    /// What was answered.
    pub verdict: Verdict,
    /// The rule that did, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<RuleId>,
    /// The same in words: "Allowed by the rule write_file notes/*".
    pub explanation: String,
}

/// What will really run, for a person to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallPreview {
    /// One line: "Write notes/tides.md".
    pub summary: String,
    /// What rules are matched against: a path, a command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The rest, whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PreviewPart>,
}

/// One part of a preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PreviewPart {
    /// The full path of a file or folder.
    Path {
        /// The path.
        path: String,
    },
    /// How a file would change, as a unified diff.
    Diff {
        /// The path, relative to the workspace.
        path: String,
        /// The diff.
        text: String,
        /// Whether the file would be created.
        is_new: bool,
    },
    /// A command line, whole.
    Command {
        /// The command.
        text: String,
    },
    /// Anything else.
    Text {
        /// What it is.
        label: String,
        /// The text.
        text: String,
    },
}

/// What is known about a call whose outcome is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoubtView {
    /// Why it is unknown.
    pub reason: String,
    /// Whether the tool can look what happened.
    pub can_check: bool,
    /// How often it looked in vain.
    pub checks: u32,
    /// When it will look again, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_check_at_ms: Option<u64>,
}

/// How a person settles a call in doubt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Resolution {
    /// Let the tool look what happened. Never performs the effect.
    Check {},
    /// It happened; this is the result.
    Happened {
        /// What the model is told; a plain sentence when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<String>,
    },
    /// It did not happen: run it. It may then have happened twice.
    RunAgain {},
    /// Neither: go on without it.
    Skip {},
}

/// What a tool call gave back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolResult {
    /// The text, verbatim; cut on a character boundary where it is long.
    pub text: String,
    /// Whether it is a failure. Never guessed from the text.
    pub is_error: bool,
    /// What kind of failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<ErrorClass>,
    /// Bytes of the whole result; more than `text` holds when it was cut (`get_result` reads on).
    pub total_bytes: u64,
}

/// A file that a tool call changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileChange {
    /// The path, relative to the workspace.
    pub path: String,
    /// The hash before, in hexadecimal; absent if the file did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The hash after, in hexadecimal.
    pub after: String,
    /// When the change was undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone_at_ms: Option<u64>,
}
