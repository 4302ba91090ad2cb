//! Streams that no server should send: good ones with bytes and events changed, lost and repeated.

/// A stream with some of its events and bytes changed: the same for the same seed.
pub(crate) fn mangled(stream: &str, seed: u64) -> Vec<u8> {
    let mut dice = Dice::new(seed);
    let mut events: Vec<&str> = stream.split_inclusive("\n\n").collect();
    for _ in 0..dice.roll(4) {
        let (from, to) = (dice.roll(events.len()), dice.roll(events.len()));
        match dice.roll(3) {
            0 => events.swap(from, to),
            1 => events.insert(to, events[from]),
            _ => drop(events.remove(from)),
        }
    }
    let mut bytes = events.concat().into_bytes();
    for _ in 0..dice.roll(4) {
        let at = dice.roll(bytes.len());
        match dice.roll(3) {
            0 => bytes[at] = b"0\"{}[]:,\\x\xff-"[dice.roll(12)],
            1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, b"0\"{}[]:,\\x\xff-"[dice.roll(12)]),
        }
    }
    bytes
}

/// The same numbers for the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1))
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % sides.max(1)
    }
}
