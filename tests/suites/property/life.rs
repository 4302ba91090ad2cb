//! A life of the store: it is opened on what the life before left, asked for a lot, and ends in one of
//! the ways in which a process can end.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use store::{DataFolder, Error, Options, Store};
use tempfile::TempDir;
use testkit::Dice;

use super::lane::{Counts, Lane};
use super::picture;
use crate::suites::place::memory_folder;

type Answers = Receiver<Result<(), Error>>;

/// How a life ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ending {
    /// The files are copied at some instant of the work, and the copy is what goes on.
    Copied,
    /// The last handle goes while transitions are queued.
    Dropped,
    /// It is closed while others still submit.
    Closed,
}

impl Ending {
    pub(super) const fn by(dice: &mut Dice) -> Self {
        match dice.below(6) {
            0 => Self::Dropped,
            1 => Self::Closed,
            _ => Self::Copied,
        }
    }
}

/// A process that another test starts holds our files for a moment, the lock included.
pub(super) fn open(folder: &Path) -> Result<Store> {
    let options = Options {
        folder: DataFolder::create(folder)?,
        app_version: "0.0.0-test".to_owned(),
        pid: std::process::id(),
        now_ms: 1_000,
    };
    for _ in 0..500 {
        match Store::open(&options) {
            Err(Error::InUse { .. }) => std::thread::sleep(Duration::from_millis(10)),
            opened => return Ok(opened?.0),
        }
    }
    Ok(Store::open(&options)?.0)
}

/// Lives one life. Gives the folder that the next one begins with.
pub(super) fn live(
    folder: TempDir,
    lanes: &mut [Lane],
    dice: &mut Dice,
    ending: Ending,
    counts: &mut Counts,
) -> Result<TempDir> {
    let store = open(folder.path())?;
    one_by_one(&store, lanes, dice)?;
    counts.crashes += 1;
    match ending {
        Ending::Copied => {
            let (image, answered) = copied_while_working(&store, folder.path(), lanes, dice)?;
            drop(store);
            check(image.path(), lanes, &answered, counts)?;
            Ok(image)
        }
        Ending::Dropped => {
            let waiting: Vec<Vec<Answers>> = lanes
                .iter_mut()
                .map(|lane| submit_some(&store, lane, 6))
                .collect();
            // Everything that is queued is written before this is over.
            drop(store);
            for (lane, waiting) in lanes.iter_mut().zip(waiting) {
                hear_all(lane, waiting)?;
            }
            check_all(folder.path(), lanes, counts)?;
            Ok(folder)
        }
        Ending::Closed => {
            closed_while_working(&store, lanes)?;
            check_all(folder.path(), lanes, counts)?;
            Ok(folder)
        }
    }
}

fn one_by_one(store: &Store, lanes: &mut [Lane], dice: &mut Dice) -> Result<()> {
    for _ in 0..16 + dice.below(20) {
        let at = dice.below(lanes.len() as u64) as usize;
        let lane = &mut lanes[at];
        let answer = store.apply(lane.next());
        ensure!(lane.hear(&answer)?, "closed by nobody");
    }
    Ok(())
}

fn submit_some(store: &Store, lane: &mut Lane, count: usize) -> Vec<Answers> {
    let mut answers = Vec::new();
    for _ in 0..count {
        let (sender, receiver) = channel();
        store.submit(lane.next(), move |result| drop(sender.send(result)));
        answers.push(receiver);
    }
    answers
}

/// False once the store was closed before one of them.
fn hear_all(lane: &mut Lane, answers: Vec<Answers>) -> Result<bool> {
    let mut is_open = true;
    for answer in answers {
        let answer = answer.recv().context("an answer never came")?;
        let is_taken = lane_hears(lane, &answer, is_open)?;
        is_open = is_taken;
    }
    Ok(is_open)
}

fn lane_hears(lane: &mut Lane, answer: &Result<(), Error>, is_open: bool) -> Result<bool> {
    if is_open {
        return lane.hear(answer);
    }
    let is_closed = matches!(answer, Err(Error::Closed));
    ensure!(is_closed, "written after it was closed: {answer:?}");
    Ok(false)
}

