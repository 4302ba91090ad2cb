//! Suite E: several processes want one folder.
//!
//! Each round begins with a race: of four that start at once one gets the folder, also when there is no
//! database yet, and the others are refused and say why. It is killed, and of three more one gets it at
//! once. That one is held in the middle of its work, and another, which ignores the lock, takes the
//! folder over: the next epoch. When the first goes on, everything it still writes is refused; it says
//! so, and does nothing more.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rusqlite::{Connection, params};
use store::faults::IGNORE_LOCK_VARIABLE;
use testkit::evidence::{Counts, Fact, Loss, check_file};
use testkit::{Dice, Phase, is_full, suite_line};

use super::place::memory_folder;
use super::workers::{Deadline, REFUSED, Worker, now};

/// Rounds in every run of the tests, and with `--full`.
const ROUNDS: u64 = 20;
const FULL_ROUNDS: u64 = 300;
const RACERS: usize = 4;
const HEIRS: usize = 3;

/// What all rounds came to.
#[derive(Debug, Default)]
struct Totals {
    processes: AtomicU64,
    acknowledged: AtomicU64,
    fenced: AtomicU64,
    late: AtomicU64,
    in_doubt: AtomicU64,
}

/// STO-13, STO-14: one owner, and who was replaced writes nothing.
#[test]
fn one_process_has_the_folder_and_who_lost_it_writes_nothing() -> Result<()> {
    let began = now();
    let rounds = if is_full() { FULL_ROUNDS } else { ROUNDS };
    let (totals, next) = (Totals::default(), AtomicU64::new(0));
    let work = || -> Result<()> {
        loop {
            let round = next.fetch_add(1, Ordering::SeqCst);
            if round >= rounds {
                return Ok(());
            }
            let result = play(round, &totals).with_context(|| format!("round {round}"));
            if result.is_err() {
                next.store(rounds, Ordering::SeqCst);
                return result;
            }
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mine = work();
        other
            .join()
            .map_err(|_| anyhow::anyhow!("a round panicked"))?
            .and(mine)
    })?;
    let count = |one: &AtomicU64| one.load(Ordering::SeqCst);
    suite_line(
        "E two processes",
        &[
            ("rounds", rounds),
            ("processes", count(&totals.processes)),
            ("taken over", count(&totals.fenced)),
            ("refused messages", count(&totals.late)),
            ("acknowledged", count(&totals.acknowledged)),
            ("lost", 0),
            ("repeated", 0),
            ("in doubt", count(&totals.in_doubt)),
        ],
        began.elapsed(),
    );
    Ok(())
}

fn play(round: u64, totals: &Totals) -> Result<()> {
    let mut dice = Dice::new(0x5eed_0005 + round);
    let home = memory_folder()?;
    let home = home.path();
    let mut facts = Vec::new();
    let mut owner = race(home, "first", RACERS, round).context("the first race")?;
    work_for(&mut dice, 20, 100);
    owner.process.kill_alone()?;
    facts.extend(owner.facts()?);
    let owner = race(home, "heir", HEIRS, round + 1_000).context("the second race")?;
    work_for(&mut dice, 20, 120);
    facts.extend(take_over(home, owner, round, &mut dice, totals)?);
    check(home, &facts).context("after the one that took over was killed")?;
    let mut last = Worker::start(home, "last", round, "settle", &[])?;
    let ended = last.end()?;
    ensure!(
        ended.success(),
        "it never came to rest: {:?}",
        last.complaint()?
    );
    facts.extend(last.facts()?);
    let counts = check(home, &facts).context("at rest")?;
    let settled = facts.iter();
    let settled = settled.filter(|fact| matches!(fact, Fact::Settling { .. }));
    totals
        .in_doubt
        .fetch_add(settled.count() as u64, Ordering::SeqCst);
    totals
        .acknowledged
        .fetch_add(counts.acknowledged, Ordering::SeqCst);
    totals
        .processes
        .fetch_add(RACERS as u64 + HEIRS as u64 + 2, Ordering::SeqCst);
    Ok(())
}

fn work_for(dice: &mut Dice, least: u64, most: u64) {
    let ms = least + dice.below(most - least);
    std::thread::sleep(Duration::from_millis(ms));
}

fn check(home: &Path, facts: &[Fact]) -> Result<Counts> {
    check_file(&home.join("data/holdfast.db"), facts, Loss::Process)
}

/// Starts several at once. All but one are refused, with a sentence that says why; the one is at work.
fn race(home: &Path, name: &str, count: usize, seed: u64) -> Result<Worker> {
    let racers = (0..count).map(|number| {
        let name = format!("{name}-{number}");
        Worker::start(home, &name, seed, "work", &[])
    });
    let mut racers = racers.collect::<Result<Vec<Worker>>>()?;
    let deadline = Deadline::new();
    while racers.len() > 1 {
        let mut left = Vec::new();
        for mut racer in racers {
            match racer.process.ended()? {
                None => left.push(racer),
                Some(status) => {
                    let said = racer.complaint()?;
                    ensure!(status.code() == Some(REFUSED), "{status}: {said}");
                    ensure!(said.contains("another process uses"), "it says {said:?}");
                    let facts = racer.facts()?;
                    let did_nothing = facts.iter().all(|one| matches!(one, Fact::Began { .. }));
                    ensure!(did_nothing, "it was refused and did {facts:?}");
                }
            }
        }
        racers = left;
        deadline.pause("all but one to be refused")?;
    }
    let mut owner = racers.pop().context("nobody got the folder")?;
    // At work: it has been answered something.
    while owner.facts()?.len() < 3 {
        let ended = owner.process.ended()?;
        ensure!(ended.is_none(), "the owner ended: {:?}", owner.complaint()?);
        deadline.pause("the owner to work")?;
    }
    Ok(owner)
}

