//! The shell's commands, called as the page calls them, without a display.
#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test that cannot go on says where"
)]

mod commands;
mod permissions;
