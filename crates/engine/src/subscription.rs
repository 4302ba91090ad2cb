//! Following one session: the events after a seq, then what is being streamed, then whatever
//! follows. Replay and live are the same code: wake up, read what is new, send it.

use protocol::{CommandError, ErrorCode, Push, SessionId};
use store::LiveCursor;
use tokio::sync::watch;

use crate::Engine;
use crate::command_error::{closing, not_found};

/// Events read at once; the rest follows in the next batch.
const BATCH: u32 = 256;

/// One follower of one session. It holds a cursor, not a queue: however slow the follower is, it
/// costs no memory and misses nothing.
#[derive(Debug)]
pub struct Subscription {
    engine: Engine,
    session_id: SessionId,
    after_seq: u64,
    head_seq: u64,
    cursor: LiveCursor,
    woken: watch::Receiver<()>,
}

impl Engine {
    /// Follows a session from a seq that exists.
    pub fn subscribe(
        &self,
        session_id: SessionId,
        after_seq: u64,
    ) -> Result<Subscription, CommandError> {
        // Subscribed before the first read: what is committed in between wakes it.
        let woken = self.inner.bus.subscribe(session_id).ok_or_else(closing)?;
        let head_seq = self
            .read(|reader| reader.head_seq(session_id))?
            .ok_or_else(|| not_found("session"))?;
        if after_seq > head_seq {
            return Err(CommandError::new(
                ErrorCode::InvalidCursor,
                format!("The session has no event {after_seq}; its newest is {head_seq}."),
                "Take a new snapshot and subscribe after its seq.",
            ));
        }
        let engine = self.clone();
        let cursor = LiveCursor::default();
        Ok(Subscription {
            engine,
            session_id,
            after_seq,
            head_seq,
            cursor,
            woken,
        })
    }
}

impl Subscription {
    /// The newest seq when the subscription began.
    pub const fn head_seq(&self) -> u64 {
        self.head_seq
    }

    /// The session that is followed.
    pub const fn session_id(&self) -> SessionId {
        self.session_id
    }

    /// Waits for something new and returns all of it, in order, up to a bound. Safe to drop and
    /// call again: nothing is taken before it is returned.
    pub async fn next(&mut self) -> Result<Vec<Push>, CommandError> {
        loop {
            // Marked as seen before reading: a commit after this wakes the wait below.
            self.woken.mark_unchanged();
            let batch = self.read_new()?;
            if !batch.is_empty() {
                return Ok(batch);
            }
            if self.woken.changed().await.is_err() {
                return Err(closing());
            }
        }
    }

    /// What is new at this moment, without waiting; empty when there is nothing.
    pub fn take_new(&mut self) -> Result<Vec<Push>, CommandError> {
        self.read_new()
    }

    fn read_new(&mut self) -> Result<Vec<Push>, CommandError> {
        let mut cursor = self.cursor.clone();
        let (events, deltas) = self.engine.read(|reader| {
            let events = reader.events_after(self.session_id, self.after_seq, BATCH)?;
            let is_at_head = match events.last() {
                Some(last) => reader.head_seq(self.session_id)? == Some(last.seq),
                None => true,
            };
            // Text belongs after the events that led to it.
            let deltas = if is_at_head {
                reader.deltas_after(self.session_id, &mut cursor)?
            } else {
                Vec::new()
            };
            Ok((events, deltas))
        })?;
        self.cursor = cursor;
        if let Some(last) = events.last() {
            self.after_seq = last.seq;
        }
        let events = events.into_iter().map(Push::Event);
        Ok(events.chain(deltas.into_iter().map(Push::Delta)).collect())
    }
}
