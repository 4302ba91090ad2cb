//! Puts the messages of a channel back in order: large ones overtake nobody in the end.

use std::collections::BTreeMap;

/// What a channel delivers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Numbered<T> {
    Message(T),
    /// The other side let go of the channel.
    End,
}

/// Holds what came early until what belongs before it has come.
#[derive(Debug)]
pub(crate) struct Ordering<T> {
    next: u64,
    early: BTreeMap<u64, Numbered<T>>,
}

impl<T> Ordering<T> {
    pub(crate) const fn new() -> Self {
        Self {
            next: 0,
            early: BTreeMap::new(),
        }
    }

    /// Takes one and gives all that are now in order.
    pub(crate) fn take(&mut self, index: u64, numbered: Numbered<T>) -> Vec<Numbered<T>> {
        if index >= self.next {
            self.early.insert(index, numbered);
        }
        let mut ready = Vec::new();
        while let Some(numbered) = self.early.remove(&self.next) {
            self.next += 1;
            ready.push(numbered);
        }
        ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivered(arrivals: &[(u64, Numbered<char>)]) -> Vec<Numbered<char>> {
        let mut ordering = Ordering::new();
        arrivals
            .iter()
            .flat_map(|(index, numbered)| ordering.take(*index, numbered.clone()))
            .collect()
    }

    #[test]
    fn messages_leave_in_the_order_of_their_numbers() {
        use Numbered::{End, Message};
        let wanted = [Message('a'), Message('b'), Message('c'), End];
        let arrivals = [
            (2, Message('c')),
            (3, End),
            (0, Message('a')),
            (1, Message('b')),
        ];
        assert_eq!(delivered(&arrivals), wanted);
    }

    #[test]
    fn a_number_that_was_seen_is_dropped() {
        use Numbered::Message;
        let arrivals = [(0, Message('a')), (0, Message('x')), (1, Message('b'))];
        assert_eq!(delivered(&arrivals), [Message('a'), Message('b')]);
    }
}
