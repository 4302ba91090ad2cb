//! From stored rows to what a person reads.

use protocol::{SessionId, SessionSnapshot, SessionSummary, limits};
use store::{Error, Reader, SessionRow};

use crate::attention::{attention, attention_kind};

pub(crate) fn summary(reader: &Reader<'_>, row: SessionRow) -> Result<SessionSummary, Error> {
    let needed = row
        .run
        .as_ref()
        .and_then(|run| Some((attention_kind(run.status)?, run)));
    let attention = match needed {
        Some((kind, run)) => Some(attention(kind, run, &reader.attention_facts(run.run_id)?)),
        None => None,
    };
    Ok(SessionSummary {
        session_id: row.session_id,
        title: row.title,
        run: row.run,
        attention,
        created_at_ms: row.created_at_ms,
        updated_at_ms: row.updated_at_ms,
    })
}

/// Everything from one state of the database: the seq, the messages and the live text agree.
pub(crate) fn snapshot(
    reader: &Reader<'_>,
    session_id: SessionId,
    limit: Option<u32>,
) -> Result<Option<SessionSnapshot>, Error> {
    let (Some(row), Some(seq)) = (
        reader.session_row(session_id)?,
        reader.head_seq(session_id)?,
    ) else {
        return Ok(None);
    };
    let limit = limit.unwrap_or(limits::SNAPSHOT_MESSAGES);
    let (messages, has_earlier) = reader.messages_before(session_id, limits::INTEGER, limit)?;
    let live = reader.live_step(session_id)?;
    let session = summary(reader, row)?;
    Ok(Some(SessionSnapshot {
        session,
        seq,
        messages,
        has_earlier,
        live,
    }))
}
