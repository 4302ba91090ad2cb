//! Making a new database: under a temporary name, on disk, and only then under its own.

use std::fs;

use crate::connection::{make_durable, open_existing};
use crate::faults::{self, Point};
use crate::folder::{create_private_file, sync_dir};
use crate::schema::Schema;
use crate::{DataFolder, Error};

/// Creates the database. A crash at any instant leaves either none or a whole one; what it leaves
/// under the temporary name is swept at the next start.
pub(crate) fn create_database(
    folder: &DataFolder,
    schema: Schema,
    app_version: &str,
    at_ms: u64,
) -> Result<(), Error> {
    let unfinished = folder.unfinished_database();
    // SQLite gives its own files the mode of the database, so this makes all of them private.
    drop(create_private_file(&unfinished)?);
    let mut connection = open_existing(&unfinished)?;
    make_durable(&connection)?;
    schema.fill_new(&mut connection, app_version, at_ms)?;
    connection.pragma_update(None, "wal_checkpoint", "TRUNCATE")?;
    connection.close().map_err(|(_, error)| error)?;
    fs::File::open(&unfinished)?.sync_all()?;
    faults::reach(Point::DatabaseFilled)?;
    fs::rename(&unfinished, folder.database())?;
    sync_dir(folder.root())
}
