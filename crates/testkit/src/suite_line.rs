//! The one line that every crash suite ends with.

use std::time::Duration;

/// Whether the long form of the suites is asked for (`cargo xtask test --full`).
pub fn is_full() -> bool {
    std::env::var_os("HOLDFAST_FULL").is_some()
}

/// Prints the counts of a suite, in the order in which they are given.
#[expect(
    clippy::print_stdout,
    reason = "the counts are the result of the suite"
)]
pub fn suite_line(suite: &str, counts: &[(&str, u64)], took: Duration) {
    let mut line = format!("suite {suite}:");
    for (what, count) in counts {
        line.push_str(&format!(" {what} {count},"));
    }
    println!("{line} {:.0} s", took.as_secs_f64());
}
