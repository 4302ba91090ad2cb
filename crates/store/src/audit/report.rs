//! What a check of the audit says, in plain words.

use serde::Serialize;

use super::head::{Former, Found, Head, Why};

/// So many findings are told one by one; a chain that is wrong everywhere needs no more.
const TOLD: usize = 20;

/// What a check of the audit found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditReport {
    /// Whether nothing is wrong.
    pub is_intact: bool,
    /// How many rows there are.
    pub rows: u64,
    /// The head, where it could be read.
    pub head: Option<AuditHead>,
    /// What is wrong, the first twenty.
    pub findings: Vec<AuditFinding>,
    /// How much more is wrong.
    pub more_findings: u64,
    /// What else is to be known.
    pub notes: Vec<String>,
}

/// What the head says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditHead {
    /// How many rows it covers.
    pub length: u64,
    /// When the last of them was written, in milliseconds since 1970.
    pub at_ms: u64,
    /// Whether the app closed the database after them.
    pub is_closed: bool,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditFinding {
    /// What, in one word, as `row_changed`.
    pub what: &'static str,
    /// The first row that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
    /// The last one, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_row: Option<u64>,
    /// The same for a person.
    pub text: String,
}

impl AuditFinding {
    pub(super) fn whole(what: &'static str, text: impl Into<String>) -> Self {
        Self {
            what,
            row: None,
            last_row: None,
            text: text.into(),
        }
    }

    pub(super) fn at(what: &'static str, row: i64, text: impl Into<String>) -> Self {
        Self {
            row: u64::try_from(row).ok(),
            ..Self::whole(what, text)
        }
    }

    pub(super) fn over(what: &'static str, from: i64, to: i64, text: impl Into<String>) -> Self {
        Self {
            last_row: u64::try_from(to).ok().filter(|_| to != from),
            ..Self::at(what, from, text)
        }
    }
}

/// Gathers findings: the first ones whole, the others counted.
#[derive(Debug, Default)]
pub(super) struct Findings {
    told: Vec<AuditFinding>,
    more: u64,
}

impl Findings {
    pub(super) fn add(&mut self, finding: AuditFinding) {
        if self.told.len() < TOLD {
            self.told.push(finding);
        } else {
            self.more += 1;
        }
    }

    pub(super) fn first_row(&self) -> Option<u64> {
        self.told.iter().find_map(|finding| finding.row)
    }

    pub(super) fn report(self, rows: u64, head: Option<&Head>, notes: Vec<String>) -> AuditReport {
        AuditReport {
            is_intact: self.told.is_empty(),
            rows,
            head: head.map(|head| AuditHead {
                length: head.length,
                at_ms: head.at_ms,
                is_closed: head.is_closed,
            }),
            findings: self.told,
            more_findings: self.more,
            notes,
        }
    }
}

/// What is wrong with the head by itself.
pub(super) fn of_head(found: &Found) -> Option<AuditFinding> {
    match found {
        Found::Sound(_) => None,
        Found::Missing => Some(AuditFinding::whole(
            "head_missing",
            "The file audit.head is missing: whether rows are missing at the end cannot be told.",
        )),
        Found::NoKey(_) => Some(AuditFinding::whole(
            "key_missing",
            "The file audit.key is missing or is no key: whether audit.head is genuine cannot be \
             told.",
        )),
        Found::Edited(_) => Some(AuditFinding::whole(
            "head_changed",
            "The file audit.head does not fit its keyed hash: it was changed, damaged, or made \
             with another key.",
        )),
    }
}

/// What the head remembers of chains that did not go on: a restore is a note, all else is wrong.
pub(super) fn of_former(former: &Former) -> Result<String, AuditFinding> {
    let (at, length) = (time(former.at_ms), former.length);
    let wrong = |what, text: String| {
        let mut finding = AuditFinding::whole(what, text);
        finding.row = former.place.as_ref().and_then(|row| row.parse().ok());
        Err(finding)
    };
    let when = format!("When the app was started after {at},");
    match former.why {
        Why::Restored => Ok(format!(
            "A backup was restored at {at}. The former chain had {length} rows; it is in damaged/{}.",
            former.place.as_deref().unwrap_or("")
        )),
        Why::Shorter => wrong(
            "tail_was_cut",
            format!("{when} rows were missing at the end: the head covered {length}."),
        ),
        Why::Other => wrong(
            "chain_was_replaced",
            format!("{when} the chain of {length} rows that the head covered was not there."),
        ),
        Why::Added => wrong(
            "rows_were_added",
            format!("{when} there were rows after row {length}, with which it had closed."),
        ),
        Why::Broken => wrong(
            "chain_was_broken",
            format!("{when} a row after row {length} did not fit the one before it."),
        ),
        Why::HeadMissing => wrong(
            "head_was_missing",
            format!("{when} the file audit.head was missing."),
        ),
        Why::KeyMissing => wrong(
            "key_was_missing",
            format!("{when} the file audit.key was missing; the head covered {length} rows."),
        ),
        Why::HeadEdited => wrong(
            "head_was_changed",
            format!("{when} the file audit.head did not fit its keyed hash."),
        ),
    }
}

/// A time as people write it, in UTC.
pub(super) fn time(at_ms: u64) -> String {
    let (days, seconds) = (at_ms / 86_400_000, at_ms / 1_000 % 86_400);
    // Days since 1970 to a date, by eras of 400 years that begin in March.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC",
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60
    )
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_are_written_as_dates() {
        for (at_ms, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_400_000, "2000-02-29 00:00:00 UTC"),
            (1_709_251_199_999, "2024-02-29 23:59:59 UTC"),
            (4_107_542_400_000, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(time(at_ms), text);
        }
    }
}
