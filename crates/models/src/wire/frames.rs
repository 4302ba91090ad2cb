//! How a stream is cut into the events of an answer.

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};

use super::{ndjson, sse};

/// What one event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frames {
    /// A server-sent event.
    Sse,
    /// A line.
    Ndjson,
}

/// Why a stream of events broke.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FrameError<E> {
    /// The bytes stopped coming.
    Transport(E),
    /// It is not UTF-8.
    NotText,
    /// An event is too large.
    TooLarge,
}

impl Frames {
    /// What an answer of this kind is asked for as.
    pub(super) const fn media_type(self) -> &'static str {
        match self {
            Self::Sse => "text/event-stream",
            Self::Ndjson => "application/x-ndjson",
        }
    }

    /// The data of each event.
    pub(super) fn read<E: Send + 'static>(
        self,
        bytes: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
        largest: usize,
    ) -> BoxStream<'static, Result<String, FrameError<E>>> {
        match self {
            Self::Sse => sse::events(bytes, largest).boxed(),
            Self::Ndjson => ndjson::lines(bytes, largest).boxed(),
        }
    }
}
