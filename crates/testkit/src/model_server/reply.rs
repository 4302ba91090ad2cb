//! A reply as a test describes it.

use std::time::Duration;

use serde_json::{Value, json};

use super::pieces;

/// What the server answers. Built from the beginning to the end: what is added later is said
/// later.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) content: Content,
    /// The pause before each piece.
    pub(super) pace: Duration,
    /// What goes wrong, and after how many pieces.
    pub(super) fault: Option<(usize, Fault)>,
}

/// What is sent.
#[derive(Debug, Clone)]
pub(super) enum Content {
    /// Events, one piece each.
    Stream(Stream),
    /// A body as it is.
    Whole(String),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Stream {
    /// The data of events, up to the end.
    pub(super) events: Vec<String>,
    /// How many calls there are, for their numbers.
    pub(super) call_count: usize,
    /// Why it ends; by itself that follows from whether there are calls.
    pub(super) finish: Option<String>,
    /// What it cost; nothing if that is not said.
    pub(super) usage: Option<Value>,
    /// Whether the end is as it should be, or left out.
    pub(super) has_end: bool,
}

/// What can go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The connection is closed.
    CutOff,
    /// Nothing more comes until it is released, or the client leaves.
    Hang,
    /// An event that is no JSON; the rest follows.
    Malformed,
}

impl Reply {
    /// Text, a word at a time.
    pub fn text(text: &str) -> Self {
        Self::nothing().then_text(text)
    }

    /// Tool calls: id, tool, arguments. Arguments are sent as they are, so they may be malformed,
    /// and ids may repeat.
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) -> Self {
        Self::nothing().then_calls(calls)
    }

    /// A good reply that says nothing at all.
    pub fn nothing() -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            content: Content::Stream(Stream {
                usage: Some(json!({"prompt_tokens": 7, "completion_tokens": 3})),
                has_end: true,
                ..Stream::default()
            }),
            pace: Duration::ZERO,
            fault: None,
        }
    }

    /// Text of so many bytes, in pieces of some kilobytes.
    pub fn huge(bytes: usize) -> Self {
        Self::nothing().with_events(pieces::huge(bytes))
    }

    /// These events as they are, and nothing else: no finish reason, no usage, no `[DONE]`.
    pub fn events<'a>(events: impl IntoIterator<Item = &'a str>) -> Self {
        let reply = Self::nothing().with_events(events.into_iter().map(str::to_owned).collect());
        reply.with_stream(|stream| stream.has_end = false)
    }

    /// An error with its status and body.
    pub fn error(status: u16, body: &Value) -> Self {
        Self {
            status,
            content: Content::Whole(body.to_string()),
            ..Self::nothing()
        }
    }

    /// A body as it is instead of a stream.
    pub fn body(status: u16, content_type: &str, body: &str) -> Self {
        let reply = Self {
            status,
            content: Content::Whole(body.to_owned()),
            ..Self::nothing()
        };
        reply.header("content-type", content_type)
    }

    /// Then this text.
    #[must_use]
    pub fn then_text(self, text: &str) -> Self {
        self.with_events(pieces::text("content", text))
    }

    /// Then this thought.
    #[must_use]
    pub fn then_reasoning(self, text: &str) -> Self {
        self.with_events(pieces::text("reasoning_content", text))
    }

    /// Then these calls.
    #[must_use]
    pub fn then_calls<'a>(
        self,
        calls: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>,
    ) -> Self {
        self.with_stream(|stream| {
            for (id, tool, arguments) in calls {
                let events = pieces::call(stream.call_count, id, tool, arguments);
                stream.events.extend(events);
                stream.call_count += 1;
            }
        })
    }

    /// Ends for this reason.
    #[must_use]
    pub fn finish(self, reason: &str) -> Self {
        self.with_stream(|stream| stream.finish = Some(reason.to_owned()))
    }

    /// Says that it cost this: tokens in, tokens out, tokens from the cache.
    #[must_use]
    pub fn usage(self, input: u64, output: u64, cached: u64) -> Self {
        self.with_stream(|stream| {
            stream.usage = Some(json!({
                "prompt_tokens": input,
                "completion_tokens": output,
                "prompt_tokens_details": {"cached_tokens": cached},
            }));
        })
    }

    /// Does not say what it cost.
    #[must_use]
    pub fn without_usage(self) -> Self {
        self.with_stream(|stream| stream.usage = None)
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Waits so long before each piece.
    #[must_use]
    pub fn pace(mut self, pause: Duration) -> Self {
        self.pace = pause;
        self
    }

    /// Closes the connection after so many pieces; 0 closes it without any answer.
    #[must_use]
    pub fn cut_off_after(self, pieces: usize) -> Self {
        self.with_fault(pieces, Fault::CutOff)
    }

    /// Says nothing more after so many pieces, until [`super::ModelServer::release`].
    #[must_use]
    pub fn hang_after(self, pieces: usize) -> Self {
        self.with_fault(pieces, Fault::Hang)
    }

    /// Sends something that is no JSON after so many pieces.
    #[must_use]
    pub fn malformed_after(self, pieces: usize) -> Self {
        self.with_fault(pieces, Fault::Malformed)
    }

    /// How many pieces it has, the end included.
    pub fn piece_count(&self) -> usize {
        pieces::of(&self.content).len()
    }

    fn with_fault(mut self, pieces: usize, fault: Fault) -> Self {
        self.fault = Some((pieces, fault));
        self
    }

    fn with_events(self, events: Vec<String>) -> Self {
        self.with_stream(|stream| stream.events.extend(events))
    }

    fn with_stream(mut self, change: impl FnOnce(&mut Stream)) -> Self {
        if let Content::Stream(stream) = &mut self.content {
            change(stream);
        }
        self
    }
}
