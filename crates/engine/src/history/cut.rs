//! Where a history is cut in two: an older part that a summary takes the place of, and what is told
//! as it is.

use super::History;
use crate::model::RequestMessage;

/// The older part must be at least this part of all: a summary of less is no gain.
const LEAST: u64 = 10;

/// The newest messages may be this part of it.
const TAIL: u64 = 4;

/// The older part of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The last message of it.
    pub(crate) position: u64,
    pub(crate) branch: u32,
    /// The person's newest message, if it is in it: it is told as it is all the same.
    pub(crate) kept: Option<u64>,
    /// All that it tells.
    pub(crate) told: Vec<RequestMessage>,
    /// What that weighs.
    pub(crate) weight: u64,
}

impl History {
    /// Everything but the newest messages, as many of those as weigh no more than `tail`; the newest
    /// one always stays. A call is never parted from its result, because both belong to one
    /// message. Nothing where there is nothing older, or too little of it.
    pub(crate) fn cut(&self, tail: u64) -> Option<Cut> {
        let first = self.first_of_tail(tail);
        let (older, newer) = self.marks.split_at(first);
        let last = older.last()?;
        if self
            .summarised
            .is_some_and(|(position, _)| last.position <= position)
        {
            return None;
        }
        let end = newer.first().map_or(self.told.len(), |mark| mark.start);
        let weight: u64 = self.weights[..end].iter().sum();
        let all: u64 = self.weights.iter().sum();
        if weight < all / LEAST {
            return None;
        }
        let is_told = newer.iter().any(|mark| mark.is_user);
        let asked = older.iter().rfind(|mark| mark.is_user);
        Some(Cut {
            position: last.position,
            branch: last.branch,
            kept: asked.filter(|_| !is_told).map(|mark| mark.position),
            told: self.told[..end].to_vec(),
            weight,
        })
    }

    /// How much of it stays as it is, for a model that may be asked so much.
    pub(crate) fn tail(&self, most: Option<u64>) -> u64 {
        most.unwrap_or(u64::MAX).min(self.weight()) / TAIL
    }

    /// Whether there is an older part that a summary can take the place of.
    pub(crate) fn can_be_cut(&self, most: Option<u64>) -> bool {
        self.cut(self.tail(most)).is_some()
    }

    /// What all of it weighs.
    pub(crate) fn weight(&self) -> u64 {
        self.weights.iter().sum()
    }

    fn first_of_tail(&self, tail: u64) -> usize {
        let mut end = self.told.len();
        let (mut first, mut weight) = (self.marks.len(), 0);
        for (index, mark) in self.marks.iter().enumerate().rev() {
            weight += self.weights[mark.start..end].iter().sum::<u64>();
            if weight > tail && first < self.marks.len() {
                break;
            }
            (first, end) = (index, mark.start);
        }
        first
    }
}
