//! What a reply cost.

use protocol::Usage;
use serde_json::Value;

/// The counts that were said. They are said at the start and again, counting up, at the end: what
/// comes later takes the place of what came before, and what is left out does not change.
#[derive(Debug, Default)]
pub(super) struct Counts {
    input: Option<u64>,
    cache_creation: Option<u64>,
    cache_read: Option<u64>,
    output: Option<u64>,
}

impl Counts {
    pub(super) fn note(&mut self, usage: &Value) {
        for (count, name) in [
            (&mut self.input, "input_tokens"),
            (&mut self.cache_creation, "cache_creation_input_tokens"),
            (&mut self.cache_read, "cache_read_input_tokens"),
            (&mut self.output, "output_tokens"),
        ] {
            *count = usage[name].as_u64().or(*count);
        }
    }

    /// What was read from the cache or written into it is not in the provider's count of the input.
    pub(super) fn usage(&self) -> Usage {
        let cached = self.cache_creation.unwrap_or(0);
        let cached = cached.saturating_add(self.cache_read.unwrap_or(0));
        Usage {
            input_tokens: self.input.map(|input| input.saturating_add(cached)),
            output_tokens: self.output,
            cached_tokens: self.cache_read,
            cache_write_tokens: self.cache_creation,
            cost_microusd: None,
        }
    }
}
