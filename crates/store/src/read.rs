//! Reading: everything from one consistent state, one module per thing that is read.

mod attention;
mod events;
mod live;
mod messages;
mod row;
mod runs;
mod sessions;
mod state;
#[cfg(test)]
mod tests;

use rusqlite::Transaction;

pub use attention::AttentionFacts;
pub use live::LiveCursor;
pub use runs::RunFacts;
pub use sessions::SessionRow;
pub use state::{RunState, SessionState, StepState};

/// One consistent state of the database. Its methods are in the modules beside this file.
#[derive(Debug)]
pub struct Reader<'a> {
    transaction: &'a Transaction<'a>,
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(transaction: &'a Transaction<'a>) -> Self {
        Self { transaction }
    }
}
