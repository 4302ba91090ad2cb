//! Checking the audit: every row against itself and the one before, all of them against the head.

use std::path::Path;

use rusqlite::Connection;

use super::chain::is_there;
use super::head::{Found, Head, find};
use super::report::{AuditFinding, AuditReport, Findings, of_former, of_head, time};
use super::row::{NOTHING_BEFORE, Row, hex};
use crate::connection::open_read_only;
use crate::schema::version_of;
use crate::{DataFolder, Error};

/// The schema that brought the audit.
const SINCE: u32 = 2;
/// How far from its place a row is looked for, to say where it stood.
const NEAR: i64 = 2;
/// Must be there: without them rows could be changed by mistake.
const TRIGGERS: [&str; 2] = ["audit_is_append_only", "audit_keeps_its_rows"];

/// Checks the audit of a folder without taking it: works while the app runs, and changes nothing.
pub fn verify_audit(data_dir: &Path) -> Result<AuditReport, Error> {
    let folder = DataFolder::existing(data_dir);
    // First the head, then the rows: what it covers is committed before it is written.
    let found = find(&folder)?;
    let connection = open_read_only(&folder.database())?;
    let mut check = Check::new(found);
    read_rows(&connection, |row| check.see(&row))?;
    for trigger in missing_triggers(&connection)? {
        check.links.findings.add(AuditFinding::whole(
            "trigger_missing",
            format!("The trigger {trigger} is missing: it keeps rows from being changed."),
        ));
    }
    Ok(check.finish())
}

/// Every row of the table, in order, from one state of the database.
pub(super) fn read_rows(connection: &Connection, mut each: impl FnMut(Row)) -> Result<(), Error> {
    let transaction = connection.unchecked_transaction()?;
    if !is_there(&transaction)? {
        let found = version_of(&transaction)?;
        return if (1..SINCE).contains(&found) {
            Err(Error::Unreadable {
                what: "audit",
                detail: format!("a database of schema {found} has none; the app begins one"),
            })
        } else {
            Ok(())
        };
    }
    let sql = format!("SELECT {} FROM audit ORDER BY seq", Row::COLUMNS);
    let mut statement = transaction.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        each(Row::read(row)?);
    }
    Ok(())
}

fn missing_triggers(connection: &Connection) -> Result<Vec<&'static str>, Error> {
    let mut missing = Vec::new();
    for trigger in TRIGGERS {
        let is_there: bool = connection.query_row(
            "SELECT count(*) FROM sqlite_schema
             WHERE type = 'trigger' AND tbl_name = 'audit' AND name = ?1",
            [trigger],
            |row| row.get(0),
        )?;
        if !is_there {
            missing.push(trigger);
        }
    }
    Ok(missing)
}

/// The links of a chain, row by row.
#[derive(Debug)]
pub(super) struct Links {
    /// The number that comes next.
    next: i64,
    /// The hash of the row before, where it was seen.
    before: Option<Vec<u8>>,
    buffer: Vec<u8>,
    findings: Findings,
}

impl Links {
    /// From the first row on.
    pub(super) fn whole() -> Self {
        Self {
            before: Some(NOTHING_BEFORE.to_vec()),
            ..Self::from(1)
        }
    }

    /// From this row on; what stands before it is not looked at.
    pub(super) fn from(row: u64) -> Self {
        Self {
            next: i64::try_from(row).unwrap_or(i64::MAX),
            before: None,
            buffer: Vec::new(),
            findings: Findings::default(),
        }
    }

    pub(super) fn first_wrong(&self) -> Option<u64> {
        self.findings.first_row()
    }

    pub(super) fn see(&mut self, row: &Row) {
        let seq = row.seq;
        if seq < self.next {
            let text = format!("Row {seq} stands after row {}.", self.next - 1);
            self.findings
                .add(AuditFinding::at("row_out_of_order", seq, text));
        } else if seq > self.next {
            self.add_gap(seq - 1);
            // What it followed is not there to be compared with.
            self.before = None;
        }
        let is_linked = self.before.as_ref().is_none_or(|hash| *hash == row.prev);
        self.before = Some(row.hash.clone());
        if !row.fits(seq, &mut self.buffer) {
            self.add_changed(row);
        } else if !is_linked {
            self.add_unlinked(seq);
        }
        self.next = seq.saturating_add(1);
    }

    fn add_gap(&mut self, last: i64) {
        let (from, count) = (self.next, last - self.next + 1);
        let text = match count {
            1 => format!("Row {from} is missing."),
            _ => format!("Rows {from} to {last} are missing."),
        };
        self.findings
            .add(AuditFinding::over("rows_missing", from, last, text));
    }

