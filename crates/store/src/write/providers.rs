//! The lifecycle of providers.

use protocol::{ProviderFields, ProviderId, ProviderModel, ProviderSecret};
use rusqlite::{Connection, params};

use super::statement::{check_text, insert, json, update_one};
use crate::{Error, ProviderRow};

pub(super) fn create(connection: &Connection, provider: &ProviderRow) -> Result<(), Error> {
    let fields = &provider.fields;
    let stored = Stored::of(fields, &provider.secrets)?;
    insert(
        connection,
        "INSERT INTO providers
             (id, name, dialect, base_url, headers, options, secrets, is_enabled, revision,
              created_at_ms, updated_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            provider.provider_id.uuid().as_bytes(),
            fields.name,
            fields.dialect.as_str(),
            fields.base_url,
            stored.headers,
            stored.options,
            stored.secrets,
            fields.is_enabled,
            provider.revision,
            provider.created_at_ms,
            provider.updated_at_ms
        ],
        "the provider exists",
    )
}

pub(super) fn update(
    connection: &Connection,
    provider_id: ProviderId,
    fields: &ProviderFields,
    secrets: &[ProviderSecret],
    revision: u32,
    at_ms: u64,
) -> Result<(), Error> {
    let stored = Stored::of(fields, secrets)?;
    update_one(
        connection,
        "UPDATE providers
         SET name = ?3, dialect = ?4, base_url = ?5, headers = ?6, options = ?7, secrets = ?8,
             is_enabled = ?9, revision = revision + 1, updated_at_ms = ?10
         WHERE id = ?1 AND revision = ?2",
        params![
            provider_id.uuid().as_bytes(),
            revision,
            fields.name,
            fields.dialect.as_str(),
            fields.base_url,
            stored.headers,
            stored.options,
            stored.secrets,
            fields.is_enabled,
            at_ms
        ],
        "the provider is gone, or was edited meanwhile",
    )
}

/// What is kept is no edit, but it is kept for what the provider is now.
pub(super) fn save_secrets(
    connection: &Connection,
    provider_id: ProviderId,
    secrets: &[ProviderSecret],
    revision: u32,
) -> Result<(), Error> {
    let secrets = json("provider", &secrets)?;
    check_text("the list of secrets", Some(&secrets))?;
    update_one(
        connection,
        "UPDATE providers SET secrets = ?3 WHERE id = ?1 AND revision = ?2",
        params![provider_id.uuid().as_bytes(), revision, secrets],
        "the provider is gone, or was edited meanwhile",
    )
}

pub(super) fn save_models(
    connection: &Connection,
    provider_id: ProviderId,
    models: &[ProviderModel],
    at_ms: u64,
) -> Result<(), Error> {
    let models = json("provider", &models)?;
    check_text("the list of models", Some(&models))?;
    update_one(
        connection,
        "UPDATE providers SET models = ?2, listed_at_ms = ?3 WHERE id = ?1",
        params![provider_id.uuid().as_bytes(), models, at_ms],
        "the provider is gone",
    )
}

pub(super) fn delete(connection: &Connection, provider_id: ProviderId) -> Result<(), Error> {
    update_one(
        connection,
        "DELETE FROM providers WHERE id = ?1",
        params![provider_id.uuid().as_bytes()],
        "the provider is gone",
    )
}

/// What is kept as JSON, each held against its cap.
struct Stored {
    headers: String,
    options: String,
    secrets: String,
}

impl Stored {
    fn of(fields: &ProviderFields, secrets: &[ProviderSecret]) -> Result<Self, Error> {
        let stored = Self {
            headers: json("provider", &fields.headers)?,
            options: json("provider", &fields.options)?,
            secrets: json("provider", &secrets)?,
        };
        check_text("the name", Some(&fields.name))?;
        check_text("the address", Some(&fields.base_url))?;
        check_text("the headers", Some(&stored.headers))?;
        check_text("the options", Some(&stored.options))?;
        check_text("the list of secrets", Some(&stored.secrets))?;
        Ok(stored)
    }
}
