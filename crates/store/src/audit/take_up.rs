//! Taking the chain up at a start: held against its head, which is then this process's.
//!
//! What does not fit is logged and noted in the new head, never mended silently. The whole chain is
//! not read here: only what came after the head.

use std::path::Path;

use rusqlite::Connection;

use super::chain::{Tip, hash_at, is_there, read_tip};
use super::head::{Former, Found, Head, Why, find};
use super::keeper::{Keeper, Pen};
use super::key::{Key, KeyPlace};
use super::row::{NOTHING_BEFORE, Row, hex};
use super::verify::Links;
use crate::connection::open_read_only;
use crate::{DataFolder, Error};

/// Called by the owner of the folder, when everything in the database is on disk.
pub(crate) fn take_up(
    folder: &DataFolder,
    connection: &Connection,
    epoch: u64,
) -> Result<Keeper, Error> {
    if !is_there(connection)? {
        return Ok(Keeper::default());
    }
    let Some(tip) = read_tip(connection)? else {
        return Ok(Keeper::default());
    };
    let origin = hash_at(connection, 1)?.map_or_else(String::new, |hash| hex(&hash));
    let found = find(folder).unwrap_or_else(|error| {
        tracing::warn!(name: "audit.head.unread", %error);
        Found::Edited(None)
    });
    let mut former = held_against(connection, found, tip)?;
    if let Some(newest) = former.new {
        tracing::error!(
            name: "audit.chain.broken",
            why = ?newest.why,
            rows = tip.seq,
            head = newest.length,
            place = newest.place,
            "holdfast audit verify says more"
        );
        former.head.add_former(newest);
    }
    let key = match KeyPlace::File(folder).load() {
        Some(key) => Ok(key),
        None => KeyPlace::File(folder).make(),
    };
    // A disk that refuses must not keep anyone from their sessions: the head lags, and says so.
    match key {
        Ok(key) => renew(folder, key, tip, origin, epoch, former.head.former),
        Err(error) => {
            tracing::error!(name: "audit.key.not_made", %error);
            Ok(Keeper::default())
        }
    }
}

fn renew(
    folder: &DataFolder,
    key: Key,
    tip: Tip,
    origin: String,
    epoch: u64,
    former: Vec<Former>,
) -> Result<Keeper, Error> {
    let head = Head::covering(tip, &origin, epoch, former);
    let former = head.former.clone();
    let written = head
        .seal(&key)
        .and_then(|sealed| sealed.write(folder))
        .inspect_err(|error| tracing::warn!(name: "audit.head.not_renewed", %error));
    let pen = Pen {
        folder: folder.clone(),
        key,
        origin,
        epoch,
        former,
    };
    let renewed = if written.is_ok() { tip } else { nothing() };
    Keeper::start(pen, renewed)
}

const fn nothing() -> Tip {
    Tip {
        seq: 0,
        at_ms: 0,
        hash: NOTHING_BEFORE,
    }
}

/// What the head that was found leaves: the notes in it, and perhaps one more.
struct Left {
    head: Head,
    new: Option<Former>,
}

fn held_against(connection: &Connection, found: Found, tip: Tip) -> Result<Left, Error> {
    let (head, problem) = match found {
        Found::Sound(head) => {
            let problem = against(connection, &head, tip)?;
            (head, problem)
        }
        // The very first row, and the process ended before its head was written.
        Found::Missing if tip.seq <= 1 => (empty(), None),
        Found::Missing => (empty(), Some((Why::HeadMissing, None))),
        Found::NoKey(head) => (head.unwrap_or_else(empty), Some((Why::KeyMissing, None))),
        Found::Edited(head) => (head.unwrap_or_else(empty), Some((Why::HeadEdited, None))),
    };
    let new = problem.map(|(why, row): (Why, Option<u64>)| Former {
        why,
        at_ms: tip.at_ms,
        length: head.length,
        hash: head.hash.clone(),
        place: row.map(|row| row.to_string()),
    });
    Ok(Left { head, new })
}

fn empty() -> Head {
    Head::covering(nothing(), "", 0, Vec::new())
}

fn against(
    connection: &Connection,
    head: &Head,
    tip: Tip,
) -> Result<Option<(Why, Option<u64>)>, Error> {
    if head.length == 0 {
        return Ok(None);
    }
    if tip.seq < head.length {
        return Ok(Some((Why::Shorter, Some(tip.seq + 1))));
    }
    let hash = hash_at(connection, head.length)?;
    if hash.is_none_or(|hash| hex(&hash) != head.hash) {
        return Ok(Some((Why::Other, None)));
    }
    if head.is_closed && tip.seq > head.length {
        return Ok(Some((Why::Added, Some(head.length + 1))));
    }
    Ok(first_wrong_after(connection, head.length)?.map(|row| (Why::Broken, Some(row))))
}

/// The rows after the head are few: what was written in the last moments of a process that ended.
fn first_wrong_after(connection: &Connection, length: u64) -> Result<Option<u64>, Error> {
    let sql = format!(
        "SELECT {} FROM audit WHERE seq >= ?1 ORDER BY seq",
        Row::COLUMNS
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([length])?;
    let mut links = Links::from(length);
    while let Some(row) = rows.next()? {
        links.see(&Row::read(row)?);
    }
    Ok(links.first_wrong())
}

/// A backup is about to take the place of the database: the head says so, and covers the chain that
/// is in it. Called before the last rename, and again if that was cut off: the second time changes
/// nothing.
pub(crate) fn note_restore(
    folder: &DataFolder,
    at_ms: u64,
    backup: &Path,
    replaced: &str,
) -> Result<(), Error> {
    let Ok(Found::Sound(old)) = find(folder) else {
        // What is wrong with it is found at the next start; it keeps nobody from their backup.
        return Ok(());
    };
    let Some(key) = KeyPlace::File(folder).load() else {
        return Ok(());
    };
    let is_this = |former: &Former| former.why == Why::Restored && former.at_ms == at_ms;
    if old.former.iter().any(is_this) {
        return Ok(());
    }
    let connection = open_read_only(backup)?;
    let epoch = connection.query_row("SELECT epoch FROM runtime WHERE id = 1", [], |row| {
        row.get(0)
    })?;
    let (mut tip, mut origin) = (nothing(), String::new());
    if is_there(&connection)? {
        tip = read_tip(&connection)?.unwrap_or(tip);
        origin = hash_at(&connection, 1)?.map_or(origin, |hash| hex(&hash));
    }
    let mut head = Head::covering(tip, &origin, epoch, old.former);
    head.is_closed = true;
    head.add_former(Former {
        why: Why::Restored,
        at_ms,
        length: old.length,
        hash: old.hash,
        place: Some(replaced.to_owned()),
    });
    head.seal(&key)?.write(folder)
}
