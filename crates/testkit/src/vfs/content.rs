//! The content of a database as a connection sees it: the file, with what its log says over it.
#![expect(
    unsafe_code,
    reason = "SQLite hands the pages out as a piece of C memory, and the safe door to that is a feature of \
              rusqlite that nobody else needs"
)]

use std::ffi::c_uint;

use rusqlite::{Connection, ffi};

/// A hash of every page, in order. Two databases with the same one answer every question alike.
pub fn content_hash(database: &Connection) -> rusqlite::Result<blake3::Hash> {
    let mut size = 0;
    const COPY: c_uint = 0;
    // SAFETY: the handle is that of an open connection, which nobody closes meanwhile because it is
    // borrowed here; it is used for the one call below.
    let handle = unsafe { database.handle() };
    // SAFETY: an open connection, the name of a database that each has, a place for the size; without
    // flags SQLite gives a copy that is ours.
    let pages = unsafe { ffi::sqlite3_serialize(handle, c"main".as_ptr(), &raw mut size, COPY) };
    let Ok(length) = usize::try_from(size) else {
        return Err(unreadable());
    };
    if pages.is_null() {
        return Err(unreadable());
    }
    // SAFETY: SQLite gave `size` bytes at this place, which are ours alone until they are freed.
    let bytes = unsafe { std::slice::from_raw_parts(pages, length) };
    let hash = blake3::hash(bytes);
    // SAFETY: it came from SQLite's own allocation, and nothing borrows it any more.
    unsafe { ffi::sqlite3_free(pages.cast()) };
    Ok(hash)
}

fn unreadable() -> rusqlite::Error {
    let error = ffi::Error::new(ffi::SQLITE_IOERR_READ);
    rusqlite::Error::SqliteFailure(error, Some("a page cannot be read".to_owned()))
}
