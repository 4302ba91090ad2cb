//! What a channel to a window or a line of output is fed from.

use engine::{SessionWatch, Subscription};
use protocol::{CommandError, Push};

/// A follower of one session, or of the list.
#[derive(Debug)]
pub enum Source {
    /// One session.
    Session(Subscription),
    /// The list of sessions.
    List(SessionWatch),
}

impl Source {
    /// Waits for something new.
    pub async fn next(&mut self) -> Result<Vec<Push>, CommandError> {
        match self {
            Self::Session(subscription) => subscription.next().await,
            Self::List(watch) => watch.next().await,
        }
    }

    /// What is new at this moment, without waiting; empty when there is nothing.
    pub async fn take_new(&mut self) -> Result<Vec<Push>, CommandError> {
        match self {
            Self::Session(subscription) => subscription.take_new().await,
            Self::List(watch) => watch.take_new().await,
        }
    }

    /// What is said when it ended with an error.
    pub const fn ended(&self, error: CommandError) -> Push {
        let session_id = match self {
            Self::Session(subscription) => Some(subscription.session_id()),
            Self::List(_) => None,
        };
        Push::Ended { session_id, error }
    }
}