/// Every lane submits from a thread of its own, several at once; meanwhile the files are copied.
fn copied_while_working(
    store: &Store,
    folder: &Path,
    lanes: &mut [Lane],
    dice: &mut Dice,
) -> Result<(TempDir, Vec<usize>)> {
    let wait = Duration::from_micros(dice.below(6_000));
    let progress: Vec<std::sync::atomic::AtomicUsize> = lanes
        .iter()
        .map(|lane| std::sync::atomic::AtomicUsize::new(lane.answered()))
        .collect();
    let order = std::sync::atomic::Ordering::SeqCst;
    std::thread::scope(|scope| {
        let working: Vec<_> = lanes
            .iter_mut()
            .zip(&progress)
            .map(|(lane, progress)| {
                scope.spawn(move || -> Result<()> {
                    for _ in 0..4 {
                        for answer in submit_some(store, lane, 5) {
                            let answer = answer.recv().context("an answer never came")?;
                            ensure!(lane.hear(&answer)?, "closed by nobody");
                            progress.store(lane.answered(), order);
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        std::thread::sleep(wait);
        // Noted before the copy: whatever was answered until now must be in it.
        let answered = progress.iter().map(|one| one.load(order)).collect();
        let image = copy(folder);
        for lane in working {
            lane.join()
                .map_err(|_| anyhow::anyhow!("a lane panicked"))??;
        }
        Ok((image?, answered))
    })
}

/// The database before its log, which only ever says more. When the log was moved into the database
/// meanwhile, the two are not of one instant, and it is done again.
fn copy(folder: &Path) -> Result<TempDir> {
    let (database, log) = (folder.join("holdfast.db"), folder.join("holdfast.db-wal"));
    loop {
        let image = memory_folder()?;
        let before = (log_header(&log)?, fs::metadata(&database)?.modified()?);
        fs::copy(&database, image.path().join("holdfast.db"))?;
        fs::copy(&log, image.path().join("holdfast.db-wal"))?;
        if before == (log_header(&log)?, fs::metadata(&database)?.modified()?) {
            return Ok(image);
        }
    }
}

fn log_header(log: &PathBuf) -> Result<Vec<u8>> {
    let mut bytes = fs::read(log)?;
    bytes.truncate(32);
    Ok(bytes)
}

/// Lanes submit while it is closed: a transition is there if it was answered well, and not at all if
/// it came too late.
fn closed_while_working(store: &Store, lanes: &mut [Lane]) -> Result<()> {
    std::thread::scope(|scope| {
        let working: Vec<_> = lanes
            .iter_mut()
            .map(|lane| {
                scope.spawn(move || -> Result<()> {
                    let waiting = submit_some(store, lane, 20);
                    hear_all(lane, waiting)?;
                    lane.forget_unanswered();
                    Ok(())
                })
            })
            .collect();
        store.close()?;
        for lane in working {
            lane.join()
                .map_err(|_| anyhow::anyhow!("a lane panicked"))??;
        }
        Ok(())
    })
}

fn check_all(folder: &Path, lanes: &mut [Lane], counts: &mut Counts) -> Result<()> {
    let answered: Vec<usize> = lanes.iter().map(Lane::answered).collect();
    check(folder, lanes, &answered, counts)
}

/// Looks with stock SQLite, before the store touches what was left.
pub(super) fn check(
    folder: &Path,
    lanes: &mut [Lane],
    answered: &[usize],
    counts: &mut Counts,
) -> Result<()> {
    let mut pictures = picture::of_database(&folder.join("holdfast.db"))?;
    for (lane, answered) in lanes.iter_mut().zip(answered) {
        let found = pictures.remove(&lane.session);
        lane.check(found.as_ref(), *answered, counts)?;
    }
    ensure!(pictures.is_empty(), "rows of nobody: {pictures:?}");
    Ok(())
}
