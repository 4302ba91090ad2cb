//! Who answers.
//!
//! Invariants: a model gets its whole question as a value and gives back a stream; it keeps no
//! state between calls, retries nothing, and never sees the store.
//!
//! Entry point: [`Guide`], the built-in scripted model.

mod guide;

pub use guide::{Guide, GuideOptions};
