//! What helps to find a fault: versions, counts, checks, the end of the log. No texts, no secrets.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::logging::redact;

/// So much of the newest log is included.
const LOG_LINES: usize = 400;

/// Collects it. Works while the app runs, and with a database that cannot be opened.
pub fn collect(data_dir: &Path) -> Value {
    let database = match store::inspect(data_dir) {
        Ok(inspection) => json!({
            "schema": inspection.schema,
            "check": inspection.finding.unwrap_or_else(|| "ok".to_owned()),
            "rows": inspection.rows.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
        }),
        Err(error) => json!({ "error": redact(&error.to_string()) }),
    };
    json!({
        "app": env!("CARGO_PKG_VERSION"),
        "sqlite": store::sqlite_version(),
        "schema_known": store::SCHEMA_VERSION,
        "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH,
        "database": database,
        "audit": audit(data_dir),
        "files": files(data_dir),
        "log": log_tail(&data_dir.join("logs").join("holdfast.log")),
    })
}

fn audit(data_dir: &Path) -> Value {
    match store::verify_audit(data_dir) {
        Ok(report) => json!(report),
        Err(error) => json!({ "error": redact(&error.to_string()) }),
    }
}

fn files(data_dir: &Path) -> Value {
    let mut found = serde_json::Map::new();
    for folder in ["", "backups", "damaged", "logs"] {
        let Ok(entries) = fs::read_dir(data_dir.join(folder)) else {
            continue;
        };
        for entry in entries.flatten() {
            if let Ok(metadata) = entry.metadata()
                && metadata.is_file()
            {
                let name = Path::new(folder).join(entry.file_name());
                found.insert(name.display().to_string(), metadata.len().into());
            }
        }
    }
    Value::Object(found)
}

fn log_tail(path: &Path) -> Vec<Value> {
    // A line that a crash cut in the middle of a character must not hide the others.
    let bytes = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let newest = lines.len().saturating_sub(LOG_LINES);
    lines
        .into_iter()
        .skip(newest)
        .map(|line| {
            // Redacted when it was written; once more in case the rules have grown since.
            let line = redact(line);
            serde_json::from_str(&line).unwrap_or_else(|_| Value::String(line.into_owned()))
        })
        .collect()
}
