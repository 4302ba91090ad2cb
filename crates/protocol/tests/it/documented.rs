//! docs/headless.md names every command, with an example that is one, and says what it is answered
//! with. (That its generated part is up to date is checked by `cargo xtask schema`.)

use std::collections::BTreeSet;

use protocol::{Command, Push};
use serde::Serialize;

use crate::cases::assert_all;
use crate::sample;

const DOCUMENT: &str = include_str!("../../../../docs/headless.md");

/// The part with this title, up to the next one.
fn part(title: &str) -> &'static str {
    let start = DOCUMENT
        .find(&format!("\n## {title}\n"))
        .expect("a part of docs/headless.md");
    let rest = &DOCUMENT[start + 1..];
    rest.find("\n## ").map_or(rest, |end| &rest[..end])
}

fn tags<T: Serialize>(values: &[T]) -> BTreeSet<String> {
    values
        .iter()
        .map(|value| serde_json::to_value(value).unwrap())
        .map(|value| value["type"].as_str().unwrap().to_owned())
        .collect()
}

fn headings(part: &str) -> BTreeSet<String> {
    part.lines()
        .filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'))
        .map(str::to_owned)
        .collect()
}

/// Each line of the examples is a command, and every command has exactly one.
#[test]
fn every_command_has_an_example() {
    let commands: Vec<Command> = part("Commands by group")
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| Command::from_json(line).expect(line))
        .collect();
    assert_all(&commands);
    assert_eq!(commands.len(), tags(&commands).len());
}

/// Imported as it is written there.
#[test]
fn the_example_of_an_exported_session_is_one() {
    let json = part("Commands by group")
        .lines()
        .filter(|line| line.starts_with('{'))
        .find_map(|line| match Command::from_json(line) {
            Ok(Command::ImportSession { json }) => Some(json),
            Ok(_) | Err(_) => None,
        })
        .unwrap();
    let session: protocol::SessionExport = serde_json::from_str(&json).unwrap();
    assert_eq!(session.kind, protocol::SessionExport::KIND);
    assert_eq!(session.version, protocol::SessionExport::VERSION);
}

#[test]
fn everything_that_is_said_has_a_heading() {
    assert_eq!(headings(part("Commands")), tags(&sample::commands()));
    assert_eq!(headings(part("Replies")), tags(&sample::replies()));
    assert_eq!(headings(part("Events")), tags(&sample::events()));
    let name = |push: &Push| {
        let form = serde_json::to_value(push).unwrap();
        form.as_object().unwrap().keys().next().unwrap().clone()
    };
    let pushes: BTreeSet<String> = sample::pushes().iter().map(name).collect();
    assert_eq!(headings(part("Pushes")), pushes);
}

/// Each reply says what it is the answer to: every command is among them once.
#[test]
fn every_command_has_its_reply() {
    let mut answered: Vec<&str> = part("Replies")
        .lines()
        .filter(|line| line.starts_with("To `"))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .collect();
    answered.sort_unstable();
    let commands = tags(&sample::commands());
    assert_eq!(answered, commands.iter().collect::<Vec<_>>());
}
