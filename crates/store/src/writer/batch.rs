//! One commit of the writer: all transitions of a batch, each whole or not at all.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{WriteError, check_epoch, touch};
use crate::audit::{Chain, Tip};
use crate::faults::{self, Point};
use crate::{Error, Transition, write};

/// What became of each transition, and where the audit stands if it moved.
type Written = (Vec<Result<(), Error>>, Option<Tip>);

pub(super) struct Batch<'a> {
    pub(super) connection: &'a mut Connection,
    pub(super) epoch: u64,
    /// Something must be on disk after this commit, also if nothing of the batch is written.
    pub(super) must_sync: bool,
}

impl Batch<'_> {
    pub(super) fn write(&mut self, transitions: &[Transition]) -> Result<Written, WriteError> {
        match self.write_whole(transitions)? {
            Some(written) => Ok(written),
            None => self.write_each(transitions),
        }
    }

    /// As if none could be refused: a savepoint keeps a copy of every page that is changed behind it,
    /// and refusals are rare. Nothing is written, and nothing said, if there is one.
    fn write_whole(&mut self, transitions: &[Transition]) -> Result<Option<Written>, WriteError> {
        let must_sync = self.must_sync;
        let mut chain = Chain::new(self.epoch);
        let transaction = self.begin()?;
        for transition in transitions {
            if let Err(error) = apply(&transaction, transition, &mut chain) {
                if transaction.is_autocommit() {
                    return Err(error.into());
                }
                transaction.rollback()?;
                return Ok(None);
            }
        }
        let results = vec![Ok(()); transitions.len()];
        finish(transaction, transitions, &results, must_sync)?;
        Ok(Some((results, chain.tip())))
    }

    /// Each in a savepoint of its own, so that one that is refused leaves the others.
    fn write_each(&mut self, transitions: &[Transition]) -> Result<Written, WriteError> {
        let must_sync = self.must_sync;
        let mut chain = Chain::new(self.epoch);
        let mut transaction = self.begin()?;
        let mut results = Vec::with_capacity(transitions.len());
        for transition in transitions {
            let savepoint = transaction.savepoint()?;
            let tip = chain.tip();
            let result = apply(&savepoint, transition, &mut chain);
            match &result {
                Ok(()) => savepoint.commit()?,
                // A full disk or a failed write can make SQLite give the whole transaction
                // up: the savepoint is gone, and what went wrong is true of every transition.
                Err(error) if savepoint.is_autocommit() => return Err(error.clone().into()),
                // Finishing the savepoint rolls this transition back and leaves the others.
                Err(_) => {
                    savepoint.finish()?;
                    chain.back_to(tip);
                }
            }
            results.push(result);
        }
        finish(transaction, transitions, &results, must_sync)?;
        Ok((results, chain.tip()))
    }

    /// Begins the transaction, if this process may still write.
    fn begin(&mut self) -> Result<Transaction<'_>, WriteError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        check_epoch(&transaction, self.epoch)?;
        faults::reach(Point::TransactionBegun)?;
        Ok(transaction)
    }
}

fn apply(connection: &Connection, transition: &Transition, chain: &mut Chain) -> Result<(), Error> {
    faults::reach(Point::TransitionBefore)?;
    write::apply(connection, transition)?;
    chain.append(connection, transition)?;
    faults::reach(Point::TransitionAfter)
}

fn finish(
    transaction: Transaction<'_>,
    transitions: &[Transition],
    results: &[Result<(), Error>],
    must_sync: bool,
) -> Result<(), WriteError> {
    let mut both = transitions.iter().zip(results);
    let has_written =
        both.any(|(transition, result)| result.is_ok() && !transition.changes.is_empty());
    if must_sync && !has_written {
        touch(&transaction)?;
    }
    faults::reach(Point::CommitBefore)?;
    transaction.commit()?;
    faults::pass(Point::CommitAfter);
    Ok(())
}
