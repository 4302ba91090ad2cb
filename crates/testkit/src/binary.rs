//! Where the built app is.

use std::path::PathBuf;

/// The app under test: `HOLDFAST_BIN`, or the one beside the test binary's folder.
pub fn holdfast() -> PathBuf {
    if let Some(path) = std::env::var_os("HOLDFAST_BIN") {
        return PathBuf::from(path);
    }
    let found = std::env::current_exe()
        .ok()
        .and_then(|test| Some(test.parent()?.parent()?.join("holdfast")))
        .filter(|path| path.exists());
    match found {
        Some(path) => path,
        None => panic!("the app is not built: run `cargo build -p holdfast`, or set HOLDFAST_BIN"),
    }
}
