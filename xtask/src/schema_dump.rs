//! Prints one JSON schema with every type on the wire among its definitions.

use std::io::Write;

use protocol::{Command, CommandError, Event, Push, Reply};
use schemars::generate::SchemaSettings;
use serde_json::json;

fn main() -> anyhow::Result<()> {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    generator.subschema_for::<Command>();
    generator.subschema_for::<Reply>();
    generator.subschema_for::<CommandError>();
    generator.subschema_for::<Push>();
    generator.subschema_for::<Event>();
    let document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Holdfast: what is said on the wire",
        "$defs": generator.take_definitions(true),
    });
    let mut text = serde_json::to_string_pretty(&document)?;
    text.push('\n');
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
