//! Images as files: what is durable lies in a folder, and an image is laid over it and taken off.
//!
//! Writing a whole image costs its size; between two images of one record little changes, so only
//! that is written. The folder should be on a disk in memory.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::image::Image;
use super::record::{FileId, Record};
use super::replay::{Change, Replay};

/// A folder with the durable files of a record.
#[derive(Debug)]
pub struct Stage<'r> {
    folder: PathBuf,
    replay: Replay<'r>,
    placed: BTreeMap<String, Placed>,
}

#[derive(Debug)]
struct Placed {
    id: FileId,
    file: File,
    /// Where it is not as it is on disk for sure.
    dirty: Vec<(u64, u64)>,
    is_resized: bool,
}

impl<'r> Stage<'r> {
    /// At the beginning of a record, in a folder that is empty and is for this alone.
    pub fn new(folder: &Path, record: &'r Record) -> Self {
        Self {
            folder: folder.to_path_buf(),
            replay: Replay::new(record),
            placed: BTreeMap::new(),
        }
    }

    /// Where the walk is.
    pub fn replay(&self) -> &Replay<'r> {
        &self.replay
    }

    /// Where the files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the next operation. False at the end.
    pub fn advance(&mut self) -> io::Result<bool> {
        let is_there = self.replay.next_operation().is_some();
        if let Some(settled) = self.replay.step() {
            for placed in self.placed.values_mut() {
                if placed.id == settled.file {
                    for change in &settled.changes {
                        placed.apply(*change)?;
                    }
                    placed.dirty.clear();
                    placed.is_resized = false;
                }
            }
        }
        Ok(is_there)
    }

    /// Lays an image over what is durable. Whoever looks at it may leave files behind, and must not
    /// change the ones of the image.
    pub fn put(&mut self, image: &Image<'r>) -> io::Result<()> {
        self.take_off(image)?;
        for wanted in &image.files {
            let placed = match self.placed.get_mut(wanted.name) {
                Some(placed) => placed,
                None => {
                    let durable = &self.replay.state(wanted.file).durable;
                    let path = self.folder.join(wanted.name);
                    let placed = Placed::new(&path, wanted.file, durable)?;
                    self.placed
                        .entry(wanted.name.to_owned())
                        .insert_entry(placed)
                        .into_mut()
                }
            };
            for change in &wanted.changes {
                placed.apply(*change)?;
            }
        }
        Ok(())
    }

    /// Takes off what the last image had laid over, and what whoever looked at it left.
    fn take_off(&mut self, next: &Image<'r>) -> io::Result<()> {
        let is_wanted = |name: &str, id| {
            let mut files = next.files.iter();
            files.any(|file| file.name == name && file.file == id)
        };
        self.placed
            .retain(|name, placed| is_wanted(name, placed.id));
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if !self.placed.contains_key(&*name.to_string_lossy()) {
                fs::remove_file(entry.path())?;
            }
        }
        for placed in self.placed.values_mut() {
            placed.restore(&self.replay.state(placed.id).durable)?;
        }
        Ok(())
    }
}

impl Placed {
    fn new(path: &Path, id: FileId, content: &[u8]) -> io::Result<Self> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)?;
        file.write_all_at(content, 0)?;
        Ok(Self {
            id,
            file,
            dirty: Vec::new(),
            is_resized: false,
        })
    }

    fn apply(&mut self, change: Change<'_>) -> io::Result<()> {
        match change {
            Change::Write { offset, bytes } => {
                self.dirty.push((offset, offset + bytes.len() as u64));
                self.file.write_all_at(bytes, offset)
            }
            Change::Resize { size } => {
                self.is_resized = true;
                self.file.set_len(size)
            }
            Change::Room { size } => {
                let found = self.file.metadata()?.len();
                self.dirty.push((found, size.max(found)));
                self.file.set_len(size.max(found))
            }
        }
    }

    fn restore(&mut self, durable: &[u8]) -> io::Result<()> {
        if self.is_resized {
            // Rare: a log that is cut back, a database that shrinks, room that a lost write left.
            self.file.write_all_at(durable, 0)?;
        } else {
            for (from, to) in &self.dirty {
                let to = (*to as usize).min(durable.len());
                let from = (*from as usize).min(to);
                self.file.write_all_at(&durable[from..to], from as u64)?;
            }
        }
        if self.is_resized || !self.dirty.is_empty() {
            self.file.set_len(durable.len() as u64)?;
        }
        self.dirty.clear();
        self.is_resized = false;
        Ok(())
    }
}
