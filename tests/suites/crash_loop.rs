//! Suite A, once more: a run that ends the app is not taken up for ever.

use anyhow::{Result, bail};
use store::faults::Point;
use testkit::suite_line;

use super::failpoints::home::{Scratch, check, worker};
use super::workers::now;

/// A run that ended the app twice since its last completed step waits for a person.
const MOST_LIVES: u32 = 6;

/// RUN-13: only committed steps count as progress, text never does. I12.
#[test]
fn a_run_that_ends_the_app_again_and_again_is_left_to_the_person() -> Result<()> {
    let began = now();
    let scratch = Scratch::new()?;
    let home = scratch.fresh();
    std::fs::create_dir_all(&home)?;
    // One session: which of several ends the app first would be chance. Its reply is whole and was shown; the app ends before it is written down as one.
    let fault = format!("{}:abort:1", Point::ModelAfter.name());
    let first = worker(&home, "read", 7, 0, "one,alone,work,wait", Some(&fault))?;
    assert_eq!(first.code, None, "{first:?}");
    for life in 1..=MOST_LIVES {
        let ran = worker(&home, "read", 7, 0, "one,wait", Some(&fault))?;
        check(&home)?;
        if ran.code == Some(0) {
            let counts = [("ends", u64::from(life)), ("lost", 0)];
            suite_line("A crash loop", &counts, began.elapsed());
            return Ok(());
        }
    }
    bail!("I12: a run ended the app {MOST_LIVES} times and is still taken up by itself")
}
