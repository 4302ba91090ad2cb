//! Adding to the chain, inside the transaction of what is told of.

use rusqlite::{Connection, OptionalExtension, params};

use super::derive::{Entry, Told, entries};
use super::row::{Fields, NOTHING_BEFORE};
use crate::{Error, Transition};

/// The newest row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tip {
    pub(crate) seq: u64,
    pub(crate) at_ms: u64,
    pub(crate) hash: [u8; 32],
}

/// The chain within one transaction of the writer. Where it stands is read from the table when the
/// first row comes, and kept from row to row only inside that transaction: what is in memory can
/// never be something else than what is in the table.
#[derive(Debug)]
pub(crate) struct Chain {
    epoch: u64,
    tip: Option<Tip>,
    buffer: Vec<u8>,
}

impl Chain {
    pub(crate) const fn new(epoch: u64) -> Self {
        Self {
            epoch,
            tip: None,
            buffer: Vec::new(),
        }
    }

    /// Where it stands, once something was added.
    pub(crate) const fn tip(&self) -> Option<Tip> {
        self.tip
    }

    /// A savepoint was rolled back: its rows are gone.
    pub(crate) const fn back_to(&mut self, tip: Option<Tip>) {
        self.tip = tip;
    }

    /// Adds a row for everything of a transition that is told of.
    pub(crate) fn append(
        &mut self,
        connection: &Connection,
        transition: &Transition,
    ) -> Result<(), Error> {
        let Told { entries, at_ms } = entries(transition)?;
        for entry in &entries {
            self.add(connection, entry, at_ms)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        connection: &Connection,
        entry: &Entry<'_>,
        at_ms: Option<u64>,
    ) -> rusqlite::Result<()> {
        let tip = match self.tip {
            Some(tip) => tip,
            None => read_tip(connection)?.unwrap_or(Tip {
                seq: 0,
                at_ms: 0,
                hash: NOTHING_BEFORE,
            }),
        };
        // What says no time of its own happened when the rest of its transition did.
        let at_ms = entry.at_ms.or(at_ms).unwrap_or(tip.at_ms);
        let seq = tip.seq + 1;
        let ids = [
            entry.session_id,
            entry.run_id,
            entry.call_id,
            entry.subject_id,
        ];
        let fields = Fields {
            seq: number(seq)?,
            at_ms: number(at_ms)?,
            epoch: number(self.epoch)?,
            kind: entry.kind,
            name: entry.name,
            ids: ids.each_ref().map(|id| id.as_ref().map(|id| &id[..])),
            status: entry.status,
            content: entry.content.as_ref().map(|hash| &hash[..]),
        };
        let hash = fields.hash(&tip.hash, &mut self.buffer);
        connection
            .prepare_cached(
                "INSERT INTO audit (seq, at_ms, epoch, kind, name, session_id, run_id, call_id,
                                    subject_id, status, content, prev, hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            )?
            .execute(params![
                fields.seq,
                fields.at_ms,
                fields.epoch,
                fields.kind,
                fields.name,
                fields.ids[0],
                fields.ids[1],
                fields.ids[2],
                fields.ids[3],
                fields.status,
                fields.content,
                tip.hash,
                hash,
            ])?;
        self.tip = Some(Tip { seq, at_ms, hash });
        Ok(())
    }
}

fn number(value: u64) -> rusqlite::Result<i64> {
    i64::try_from(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

pub(super) fn read_tip(connection: &Connection) -> rusqlite::Result<Option<Tip>> {
    connection
        .prepare_cached("SELECT seq, at_ms, hash FROM audit ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| {
            let hash: Vec<u8> = row.get(2)?;
            Ok(Tip {
                seq: row.get(0)?,
                at_ms: row.get::<_, i64>(1)?.try_into().unwrap_or(0),
                // One that somebody made too short keeps nobody from writing: the check finds it.
                hash: hash[..]
                    .try_into()
                    .unwrap_or_else(|_| blake3::hash(&hash).into()),
            })
        })
        .optional()
}

/// The hash of one row, as it is stored.
pub(super) fn hash_at(connection: &Connection, seq: u64) -> rusqlite::Result<Option<Vec<u8>>> {
    connection
        .query_row("SELECT hash FROM audit WHERE seq = ?1", [seq], |row| {
            row.get(0)
        })
        .optional()
}

/// Whether there is such a table: a database of the first schema has none.
pub(super) fn is_there(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'audit'",
        [],
        |row| row.get(0),
    )
}

/// The first row, where there is none: says since when there is a chain, and why not earlier.
pub(crate) fn begin(
    connection: &Connection,
    epoch: u64,
    at_ms: u64,
    why: &'static str,
) -> rusqlite::Result<()> {
    if !is_there(connection)? || read_tip(connection)?.is_some() {
        return Ok(());
    }
    let begun = Entry {
        at_ms: Some(at_ms),
        status: Some(why),
        ..Entry::new("chain", "begun")
    };
    Chain::new(epoch).add(connection, &begun, None)
}