/// The owner is held, another takes its folder, the owner goes on. Gives the facts of both, those of the
/// owner from after it was replaced last.
fn take_over(
    home: &Path,
    mut owner: Worker,
    round: u64,
    dice: &mut Dice,
    totals: &Totals,
) -> Result<Vec<Fact>> {
    hold_outside_of_a_write(home, &mut owner, dice)?;
    let before = owner.facts()?;
    let image = image(home)?;
    let ignoring = [(IGNORE_LOCK_VARIABLE, "1")];
    let mut second = Worker::start(home, "second", round + 2_000, "work", &ignoring)?;
    let deadline = Deadline::new();
    while second.facts()?.len() < 3 {
        let ended = second.process.ended()?;
        ensure!(ended.is_none(), "{:?}", second.complaint()?);
        deadline.pause("the second one to work")?;
    }
    work_for(dice, 5, 60);
    owner.process.go_on();
    let late = |owner: &Worker| -> Result<Vec<Fact>> {
        let mut facts = owner.facts()?;
        Ok(facts.split_off(before.len()))
    };
    let deadline = Deadline::new();
    let status = loop {
        // Looked at all the time: one that is not refused would go on for ever.
        ensure_from_before(&image, &late(&owner)?)?;
        if let Some(status) = owner.process.ended()? {
            break status;
        }
        deadline.pause("the replaced one to notice")?;
    };
    let said = owner.complaint()?;
    ensure!(!status.success(), "the replaced one ended well");
    ensure!(
        said.contains("has taken over"),
        "{status}, and says {said:?}"
    );
    work_for(dice, 5, 60);
    let ended = second.process.ended()?;
    ensure!(ended.is_none(), "it ended: {:?}", second.complaint()?);
    second.process.kill_alone()?;
    let late = late(&owner)?;
    ensure_from_before(&image, &late)?;
    totals.fenced.fetch_add(1, Ordering::SeqCst);
    let tried = late
        .iter()
        .filter(|fact| matches!(fact, Fact::Sending { .. }));
    totals
        .late
        .fetch_add(tried.count() as u64, Ordering::SeqCst);
    let mut facts = before;
    facts.extend(second.facts()?);
    facts.extend(late);
    Ok(facts)
}

/// Who is held while it writes keeps everybody from writing, and nobody can take its folder.
#[expect(
    clippy::disallowed_methods,
    reason = "the file is looked at from outside the store's door"
)]
fn hold_outside_of_a_write(home: &Path, owner: &mut Worker, dice: &mut Dice) -> Result<()> {
    let database = Connection::open(home.join("data/holdfast.db"))?;
    database.busy_timeout(Duration::ZERO)?;
    let deadline = Deadline::new();
    loop {
        owner.process.hold();
        let ended = owner.process.ended()?;
        ensure!(ended.is_none(), "the owner ended: {:?}", owner.complaint()?);
        if database.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_ok() {
            return Ok(());
        }
        owner.process.go_on();
        std::thread::sleep(Duration::from_micros(dice.below(3_000)));
        deadline.pause("a moment outside of a write")?;
    }
}

/// The database as the owner left it when it was held.
fn image(home: &Path) -> Result<tempfile::TempDir> {
    let image = tempfile::tempdir_in(home)?;
    for name in ["holdfast.db", "holdfast.db-wal"] {
        std::fs::copy(home.join("data").join(name), image.path().join(name))?;
    }
    Ok(image)
}

/// Whatever the replaced one was still answered, and whatever it still did, stood in the database when it
/// was held: it was on its way. Nothing is of its making from after it was replaced.
#[expect(
    clippy::disallowed_methods,
    reason = "the file is looked at from outside the store's door"
)]
fn ensure_from_before(image: &tempfile::TempDir, late: &[Fact]) -> Result<()> {
    let database = Connection::open(image.path().join("holdfast.db"))?;
    let is_there = |sql: &str, id: &[u8]| -> Result<bool> {
        Ok(database.prepare_cached(sql)?.exists(params![id])?)
    };
    for fact in late {
        let was_there = match fact {
            Fact::Sent { message_id, .. } => is_there(
                "SELECT 1 FROM messages WHERE id = ?1
                 UNION ALL SELECT 1 FROM queue WHERE message_id = ?1",
                message_id.uuid().as_bytes(),
            )?,
            Fact::Created { session_id } => is_there(
                "SELECT 1 FROM sessions WHERE id = ?1",
                session_id.uuid().as_bytes(),
            )?,
            // The effect itself may come late: its intent may not.
            Fact::Did(entry) if entry.phase == Phase::Effect => {
                let call: protocol::CallId = entry.effect_key.parse()?;
                is_there(
                    "SELECT 1 FROM tool_calls WHERE id = ?1 AND bodies > 0",
                    call.uuid().as_bytes(),
                )?
            }
            // A decision that was slower is answered with the one that stands, without a write.
            Fact::Decided { .. }
            | Fact::Settled { .. }
            | Fact::Moved { .. }
            | Fact::Began { .. }
            | Fact::Sending { .. }
            | Fact::Settling { .. }
            | Fact::Again { .. }
            | Fact::Shown(_)
            | Fact::Text { .. }
            | Fact::Asked { .. }
            | Fact::Did(_) => true,
        };
        if !was_there {
            bail!("epoch: a process that was replaced was still let write: {fact:?}")
        }
    }
    Ok(())
}
