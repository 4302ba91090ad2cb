//! What the built-in tools promise, on real folders with real files, links and pipes in them.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

/// This binary once more, in a process of its own.
mod child;
/// A workspace in a folder of its own, and short ways to call tools in it.
mod fixture;

/// What models are told, and what happens to arguments that are wrong.
mod registry;

/// Paths that must not lead anywhere, and links that do.
mod paths;

/// `find_files`.
mod finding;
/// `list_files`.
mod listing;
/// `read_file`.
mod reading;
/// `search_files`.
mod searching;

/// `edit_file`: what is shown, what is changed, what is refused.
mod editing;
/// `write_file`: what is shown, what is written, what is refused.
mod writing;

/// Both sides of the rename.
mod exactly_once;
/// The same with processes that really end in the middle.
mod killed;
/// What changes between one step and the next.
mod racing;
/// The folders themselves.
mod scratch;
/// Files put back to what they were.
mod undoing;
