//! What is packed in a PDF, unpacked once with a limit before the library does so without one.

use std::io::Read;

use flate2::bufread::ZlibDecoder;
use protocol::CommandError;

use super::damaged;
use super::shape::check_nesting;
use crate::look::too_large;

/// All streams of a file together. Text and fonts are far below it; a bomb is far above.
const UNPACKED_BYTES: usize = 256 * 1024 * 1024;
/// A stream may be packed twice; more often nobody does it.
const DEEPEST: usize = 3;

pub(super) fn check(bytes: &[u8]) -> Result<(), CommandError> {
    let mut left = UNPACKED_BYTES;
    for stream in streams(bytes) {
        unpack(stream, &mut left, DEEPEST)?;
    }
    Ok(())
}

/// What stands behind the word, up to the end of the file: where a stream ends is found by unpacking.
fn streams(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    const WORD: &[u8] = b"stream";
    let places = bytes.windows(WORD.len()).enumerate();
    places.filter_map(move |(place, word)| {
        let rest = (word == WORD).then(|| &bytes[place + WORD.len()..])?;
        rest.strip_prefix(b"\r\n")
            .or_else(|| rest.strip_prefix(b"\n"))
    })
}

/// What is not packed in this way is skipped, and so is the rest of what is damaged.
fn unpack(packed: &[u8], left: &mut usize, deepest: usize) -> Result<(), CommandError> {
    // The first byte of all that is packed so.
    if packed.first().is_none_or(|byte| byte & 0x0f != 8) {
        return Ok(());
    }
    if deepest == 0 {
        return Err(damaged());
    }
    let mut unpacked = Vec::new();
    let most = *left as u64 + 1;
    // An error is where it is damaged: what came before counts.
    ZlibDecoder::new(packed)
        .take(most)
        .read_to_end(&mut unpacked)
        .unwrap_or_default();
    *left = left
        .checked_sub(unpacked.len())
        .ok_or_else(|| too_large("The PDF holds more than can be unpacked."))?;
    check_nesting(&unpacked)?;
    unpack(&unpacked, left, deepest - 1)
}
