//! Random numbers that a seed fixes: the same ones on every machine.

/// A linear congruential generator.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1));
        dice.below(2);
        dice
    }

    /// A number below a bound; 0 where there is none.
    pub const fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        if bound == 0 {
            return 0;
        }
        (self.0 >> 33) % bound
    }

    /// True once in so many times.
    pub const fn is_one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    /// One of several; nothing of nothing.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let index = self.below(from.len() as u64);
        from.get(usize::try_from(index).unwrap_or_default())
    }
}
