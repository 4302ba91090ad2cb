//! The audit from outside: checked and written out, whether the app runs or not.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use engine::command_error;
use protocol::{CommandError, ErrorCode};
use store::AuditReport;

/// What a check says, and whether all is well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Whether nothing is wrong.
    pub is_intact: bool,
    /// For a person, or as JSON.
    pub text: String,
}

/// How a check is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For a person.
    Text,
    /// For a program.
    Json,
}

/// Checks the audit of a data folder, or an export of one. An error means that it cannot be read.
pub fn verify(
    data_dir: &Path,
    export: Option<&Path>,
    form: Form,
) -> Result<Verified, CommandError> {
    let report = match export {
        None => {
            check_there(data_dir)?;
            store::verify_audit(data_dir)
        }
        Some(path) => {
            let mut file = File::open(path).map_err(|error| unread(path, &error))?;
            store::verify_audit_export(&mut file, Some(data_dir))
        }
    };
    let report = report.map_err(|error| command_error(&error))?;
    Ok(Verified {
        is_intact: report.is_intact,
        text: match form {
            Form::Text => in_words(&report),
            Form::Json => serde_json::to_string(&report)
                .map_err(|error| CommandError::internal(error.to_string()))?,
        },
    })
}

/// Writes the audit out as lines of JSON, and says how many rows.
pub fn export(data_dir: &Path, out: &mut dyn Write) -> Result<u64, CommandError> {
    check_there(data_dir)?;
    store::export_audit(data_dir, out).map_err(|error| command_error(&error))
}

/// A database that is not there is no fault of the disk.
fn check_there(data_dir: &Path) -> Result<(), CommandError> {
    if data_dir.join("holdfast.db").exists() {
        return Ok(());
    }
    Err(CommandError::new(
        ErrorCode::NotFound,
        format!("There is no database in {}.", data_dir.display()),
        "Name the data folder with --data.",
    ))
}

fn unread(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::new(
        ErrorCode::InvalidValue,
        format!("{} cannot be read: {error}.", path.display()),
        "Name a file that holdfast audit export has written.",
    )
}

fn in_words(report: &AuditReport) -> String {
    let mut text = if report.is_intact {
        format!("The audit is intact: {} rows.", report.rows)
    } else {
        format!("The audit is NOT intact ({} rows).", report.rows)
    };
    for finding in &report.findings {
        text += &format!("\n- {}", finding.text);
    }
    if report.more_findings > 0 {
        text += &format!("\n- And {} more.", report.more_findings);
    }
    for note in &report.notes {
        text += &format!("\n- {note}");
    }
    text
}