    fn add_changed(&mut self, row: &Row) {
        let seq = row.seq;
        let stood = (seq - NEAR..=seq + NEAR).find(|near| row.fits(*near, &mut self.buffer));
        if stood.is_some() {
            // The one after it follows another, which is no second finding.
            self.before = None;
        }
        self.findings.add(match stood {
            Some(stood) => AuditFinding::at(
                "row_moved",
                seq,
                format!("Row {seq} is the one that was written as row {stood}."),
            ),
            None => AuditFinding::at(
                "row_changed",
                seq,
                format!("Row {seq} was changed: it does not fit its hash."),
            ),
        });
    }

    fn add_unlinked(&mut self, seq: i64) {
        let text = if seq == 1 {
            "Row 1 is not the beginning of a chain.".to_owned()
        } else {
            format!(
                "Row {seq} does not follow row {}: that one was replaced, or one of them was put in.",
                seq - 1
            )
        };
        self.findings
            .add(AuditFinding::at("link_broken", seq, text));
    }
}

/// A check under way: the links, and what the head needs to know of the rows.
#[derive(Debug)]
pub(super) struct Check {
    links: Links,
    found: Found,
    rows: u64,
    last: i64,
    origin: Option<String>,
    /// The hash of the row with which the head ends.
    at_head: Option<String>,
}

impl Check {
    pub(super) fn new(found: Found) -> Self {
        Self {
            links: Links::whole(),
            found,
            rows: 0,
            last: 0,
            origin: None,
            at_head: None,
        }
    }

    fn head(&self) -> Option<&Head> {
        match &self.found {
            Found::Sound(head) => Some(head),
            Found::NoKey(head) | Found::Edited(head) => head.as_ref(),
            Found::Missing => None,
        }
    }

    pub(super) fn see(&mut self, row: &Row) {
        self.links.see(row);
        self.rows += 1;
        self.last = row.seq;
        if self.origin.is_none() {
            self.origin = Some(hex(&row.hash));
        }
        let length = self.head().map(|head| head.length);
        if length.is_some() && length == u64::try_from(row.seq).ok() {
            self.at_head = Some(hex(&row.hash));
        }
    }

    /// The same without a key: what the head says is compared, whether it is genuine is not.
    pub(super) fn finish_without_key(self) -> AuditReport {
        self.conclude(false)
    }

    pub(super) fn finish(self) -> AuditReport {
        self.conclude(true)
    }

    fn conclude(mut self, has_key: bool) -> AuditReport {
        let mut findings = std::mem::take(&mut self.links.findings);
        let mut notes = Vec::new();
        if self.rows == 0 {
            findings.add(AuditFinding::whole("table_empty", "There are no rows."));
        }
        if has_key || matches!(self.found, Found::Missing) {
            of_head(&self.found)
                .into_iter()
                .for_each(|one| findings.add(one));
        } else {
            notes.push(
                "There is no key here: the rows fit the head, and whether the head is genuine was \
                 not checked."
                    .to_owned(),
            );
        }
        if let Some(head) = self.head() {
            self.hold_against(head, &mut findings, &mut notes);
            for former in &head.former {
                match of_former(former) {
                    Ok(note) => notes.push(note),
                    Err(finding) => findings.add(finding),
                }
            }
        }
        findings.report(self.rows, self.head(), notes)
    }

    fn hold_against(&self, head: &Head, findings: &mut Findings, notes: &mut Vec<String>) {
        let length = i64::try_from(head.length).unwrap_or(i64::MAX);
        let at = time(head.at_ms);
        if head.length == 0 {
            return;
        }
        if self.last < length {
            let text = format!(
                "Rows {} to {length} are missing at the end: the head covers {length} rows, the \
                 last one of {at}.",
                self.last + 1
            );
            findings.add(AuditFinding::over("tail_cut", self.last + 1, length, text));
        } else if self.at_head.as_ref().is_some_and(|hash| *hash != head.hash) {
            findings.add(self.other_chain(head, length));
        }
        if self.last > length {
            let (first, last) = (length + 1, self.last);
            if head.is_closed {
                let text = format!(
                    "Rows {first} to {last} were added after the app had closed the database with \
                     row {length}."
                );
                findings.add(AuditFinding::over("rows_added", first, last, text));
            } else {
                notes.push(format!(
                    "The head covers rows 1 to {length}. Rows {first} to {last} came after its last \
                     renewal."
                ));
            }
        }
    }

    fn other_chain(&self, head: &Head, length: i64) -> AuditFinding {
        if self.origin.as_ref() == Some(&head.origin) {
            return AuditFinding::over(
                "chain_rewritten",
                2,
                length,
                format!(
                    "The chain was written anew somewhere in rows 2 to {length}: row {length} is not \
                     the one that the head covers."
                ),
            );
        }
        AuditFinding::over(
            "other_database",
            1,
            length,
            "This is the chain of another database, or one that was written anew from row 1: the \
             head covers another one.",
        )
    }
}
