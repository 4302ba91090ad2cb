//! The invariants, in one place: what must hold of any database that a crash left, and of any that
//! a start has taken up.
//!
//! | | |
//! |---|---|
//! | I1 | what was acknowledged is there, byte-equal (`acknowledged`) |
//! | I2 | a `once` effect at most once for each word of the person's (`effects`) |
//! | I3 | a completed call happened, with the same arguments (`effects`) |
//! | I4 | nothing that asks happened without its used approval (`effects`) |
//! | I5 | nothing happened without its intent (`effects`) |
//! | I6 | one live run for a session, `seq` dense, its head the newest (`structure`) |
//! | I7 | streamed text is what a model sent, attempts apart, none outlives its outcome (`streams`, `structure`) |
//! | I8 | an end stays an end (`acknowledged`, `structure`) |
//! | I9 | a question stays the question it was (`acknowledged`) |
//! | I10 | recovering twice equals recovering once (`recovered_state`, compared by the suites) |
//! | I11 | when faults stop, every run comes to rest (`workload::World::settle`) |
//! | I12 | the file is sound, no model is asked without its attempt (`structure`, `streams`) |
//! | I13 | no timer fires early (`structure`) |

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use protocol::{ApprovalStatus, CallStatus, RunStatus, SessionId};
use rusqlite::{Connection, OpenFlags};

use super::rows::Rows;
use super::shown::{hash, hash_of_blocks};
use super::{Fact, Shown, ShownCall, effects, streams, structure};

/// What a crash may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The process ended: nothing.
    Process,
    /// The power went: relaxed commits that no barrier has followed.
    Power,
}

/// What was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Facts that had to be there.
    pub acknowledged: u64,
    /// Effects that must not be repeated.
    pub once: u64,
    /// Calls that are in doubt now.
    pub in_doubt: u64,
}

/// Opens a database that nobody writes to, with stock SQLite, and checks it.
#[expect(
    clippy::disallowed_methods,
    reason = "tests look at the file from outside the store's door"
)]
pub fn check_file(database: &Path, facts: &[Fact], loss: Loss) -> Result<Counts> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(database, flags)?;
    check(&database, facts, loss)
}

/// Holds the facts, as far as they were noted before the crash, against the rows.
pub fn check(database: &Connection, facts: &[Fact], loss: Loss) -> Result<Counts> {
    structure::check(database)?;
    let rows = Rows::load(database)?;
    let must = Must::of(facts, loss);
    let mut counts = Counts::default();
    for (index, fact) in facts.iter().enumerate() {
        if acknowledged(&rows, fact, must.holds(index, fact))
            .with_context(|| format!("fact {index}: {fact:?}"))?
        {
            counts.acknowledged += 1;
        }
    }
    counts.once = effects::check(&rows, facts, &must)?;
    streams::check(&rows, facts, &must)?;
    let in_doubt = |call: &&super::rows::CallRow| call.status == "in_doubt";
    counts.in_doubt = rows.calls.values().filter(in_doubt).count() as u64;
    Ok(counts)
}

/// Which facts must hold.
#[derive(Debug)]
pub(super) struct Must {
    pub(super) loss: Loss,
    /// Everything that was noted before this place is on disk.
    pub(super) secured: usize,
    /// The newest event of each session that is.
    barriers: HashMap<SessionId, u64>,
}

impl Must {
    fn of(facts: &[Fact], loss: Loss) -> Self {
        let mut barriers = HashMap::new();
        for fact in facts {
            if let Fact::Shown(shown) = fact
                && shown.is_barrier
            {
                let newest: &mut u64 = barriers.entry(shown.session_id).or_default();
                *newest = shown.seq.max(*newest);
            }
        }
        let secured = match loss {
            Loss::Process => facts.len(),
            Loss::Power => secured(facts),
        };
        Self {
            loss,
            secured,
            barriers,
        }
    }

    fn holds(&self, index: usize, fact: &Fact) -> bool {
        match fact {
            // What was decided about a relaxed row went to disk with it.
            Fact::Shown(shown) => {
                let barrier = self.barriers.get(&shown.session_id);
                index < self.secured || barrier.is_some_and(|seq| shown.seq <= *seq)
            }
            _ => true,
        }
    }
}

/// A message that was answered is a barrier: everything that was noted before it was sent had been
/// committed before, and is on disk as well.
fn secured(facts: &[Fact]) -> usize {
    let newest = facts.iter().rev().find_map(|fact| match fact {
        Fact::Sent { number, .. } => Some(*number),
        _ => None,
    });
    let Some(newest) = newest else { return 0 };
    facts
        .iter()
        .rposition(|fact| matches!(fact, Fact::Sending { number } if *number == newest))
        .unwrap_or(0)
}

