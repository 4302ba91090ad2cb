//! Promises to the user, one file each. They run the built app: headless, or in its real window
//! on a display (`cargo xtask test promises` provides one).

mod files;
mod headless;
mod killed_while_streaming;
mod killed_while_working;
mod two_processes;
mod window_damaged;
mod window_hostile_text;
mod window_killed;
mod window_looks;
mod window_lost;
mod window_quit;
mod window_second_start;
mod window_session;
