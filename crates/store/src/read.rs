//! Reading: everything from one consistent state, one module per thing that is read.

mod agents;
mod attachments;
mod attention;
mod branches;
mod calls;
mod checkpoints;
mod due;
mod events;
mod live;
mod messages;
mod providers;
mod queue;
mod recovery;
mod results;
mod row;
mod rules;
mod runs;
mod same_round;
mod session_state;
mod sessions;
mod settings;
mod standing;
mod state;
mod summaries;
#[cfg(test)]
mod tests;
mod usage;
mod violations;
mod workspaces;

use rusqlite::{Params, Transaction};

pub use attachments::{AttachmentRow, Content};
pub use attention::AttentionFacts;
pub use due::Due;
pub use live::LiveCursor;
pub use messages::MessageRow;
pub use runs::RunFacts;
pub use same_round::SameRound;
pub use session_state::{RunState, SessionState, StepState, Used};
pub use sessions::SessionRow;
pub use summaries::AttemptUse;
pub use violations::Violation;

use self::row::Row;

use crate::Error;

/// One consistent state of the database. Its methods are in the modules beside this file.
#[derive(Debug)]
pub struct Reader<'a> {
    transaction: &'a Transaction<'a>,
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(transaction: &'a Transaction<'a>) -> Self {
        Self { transaction }
    }

    /// The one row that a query finds, if it finds one.
    fn one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let mut statement = self.transaction.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        let found = rows.next()?;
        found.map(|row| read(&Row::of(row))).transpose()
    }

    /// Every row that a query finds.
    fn all<T>(
        &self,
        sql: &str,
        values: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut statement = self.transaction.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(&Row::of(row))?);
        }
        Ok(found)
    }
}
