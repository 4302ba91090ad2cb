//! Suite J: the engine with a known mistake in it. Every mistake must be caught by a suite of this
//! binary, in its small size, and for the right reason.

use std::process::Stdio;

use anyhow::{Result, bail, ensure};
use store::faults::{MUTANT_VARIABLE, Mutant};
use testkit::{command, suite_line};

use super::workers::now;

/// Which suite catches which mistake, and by what. `docs/durability.md` has the same table.
const CAUGHT: &[(Mutant, &str, &[&str])] = &[
    (Mutant::IntentRelaxed, POWER_LOSS, &["I1", "I5"]),
    (Mutant::ToolBeforeCommit, FAILPOINTS, &["I4", "I5"]),
    (Mutant::AcknowledgeBeforeCommit, FAILPOINTS, &["I1"]),
    (Mutant::DeltaKeyWithoutAttempt, FAILPOINTS, &["I7"]),
    (Mutant::DeltasDeletedEarly, FAILPOINTS, &["I7"]),
    (Mutant::ApprovalNotConsumed, FAILPOINTS, &["I4"]),
    (Mutant::SweepRevivesCancelled, FAILPOINTS, &["I8"]),
    (Mutant::CountersResetByText, CRASH_LOOP, &["I12"]),
    (Mutant::CompareWithoutStatus, PROPERTY, &["predicted"]),
    (Mutant::NoEpochCheck, TAKING_OVER, &["epoch:"]),
    (
        Mutant::GoOnAfterFailedSync,
        DISK_FAULTS,
        &["it went on after a failed sync"],
    ),
];

const FAILPOINTS: &str =
    "suites::failpoints::whatever_goes_wrong_wherever_nothing_is_lost_and_nothing_is_repeated";
const POWER_LOSS: &str = "suites::power_loss::a_power_cut_costs_nothing_that_was_acknowledged";
const PROPERTY: &str = "suites::property::the_store_does_what_the_model_says_through_crashes";
const TAKING_OVER: &str =
    "suites::taking_over::one_process_has_the_folder_and_who_lost_it_writes_nothing";
const DISK_FAULTS: &str =
    "suites::disk_faults::whatever_call_to_the_disk_fails_nothing_is_lost_and_it_goes_on";
const CRASH_LOOP: &str =
    "suites::crash_loop::a_run_that_ends_the_app_again_and_again_is_left_to_the_person";

#[test]
fn every_known_mistake_is_caught() -> Result<()> {
    let began = now();
    for mutant in Mutant::ALL {
        let Some((_, suite, reasons)) = CAUGHT.iter().find(|(known, ..)| known == mutant) else {
            bail!("nobody catches {}", mutant.name())
        };
        let output = command(std::env::current_exe()?)
            .args(["--exact", suite, "--nocapture"])
            .env(MUTANT_VARIABLE, mutant.name())
            .env("RUST_BACKTRACE", "0")
            .env_remove("HOLDFAST_FULL")
            .stdin(Stdio::null())
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        ensure!(said.contains("running 1 test"), "there is no suite {suite}");
        ensure!(
            !output.status.success(),
            "{} survives {suite}",
            mutant.name()
        );
        let is_right = reasons
            .iter()
            .any(|reason| complained.contains(reason) || said.contains(reason));
        ensure!(
            is_right,
            "{} fails {suite}, but for another reason: {complained}",
            mutant.name()
        );
    }
    let mutants = Mutant::ALL.len() as u64;
    let counts = [("mutants", mutants), ("caught", mutants), ("survived", 0)];
    suite_line("J sabotage", &counts, began.elapsed());
    Ok(())
}
