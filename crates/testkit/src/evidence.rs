//! What is known from outside: everything that the app acknowledged or showed, and everything that
//! really happened, in the order in which it was noted; and the checks that hold it against a
//! database after a crash.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a check picks out the facts that it asks about"
)]

mod check;
mod effects;
mod file;
mod given;
mod rows;
mod shown;
mod streams;
mod structure;

use protocol::{
    ApprovalStatus, CallId, CallStatus, MessageId, RunId, RunStatus, SessionId, StepId,
};
use serde::{Deserialize, Serialize};

pub use check::{Counts, Loss, check, check_file};
pub use file::{FactFile, facts_in};
pub use given::given;
pub use structure::recovered_state;

use crate::LedgerEntry;

/// Takes notes. Whoever is told of a fact keeps it, in order, before it returns.
pub trait Witness: std::fmt::Debug + Send + Sync + 'static {
    /// Notes a fact.
    fn note(&self, fact: Fact);
}

/// Something that is so, whatever the database says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum Fact {
    /// A process began to work.
    Began {
        /// Its id.
        pid: u32,
    },
    /// A message is about to be sent: its answer will stand for everything noted before this.
    Sending {
        /// Counted from 1 in its process.
        number: u64,
    },
    /// Answered: this message is kept, as a message or in the queue.
    Sent {
        /// Which sending.
        number: u64,
        /// The session.
        session_id: SessionId,
        /// The message.
        message_id: MessageId,
        /// What it says.
        text: String,
    },
    /// Answered: this session exists.
    Created {
        /// The session.
        session_id: SessionId,
    },
    /// Answered: the newest question about a call has this answer.
    Decided {
        /// The call.
        call_id: CallId,
        /// The round.
        round: u32,
        /// The answer.
        status: ApprovalStatus,
    },
    /// Answered: a call in doubt is settled.
    Settled {
        /// The call.
        call_id: CallId,
        /// How.
        status: CallStatus,
    },
    /// The person is about to settle a call in doubt, whether or not it happened.
    Settling {
        /// The call.
        call_id: CallId,
    },
    /// The person is about to ask for one more body of a call in doubt.
    Again {
        /// The call.
        call_id: CallId,
    },
    /// Answered: a run has this status.
    Moved {
        /// The run.
        run_id: RunId,
        /// The status.
        status: RunStatus,
    },
    /// An event reached a window.
    Shown(Shown),
    /// Streamed text reached a window.
    Text {
        /// The step.
        step_id: StepId,
        /// The attempt.
        attempt: u32,
        /// The block.
        block: u32,
        /// Where it begins.
        offset: u64,
        /// The text.
        text: String,
    },
    /// A model was asked and is about to say this, block by block.
    Asked {
        /// The blocks, whole.
        blocks: Vec<String>,
    },
    /// What a tool did.
    Did(LedgerEntry),
}

/// An event, as far as a check needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The session.
    pub session_id: SessionId,
    /// Its place.
    pub seq: u64,
    /// When.
    pub at_ms: u64,
    /// Its kind.
    pub kind: String,
    /// Whether it came with a barrier.
    pub is_barrier: bool,
    /// The message in it: its id, and the hash of its blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<(MessageId, String)>,
    /// The call in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ShownCall>,
    /// The end of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<(RunId, RunStatus)>,
}

/// A tool call in an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownCall {
    /// The call.
    pub call_id: CallId,
    /// Its status.
    pub status: CallStatus,
    /// The hash of its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The round, status and digest of its newest question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<(u32, ApprovalStatus, String)>,
}
