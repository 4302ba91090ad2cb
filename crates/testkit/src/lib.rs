//! What tests share: the real binary, driven headless or through its real window, and ended as
//! rudely as a test wants; and tools that do what a test says and note in a ledger what they did.
//!
//! Invariants: nothing here imitates the app, only the models that it calls; processes that are
//! started here end with the test; every wait has a deadline and says what it waited for.
//!
//! Entry points: [`Headless`], [`Window`], [`ModelServer`] for them to talk to, [`test_tools`].

mod binary;
mod dice;
pub mod evidence;
pub mod fake_llama;
mod headless;
pub mod model_server;
mod process;
mod provided;
pub mod raw;
mod recording;
mod small_server;
mod suite_line;
mod tools;
pub mod vfs;
mod wait;
mod window;
pub mod workload;

pub use binary::holdfast;
pub use dice::Dice;
pub use fake_llama::FakeLlama;
pub use headless::Headless;
pub use model_server::ModelServer;
pub use process::{Process, ask_process_to_end, command, is_running, kill_process};
pub use provided::{Ended, Provided, provider_at};
pub use recording::{Recording, assert_contains_everything_seen};
pub use small_server::{Says, SmallServer};
pub use suite_line::{is_full, suite_line};
pub use tools::{
    LEDGER_VARIABLE, Ledger, LedgerEntry, Phase, test_tools, test_tools_here, test_tools_with,
};
pub use wait::{DEADLINE, eventually};
pub use window::{Theme, Window, WindowOptions};
