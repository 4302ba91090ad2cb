//! A reply as a test describes it.

use std::time::Duration;

use serde_json::Value;

use super::dialect::Dialect;
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

/// A part of a reply.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// Text, in pieces.
    Text(Vec<String>),
    /// A thought, in pieces.
    Reasoning(Vec<String>),
    /// A tool call.
    Call {
        id: String,
        tool: String,
        arguments: String,
    },
    /// The data of an event, as it is.
    Raw(String),
}

/// What a reply cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) cached: Option<u64>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Stream {
    /// What it says, up to the end.
    pub(super) parts: Vec<Part>,
    /// Why it ends; by itself that follows from whether there are calls.
    pub(super) finish: Option<String>,
    /// What it cost; nothing if that is not said.
    pub(super) usage: Option<Cost>,
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
                usage: Some(Cost {
                    input: 7,
                    output: 3,
                    cached: None,
                }),
                has_end: true,
                ..Stream::default()
            }),
            pace: Duration::ZERO,
            fault: None,
        }
    }

    /// Text of so many bytes, in pieces of some kilobytes.
    pub fn huge(bytes: usize) -> Self {
        Self::nothing().with_part(Part::Text(pieces::huge(bytes)))
    }

    /// These events as they are, and nothing else: no beginning and no end.
    pub fn events<'a>(events: impl IntoIterator<Item = &'a str>) -> Self {
        Self::nothing().then_events(events).without_end()
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
        self.with_part(Part::Text(pieces::words(text)))
    }

    /// Then this thought.
    #[must_use]
    pub fn then_reasoning(self, text: &str) -> Self {
        self.with_part(Part::Reasoning(pieces::words(text)))
    }

    /// Then these calls.
    #[must_use]
    pub fn then_calls<'a>(
        self,
        calls: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>,
    ) -> Self {
        self.with_stream(|stream| {
            stream
                .parts
                .extend(calls.into_iter().map(|(id, tool, arguments)| Part::Call {
                    id: id.to_owned(),
                    tool: tool.to_owned(),
                    arguments: arguments.to_owned(),
                }));
        })
    }

    /// Then these events, as they are.
    #[must_use]
    pub fn then_events<'a>(self, events: impl IntoIterator<Item = &'a str>) -> Self {
        let events = events.into_iter().map(|event| Part::Raw(event.to_owned()));
        self.with_stream(|stream| stream.parts.extend(events))
    }

    /// Leaves out the beginning and the end that a dialect has.
    #[must_use]
    pub fn without_end(self) -> Self {
        self.with_stream(|stream| stream.has_end = false)
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
            stream.usage = Some(Cost {
                input,
                output,
                cached: Some(cached),
            });
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

    /// How many pieces it has in Chat Completions, the end included.
    pub fn piece_count(&self) -> usize {
        self.piece_count_in(Dialect::ChatCompletions)
    }

    /// How many pieces it has in a dialect, the end included.
    pub fn piece_count_in(&self, dialect: Dialect) -> usize {
        match &self.content {
            Content::Stream(stream) => pieces::of(stream, dialect).len(),
            Content::Whole(_) => 0,
        }
    }

    /// All of it as it is on the wire in a dialect, for a test that cuts it at any byte.
    pub fn body_in(&self, dialect: Dialect) -> String {
        match &self.content {
            Content::Stream(stream) => {
                let events = pieces::of(stream, dialect);
                let framed = events.iter().map(|event| pieces::framed(event, dialect));
                framed.collect()
            }
            Content::Whole(body) => body.clone(),
        }
    }

    fn with_fault(mut self, pieces: usize, fault: Fault) -> Self {
        self.fault = Some((pieces, fault));
        self
    }

    fn with_part(self, part: Part) -> Self {
        self.with_stream(|stream| stream.parts.push(part))
    }

    fn with_stream(mut self, change: impl FnOnce(&mut Stream)) -> Self {
        if let Content::Stream(stream) = &mut self.content {
            change(stream);
        }
        self
    }
}
