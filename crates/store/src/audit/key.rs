//! The key of the head: what somebody who writes a chain anew does not have.

use std::fs;
use std::io::Read;

use crate::{DataFolder, Error};

const BYTES: usize = 32;
const NAME: &str = "audit.key";

/// Where the key is kept. A keychain of the system can become another place.
#[derive(Debug, Clone, Copy)]
pub(super) enum KeyPlace<'a> {
    /// A file beside the database, for its owner alone.
    File(&'a DataFolder),
}

/// The key itself; never printed.
#[derive(Clone)]
pub(super) struct Key([u8; BYTES]);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// The keyed hash of these bytes.
    pub(super) fn hash(&self, bytes: &[u8]) -> blake3::Hash {
        blake3::keyed_hash(&self.0, bytes)
    }
}

impl KeyPlace<'_> {
    /// The key, if there is one that can be used.
    pub(super) fn load(self) -> Option<Key> {
        let Self::File(folder) = self;
        let mut file = fs::File::open(folder.root().join(NAME)).ok()?;
        let mut bytes = [0; BYTES + 1];
        let mut length = 0;
        loop {
            match file.read(&mut bytes[length..]) {
                Ok(0) => break,
                Ok(more) => length += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
        bytes[..length].try_into().ok().map(Key)
    }

    /// A new key, on disk before it is used. A file that is there and is no key is replaced.
    pub(super) fn make(self) -> Result<Key, Error> {
        let Self::File(folder) = self;
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| Error::Io(error.to_string()))?;
        folder.write_file(NAME, &bytes)?;
        Ok(Key(bytes))
    }
}
