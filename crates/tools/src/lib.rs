//! What an agent can do: one file per tool.
//!
//! Invariants: a tool holds nothing of a single call; a file is reached by opening one name after
//! the other below the workspace, never by checking a path and opening it later; whatever cannot
//! be checked is refused; a file is replaced by a rename and by nothing else; the files that undo
//! needs are read before anything is changed; whoever looks at many files leaves out what rules keep
//! from it. There is no network in here, and no clock but the timer that ends a long look.
//!
//! Entry points: [`built_in`], [`ScratchWorkspaces`].

mod arguments;
mod blocking;
mod change;
mod difference;
mod edit_file;
mod file;
mod find_files;
mod folder;
mod glob;
mod ignored;
mod list_files;
mod path;
mod place;
mod protected;
mod read_file;
mod refusal;
mod replace;
mod search_files;
mod walk;
mod workspaces;
mod write_file;

use std::sync::Arc;

use engine::Tool;

pub use workspaces::ScratchWorkspaces;

/// Every tool that comes with the app.
pub fn built_in() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(list_files::ListFiles),
        Arc::new(find_files::FindFiles),
        Arc::new(search_files::SearchFiles),
        Arc::new(read_file::ReadFile),
        Arc::new(edit_file::EditFile),
        Arc::new(write_file::WriteFile),
    ]
}

/// Bytes of a file that a tool may change: its before-image is kept for undo.
const CHANGED_FILE_BYTES: u64 = 4 * 1024 * 1024;
