//! Commands: everything that can be asked of the engine, and the one check they all pass.

use serde::{Deserialize, Serialize};

use crate::{CommandError, ErrorCode, RunId, SessionId};

/// The caps that every command is checked against.
pub mod limits {
    /// Bytes of one message.
    pub const MESSAGE_BYTES: usize = 256 * 1024;
    /// Bytes of one title.
    pub const TITLE_BYTES: usize = 200;
    /// Bytes of one request key.
    pub const REQUEST_KEY_BYTES: usize = 128;
    /// Sessions or messages in one answer.
    pub const PAGE: u32 = 1_000;
    /// Messages in a snapshot when nothing else is asked for.
    pub const SNAPSHOT_MESSAGES: u32 = 200;
    /// Bytes of one whole command.
    pub const COMMAND_BYTES: usize = 1024 * 1024;
    /// The largest integer on the wire: what a page can hold exactly.
    pub const INTEGER: u64 = (1 << 53) - 1;
}

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
    },
    /// Creates a session. The same `session_id` again answers with the same session.
    CreateSession {
        /// An id of the caller's making; one is made when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_id: Option<SessionId>,
        /// A title; the first message gives one when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    /// Gives a session another title.
    RenameSession {
        /// The session.
        session_id: SessionId,
        /// The title, up to 200 bytes.
        title: String,
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
    /// Continues a stopped or interrupted run.
    ResumeRun {
        /// The run.
        run_id: RunId,
    },
    /// Ends a run for good; "Discard" in the resume panel.
    CancelRun {
        /// The run.
        run_id: RunId,
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

impl Command {
    /// Reads a command from JSON text: the one way in, for the window and for headless alike.
    pub fn from_json(text: &str) -> Result<Self, CommandError> {
        if text.len() > limits::COMMAND_BYTES {
            return Err(too_large("The command", limits::COMMAND_BYTES));
        }
        // An array would pass for a command whose fields have no names.
        if !text.trim_start().starts_with('{') {
            return Err(invalid("it is not an object"));
        }
        // Not through a value: that would let a field that comes twice pass.
        let command: Self =
            serde_json::from_str(text).map_err(|error| invalid(&error.to_string()))?;
        command.validate()?;
        Ok(command)
    }

    /// Reads a command from a JSON value.
    pub fn from_value(value: serde_json::Value) -> Result<Self, CommandError> {
        if !value.is_object() {
            return Err(invalid("it is not an object"));
        }
        let command: Self =
            serde_json::from_value(value).map_err(|error| invalid(&error.to_string()))?;
        command.validate()?;
        Ok(command)
    }

    /// Checks every value against its cap. The engine calls this for each command it is given.
    pub fn validate(&self) -> Result<(), CommandError> {
        match self {
            Self::ListSessions { limit, .. } | Self::GetSession { limit, .. } => {
                check_limit(*limit)
            }
            Self::ListMessages { limit, before, .. } => {
                check_integer("before", *before)?;
                check_limit(*limit)
            }
            Self::CreateSession {
                title: Some(title), ..
            }
            | Self::RenameSession { title, .. } => check_title(title),
            Self::StartRun {
                text, request_key, ..
            } => {
                check_text(text)?;
                request_key.as_deref().map_or(Ok(()), check_request_key)
            }
            Self::Subscribe { after_seq, .. } => check_integer("after_seq", *after_seq),
            Self::GetApp {}
            | Self::CreateSession { title: None, .. }
            | Self::GetRun { .. }
            | Self::StopRun { .. }
            | Self::ResumeRun { .. }
            | Self::CancelRun { .. }
            | Self::Unsubscribe { .. }
            | Self::WatchSessions {} => Ok(()),
        }
    }
}

fn invalid(error: &str) -> CommandError {
    CommandError::new(
        ErrorCode::InvalidCommand,
        format!("This is not a command: {error}."),
        "Compare it with the list of commands in docs/headless.md.",
    )
}

fn too_large(what: &str, cap: usize) -> CommandError {
    CommandError::new(
        ErrorCode::TooLarge,
        format!("{what} is larger than {cap} bytes."),
        "Make it shorter, or split it.",
    )
}

fn invalid_value(message: &str, hint: &str) -> CommandError {
    CommandError::new(ErrorCode::InvalidValue, message, hint)
}

fn check_text(text: &str) -> Result<(), CommandError> {
    if text.len() > limits::MESSAGE_BYTES {
        return Err(too_large("The message", limits::MESSAGE_BYTES));
    }
    if text.trim().is_empty() {
        return Err(invalid_value(
            "The message is empty.",
            "Write something first.",
        ));
    }
    Ok(())
}

fn check_title(title: &str) -> Result<(), CommandError> {
    if title.len() > limits::TITLE_BYTES {
        return Err(too_large("The title", limits::TITLE_BYTES));
    }
    if title.trim().is_empty() || title.chars().any(char::is_control) {
        return Err(invalid_value(
            "The title is empty or holds control characters.",
            "Give it a title of one line.",
        ));
    }
    Ok(())
}

fn check_request_key(key: &str) -> Result<(), CommandError> {
    if key.len() > limits::REQUEST_KEY_BYTES {
        return Err(too_large("The request key", limits::REQUEST_KEY_BYTES));
    }
    if key.is_empty() || key.chars().any(char::is_control) {
        return Err(invalid_value(
            "The request key is empty or holds control characters.",
            "Use a fresh UUID as the key.",
        ));
    }
    Ok(())
}

fn check_limit(limit: Option<u32>) -> Result<(), CommandError> {
    match limit {
        Some(limit) if !(1..=limits::PAGE).contains(&limit) => Err(invalid_value(
            "The limit is out of range.",
            "Use a number from 1 to 1000.",
        )),
        Some(_) | None => Ok(()),
    }
}

fn check_integer(name: &str, value: u64) -> Result<(), CommandError> {
    if value > limits::INTEGER {
        return Err(invalid_value(
            &format!("{name} is out of range."),
            "Use a number below 2^53.",
        ));
    }
    Ok(())
}
