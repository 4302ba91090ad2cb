//! What arrives unasked, after a subscription.

use serde::{Deserialize, Serialize};

use crate::{CommandError, Delta, Envelope, SessionId, SessionSummary};

/// One thing that a subscription sends. Everything it says of a session is committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "most of them are events: a box for each would cost more than it saves"
)]
pub enum Push {
    /// An event of a session that is subscribed to (`subscribe`).
    Event(Envelope),
    /// A piece of streamed content of a session that is subscribed to (`subscribe`).
    Delta(Delta),
    /// A session as the list shows it, because it is new or changed (`watch_sessions`).
    Session(Box<SessionSummary>),
    /// A session is gone from the list (`watch_sessions`).
    Gone {
        /// The session.
        session_id: SessionId,
    },
    /// The person asked for this session from outside the window (`watch_sessions`). Only a window
    /// is sent this.
    Show {
        /// The session.
        session_id: SessionId,
    },
    /// The subscription ended with an error; subscribe again from the last seq.
    Ended {
        /// The session, or absent for the watch over all sessions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_id: Option<SessionId>,
        /// Why.
        error: CommandError,
    },
}
