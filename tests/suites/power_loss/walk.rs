//! One image after the other: a power cut after every operation of a record.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use testkit::evidence::{self, Counts, Fact, Loss};
use testkit::vfs::{Kept, Stage, content_hash};

use super::recorded::Recorded;
use super::taken_up;
use crate::suites::place::memory_folder;

/// As many as there are cores to count on.
const THREADS: usize = 2;
/// How often the dice say what is kept, after each operation.
const THROWS: usize = 4;
/// One image in so many is also opened by the app.
const TAKEN_UP: u64 = 100;
/// So many messages about losses are kept.
const TOLD: usize = 5;

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) images: u64,
    pub(super) lost: u64,
    pub(super) unreadable: u64,
    operations: u64,
    acknowledged: u64,
    taken_up: u64,
    in_doubt: u64,
    told: Vec<String>,
}

impl Found {
    pub(super) fn add(&mut self, other: Self) {
        self.images += other.images;
        self.lost += other.lost;
        self.unreadable += other.unreadable;
        self.operations += other.operations;
        self.acknowledged += other.acknowledged;
        self.taken_up += other.taken_up;
        self.in_doubt += other.in_doubt;
        self.told.extend(other.told);
    }

    pub(super) fn counts(&self, runs: u64) -> [(&'static str, u64); 8] {
        let repeated = self.told.iter().filter(|told| told.contains("I2:"));
        [
            ("runs", runs),
            ("operations", self.operations),
            ("images", self.images),
            ("taken up", self.taken_up),
            ("acknowledged", self.acknowledged),
            ("lost", self.lost + self.unreadable),
            ("repeated", repeated.count() as u64),
            ("in doubt", self.in_doubt),
        ]
    }

    pub(super) fn assert_nothing_lost(&self) {
        assert!(
            self.told.is_empty(),
            "{} of {} images lost something, {} cannot be read:\n{}",
            self.lost,
            self.images,
            self.unreadable,
            self.told.join("\n")
        );
    }
}

/// How far a walk goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Whole,
    Every(usize),
}

/// A walk through a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk<'r> {
    recorded: &'r Recorded,
    seed: u64,
}

impl<'r> Walk<'r> {
    pub(super) fn of(recorded: &'r Recorded, seed: u64) -> Self {
        Self { recorded, seed }
    }

    /// After every operation, with some images opened by the app; not much farther than to the
    /// first losses, of which there must be none.
    pub(super) fn whole(self) -> Result<Found> {
        self.walk(Manner::Whole)
    }

    /// After one operation in so many, whatever is lost.
    pub(super) fn every(self, stride: usize) -> Result<Found> {
        self.walk(Manner::Every(stride))
    }

