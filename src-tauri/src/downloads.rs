//! Files for the person, in the folder where they look for them. Nothing is ever overwritten.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use directories::UserDirs;
use protocol::{CommandError, ErrorCode};

/// Files of the same name, before another name is asked for.
const SAME_NAMES: u32 = 1_000;

/// Writes a file into the download folder, or into the home folder where there is none; gives
/// its path.
pub(crate) async fn save(file_name: String, text: String) -> Result<String, CommandError> {
    let saved = tauri::async_runtime::spawn_blocking(move || {
        let folder = folder().ok_or_else(no_folder)?;
        save_into(&folder, &file_name, text.as_bytes())
    });
    let path = saved
        .await
        .map_err(|error| CommandError::internal(error.to_string()))??;
    Ok(path.display().to_string())
}

fn folder() -> Option<PathBuf> {
    let dirs = UserDirs::new()?;
    let downloads = dirs.download_dir().filter(|folder| folder.is_dir());
    Some(downloads.unwrap_or_else(|| dirs.home_dir()).to_owned())
}

fn save_into(folder: &Path, file_name: &str, bytes: &[u8]) -> Result<PathBuf, CommandError> {
    write(folder, file_name, bytes).map_err(|error| {
        tracing::warn!(name: "shell.download.failed", %error);
        CommandError::new(
            ErrorCode::StorageFailed,
            format!("No file can be written in {}: {error}.", folder.display()),
            "Make room or allow writing there, or copy the session instead.",
        )
    })
}

/// Written whole under another name first, so that nobody ever reads half of it.
fn write(folder: &Path, file_name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    // A name, whatever it was made of: never a way out of the folder.
    let name = Path::new(file_name)
        .file_name()
        .ok_or(io::ErrorKind::InvalidInput)?
        .to_string_lossy();
    let (partial, mut file) = take_name(folder, &format!(".{name}.part"))?;
    let path = file
        .write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| put_in_place(folder, &name, &partial));
    if path.is_err() {
        // What is not whole is of no use; that it cannot be removed either is no second failure.
        std::fs::remove_file(&partial).ok();
    }
    path
}

/// The name is taken by an empty file, whose place the written one then takes.
fn put_in_place(folder: &Path, name: &str, partial: &Path) -> io::Result<PathBuf> {
    let (path, _) = take_name(folder, name)?;
    match std::fs::rename(partial, &path) {
        Ok(()) => Ok(path),
        Err(error) => {
            std::fs::remove_file(&path).ok();
            Err(error)
        }
    }
}

/// A new file under this name, or under the next one that is free.
fn take_name(folder: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    for number in 1..=SAME_NAMES {
        let path = folder.join(numbered(Path::new(name), number));
        match create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => return Ok((path, file)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// `tides.json`, `tides (2).json`, `tides (3).json`.
fn numbered(name: &Path, number: u32) -> PathBuf {
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    match (number, name.extension()) {
        (1, _) => name.to_owned(),
        (_, Some(ending)) => format!("{stem} ({number}).{}", ending.to_string_lossy()).into(),
        (_, None) => format!("{stem} ({number})").into(),
    }
}

/// A new file that only its owner can read.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

fn no_folder() -> CommandError {
    CommandError::new(
        ErrorCode::StorageFailed,
        "There is no folder to write the file into.",
        "Copy the session instead.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let files = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_of_the_same_name_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("tides.json");
        std::fs::write(&taken, "theirs").unwrap();
        for text in ["first", "second"] {
            let path = save_into(folder.path(), "tides.json", text.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(path).unwrap(), text);
        }
        let path = save_into(folder.path(), "tides", b"third").unwrap();
        assert_eq!(path, folder.path().join("tides"));
        assert_eq!(std::fs::read_to_string(taken).unwrap(), "theirs");
        assert_eq!(
            names(folder.path()),
            ["tides", "tides (2).json", "tides (3).json", "tides.json"]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = save_into(folder.path(), "tides.md", b"text").unwrap();
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = save_into(folder.path(), "../../tides.md", b"text").unwrap();
        assert_eq!(path, folder.path().join("tides.md"));
        save_into(folder.path(), "..", b"text").unwrap_err();
        assert_eq!(names(folder.path()), ["tides.md"]);
    }

    /// A folder that is a file: nobody can write in it, whoever they are.
    #[test]
    fn a_folder_that_cannot_be_written_to_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("downloads");
        std::fs::write(&file, "").unwrap();
        let error = save_into(&file, "tides.md", b"text").unwrap_err();
        assert_eq!(error.code, ErrorCode::StorageFailed);
        assert!(error.message.contains(file.to_str().unwrap()), "{error}");
        assert!(!error.hint.is_empty());
    }
}
