//! Lines in: bounded, and each one either a request or an error with the id it came with.

use std::io::BufRead;

use protocol::{Command, CommandError, ErrorCode, limits};
use serde_json::Value;
use tokio::sync::mpsc;

/// A command and what its answer is to be called.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) id: Value,
    pub(super) command: Command,
}

/// One line, or what is wrong with it.
#[derive(Debug)]
pub(super) enum Line {
    Text(String),
    NotText,
    TooLong,
}

impl Line {
    /// A request, or the id as far as it could be read and what is wrong.
    pub(super) fn parse(self) -> Result<Request, (Value, CommandError)> {
        let text = match self {
            Self::Text(text) => text,
            Self::NotText => return Err((Value::Null, bad_line("The line is not UTF-8."))),
            Self::TooLong => {
                let message = format!("The line is longer than {} bytes.", limits::COMMAND_BYTES);
                let hint = "Make it shorter, or split it.";
                return Err((
                    Value::Null,
                    CommandError::new(ErrorCode::TooLarge, message, hint),
                ));
            }
        };
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            (
                Value::Null,
                bad_line(&format!("The line is not JSON: {error}.")),
            )
        })?;
        let Value::Object(mut object) = value else {
            return Err((Value::Null, bad_line("The line is not a JSON object.")));
        };
        let id = match object.remove("id") {
            Some(id @ (Value::String(_) | Value::Number(_))) => id,
            Some(_) | None => {
                let message = "The id is missing, or is neither a string nor a number.";
                return Err((Value::Null, bad_line(message)));
            }
        };
        let Some(command) = object.remove("command") else {
            return Err((id, bad_line("The command is missing.")));
        };
        if let Some(unknown) = object.keys().next() {
            return Err((
                id,
                bad_line(&format!("There is no field {unknown:?} beside a command.")),
            ));
        }
        match Command::from_value(command) {
            Ok(command) => Ok(Request { id, command }),
            Err(error) => Err((id, error)),
        }
    }
}

fn bad_line(message: &str) -> CommandError {
    CommandError::new(
        ErrorCode::InvalidCommand,
        message,
        r#"Send one object a line: {"id": "1", "command": {"type": "list_sessions"}}."#,
    )
}

/// Lines that may wait to be answered.
pub(super) const WAITING_LINES: usize = 64;

/// Reads on a thread of its own: standard input cannot be waited for otherwise.
pub(super) fn read_lines(
    input: impl BufRead + Send + 'static,
) -> Result<mpsc::Receiver<Line>, CommandError> {
    let (sender, receiver) = mpsc::channel(WAITING_LINES);
    std::thread::Builder::new()
        .name("headless-input".to_owned())
        .spawn(move || {
            let mut input = input;
            while let Some(line) = next_line(&mut input) {
                if sender.blocking_send(line).is_err() {
                    return;
                }
            }
        })
        .map_err(|error| CommandError::new(ErrorCode::Internal, error.to_string(), "Try again."))?;
    Ok(receiver)
}

/// The next line that is not blank; `None` at the end. Never holds more than the cap.
fn next_line(input: &mut impl BufRead) -> Option<Line> {
    loop {
        let mut bytes = Vec::new();
        let cap = limits::COMMAND_BYTES as u64 + 1;
        let read = std::io::Read::take(&mut *input, cap).read_until(b'\n', &mut bytes);
        match read {
            Ok(0) | Err(_) => return None,
            Ok(_) => {}
        }
        if bytes.last() != Some(&b'\n') && bytes.len() as u64 == cap {
            skip_line(input);
            return Some(Line::TooLong);
        }
        match String::from_utf8(bytes) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => return Some(Line::Text(text)),
            Err(_) => return Some(Line::NotText),
        }
    }
}

fn skip_line(input: &mut impl BufRead) {
    loop {
        let Ok(buffer) = input.fill_buf() else { return };
        if buffer.is_empty() {
            return;
        }
        let newline = buffer.iter().position(|byte| *byte == b'\n');
        let used = newline.map_or(buffer.len(), |at| at + 1);
        input.consume(used);
        if newline.is_some() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<String> {
        let mut input = std::io::BufReader::with_capacity(16, input);
        let mut found = Vec::new();
        while let Some(line) = next_line(&mut input) {
            found.push(match line.parse() {
                Ok(Request { id, command }) => format!("{id} {command:?}"),
                Err((id, error)) => format!("{id} {:?}", error.code),
            });
        }
        found
    }

    #[test]
    fn good_lines_are_read_and_bad_ones_are_named() {
        let long = format!("{}\n", "x".repeat(limits::COMMAND_BYTES + 5));
        let input = [
            b"\n  \n".as_slice(),
            br#"{"id": "a", "command": {"type": "get_app"}}"#,
            b"\nnot json\n[1]\n7\n\"text\"\n",
            b"\xff\xfe\n",
            long.as_bytes(),
            br#"{"command": {"type": "get_app"}}"#,
            b"\n",
            br#"{"id": {}, "command": {"type": "get_app"}}"#,
            b"\n",
            br#"{"id": 1}"#,
            b"\n",
            br#"{"id": 2, "command": {"type": "get_app"}, "extra": 1}"#,
            b"\n",
            br#"{"id": 3, "command": {"type": "dance"}}"#,
            b"\n",
            br#"{"id": 4, "command": {"type": "get_app"}}"#,
        ]
        .concat();
        assert_eq!(
            lines(&input),
            [
                r#""a" GetApp"#,
                "null InvalidCommand",
                "null InvalidCommand",
                "null InvalidCommand",
                "null InvalidCommand",
                "null InvalidCommand",
                "null TooLarge",
                "null InvalidCommand",
                "null InvalidCommand",
                "1 InvalidCommand",
                "2 InvalidCommand",
                "3 InvalidCommand",
                "4 GetApp",
            ]
        );
    }
}
