//! Reading providers, who uses them, and who waits for them.

use protocol::{Dialect, ErrorClass, ProviderFields, ProviderId, RunError};
use rusqlite::params;

use super::Reader;
use super::row::{
    Row, get, get_or_drop, json_or_drop, provider_id, run_id, session_id, unreadable,
};
use crate::{Error, HeldRun, ProviderRow};

const COLUMNS: &str =
    "id, name, dialect, base_url, headers, options, secrets, is_enabled, revision,
    listed_at_ms, created_at_ms, updated_at_ms, models";

/// Runs whose model call waits until their provider is mended: only then is an error of these classes
/// one that a call is made again after.
pub(super) const HELD_RUNS: &str = "
    SELECT session_id, id, model, retry_class, retry_message FROM runs
    WHERE retry_at_ms IS NOT NULL AND retry_class IN ('auth', 'billing', 'permission')
    ORDER BY retry_at_ms";

impl Reader<'_> {
    /// Every provider, by name. One that cannot be read is left out, and logged.
    pub fn providers(&self) -> Result<Vec<ProviderRow>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM providers ORDER BY name COLLATE NOCASE, id");
        let rows = self.all(&sql, [], |row| Ok(provider(row)))?;
        let mut providers = Vec::with_capacity(rows.len());
        for row in rows {
            match row {
                Ok(provider) => providers.push(provider),
                Err(error @ Error::Unreadable { .. }) => {
                    tracing::error!(name: "store.provider.unreadable", %error);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(providers)
    }

    /// One provider by its id.
    pub fn provider(&self, id: ProviderId) -> Result<Option<ProviderRow>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM providers WHERE id = ?1");
        self.one(&sql, params![id.uuid().as_bytes()], provider)
    }

    /// The names of the agents whose model's id begins so, and how many sessions chose one.
    pub fn users_of_models(&self, beginning: &str) -> Result<(Vec<String>, u64), Error> {
        let agents = self.all(
            "SELECT name FROM agents
             WHERE substr(model, 1, length(?1)) = ?1
             ORDER BY name COLLATE NOCASE, id",
            params![beginning],
            |row| get(row, "name"),
        )?;
        let sessions = self.one(
            "SELECT count(*) AS count FROM sessions
             WHERE substr(model, 1, length(?1)) = ?1 AND deleted_at_ms IS NULL",
            params![beginning],
            |row| get(row, "count"),
        )?;
        Ok((agents, sessions.unwrap_or(0)))
    }

    /// The runs that wait until their provider is mended, in the order in which they would go on.
    pub fn held_runs(&self) -> Result<Vec<HeldRun>, Error> {
        self.all(HELD_RUNS, [], |row| {
            Ok(HeldRun {
                session_id: session_id(row, "session_id")?,
                run_id: run_id(row, "id")?,
                model: get(row, "model")?,
                error: RunError {
                    class: ErrorClass::parse(&get::<String>(row, "retry_class")?),
                    message: get_or_drop(row, "retry_message").unwrap_or_default(),
                },
            })
        })
    }
}

/// A list of models that cannot be read is none: it can be asked for again. Secrets that cannot be
/// read are none: they can be given again.
fn provider(row: &Row<'_>) -> Result<ProviderRow, Error> {
    let dialect: String = get(row, "dialect")?;
    let broken = |column| unreadable("provider", &format!("its {column} cannot be read"));
    Ok(ProviderRow {
        provider_id: provider_id(row, "id")?,
        fields: ProviderFields {
            name: get(row, "name")?,
            dialect: Dialect::parse(&dialect).ok_or_else(|| broken("dialect"))?,
            base_url: get(row, "base_url")?,
            headers: json_or_drop(row, "headers").ok_or_else(|| broken("headers"))?,
            options: json_or_drop(row, "options").ok_or_else(|| broken("options"))?,
            is_enabled: get(row, "is_enabled")?,
        },
        secrets: json_or_drop(row, "secrets").unwrap_or_default(),
        revision: get(row, "revision")?,
        models: json_or_drop(row, "models").unwrap_or_default(),
        listed_at_ms: get(row, "listed_at_ms")?,
        created_at_ms: get(row, "created_at_ms")?,
        updated_at_ms: get(row, "updated_at_ms")?,
    })
}
