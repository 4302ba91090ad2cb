//! Suite H: the hand-offs between threads, under schedules that no machine would show by chance.
//!
//! The files that are tried out are those of the store and the engine themselves, compiled here a
//! second time with the locks, channels and threads of `shuttle`, which runs one of them at a time and
//! decides at every step which. A wake-up that is lost shows as a schedule in which nobody can go on.
#![expect(
    clippy::unwrap_used,
    reason = "a scene has nobody to tell: it panics, and the schedule is printed"
)]

#[path = "../../crates/engine/src/bus.rs"]
mod bus;
#[path = "../../crates/store/src/writer/queue.rs"]
mod queue;
#[path = "../../crates/engine/src/turns.rs"]
mod turns;

mod following;
mod mistaken;
mod queueing;
mod sync;
mod taking_turns;

use std::time::Instant;

use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, Runner};
// What the files above expect beside them.
use store::{Error, faults};
use testkit::suite_line;

/// How many schedules of each hand-off: half of them random, half of them with few switches at the
/// worst places.
const SCHEDULES: usize = 2_000;
const SEED: u64 = 0x5eed_0008;
/// How many places where a switch matters; most mistakes need one or two.
const DEPTH: usize = 3;

/// STO-3, STR-1: every hand-off keeps its promise under every schedule that was tried.
#[test]
fn hand_offs_hold_under_ten_thousand_schedules() {
    #[expect(clippy::disallowed_methods, reason = "the suite says how long it took")]
    let started = Instant::now();
    let scenes: [fn(); 5] = [
        queueing::submitting_races_with_closing,
        queueing::the_last_handle_goes_anywhere,
        following::followers_miss_nothing_and_see_nothing_twice,
        following::the_list_hears_of_every_session,
        taking_turns::one_at_a_time_and_nothing_is_left,
    ];
    let schedules: usize = scenes.map(|scene| explore(scene, SCHEDULES)).iter().sum();
    assert_eq!(schedules, 10_000);
    let counts = [
        ("schedules", schedules as u64),
        ("lost", 0),
        ("repeated", 0),
    ];
    suite_line("H schedules", &counts, started.elapsed());
}

/// Runs a scene under so many schedules; panics, with the schedule, when one of them goes wrong.
fn explore(scene: fn(), schedules: usize) -> usize {
    let random = RandomScheduler::new_from_seed(SEED, schedules / 2);
    let few_switches = PctScheduler::new_from_seed(SEED, DEPTH, schedules / 2);
    Runner::new(random, config()).run(scene) + Runner::new(few_switches, config()).run(scene)
}

fn config() -> Config {
    let mut config = Config::new();
    // What is compiled without optimisation needs more than is usual.
    config.stack_size = 512 * 1024;
    config
}
