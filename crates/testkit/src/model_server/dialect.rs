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
    /// Ollama's own.
    Ollama,
    /// Gemini's own.
    Gemini,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::ChatCompletions,
        Self::Anthropic,
        Self::Responses,
        Self::Ollama,
        Self::Gemini,
    ];

    /// The same as a provider is told it.
    pub const fn told(self) -> protocol::Dialect {
        match self {
            Self::ChatCompletions => protocol::Dialect::ChatCompletions,
            Self::Anthropic => protocol::Dialect::Anthropic,
            Self::Responses => protocol::Dialect::Responses,
            Self::Ollama => protocol::Dialect::Ollama,
            Self::Gemini => protocol::Dialect::Gemini,
        }
    }

    /// What an address has before the path of this dialect.
    pub(super) const fn version(self) -> &'static str {
        match self {
            Self::ChatCompletions | Self::Anthropic | Self::Responses => "/v1",
            Self::Ollama => "",
            Self::Gemini => "/v1beta",
        }
    }

    /// The one that is spoken at an address, if there is one.
    pub(super) fn at(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        let is_at = |dialect: &Self| path.ends_with(dialect.path());
        Self::ALL.into_iter().find(is_at)
    }

    /// What kind of stream its replies are.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::ChatCompletions | Self::Anthropic | Self::Responses | Self::Gemini => {
                "text/event-stream"
            }
            Self::Ollama => "application/x-ndjson",
        }
    }

    /// Whether an event is a line of its own, without any words around it.
    pub(super) fn is_lines(self) -> bool {
        self == Self::Ollama
    }

    const fn path(self) -> &'static str {
        match self {
            Self::ChatCompletions => "/chat/completions",
            Self::Anthropic => "/messages",
            Self::Responses => "/responses",
            Self::Ollama => "/api/chat",
            Self::Gemini => ":streamGenerateContent",
        }
    }
}
