//! What a power cut could have left: what is durable, and some of what was on its way.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::record::FileId;
use super::replay::{Change, Replay};

/// A disk writes this much whole or not at all.
const SECTOR: u64 = 512;

/// Which of the changes that were not synced have reached the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kept {
    /// None.
    Nothing,
    /// All, as when only the process ends.
    Everything,
    /// All of the one file and none of the others: the disk reorders between files. The number
    /// chooses among the files that have such changes, and says nothing for others.
    OneFile(usize),
    /// Whatever these dice say: whole writes, or single sectors of them.
    Some(u64),
}

impl Kept {
    /// What is tried after one operation, with so many throws of the dice.
    pub fn choices(throws: usize, seed: u64) -> impl Iterator<Item = Self> {
        let mut dice = Dice(seed);
        [
            Self::Nothing,
            Self::Everything,
            Self::OneFile(0),
            Self::OneFile(1),
        ]
        .into_iter()
        .chain((0..throws).map(move |_| Self::Some(dice.next())))
    }
}

/// One state of the disk.
#[derive(Debug)]
pub struct Image<'r> {
    pub(super) files: Vec<ImageFile<'r>>,
    /// Two images of one record with the same number are the same.
    pub fingerprint: u64,
}

/// A file in it: what is durable, and then these changes.
#[derive(Debug, Hash)]
pub(super) struct ImageFile<'r> {
    pub(super) name: &'r str,
    pub(super) file: FileId,
    pub(super) changes: Vec<Change<'r>>,
}

impl<'r> Replay<'r> {
    /// What a power cut at this moment leaves if the disk kept just that.
    pub fn image(&self, kept: Kept) -> Image<'r> {
        let mut dice = Dice(match kept {
            Kept::Some(seed) => seed,
            Kept::Nothing | Kept::Everything | Kept::OneFile(_) => 0,
        });
        let names = self.names_after(match kept {
            Kept::Nothing => 0,
            Kept::Everything | Kept::OneFile(_) => self.pending_names(),
            Kept::Some(_) => dice.below(self.pending_names() + 1),
        });
        let manner = Manner::chosen(&mut dice);
        let mut with_pending = 0;
        let mut files = Vec::with_capacity(names.len());
        for (name, file) in names {
            let state = self.state(file);
            let changes = match kept {
                Kept::Nothing => Vec::new(),
                Kept::Everything => state.pending.clone(),
                Kept::OneFile(wanted) => {
                    let is_it = !state.pending.is_empty() && with_pending == wanted;
                    with_pending += usize::from(!state.pending.is_empty());
                    if is_it {
                        state.pending.clone()
                    } else {
                        Vec::new()
                    }
                }
                Kept::Some(_) => manner.survivors(&state.pending, &mut dice),
            };
            files.push(ImageFile {
                name,
                file,
                changes,
            });
        }
        let fingerprint = self.fingerprint(&files);
        Image { files, fingerprint }
    }

    fn fingerprint(&self, files: &[ImageFile<'r>]) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.epoch().hash(&mut hasher);
        for file in files {
            (file.name, file.file).hash(&mut hasher);
            for change in &file.changes {
                match change {
                    // The bytes of a record stay where they are, so their place tells them apart.
                    Change::Write { offset, bytes } => {
                        (offset, bytes.as_ptr().addr(), bytes.len()).hash(&mut hasher);
                    }
                    Change::Resize { size } => (0, size).hash(&mut hasher),
                    Change::Room { size } => (1, size).hash(&mut hasher),
                }
            }
        }
        hasher.finish()
    }
}

/// How one throw treats what was not synced.
#[derive(Debug, Clone, Copy)]
struct Manner {
    /// Of 256 writes so many are kept whole.
    whole: u64,
    /// Of 256 others so many are torn: each sector for itself.
    torn: u64,
    /// Whether a lost write leaves its room behind, filled with zeros.
    leaves_room: bool,
    /// Whether everything but the last write is kept: a cut in the middle of it.
    only_last: bool,
}

impl Manner {
    fn chosen(dice: &mut Dice) -> Self {
        let (whole, torn) = match dice.below(4) {
            0 => (128, 0),
            1 => (0, 256),
            2 => (96, 96),
            _ => (208, 128),
        };
        Self {
            whole,
            torn,
            leaves_room: dice.below(4) == 0,
            only_last: dice.below(4) == 0,
        }
    }

    fn survivors<'r>(self, pending: &[Change<'r>], dice: &mut Dice) -> Vec<Change<'r>> {
        let mut kept = Vec::with_capacity(pending.len());
        let last = pending.len().saturating_sub(1);
        for (place, change) in pending.iter().enumerate() {
            let is_certain = self.only_last && place != last;
            let is_whole = is_certain || (dice.next() & 255) < self.whole;
            match *change {
                _ if is_whole => kept.push(*change),
                Change::Resize { .. } | Change::Room { .. } => {}
                Change::Write { offset, bytes } => {
                    if self.leaves_room {
                        kept.push(Change::Room {
                            size: offset + bytes.len() as u64,
                        });
                    }
                    if (dice.next() & 255) < self.torn {
                        tear(offset, bytes, dice, &mut kept);
                    }
                }
            }
        }
        kept
    }
}

/// Keeps some sectors of a write.
fn tear<'r>(offset: u64, bytes: &'r [u8], dice: &mut Dice, kept: &mut Vec<Change<'r>>) {
    let end = offset + bytes.len() as u64;
    let mut from = offset;
    while from < end {
        let to = ((from / SECTOR + 1) * SECTOR).min(end);
        let (first, behind) = ((from - offset) as usize, (to - offset) as usize);
        if dice.below(2) == 0 {
            kept.push(Change::Write {
                offset: from,
                bytes: &bytes[first..behind],
            });
        }
        from = to;
    }
}

/// Numbers that look random and are the same in every run.
#[derive(Debug, Clone)]
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, sides: usize) -> usize {
        (self.next() % sides.max(1) as u64) as usize
    }
}
