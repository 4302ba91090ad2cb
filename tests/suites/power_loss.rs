//! Suite C, power loss: a workload runs on a real engine while every write, truncation, sync,
//! creation and deletion of its database is recorded. For a power cut after each of them, images of
//! what the disk may have kept are made, opened with stock SQLite, and held against all that had
//! been acknowledged until then. Some are also opened by the real app.
//!
//! The same on weaker settings must find losses: a suite that cannot tell proves nothing.

/// A workload under the recorder.
mod recorded;
/// The app on an image.
mod taken_up;
/// One image after the other.
mod walk;

use anyhow::Result;
use testkit::vfs::Setting;
use testkit::workload::Plan;
use testkit::{is_full, suite_line};

use super::workers::now;
use recorded::Recorded;
use walk::{Found, Walk};

/// What is recorded: short enough that its images fit into a test run, long enough that the log is
/// moved into the database more than once on the way.
fn plan(seed: u64) -> Plan {
    Plan {
        acts: 85,
        ..Plan::new(seed)
    }
}

/// STO-2: what was acknowledged is there after a power cut at any instant; what was not yet secured
/// may be lost and leaves nothing half-done.
#[test]
fn a_power_cut_costs_nothing_that_was_acknowledged() -> Result<()> {
    let began = now();
    let most = if is_full() { 40 } else { 1 };
    // One alone, to repeat it.
    let alone = std::env::var("HOLDFAST_SEED").ok();
    let seeds = match alone.and_then(|seed| seed.parse().ok()) {
        Some(seed) => seed..=seed,
        None => 1..=most,
    };
    let mut found = Found::default();
    for seed in seeds.clone() {
        let recorded = Recorded::make(&plan(seed), Setting::AsAsked)?;
        // Once in the middle of the work, once on closing.
        let moves = recorded.record.syncs_of("holdfast.db");
        assert!(moves >= 2, "the log was moved {moves} times");
        found.add(Walk::of(&recorded, seed).whole()?);
    }
    suite_line(
        "C power loss",
        &found.counts(seeds.count() as u64),
        began.elapsed(),
    );
    found.assert_nothing_lost();
    Ok(())
}

/// The images tell careful settings from careless ones.
#[test]
fn a_power_cut_on_weaker_settings_is_found_out() -> Result<()> {
    let began = now();
    let mut counts = Vec::new();
    for (setting, [images, lost, unreadable]) in [
        (
            Setting::Normal,
            ["normal images", "normal lost", "normal unreadable"],
        ),
        (Setting::Off, ["off images", "off lost", "off unreadable"]),
    ] {
        let recorded = Recorded::make(&Plan::new(1), setting)?;
        let found = Walk::of(&recorded, 1).every(8)?;
        assert!(found.lost + found.unreadable > 0, "{setting:?}: {found:?}");
        if setting == Setting::Normal {
            assert!(found.lost > found.images / 20, "{setting:?}: {found:?}");
        }
        counts.extend([
            (images, found.images),
            (lost, found.lost),
            (unreadable, found.unreadable),
        ]);
    }
    suite_line("C power loss, weaker settings", &counts, began.elapsed());
    Ok(())
}
