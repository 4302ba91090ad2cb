//! The settings: one row each.

use protocol::Settings;
use rusqlite::{Connection, params};
use serde_json::{Map, Value};

use super::statement::{check_text, execute, insert};
use crate::Error;

pub(super) fn save(connection: &Connection, settings: &Settings) -> Result<(), Error> {
    let value = serde_json::to_value(settings).map_err(|error| Error::Unreadable {
        what: "setting",
        detail: error.to_string(),
    })?;
    let Value::Object(values) = value else {
        return Err(Error::Unreadable {
            what: "setting",
            detail: "settings without names".to_owned(),
        });
    };
    forget_absent(connection, &values)?;
    for (key, value) in values {
        let value = value.to_string();
        check_text("a setting", Some(&value))?;
        insert(
            connection,
            "INSERT INTO settings (key, value) VALUES (?1, ?2)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            params![key, value],
            "the setting changed",
        )?;
    }
    Ok(())
}

/// What is not set any more must not be read again. A row of a newer version is left alone.
fn forget_absent(connection: &Connection, values: &Map<String, Value>) -> Result<(), Error> {
    let mut statement = connection.prepare_cached("SELECT key FROM settings")?;
    let keys = statement.query_map([], |row| row.get(0))?;
    let keys = keys.collect::<Result<Vec<String>, _>>()?;
    for key in keys {
        if !values.contains_key(&key) && may_be_absent(&key) {
            execute(
                connection,
                "DELETE FROM settings WHERE key = ?1",
                params![key],
                "the setting changed",
            )?;
        }
    }
    Ok(())
}

/// Only a setting that is known and may be absent can be read from nothing.
fn may_be_absent(key: &str) -> bool {
    let nothing = Map::from_iter([(key.to_owned(), Value::Null)]);
    serde_json::from_value::<Settings>(Value::Object(nothing)).is_ok()
}
