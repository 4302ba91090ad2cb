//! Reading the settings: each by itself, so that a bad one takes no other along.

use protocol::Settings;
use serde_json::{Map, Value};

use super::Reader;
use super::row::get;
use crate::Error;

impl Reader<'_> {
    /// The settings. One that is missing, not known or not valid has its default.
    pub fn settings(&self) -> Result<Settings, Error> {
        let rows = self.all("SELECT key, value FROM settings", [], |row| {
            Ok((get::<String>(row, "key")?, get::<String>(row, "value")))
        })?;
        let mut good = Map::new();
        for (key, value) in rows {
            match value
                .map_err(|error| error.to_string())
                .and_then(|text| only(&key, &text))
            {
                Ok(value) => {
                    good.insert(key, value);
                }
                Err(error) => tracing::warn!(name: "store.setting.dropped", key, error),
            }
        }
        Ok(serde_json::from_value(Value::Object(good)).unwrap_or_default())
    }
}

/// The value of one setting, if settings with nothing but it can be read.
fn only(key: &str, text: &str) -> Result<Value, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let alone = Map::from_iter([(key.to_owned(), value.clone())]);
    serde_json::from_value::<Settings>(Value::Object(alone))
        .map(|_| value)
        .map_err(|error| error.to_string())
}