/// I1, I8, I9. Whether it was one that had to be there.
fn acknowledged(rows: &Rows, fact: &Fact, must: bool) -> Result<bool> {
    match fact {
        Fact::Sent {
            message_id, text, ..
        } => {
            let id = message_id.uuid().into_bytes();
            let kept = match rows.messages.get(&id) {
                Some(message) => message.blocks.first().map(|block| block.text.as_str()),
                None => rows.queue.get(&id).map(String::as_str),
            };
            ensure!(kept == Some(text), "I1: the message is {kept:?}");
        }
        Fact::Created { session_id } => {
            let id = session_id.uuid().into_bytes();
            ensure!(rows.sessions.contains_key(&id), "I1: the session is lost");
        }
        Fact::Decided {
            call_id,
            round,
            status,
        } => {
            let found = rows.approvals.get(&(call_id.uuid().into_bytes(), *round));
            let found = found.map(|one| one.status.as_str());
            ensure!(found == Some(status.as_str()), "I1: it is {found:?}");
        }
        Fact::Settled { call_id, status } => {
            let found = rows.calls.get(&call_id.uuid().into_bytes());
            let found = found.map(|one| one.status.as_str());
            ensure!(found == Some(status.as_str()), "I1, I8: it is {found:?}");
        }
        Fact::Moved { run_id, status } => moved(rows, *run_id, *status)?,
        Fact::Shown(shown) if must => shown_event(rows, shown)?,
        Fact::Shown(_)
        | Fact::Began { .. }
        | Fact::Sending { .. }
        | Fact::Settling { .. }
        | Fact::Again { .. }
        | Fact::Text { .. }
        | Fact::Asked { .. }
        | Fact::Did(_) => return Ok(false),
    }
    Ok(true)
}

fn moved(rows: &Rows, run_id: protocol::RunId, status: RunStatus) -> Result<()> {
    let found = rows.runs.get(&run_id.uuid().into_bytes());
    let found = found.map(|run| run.status.as_str());
    if status.is_terminal() {
        ensure!(
            found == Some(status.as_str()),
            "I1, I8: the run was {} and is {found:?}",
            status.as_str()
        );
    }
    ensure!(found.is_some(), "I1: the run is lost");
    Ok(())
}

fn shown_event(rows: &Rows, shown: &Shown) -> Result<()> {
    let session = shown.session_id.uuid().into_bytes();
    let found = rows.events.get(&(session, shown.seq));
    let is_same = found.is_some_and(|(kind, at_ms)| *kind == shown.kind && *at_ms == shown.at_ms);
    ensure!(is_same, "I1: it was shown and is {found:?}");
    if let Some((message_id, expected)) = &shown.message {
        let kept = rows.messages.get(&message_id.uuid().into_bytes());
        let kept = kept.map(|message| hash_of_blocks(&message.blocks));
        ensure!(kept.as_ref() == Some(expected), "I1: the message differs");
    }
    if let Some(call) = &shown.call {
        shown_call(rows, call)?;
    }
    if let Some((run_id, status)) = shown.ended {
        moved(rows, run_id, status)?;
    }
    Ok(())
}

fn shown_call(rows: &Rows, shown: &ShownCall) -> Result<()> {
    let id = shown.call_id.uuid().into_bytes();
    let call = rows.calls.get(&id).context("I1: the call is lost")?;
    if is_end(shown.status) {
        ensure!(
            call.status == shown.status.as_str(),
            "I8: the call was {} and is {}",
            shown.status.as_str(),
            call.status
        );
        let result = call.result.as_deref().map(hash);
        ensure!(result == shown.result, "I1: the result differs");
    }
    if let Some((round, status, digest)) = &shown.approval {
        let approval = rows.approvals.get(&(id, *round));
        let approval = approval.context("I9: the question is lost")?;
        ensure!(approval.digest == *digest, "I9: the question is another");
        let is_same = approval.status == status.as_str();
        ensure!(
            is_same || *status == ApprovalStatus::Pending,
            "I8: the answer was {} and is {}",
            status.as_str(),
            approval.status
        );
    }
    Ok(())
}

const fn is_end(status: CallStatus) -> bool {
    matches!(
        status,
        CallStatus::Completed
            | CallStatus::Failed
            | CallStatus::Denied
            | CallStatus::Skipped
            | CallStatus::Cancelled
    )
}
