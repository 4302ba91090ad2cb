//! How much of a reply is held until its end, without anyone hearing of it.

use engine::ModelError;
use protocol::ErrorClass;

/// What is heard is limited by whoever hears it. This is for the rest: signatures, sealed thoughts and
/// whatever else a provider could send without an end.
const MOST_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Held {
    bytes: usize,
}

impl Held {
    /// So much more is held.
    pub(crate) fn add(&mut self, bytes: usize) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= MOST_BYTES {
            return Ok(());
        }
        Err(ModelError::new(
            ErrorClass::Limit,
            "The provider sent more than can be held.",
        ))
    }
}
