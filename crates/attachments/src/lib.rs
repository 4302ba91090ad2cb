//! What a file is that somebody attached, found by looking at its bytes and never by its name.
//!
//! Invariants: no IO, no clock for data; whatever the bytes are, the answer is what they are or a
//! refusal that says what to do. A PDF is read on a thread of its own, with limits: the library that
//! does it may panic, and takes as long as the file wants.
//!
//! Entry point: [`look`].

mod image;
mod look;
mod pdf;
mod text;

pub use look::{Looked, look};
