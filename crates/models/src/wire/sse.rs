//! Server-sent events with a maximum size.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use sseer::EventStream;
use sseer::errors::EventStreamError;

use super::FrameError;

/// The data of each event. The reader gathers an event until it is whole, so what it may gather is
/// counted in front of it: from one event to the next, give or take one piece of the stream.
pub(super) fn events<E>(
    bytes: impl Stream<Item = Result<Bytes, E>>,
    largest: usize,
) -> impl Stream<Item = Result<String, FrameError<E>>> {
    let gathered = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&gathered);
    let counted = bytes.map(move |piece| {
        let piece = piece.map_err(FrameError::Transport)?;
        let before = counter.fetch_add(piece.len(), Ordering::Relaxed);
        if before.saturating_add(piece.len()) > largest {
            return Err(FrameError::TooLarge);
        }
        Ok(piece)
    });
    EventStream::new(counted).map(move |event| {
        gathered.store(0, Ordering::Relaxed);
        match event {
            Ok(event) => Ok(event.data.to_string()),
            Err(EventStreamError::Transport(error)) => Err(error),
            Err(EventStreamError::Utf8Error(_)) => Err(FrameError::NotText),
        }
    })
}

#[cfg(test)]
mod tests;
