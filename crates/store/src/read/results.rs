//! Reading a result that is longer than what is shown of it.

use protocol::CallId;
use rusqlite::params;

use super::Reader;
use super::row::{get, unreadable};
use crate::Error;

/// A character has at most so many bytes: a piece that is asked for smaller than one still moves on.
const CHARACTER_BYTES: u64 = 4;

impl Reader<'_> {
    /// A piece of the whole result of a call, and the bytes of the whole. It begins and ends between
    /// characters: the next piece begins at `offset` plus the bytes of this one.
    pub fn result_piece(
        &self,
        call_id: CallId,
        offset: u64,
        max_bytes: u64,
    ) -> Result<Option<(String, u64)>, Error> {
        let found = self.one(
            "SELECT octet_length(coalesce(result_whole, result)) AS total,
                    substr(CAST(coalesce(result_whole, result) AS BLOB), ?2 + 1, ?3) AS piece
             FROM tool_calls
             WHERE id = ?1 AND result IS NOT NULL",
            params![
                call_id.uuid().as_bytes(),
                offset.min(u64::from(u32::MAX)),
                max_bytes.clamp(CHARACTER_BYTES, u64::from(u32::MAX))
            ],
            // A piece of nothing is NULL to SQLite.
            |row| Ok((get::<Option<Vec<u8>>>(row, "piece")?, get(row, "total")?)),
        )?;
        let Some((bytes, total)) = found else {
            return Ok(None);
        };
        Ok(Some((whole_characters(&bytes.unwrap_or_default())?, total)))
    }
}

/// The bytes without the rest of a character at the beginning and the beginning of one at the end.
fn whole_characters(bytes: &[u8]) -> Result<String, Error> {
    let is_rest = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    let begin = bytes.iter().take_while(is_rest).count();
    let bytes = bytes.get(begin..).unwrap_or_default();
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) if error.error_len().is_none() => {
            let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
            Ok(String::from_utf8_lossy(whole).into_owned())
        }
        Err(error) => Err(unreadable("result", &error)),
    }
}
