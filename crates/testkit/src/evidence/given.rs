//! What was there before anybody took notes.

use std::path::Path;

use anyhow::Result;
use protocol::{Block, CallId};
use rusqlite::{Connection, OpenFlags};

use super::Fact;

/// Facts that make a database its own past: its replies count as sent, its calls as settled by
/// somebody.
#[expect(
    clippy::disallowed_methods,
    reason = "tests look at the file from outside the store's door"
)]
pub fn given(database: &Path) -> Result<Vec<Fact>> {
    let database = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut blocks = Vec::new();
    let mut statement = database.prepare("SELECT blocks FROM messages WHERE role = 'agent'")?;
    for text in statement.query_map([], |row| row.get::<_, String>(0))? {
        let found: Vec<Block> = serde_json::from_str(&text?)?;
        blocks.extend(found.into_iter().map(|block| block.text));
    }
    let sql = "SELECT group_concat(body, '' ORDER BY \"offset\") FROM deltas
               GROUP BY step_id, attempt, block";
    let mut statement = database.prepare(sql)?;
    for text in statement.query_map([], |row| row.get(0))? {
        blocks.push(text?);
    }
    let mut facts = vec![Fact::Asked { blocks }];
    let mut statement = database.prepare("SELECT id FROM tool_calls")?;
    for id in statement.query_map([], |row| row.get::<_, [u8; 16]>(0))? {
        let call_id = CallId::from_uuid(uuid::Uuid::from_bytes(id?));
        facts.push(Fact::Settling { call_id });
    }
    Ok(facts)
}
