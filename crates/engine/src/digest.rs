//! What a decision is bound to: the hash of exactly what would run.

#[cfg(test)]
mod tests;

use protocol::{CallId, EffectClass};

/// Everything that must not differ between what was shown and what is started.
#[derive(Debug)]
pub(crate) struct Bound<'a> {
    pub(crate) call_id: CallId,
    pub(crate) tool: &'a str,
    pub(crate) tool_hash: [u8; 32],
    pub(crate) arguments: &'a str,
    pub(crate) effect: EffectClass,
    pub(crate) workspace: &'a str,
    pub(crate) binding: &'a [u8],
}

impl Bound<'_> {
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("holdfast approval digest 1");
        let call_id = self.call_id.uuid();
        let parts: [&[u8]; 7] = [
            call_id.as_bytes(),
            self.tool.as_bytes(),
            &self.tool_hash,
            self.arguments.as_bytes(),
            self.effect.as_str().as_bytes(),
            self.workspace.as_bytes(),
            self.binding,
        ];
        for part in parts {
            // Lengths keep the parts apart: nothing can move from one into the next.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.finalize().into()
    }
}

pub(crate) fn hex(digest: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*digest).to_hex().to_string()
}
