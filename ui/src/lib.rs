//! The face: what a person sees.
//!
//! Invariants: `protocol` is the only crate of ours in sight; JavaScript is called in `ipc` and
//! `browser` alone; session state changes only in `state::apply` and its kin; nothing that an agent
//! wrote becomes HTML, a link that can be followed, or a load from the network.
//!
//! Entry point: [`start`], called once by `boot.js`.

#![allow(
    clippy::needless_pass_by_value,
    reason = "the props of a Leptos component are owned"
)]
#![allow(
    unreachable_pub,
    reason = "the component macro writes `pub` for what is `pub(crate)`"
)]

mod actions;
mod app;
mod browser;
mod components;
mod connection;
mod hooks;
mod ipc;
mod model_words;
mod preset;
mod state;
mod testid;
mod text;
mod time;
mod views;

pub use app::App;
pub use components::markdown::Markdown;

use leptos::prelude::mount_to_body;
use wasm_bindgen::prelude::wasm_bindgen;

/// Shows the app in the page.
#[wasm_bindgen]
pub fn start() {
    console_error_panic_hook::set_once();
    mount_to_body(App);
}
