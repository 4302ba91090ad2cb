//! One row of the chain, and its hash.

use rusqlite::Row as SqlRow;
use serde::{Deserialize, Serialize};

/// Says what is hashed, and in which form: another form gets another tag.
const TAG: &[u8] = b"holdfast audit row 1";
/// What the first row follows.
pub(super) const NOTHING_BEFORE: [u8; 32] = [0; 32];

/// What a row tells of, apart from its place in the chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a> {
    pub(super) seq: i64,
    pub(super) at_ms: i64,
    pub(super) epoch: i64,
    pub(super) kind: &'a str,
    pub(super) name: &'a str,
    /// Session, run, call, subject.
    pub(super) ids: [Option<&'a [u8]>; 4],
    pub(super) status: Option<&'a str>,
    pub(super) content: Option<&'a [u8]>,
}

impl Fields<'_> {
    /// The hash of these after `prev`. Every part stands behind its length, so that no two rows have
    /// the same bytes. `buffer` is only there to be used again.
    pub(super) fn hash(&self, prev: &[u8], buffer: &mut Vec<u8>) -> [u8; 32] {
        buffer.clear();
        put(buffer, Some(TAG));
        put(buffer, Some(prev));
        for number in [self.seq, self.at_ms, self.epoch] {
            buffer.extend(number.to_le_bytes());
        }
        put(buffer, Some(self.kind.as_bytes()));
        put(buffer, Some(self.name.as_bytes()));
        for id in self.ids {
            put(buffer, id);
        }
        put(buffer, self.status.map(str::as_bytes));
        put(buffer, self.content);
        blake3::hash(buffer).into()
    }
}

fn put(buffer: &mut Vec<u8>, part: Option<&[u8]>) {
    match part {
        None => buffer.push(0),
        Some(bytes) => {
            buffer.push(1);
            buffer.extend((bytes.len() as u64).to_le_bytes());
            buffer.extend(bytes);
        }
    }
}

/// A row as it is found, in the table or in an export, whatever somebody made of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) seq: i64,
    pub(super) at_ms: i64,
    pub(super) epoch: i64,
    pub(super) kind: String,
    pub(super) name: String,
    #[serde(with = "hex::optional")]
    pub(super) session_id: Option<Vec<u8>>,
    #[serde(with = "hex::optional")]
    pub(super) run_id: Option<Vec<u8>>,
    #[serde(with = "hex::optional")]
    pub(super) call_id: Option<Vec<u8>>,
    #[serde(with = "hex::optional")]
    pub(super) subject_id: Option<Vec<u8>>,
    pub(super) status: Option<String>,
    #[serde(with = "hex::optional")]
    pub(super) content: Option<Vec<u8>>,
    #[serde(with = "hex::required")]
    pub(super) prev: Vec<u8>,
    #[serde(with = "hex::required")]
    pub(super) hash: Vec<u8>,
}

impl Row {
    /// The columns, in the order in which `read` takes them.
    pub(super) const COLUMNS: &str = "seq, at_ms, epoch, kind, name, session_id, run_id, call_id,
         subject_id, status, content, prev, hash";

    pub(super) fn read(row: &SqlRow<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            seq: row.get(0)?,
            at_ms: row.get(1)?,
            epoch: row.get(2)?,
            kind: row.get(3)?,
            name: row.get(4)?,
            session_id: row.get(5)?,
            run_id: row.get(6)?,
            call_id: row.get(7)?,
            subject_id: row.get(8)?,
            status: row.get(9)?,
            content: row.get(10)?,
            prev: row.get(11)?,
            hash: row.get(12)?,
        })
    }

    /// Whether its own hash fits what it says, if it had this number.
    pub(super) fn fits(&self, seq: i64, buffer: &mut Vec<u8>) -> bool {
        let fields = Fields {
            seq,
            at_ms: self.at_ms,
            epoch: self.epoch,
            kind: &self.kind,
            name: &self.name,
            ids: [
                self.session_id.as_deref(),
                self.run_id.as_deref(),
                self.call_id.as_deref(),
                self.subject_id.as_deref(),
            ],
            status: self.status.as_deref(),
            content: self.content.as_deref(),
        };
        fields.hash(&self.prev, buffer).as_slice() == self.hash
    }
}

/// Bytes as hexadecimal text.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

mod hex {
    use serde::{Deserialize, Deserializer, de::Error};

    fn bytes(text: &str) -> Option<Vec<u8>> {
        if !text.len().is_multiple_of(2) {
            return None;
        }
        (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
            .collect()
    }

    pub(super) mod required {
        use serde::Serializer;

        use super::{Deserialize, Deserializer, Error};

        pub(crate) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
            to.serialize_str(&super::super::hex(bytes))
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
            let text = String::deserialize(from)?;
            super::bytes(&text).ok_or_else(|| D::Error::custom("not hexadecimal"))
        }
    }

    pub(super) mod optional {
        use serde::Serializer;

        use super::{Deserialize, Deserializer, Error};

        #[expect(clippy::ref_option, reason = "serde passes a reference")]
        pub(crate) fn serialize<S: Serializer>(
            bytes: &Option<Vec<u8>>,
            to: S,
        ) -> Result<S::Ok, S::Error> {
            match bytes {
                Some(bytes) => to.serialize_some(&super::super::hex(bytes)),
                None => to.serialize_none(),
            }
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Option<Vec<u8>>, D::Error> {
            Option::<String>::deserialize(from)?
                .map(|text| super::bytes(&text).ok_or_else(|| D::Error::custom("not hexadecimal")))
                .transpose()
        }
    }
}
