//! Which files are watched, and by whom.
//!
//! A VFS belongs to a process, not to a test: SQLite keeps one list of them. So this table is the one
//! global state of the layer; what is in it lives as long as the [`super::Watch`] that put it there.

use std::sync::{Arc, PoisonError, RwLock};

use super::disk::Disk;

static WATCHED: RwLock<Vec<(String, Arc<Disk>)>> = RwLock::new(Vec::new());

/// Looks at all files from now on whose path begins like this.
pub(super) fn add(prefix: String, disk: Arc<Disk>) {
    let mut watched = WATCHED.write().unwrap_or_else(PoisonError::into_inner);
    watched.push((prefix, disk));
}

/// The opposite. Files that are open stay watched until they are closed.
pub(super) fn remove(disk: &Arc<Disk>) {
    let mut watched = WATCHED.write().unwrap_or_else(PoisonError::into_inner);
    watched.retain(|(_, one)| !Arc::ptr_eq(one, disk));
}

/// Who watches this path.
pub(super) fn of(path: &str) -> Option<Arc<Disk>> {
    let watched = WATCHED.read().unwrap_or_else(PoisonError::into_inner);
    watched
        .iter()
        .find(|(prefix, _)| path.starts_with(prefix))
        .map(|(_, disk)| Arc::clone(disk))
}
