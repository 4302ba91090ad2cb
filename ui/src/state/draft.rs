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

    /// What is left once `sent` is on disk: whatever was typed while that was not known yet.
    pub(crate) fn without(&self, sent: &str) -> Self {
        let rest = self.text.strip_prefix(sent).unwrap_or(&self.text);
        Self {
            text: rest.to_owned(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Draft;

    fn left(typed: &str, sent: &str) -> String {
        let draft = Draft {
            text: typed.to_owned(),
            is_sending: true,
            ..Draft::default()
        };
        let left = draft.without(sent);
        assert!(!left.is_sending && left.request_key.is_none());
        left.text
    }

    #[test]
    fn what_is_typed_while_a_message_is_on_its_way_stays() {
        assert_eq!(left("One", "One"), "");
        assert_eq!(left("OneTwo", "One"), "Two");
        assert_eq!(left("Something else", "One"), "Something else");
        assert_eq!(left("", "One"), "");
    }
}
