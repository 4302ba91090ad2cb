//! The rhythm of speech: words, pauses, and a small random generator that a seed fixes.

use std::time::Duration;

/// A text in pieces of a word each, with the space that follows: together they are the text.
pub(super) fn pieces(text: &str) -> Vec<String> {
    text.split_inclusive(char::is_whitespace)
        .map(str::to_owned)
        .collect()
}

/// Longer at the end of a sentence, longest at the end of a paragraph.
pub(super) fn pause_after(piece: &str, word_pause: Duration, random: &mut Random) -> Duration {
    let weight = match piece.trim_end().chars().last() {
        Some('.' | '!' | '?' | ':') => 4,
        Some(',' | ';' | '–') => 2,
        Some(_) => 1,
        None => 3,
    };
    // Between half and one and a half of the middle pause.
    let percent = 50 + u32::try_from(random.below(101)).unwrap_or(50);
    word_pause * weight * percent / 100
}

/// SplitMix64: tiny, well spread, and the same on every machine.
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number from a text, so that different questions differ under one seed (FNV-1a).
    pub(super) fn hash(text: &str) -> u64 {
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// A number below `bound`, which is not zero.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn pieces_are_the_text() {
        for text in ["", "one", "one two\n\n- three  four\n", " é ü "] {
            assert_eq!(pieces(text).concat(), text);
        }
    }
}
