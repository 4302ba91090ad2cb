//! The files beside the database: private, and written whole or not at all.

use std::io;
use std::path::Path;

use store::DataFolder;

use crate::{HostOptions, logging};

/// Starts to log into the data folder.
pub fn start_logs(options: &HostOptions) -> io::Result<()> {
    let folder = DataFolder::create(&options.data_dir).map_err(io::Error::other)?;
    logging::init(&folder.logs())
}

/// Writes a file of the data folder: under a temporary name, fsynced, renamed.
pub fn write_private_file(data_dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let folder = DataFolder::create(data_dir).map_err(io::Error::other)?;
    folder.write_file(name, bytes).map_err(io::Error::other)
}
