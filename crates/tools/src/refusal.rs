//! The ways in which a tool says no, each with what to do about it.

use std::io;

use engine::ToolError;
use protocol::ErrorClass;

/// The call itself is wrong.
pub(crate) fn invalid(message: impl Into<String>) -> ToolError {
    ToolError::definite(message).of(ErrorClass::InvalidRequest)
}

/// It would leave the workspace, or touch what tools must not touch.
pub(crate) fn forbidden(message: impl Into<String>) -> ToolError {
    ToolError::definite(message).of(ErrorClass::Permission)
}

/// Over a cap.
pub(crate) fn too_large(message: impl Into<String>) -> ToolError {
    ToolError::definite(message).of(ErrorClass::Limit)
}

/// A link leads out of the workspace.
pub(crate) fn outside(path: &str) -> ToolError {
    forbidden(format!(
        "{path} leads out of the workspace through a link. Tools reach only what is inside it."
    ))
}

/// There is nothing at this path.
pub(crate) fn missing(path: &str) -> ToolError {
    ToolError::definite(format!(
        "{path} does not exist. list_files shows what is there."
    ))
}

/// The system refused. The full path of the workspace is nobody's business but the person's: only
/// the relative one is named.
pub(crate) fn by_system(path: &str, error: &io::Error) -> ToolError {
    if error.kind() == io::ErrorKind::NotFound {
        return missing(path);
    }
    let class = if error.kind() == io::ErrorKind::PermissionDenied {
        ErrorClass::Permission
    } else {
        ErrorClass::Tool
    };
    ToolError::definite(format!("{path}: {error}.")).of(class)
}
