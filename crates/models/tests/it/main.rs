//! Models as the engine meets them: through the trait, over real sockets, on real files.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test picks out what it asks about"
)]

mod byte_stable;
mod catalog;
mod chat_completions;
mod dialects;
mod discovery;
mod faults;
mod gemini;
mod guide;
mod guide_tools;
mod ollama;
mod proxying;
mod secrets;
mod small_server;
mod support;
mod through_engine;
