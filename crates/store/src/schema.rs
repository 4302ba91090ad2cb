//! The schema: migrations in order, only ever added to, and the rows a new database begins with.

use protocol::AgentId;
use rusqlite::{Connection, params};
use rusqlite_migration::{M, Migrations};

use crate::Error;
use crate::connection::APPLICATION_ID;

/// The agent that every installation has.
pub const DEFAULT_AGENT: AgentId = AgentId::from_uuid(uuid::Uuid::from_u128(
    0x0192_0000_0000_7000_8000_0000_0000_0001,
));

const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/V001__initial.sql"),
    include_str!("../migrations/V002__audit.sql"),
    include_str!("../migrations/V003__plain_checks.sql"),
    include_str!("../migrations/V004__native.sql"),
    include_str!("../migrations/V005__providers.sql"),
    include_str!("../migrations/V006__context.sql"),
    include_str!("../migrations/V007__attachments.sql"),
];

/// The newest schema that this version knows.
#[expect(clippy::cast_possible_truncation, reason = "a handful of migrations")]
pub const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// What a database can be brought to. A value of its own, so that a test can have a longer one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schema {
    migrations: &'static [&'static str],
}

impl Schema {
    pub(crate) const CURRENT: Self = Self {
        migrations: MIGRATIONS,
    };

    #[cfg(test)]
    pub(crate) const fn of(migrations: &'static [&'static str]) -> Self {
        Self { migrations }
    }

    /// What an older version had.
    #[cfg(test)]
    pub(crate) fn up_to(self, version: u32) -> Self {
        let migrations = &self.migrations[..version as usize];
        Self { migrations }
    }

    pub(crate) fn version(self) -> u32 {
        u32::try_from(self.migrations.len()).unwrap_or(u32::MAX)
    }

    /// Brings a database to this schema, in one transaction over all migrations.
    pub(crate) fn migrate(self, connection: &mut Connection) -> Result<(), Error> {
        let steps = self
            .migrations
            .iter()
            .map(|sql| M::up(sql).foreign_key_check())
            .collect();
        Migrations::new(steps)
            .to_latest(connection)
            .map_err(|error| Error::Sqlite(format!("migration failed: {error}")))
    }

    /// Fills a database that was just created: schema, owner row, default agent.
    pub(crate) fn fill_new(
        self,
        connection: &mut Connection,
        app_version: &str,
        at_ms: u64,
    ) -> Result<(), Error> {
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        self.migrate(connection)?;
        connection.execute(
            "INSERT INTO runtime (id, epoch, pid, app_version, clean_exit, started_at_ms)
             VALUES (1, 0, 0, ?1, 1, ?2)",
            params![app_version, at_ms],
        )?;
        connection.execute(
            "INSERT INTO agents (id, name, created_at_ms, updated_at_ms)
             VALUES (?1, 'Holdfast', ?2, ?2)",
            params![DEFAULT_AGENT.uuid().into_bytes(), at_ms],
        )?;
        Ok(())
    }
}

/// The schema version in a file; 0 where there is none, or a number that cannot be one.
pub(crate) fn version_of(connection: &Connection) -> rusqlite::Result<u32> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(u32::try_from(found).unwrap_or(0))
}
