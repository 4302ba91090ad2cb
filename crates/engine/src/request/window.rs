//! How much of a model's window a request may take.

use protocol::ModelInfo;

/// Where a window counts as full, in hundredths: an estimate must have room to be wrong.
const FULL: u64 = 85;
/// What is left for a reply where nobody says how long one may be.
const REPLY: u64 = 4 * 1024;

/// How many tokens a request may have; nothing where nobody says how much the model can hold.
pub(crate) fn most(info: &ModelInfo) -> Option<u64> {
    let window = info.context_tokens.filter(|tokens| *tokens > 0)?;
    // A reply that may be as long as the window would leave nothing to be asked.
    let reply = match info.max_output_tokens {
        Some(longest) => longest.min(window / 2),
        None => REPLY.min(window / 4),
    };
    let full = window.saturating_mul(FULL) / 100;
    Some(full.min(window - reply))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_leaves_room_for_its_reply() {
        let info = |context_tokens, max_output_tokens| ModelInfo {
            context_tokens,
            max_output_tokens,
            ..ModelInfo::new("m", "M")
        };
        for (window, reply, expected) in [
            (None, None, None),
            (None, Some(100), None),
            (Some(0), None, None),
            (Some(4_096), None, Some(3_072)),
            (Some(100_000), None, Some(85_000)),
            (Some(100_000), Some(20_000), Some(80_000)),
            (Some(100_000), Some(100_000), Some(50_000)),
            (Some(u64::MAX), None, Some(u64::MAX / 100)),
        ] {
            assert_eq!(most(&info(window, reply)), expected, "{window:?} {reply:?}");
        }
    }
}
