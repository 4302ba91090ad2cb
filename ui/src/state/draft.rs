//! What is written and not sent.

/// The text in the composer of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) text: String,
    /// The key under which this very text was sent while its fate was not known: sent again under
    /// the same key it cannot become two messages.
    pub(crate) request_key: Option<String>,
    /// Whether an answer is awaited.
    pub(crate) is_sending: bool,
    /// Why the last try did not work.
    pub(crate) problem: Option<DraftProblem>,
}

/// Why a message could not be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DraftProblem {
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Draft {
    /// Takes what the person typed: a changed text is a new message with a new key.
    pub(crate) fn set_text(&mut self, text: String) {
        if self.text != text {
            self.text = text;
            self.request_key = None;
            self.problem = None;
        }
    }
}
