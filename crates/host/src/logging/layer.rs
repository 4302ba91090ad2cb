//! From tracing's events to JSON lines: time, level, name, fields, and the fields of the spans
//! around it, so that every line of a run carries the run's trace id.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::redact::{is_telling, redact, redacted};
use super::rotating_file::RotatingFile;

/// No line is longer than this, whatever is logged.
const VALUE_BYTES: usize = 4 * 1024;

pub(super) struct JsonLayer {
    file: RotatingFile,
}

impl JsonLayer {
    pub(super) const fn new(file: RotatingFile) -> Self {
        Self { file }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for JsonLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut line = Map::new();
        line.insert("at".to_owned(), Value::String(now()));
        line.insert(
            "level".to_owned(),
            Value::String(event.metadata().level().to_string()),
        );
        line.insert("event".to_owned(), Value::String(name(event)));
        for span in context
            .event_scope(event)
            .into_iter()
            .flat_map(|scope| scope.from_root())
        {
            if let Some(fields) = span.extensions().get::<Fields>() {
                line.extend(fields.0.clone());
            }
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        line.extend(fields.0);
        // A log that cannot be written has nowhere to be reported to.
        drop(self.file.write_line(&Value::Object(line).to_string()));
    }
}

/// Our events are named `<domain>.<subject>.<action>`; those of libraries go by where they are from.
fn name(event: &Event<'_>) -> String {
    let metadata = event.metadata();
    if metadata.name().starts_with("event ") {
        format!("library.{}", metadata.target().replace("::", "."))
    } else {
        metadata.name().to_owned()
    }
}

fn now() -> String {
    let mut text = String::new();
    let written = SystemTime.format_time(&mut Writer::new(&mut text));
    written.map_or_else(|_| String::new(), |()| text)
}

#[derive(Debug, Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn insert_text(&mut self, field: &Field, text: &str) {
        let mut text = if is_telling(field.name()) {
            redacted().to_owned()
        } else {
            redact(text).into_owned()
        };
        if text.len() > VALUE_BYTES {
            let cut = (0..=VALUE_BYTES)
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(0);
            text.truncate(cut);
            text.push('…');
        }
        self.0.insert(field.name().to_owned(), Value::String(text));
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.insert_text(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), Value::Bool(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let mut text = String::new();
        // Writing to a string cannot fail unless the value's own Debug does.
        if write!(text, "{value:?}").is_ok() {
            self.insert_text(field, &text);
        }
    }
}
