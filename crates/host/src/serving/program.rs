//! The server on the PATH, and what it can serve.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use protocol::{CommandError, ErrorCode};

/// llama.cpp's server.
pub(super) const SERVER: &str = "llama-server";
/// How a model file begins.
const GGUF: [u8; 4] = *b"GGUF";
/// What is shown of its name.
const NAME_CHARS: usize = 120;

/// A program on this path.
pub(super) fn find(name: &str, path: &OsStr) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(path)
        // An empty entry would be the folder that the app happens to be in.
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|program| is_executable(program))
}

fn is_executable(program: &Path) -> bool {
    let Ok(data) = std::fs::metadata(program) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        data.is_file() && data.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    data.is_file()
}

/// Whether the file is a model, as far as its beginning says.
pub(super) fn check_model_file(path: &Path) -> Result<(), CommandError> {
    let refused = |message: &str| {
        CommandError::new(
            ErrorCode::InvalidValue,
            message,
            "Choose a model file that ends in .gguf.",
        )
    };
    if !path.is_absolute() {
        return Err(refused("The path of a model file begins at the root."));
    }
    let is_file = std::fs::metadata(path).is_ok_and(|data| data.is_file());
    if !is_file {
        return Err(refused("There is no such file."));
    }
    let mut beginning = [0; GGUF.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut beginning));
    match read {
        Ok(()) if beginning == GGUF => Ok(()),
        Ok(()) => Err(refused("This file is no model in the GGUF format.")),
        Err(error) => Err(refused(&format!("The file cannot be read: {error}."))),
    }
}

/// What a model is called by the file that it is in.
pub(crate) fn model_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name: String = stem
        .chars()
        .filter(|c| !c.is_control())
        .take(NAME_CHARS)
        .collect();
    if name.trim().is_empty() {
        return "model".to_owned();
    }
    name
}
