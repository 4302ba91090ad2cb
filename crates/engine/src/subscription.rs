//! Following one session: the events after a seq, then what is being streamed, then whatever
//! follows. Replay and live are the same code: wake up, read what is new, send it.

use protocol::{CommandError, Delta, Envelope, ErrorCode, Push, SessionId};
use store::{LiveCursor, Reader};

use crate::Engine;
use crate::bus::{Listener, Look};
use crate::command_error::{closing, from_store, not_found};

/// Events read at once; the rest follows in the next batch.
const BATCH: usize = 256;
/// A batch ends early once it holds this much text.
const BATCH_BYTES: usize = 1024 * 1024;
/// The first look is a short one: a few events may already be as large as a batch.
const FIRST_LOOK: usize = 8;

/// One follower of one session. It holds a cursor, not a queue: however slow the follower is, it
/// costs no memory and misses nothing.
#[derive(Debug)]
pub struct Subscription {
    head_seq: u64,
    place: Place,
    listener: Listener,
}

/// How far a follower has come.
#[derive(Debug)]
struct Place {
    engine: Engine,
    session_id: SessionId,
    after_seq: u64,
    cursor: LiveCursor,
}

impl Engine {
    /// Follows a session from a seq that exists.
    pub fn subscribe(
        &self,
        session_id: SessionId,
        after_seq: u64,
    ) -> Result<Subscription, CommandError> {
        // Listening before the first read: what is committed in between wakes it.
        let listener = self.inner.bus.listen(session_id).ok_or_else(closing)?;
        let (head_seq, first_seq) = self
            .inner
            .store
            .read(|reader| Ok((reader.head_seq(session_id)?, reader.first_seq(session_id)?)))
            .map_err(|error| from_store(&error))?;
        let head_seq = head_seq.ok_or_else(|| not_found("session"))?;
        if first_seq.is_some_and(|first| after_seq + 1 < first) {
            return Err(CommandError::new(
                ErrorCode::Truncated,
                format!("The events after {after_seq} are not all kept any more."),
                "Take a new snapshot and subscribe after its seq.",
            ));
        }
        if after_seq > head_seq {
            return Err(CommandError::new(
                ErrorCode::InvalidCursor,
                format!("The session has no event {after_seq}; its newest is {head_seq}."),
                "Take a new snapshot and subscribe after its seq.",
            ));
        }
        let place = Place {
            engine: self.clone(),
            session_id,
            after_seq,
            cursor: LiveCursor::default(),
        };
        Ok(Subscription {
            head_seq,
            place,
            listener,
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
        self.place.session_id
    }

    /// Waits for something new and returns all of it, in order, up to a bound. Safe to drop and
    /// call again: nothing is taken before it is returned.
    pub async fn next(&mut self) -> Result<Vec<Push>, CommandError> {
        let found = self.listener.until(&mut self.place).await?;
        found.ok_or_else(closing)
    }

    /// What is new at this moment, without waiting for more; empty when there is nothing.
    pub async fn take_new(&mut self) -> Result<Vec<Push>, CommandError> {
        self.place.take_new().await
    }
}

impl Look for Place {
    type Found = Vec<Push>;
    type Error = CommandError;

    async fn look(&mut self) -> Result<Option<Vec<Push>>, CommandError> {
        let batch = self.take_new().await?;
        Ok((!batch.is_empty()).then_some(batch))
    }
}

impl Place {
    async fn take_new(&mut self) -> Result<Vec<Push>, CommandError> {
        let (session_id, after_seq) = (self.session_id, self.after_seq);
        let mut cursor = self.cursor.clone();
        let (events, deltas, cursor) = self
            .engine
            .read(move |reader| {
                let (events, deltas) = read_new(reader, session_id, after_seq, &mut cursor)?;
                Ok((events, deltas, cursor))
            })
            .await?;
        self.cursor = cursor;
        if let Some(last) = events.last() {
            self.after_seq = last.seq;
        }
        let events = events.into_iter().map(Push::Event);
        Ok(events.chain(deltas.into_iter().map(Push::Delta)).collect())
    }
}

fn read_new(
    reader: &Reader<'_>,
    session_id: SessionId,
    after_seq: u64,
    cursor: &mut LiveCursor,
) -> Result<(Vec<Envelope>, Vec<Delta>), store::Error> {
    let events = read_events(reader, session_id, after_seq)?;
    let is_at_head = match events.last() {
        Some(last) => reader.head_seq(session_id)? == Some(last.seq),
        None => true,
    };
    // Text belongs after the events that led to it.
    let deltas = if is_at_head {
        reader.deltas_after(session_id, cursor)?
    } else {
        Vec::new()
    };
    Ok((events, deltas))
}

fn read_events(
    reader: &Reader<'_>,
    session_id: SessionId,
    after_seq: u64,
) -> Result<Vec<Envelope>, store::Error> {
    let mut events: Vec<Envelope> = Vec::new();
    let (mut look, mut bytes) = (FIRST_LOOK, 0);
    loop {
        let after_seq = events.last().map_or(after_seq, |last| last.seq);
        let limit = u32::try_from(look).unwrap_or(u32::MAX);
        let found = reader.events_after(session_id, after_seq, limit)?;
        let is_all = found.len() < look;
        bytes += found.iter().map(text_bytes).sum::<usize>();
        events.extend(found);
        if is_all || bytes >= BATCH_BYTES || events.len() >= BATCH {
            return Ok(events);
        }
        look = (look * 2).min(BATCH - events.len());
    }
}

/// Of an event, its message is what can be large.
fn text_bytes(envelope: &Envelope) -> usize {
    envelope.event.message().map_or(0, |message| {
        message.blocks.iter().map(|block| block.text.len()).sum()
    })
}
