//! The settings: one row each.

use protocol::Settings;
use rusqlite::{Connection, params};
use serde_json::Value;

use super::statement::{check_text, insert};
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
