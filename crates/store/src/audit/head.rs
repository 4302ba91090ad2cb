//! The head of the chain: a small keyed file beside the database that says how long it is.

use std::fs;
use std::io::ErrorKind;

use serde::{Deserialize, Serialize};

use super::chain::Tip;
use super::key::{Key, KeyPlace};
use super::row::hex;
use crate::{DataFolder, Error};

pub(super) const NAME: &str = "audit.head";
/// So many former heads are kept: the oldest and the newest ones.
const FORMER: usize = 64;

/// What is known of the chain apart from the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    /// How many rows it covers.
    pub(super) length: u64,
    /// The hash of the last of them.
    pub(super) hash: String,
    /// The hash of the first row: tells another database from a chain that was written anew.
    pub(super) origin: String,
    /// When the last of them was written.
    pub(super) at_ms: u64,
    /// Which process wrote it: one that was replaced writes none any more.
    pub(super) epoch: u64,
    /// Whether that process closed the database: then there is no row after these.
    pub(super) is_closed: bool,
    /// Heads of chains that did not go on in this database, and why.
    pub(super) former: Vec<Former>,
}

/// A head that something came after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Former {
    pub(super) why: Why,
    /// When it was found, or done.
    pub(super) at_ms: u64,
    /// How many rows that head covered; 0 where that is not known.
    pub(super) length: u64,
    /// The hash of the last of them.
    pub(super) hash: String,
    /// For a restore: where the database lies that was replaced. Else the row, where one is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<String>,
}

/// Why a chain does not go on from its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Why {
    /// A backup was put in the place of the database, by the app.
    Restored,
    /// Rows are missing at the end.
    Shorter,
    /// The chain is another one.
    Other,
    /// Rows were added after the app had closed the database.
    Added,
    /// A row after the head does not fit.
    Broken,
    /// There was no head although there was a chain.
    HeadMissing,
    /// There was a head and no key.
    KeyMissing,
    /// The head did not fit its keyed hash.
    HeadEdited,
}

/// The file: the head, and its keyed hash.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sealed {
    pub(super) head: Head,
    pub(super) keyed_hash: String,
}

/// What was found of a head.
#[derive(Debug)]
pub(super) enum Found {
    Sound(Head),
    Missing,
    /// There is a head and no key to check it with.
    NoKey(Option<Head>),
    /// It cannot be read, or its keyed hash is another.
    Edited(Option<Head>),
}

impl Head {
    pub(super) fn covering(tip: Tip, origin: &str, epoch: u64, former: Vec<Former>) -> Self {
        Self {
            length: tip.seq,
            hash: hex(&tip.hash),
            origin: origin.to_owned(),
            at_ms: tip.at_ms,
            epoch,
            is_closed: false,
            former,
        }
    }

    /// Notes that the chain does not go on from a head. The oldest notes and the newest ones stay.
    pub(super) fn add_former(&mut self, former: Former) {
        self.former.push(former);
        if self.former.len() > FORMER {
            self.former.remove(FORMER / 2);
        }
    }

    pub(super) fn seal(self, key: &Key) -> Result<Sealed, Error> {
        let keyed_hash = key.hash(&self.bytes()?).to_hex().to_string();
        Ok(Sealed {
            head: self,
            keyed_hash,
        })
    }

    fn bytes(&self) -> Result<Vec<u8>, Error> {
        serde_json::to_vec(self).map_err(|error| unreadable(&error))
    }
}

impl Sealed {
    pub(super) fn is_sealed_by(&self, key: &Key) -> bool {
        let Ok(bytes) = self.head.bytes() else {
            return false;
        };
        // Compared in constant time by its type.
        blake3::Hash::from_hex(&self.keyed_hash).is_ok_and(|found| found == key.hash(&bytes))
    }

    /// Private, under a temporary name, fsynced, renamed.
    pub(super) fn write(&self, folder: &DataFolder) -> Result<(), Error> {
        let mut bytes = serde_json::to_vec(self).map_err(|error| unreadable(&error))?;
        bytes.push(b'\n');
        folder.write_file(NAME, &bytes)
    }
}

fn unreadable(error: &serde_json::Error) -> Error {
    Error::Unreadable {
        what: "head of the audit",
        detail: error.to_string(),
    }
}

/// Reads the head and checks it.
pub(super) fn find(folder: &DataFolder) -> Result<Found, Error> {
    let Some(sealed) = read(folder)? else {
        return Ok(Found::Missing);
    };
    let key = KeyPlace::File(folder).load();
    Ok(judge(sealed.ok(), key.as_ref()))
}

/// Whether a head that was read is to be believed.
pub(super) fn judge(sealed: Option<Sealed>, key: Option<&Key>) -> Found {
    match (sealed, key) {
        (Some(sealed), Some(key)) if sealed.is_sealed_by(key) => Found::Sound(sealed.head),
        (sealed, Some(_)) => Found::Edited(sealed.map(|sealed| sealed.head)),
        (sealed, None) => Found::NoKey(sealed.map(|sealed| sealed.head)),
    }
}

/// The file as it is, if there is one; it may be unreadable.
pub(super) fn read(folder: &DataFolder) -> Result<Option<Result<Sealed, Error>>, Error> {
    match fs::read(folder.root().join(NAME)) {
        Ok(bytes) => Ok(Some(
            serde_json::from_slice(&bytes).map_err(|error| unreadable(&error)),
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
