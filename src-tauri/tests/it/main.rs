//! The shell's commands, called as the page calls them, without a display.

mod commands;
mod permissions;