    fn walk(self, manner: Manner) -> Result<Found> {
        let is_over = &AtomicBool::new(false);
        let mut whole = Found::default();
        std::thread::scope(|scope| {
            let parts: Vec<_> = (0..THREADS)
                .map(|part| scope.spawn(move || self.part(part, manner, is_over)))
                .collect();
            for part in parts {
                match part.join() {
                    Ok(found) => whole.add(found?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            anyhow::Ok(())
        })?;
        whole.told.truncate(TOLD);
        whole.operations = self.recorded.record.operations.len() as u64;
        Ok(whole)
    }

    fn part(self, part: usize, manner: Manner, is_over: &AtomicBool) -> Result<Found> {
        let stride = match manner {
            Manner::Whole => 1,
            Manner::Every(stride) => stride,
        };
        let folder = memory_folder()?;
        let mut stage = Stage::new(folder.path(), &self.recorded.record);
        let mut found = Found::default();
        let (mut seen, mut known) = (HashSet::new(), Known::new());
        let mut epoch = 0;
        loop {
            let position = stage.replay().position();
            if stage.replay().epoch() != epoch {
                epoch = stage.replay().epoch();
                seen.clear();
            }
            if position % (THREADS * stride) == part * stride {
                let facts = self.recorded.known(position);
                for kept in Kept::choices(THROWS, self.seed ^ (position as u64) << 8) {
                    let image = stage.replay().image(kept);
                    // The same files with nothing more acknowledged say nothing new.
                    if !seen.insert((image.fingerprint, facts.len())) {
                        continue;
                    }
                    stage.put(&image)?;
                    found.images += 1;
                    let at = || self.place(position, kept);
                    found.note(look(stage.folder(), facts, &mut known), at);
                    if manner == Manner::Whole && found.images % TAKEN_UP == 0 {
                        found.taken_up += 1;
                        let in_doubt = taken_up::check(&stage, self.recorded, facts);
                        found.in_doubt += found.told(in_doubt, at).unwrap_or(0);
                    }
                }
            }
            if manner == Manner::Whole && found.told.len() == TOLD {
                is_over.store(true, Ordering::Relaxed);
            }
            if is_over.load(Ordering::Relaxed) || !stage.advance()? {
                return Ok(found);
            }
        }
    }

    fn place(self, position: usize, kept: Kept) -> String {
        let operations = &self.recorded.record.operations;
        let last = position.checked_sub(1).map(|last| shown(&operations[last]));
        format!(
            "seed {}, a power cut after operation {position} of {} ({}), the disk kept {kept:?}",
            self.seed,
            operations.len(),
            last.unwrap_or_default()
        )
    }
}

fn shown(operation: &testkit::vfs::Operation) -> String {
    let text: String = format!("{operation:?}").chars().take(80).collect();
    text
}

impl Found {
    fn note(&mut self, looked: Looked, at: impl Fn() -> String) {
        match looked {
            Looked::Unreadable(error) => {
                self.unreadable += 1;
                self.tell(&at(), &error);
            }
            Looked::Lost(error) => {
                self.lost += 1;
                self.tell(&at(), &error);
            }
            Looked::Whole(counts) => {
                self.acknowledged = self.acknowledged.max(counts.acknowledged);
            }
        }
    }

    fn told<T>(&mut self, result: Result<T>, at: impl Fn() -> String) -> Option<T> {
        result
            .inspect_err(|error| {
                self.lost += 1;
                self.tell(&at(), &format!("{error:#}"));
            })
            .ok()
    }

    fn tell(&mut self, at: &str, error: &str) {
        if self.told.len() < TOLD {
            self.told.push(format!("{at}: {error}"));
        }
    }
}

/// What stock SQLite and the invariants say of an image.
#[derive(Debug, Clone)]
enum Looked {
    Whole(Counts),
    Lost(String),
    Unreadable(String),
}

/// What was said before of a content, with so many facts known. SQLite still opens every image and
/// reads every page of it; only what has the very bytes of one that was checked is not checked again.
type Known = HashMap<(blake3::Hash, usize), Looked>;

fn look(folder: &Path, facts: &[Fact], known: &mut Known) -> Looked {
    let opened = open(&folder.join("holdfast.db"));
    let content = opened.and_then(|database| Ok((content_hash(&database)?, database)));
    let (hash, database) = match content {
        Ok(content) => content,
        Err(error) => return Looked::Unreadable(format!("{error:#}")),
    };
    known
        .entry((hash, facts.len()))
        .or_insert_with(|| check(&database, facts))
        .clone()
}

fn check(database: &Connection, facts: &[Fact]) -> Looked {
    match evidence::check(database, facts, Loss::Power) {
        Ok(counts) => Looked::Whole(counts),
        Err(error) => {
            let said = database.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
            let is_sound = said.is_ok_and(|said: String| said == "ok");
            let error = format!("{error:#}");
            if is_sound {
                Looked::Lost(error)
            } else {
                Looked::Unreadable(error)
            }
        }
    }
}

/// Nothing but the log's index is written by whoever only looks: the image stays as it is.
#[expect(
    clippy::disallowed_methods,
    reason = "images are looked at from outside the store's door"
)]
pub(super) fn open(database: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags).context("it cannot be opened")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}
