//! The ways of speaking that the server knows. Which one it is asked in is seen by the address.

/// A way of speaking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Chat Completions.
    ChatCompletions,
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    Responses,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::ChatCompletions, Self::Anthropic, Self::Responses];

    /// The one that is spoken at an address, if there is one.
    pub(super) fn at(path: &str) -> Option<Self> {
        let is_at = |dialect: &Self| path.ends_with(dialect.path());
        Self::ALL.into_iter().find(is_at)
    }

    const fn path(self) -> &'static str {
        match self {
            Self::ChatCompletions => "/chat/completions",
            Self::Anthropic => "/messages",
            Self::Responses => "/responses",
        }
    }
}
