//! The one place where ids are made.

use std::sync::Mutex;

use rand::Rng;
use uuid::{Builder, Uuid};

/// Makes ids. Given to the engine, so that a test can choose them.
pub trait Ids: std::fmt::Debug + Send + Sync + 'static {
    /// A fresh UUIDv7 for this time.
    fn next(&self, now_ms: u64) -> Uuid;
}

/// Ids that sort by the time they were made in, within a process also inside a millisecond.
#[derive(Debug, Default)]
pub struct RandomIds {
    last: Mutex<(u64, u16)>,
}

/// Twelve bits of a UUIDv7 follow its time; they count here.
const COUNTER_MAX: u16 = 0x0fff;

impl Ids for RandomIds {
    fn next(&self, now_ms: u64) -> Uuid {
        let (at_ms, counter) = self.tick(now_ms);
        let mut random = [0_u8; 10];
        rand::rng().fill_bytes(&mut random);
        let [high, low] = counter.to_be_bytes();
        random[0] = high;
        random[1] = low;
        Builder::from_unix_timestamp_millis(at_ms, &random).into_uuid()
    }
}

impl RandomIds {
    /// Never goes back, also when the clock does.
    fn tick(&self, now_ms: u64) -> (u64, u16) {
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *last = match *last {
            (at_ms, _) if now_ms > at_ms => (now_ms, 0),
            (at_ms, COUNTER_MAX) => (at_ms + 1, 0),
            (at_ms, counter) => (at_ms, counter + 1),
        };
        *last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_in_the_order_they_were_made_even_when_the_clock_jumps_back() {
        let ids = RandomIds::default();
        let mut made = Vec::new();
        for round in 0..10_000_u64 {
            let now_ms = if round < 5_000 {
                1_000_000
            } else {
                500 + round
            };
            made.push(ids.next(now_ms));
        }
        let mut sorted = made.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(made, sorted);
        assert_eq!(made[0].get_version_num(), 7);
    }
}
