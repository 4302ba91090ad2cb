//! The name that one window per data folder goes by.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// A short name that is the same for the same folder, however its path is written, so that a
/// second start finds the first one, and a start with another folder does not.
pub fn instance_name(data_dir: &Path) -> String {
    let path = std::fs::canonicalize(data_dir).unwrap_or_else(|_| data_dir.to_owned());
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    format!("org.holdfast.app.i{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::instance_name;

    #[test]
    fn one_folder_has_one_name() {
        let dir = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let roundabout = dir.path().join("..").join(dir.path().file_name().unwrap());
        assert_eq!(instance_name(dir.path()), instance_name(&roundabout));
        assert_ne!(instance_name(dir.path()), instance_name(other.path()));
    }
}
