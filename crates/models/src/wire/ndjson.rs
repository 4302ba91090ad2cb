//! One JSON value a line, with a maximum size.

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, stream};

use super::FrameError;

/// The lines of a stream. A line is text only when all of it is there, so it may be cut anywhere on
/// its way; empty ones are no values. The last line needs no end: whether it is whole is for whoever
/// reads the value to say.
pub(super) fn lines<E>(
    bytes: impl Stream<Item = Result<Bytes, E>>,
    largest: usize,
) -> impl Stream<Item = Result<String, FrameError<E>>> {
    let reader = Some(Reader {
        bytes: Box::pin(bytes),
        lines: Lines::new(largest),
    });
    stream::unfold(reader, async |reader| {
        let mut reader = reader?;
        let line = reader.next().await?;
        let goes_on = line.is_ok();
        Some((line, goes_on.then_some(reader)))
    })
}

struct Reader<S> {
    bytes: S,
    lines: Lines,
}

impl<E, S: Stream<Item = Result<Bytes, E>> + Unpin> Reader<S> {
    async fn next(&mut self) -> Option<Result<String, FrameError<E>>> {
        loop {
            if let Some(line) = self.lines.take() {
                return Some(line.map_err(Into::into));
            }
            match self.bytes.next().await {
                Some(Ok(piece)) => self.lines.add(&piece),
                Some(Err(error)) => return Some(Err(FrameError::Transport(error))),
                None if self.lines.is_ended => return None,
                None => self.lines.end(),
            }
        }
    }
}

/// Why a line is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BadLine {
    NotText,
    TooLarge,
}

impl<E> From<BadLine> for FrameError<E> {
    fn from(line: BadLine) -> Self {
        match line {
            BadLine::NotText => Self::NotText,
            BadLine::TooLarge => Self::TooLarge,
        }
    }
}

/// What has come of lines that were not taken yet.
#[derive(Debug)]
struct Lines {
    gathered: BytesMut,
    /// Up to here there is no line end, so that a long line is not looked through again with every piece.
    looked_at: usize,
    largest: usize,
    is_begun: bool,
    is_ended: bool,
}

impl Lines {
    fn new(largest: usize) -> Self {
        Self {
            gathered: BytesMut::new(),
            looked_at: 0,
            largest,
            is_begun: false,
            is_ended: false,
        }
    }

    fn add(&mut self, piece: &[u8]) {
        self.gathered.extend_from_slice(piece);
    }

    fn end(&mut self) {
        self.is_ended = true;
    }

    /// The next line that is whole and not empty.
    fn take(&mut self) -> Option<Result<String, BadLine>> {
        loop {
            let line = match self.split() {
                Ok(line) => line?,
                Err(bad) => return Some(Err(bad)),
            };
            match std::str::from_utf8(&line) {
                Ok(text) => {
                    let text = self.without_mark(text).trim();
                    if !text.is_empty() {
                        return Some(Ok(text.to_owned()));
                    }
                }
                Err(_) => return Some(Err(BadLine::NotText)),
            }
        }
    }

    fn split(&mut self) -> Result<Option<BytesMut>, BadLine> {
        let rest = &self.gathered[self.looked_at..];
        let end = rest.iter().position(|byte| *byte == b'\n');
        let length = self.looked_at + end.unwrap_or(rest.len());
        if length > self.largest {
            return Err(BadLine::TooLarge);
        }
        if end.is_some() {
            self.looked_at = 0;
            return Ok(Some(self.gathered.split_to(length + 1)));
        }
        if self.is_ended && !self.gathered.is_empty() {
            self.looked_at = 0;
            return Ok(Some(self.gathered.split()));
        }
        self.looked_at = length;
        Ok(None)
    }

    /// A mark of byte order at the beginning of a stream is no text.
    fn without_mark<'a>(&mut self, line: &'a str) -> &'a str {
        if std::mem::replace(&mut self.is_begun, true) {
            return line;
        }
        line.strip_prefix('\u{feff}').unwrap_or(line)
    }
}

#[cfg(test)]
mod tests;
