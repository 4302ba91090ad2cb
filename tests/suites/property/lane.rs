//! One session on its way through a life of the store: what was asked for it, what was predicted, and
//! what was answered.

use anyhow::{Result, bail, ensure};
use store::{Error, Sync, Transition};
use testkit::Dice;

use super::act::Act;
use super::invent;
use super::model::{Model, Refusal};
use super::picture::{self, Picture};

/// A transition that was asked for.
#[derive(Debug)]
struct Asked {
    number: u64,
    acts: Vec<Act>,
    predicted: Result<(), Refusal>,
}

/// A session, its model, and what happened since the store was opened.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) session: u32,
    dice: Dice,
    /// As it was when the store was opened.
    before: Model,
    /// As it is when everything that was asked for is written.
    model: Model,
    asked: Vec<Asked>,
    /// How many of those were answered.
    answered: usize,
    /// The number of the next transition; they are never used again.
    next: u64,
}

/// What the answers of a lane came to.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counts {
    pub(super) acknowledged: u64,
    pub(super) refused: u64,
    /// Crashes.
    pub(super) crashes: u64,
    /// Not acknowledged, and there all the same.
    pub(super) unacknowledged: u64,
}

impl Lane {
    pub(super) fn new(session: u32, seed: u64) -> Self {
        Self {
            session,
            dice: Dice::new(seed ^ (u64::from(session) << 48)),
            before: Model::default(),
            model: Model::default(),
            asked: Vec::new(),
            answered: 0,
            next: 1,
        }
    }

    /// The next transition to ask for.
    pub(super) fn next(&mut self) -> Transition {
        let number = self.next;
        self.next += 1;
        let acts = invent::transition(&self.model, &mut self.dice, number);
        let predicted = self.model.transition(&acts, number);
        let changes = acts.iter().map(|act| act.change(self.session, number));
        let changes = changes.collect();
        let sync = if self.dice.is_one_in(3) {
            Sync::Relaxed
        } else {
            Sync::Barrier
        };
        self.asked.push(Asked {
            number,
            acts,
            predicted,
        });
        Transition { sync, changes }
    }

    /// The answer to the first transition that has none. False once the store was closed before it.
    pub(super) fn hear(&mut self, answer: &Result<(), Error>) -> Result<bool> {
        let Some(asked) = self.asked.get(self.answered) else {
            bail!("an answer to nothing: {answer:?}")
        };
        let is_right = match (answer, asked.predicted) {
            (Err(Error::Closed), _) => return Ok(false),
            (Ok(()), Ok(())) => true,
            (Err(Error::Conflict(_)), Err(Refusal::Conflict)) => true,
            (Err(Error::IllegalMove(_)), Err(Refusal::Illegal)) => true,
            _ => false,
        };
        ensure!(
            is_right,
            "session {}: predicted {:?}, answered {answer:?}, to\n{}",
            self.session,
            asked.predicted,
            self.last_words(self.answered)
        );
        self.answered += 1;
        Ok(true)
    }

    /// How many were answered up to now: all of those must outlive a crash that comes later.
    pub(super) const fn answered(&self) -> usize {
        self.answered
    }

    /// So many were answered, elsewhere and as predicted.
    pub(super) const fn assume_answered(&mut self, count: usize) {
        self.answered = count;
    }

    /// What was asked for and is not answered never will be: the store was closed before.
    pub(super) fn forget_unanswered(&mut self) {
        self.asked.truncate(self.answered);
        self.model = self.at(self.answered);
    }

    fn at(&self, count: usize) -> Model {
        let mut model = self.before.clone();
        for asked in &self.asked[..count] {
            // Refused as predicted, and so it changed nothing.
            let _same: Result<(), Refusal> = model.transition(&asked.acts, asked.number);
        }
        model
    }

    /// Compares what a crash left with what must be there: the first `at_least` transitions, and of
    /// the others the first so many, each whole. The lane goes on from there.
    pub(super) fn check(
        &mut self,
        found: Option<&Picture>,
        at_least: usize,
        counts: &mut Counts,
    ) -> Result<()> {
        let nothing = Picture::new();
        let found = found.unwrap_or(&nothing);
        let mut model = self.at(at_least);
        let mut is_found = picture::of_model(&model, self.session) == *found;
        for asked in &self.asked[at_least..] {
            if is_found {
                break;
            }
            if model.transition(&asked.acts, asked.number).is_ok() {
                is_found = picture::of_model(&model, self.session) == *found;
                counts.unacknowledged += 1;
            }
        }
        if !is_found {
            let must = picture::of_model(&self.at(at_least), self.session);
            bail!(
                "session {}: {} were answered, {} asked for, and what is there is no such state\n\
                 missing: {:#?}\nunexpected: {:#?}\n{}",
                self.session,
                at_least,
                self.asked.len(),
                must.difference(found).collect::<Vec<_>>(),
                found.difference(&must).collect::<Vec<_>>(),
                self.last_words(at_least)
            )
        }
        for asked in &self.asked[..self.answered] {
            match asked.predicted {
                Ok(()) => counts.acknowledged += 1,
                Err(_) => counts.refused += 1,
            }
        }
        self.before = model.clone();
        self.model = model;
        self.asked.clear();
        self.answered = 0;
        Ok(())
    }

    /// The transitions around one, for whoever has to find out.
    fn last_words(&self, around: usize) -> String {
        let from = around.saturating_sub(6);
        let to = (around + 2).min(self.asked.len());
        let shown = self.asked[from..to].iter();
        let lines =
            shown.map(|one| format!("  {} {:?}: {:?}", one.number, one.predicted, one.acts));
        lines.collect::<Vec<_>>().join("\n")
    }
}
