//! What is written in the fields of a provider, and the provider that it makes.

use leptos::prelude::*;
use protocol::{Dialect, KeyHeader, ProviderFields, ProviderHeader, ProviderOptions, Secret};

use crate::model_words::{Fault, Place};

/// What is written in the fields, as text until it is saved.
#[derive(Clone, Copy)]
pub(super) struct Written {
    pub(super) name: RwSignal<String>,
    pub(super) address: RwSignal<String>,
    pub(super) dialect: RwSignal<Dialect>,
    pub(super) version: RwSignal<String>,
    pub(super) key_header: RwSignal<Option<KeyHeader>>,
    pub(super) max_output: RwSignal<String>,
    pub(super) calls_in_text: RwSignal<Option<bool>>,
    pub(super) headers: RwSignal<Vec<HeaderRow>>,
    /// What has no field here stays as it is.
    base: StoredValue<ProviderFields>,
}

/// A header as it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct HeaderRow {
    /// Rows keep their place by this.
    pub(super) number: usize,
    pub(super) name: RwSignal<String>,
    pub(super) value: RwSignal<String>,
    pub(super) is_secret: RwSignal<bool>,
}

impl HeaderRow {
    pub(super) fn new(number: usize, header: Option<&ProviderHeader>) -> Self {
        let name = header.map(|header| header.name.clone());
        let value = header.and_then(|header| header.value.clone());
        Self {
            number,
            name: RwSignal::new(name.unwrap_or_default()),
            value: RwSignal::new(value.unwrap_or_default()),
            is_secret: RwSignal::new(header.is_some_and(ProviderHeader::is_secret)),
        }
    }

    fn name(self) -> String {
        self.name.with_untracked(|name| name.trim().to_owned())
    }
}

impl Written {
    pub(super) fn of(fields: ProviderFields) -> Self {
        let options = &fields.options;
        let rows = fields.headers.iter().enumerate();
        let rows = rows.map(|(at, header)| HeaderRow::new(at, Some(header)));
        let most = options.max_output_tokens.map(|most| most.to_string());
        Self {
            name: RwSignal::new(fields.name.clone()),
            address: RwSignal::new(fields.base_url.clone()),
            dialect: RwSignal::new(fields.dialect),
            version: RwSignal::new(options.api_version.clone().unwrap_or_default()),
            key_header: RwSignal::new(options.key_header),
            max_output: RwSignal::new(most.unwrap_or_default()),
            calls_in_text: RwSignal::new(options.calls_in_text),
            headers: RwSignal::new(rows.collect()),
            base: StoredValue::new(fields),
        }
    }

    pub(super) fn fields(self) -> Result<ProviderFields, Fault> {
        let base = self.base.get_value();
        let version = self.version.get_untracked().trim().to_owned();
        let rows = self.headers.get_untracked();
        let headers = rows.into_iter().map(|row| ProviderHeader {
            name: row.name(),
            value: (!row.is_secret.get_untracked()).then(|| row.value.get_untracked()),
        });
        // A row that nothing was written in is no header.
        let headers = headers.filter(|header| !header.name.is_empty());
        Ok(ProviderFields {
            name: self.name.get_untracked().trim().to_owned(),
            dialect: self.dialect.get_untracked(),
            base_url: self.address.get_untracked().trim().to_owned(),
            headers: headers.collect(),
            options: ProviderOptions {
                api_version: Some(version).filter(|version| !version.is_empty()),
                key_header: self.key_header.get_untracked(),
                max_output_tokens: most(&self.max_output.get_untracked())?,
                calls_in_text: self.calls_in_text.get_untracked(),
                ..base.options
            },
            is_enabled: base.is_enabled,
        })
    }

    /// What is to be kept like a key: the key itself, and values of secret headers.
    pub(super) fn secrets(self, key: &str) -> Vec<(Option<String>, Secret)> {
        let rows = self.headers.get_untracked();
        let secret = rows.into_iter().filter(|row| {
            row.is_secret.get_untracked()
                && !row.name().is_empty()
                && !row.value.with_untracked(|value| value.trim().is_empty())
        });
        let secret = secret.map(|row| {
            let value = row.value.with_untracked(|value| Secret::new(value.trim()));
            (Some(row.name()), value)
        });
        let key = Some(key.trim()).filter(|key| !key.is_empty());
        let key = key.map(|key| (None, Secret::new(key)));
        key.into_iter().chain(secret).collect()
    }

    /// They are kept: the page forgets them.
    pub(super) fn forget_secrets(self) {
        let rows = self.headers.try_get_untracked().unwrap_or_default();
        for row in rows {
            if row.is_secret.try_get_untracked() == Some(true) {
                row.value.try_set(String::new());
            }
        }
    }
}

pub(super) fn blank() -> ProviderFields {
    ProviderFields {
        name: String::new(),
        dialect: Dialect::ChatCompletions,
        base_url: String::new(),
        headers: Vec::new(),
        options: ProviderOptions::default(),
        is_enabled: true,
    }
}

fn most(written: &str) -> Result<Option<u64>, Fault> {
    match written.trim() {
        "" => Ok(None),
        written => written.parse().map(Some).map_err(|_| Fault {
            place: Place::Whole,
            words: "The longest reply is a whole number of tokens.".to_owned(),
            hint: "Leave it empty for the model's own limit.",
            said: None,
        }),
    }
}
