//! All rows of all sessions as lines of text, from the model and from the database, to be compared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, ensure};
use rusqlite::Connection;
use uuid::Uuid;

use super::act::{id, key, message_text, result_text, session_of};
use super::model::Model;

/// The rows of one session, a line each.
pub(super) type Picture = BTreeSet<String>;

/// One line per row: the table, the id by which its session is known, and what the model knows too.
const LINES: [&str; 12] = [
    "SELECT format('%s session %s %d %d %d %s', lower(hex(id)), coalesce(title, '-'), branch,
                   message_count, head_seq, coalesce(nullif(lower(hex(newest_run_id)), ''), '-')) FROM sessions",
    "SELECT format('%s branch %d %s %d', lower(hex(session_id)), branch, coalesce(parent, '-'),
                   from_position) FROM branches",
    "SELECT format('%s message %d %d %s %s', lower(hex(id)), branch, position,
                   blocks ->> '$[0].text', coalesce(nullif(lower(hex(run_id)), ''), '-')) FROM messages",
    "SELECT format('%s run %d %s %s %s %d %d %d', lower(hex(id)), branch, lower(hex(message_id)),
                   coalesce(request_key, '-'), status, steps_completed, crashes, crashes_total)
     FROM runs",
    "SELECT format('%s step %s %d %s', lower(hex(id)), lower(hex(run_id)), position, status)
     FROM steps",
    "SELECT format('%s attempt %d %s %d', lower(hex(step_id)), attempt, status, streamed_bytes)
     FROM attempts",
    "SELECT format('%s delta %d %d %d %s', lower(hex(step_id)), attempt, block, \"offset\", body)
     FROM deltas",
    "SELECT format('%s call %s %s %d %s %d %s %s', lower(hex(id)), lower(hex(run_id)),
                   lower(hex(message_id)), ordinal, status, revision, arguments,
                   coalesce(result, '-')) FROM tool_calls",
    "SELECT format('%s approval %d %s %d', lower(hex(call_id)), round, status,
                   consumed_at_ms IS NOT NULL) FROM approvals",
    "SELECT format('%s waits %d %s', lower(hex(message_id)), position, text) FROM queue",
    "SELECT format('%s request %s %s', lower(hex(session_id)), request_key, lower(hex(message_id)))
     FROM requests",
    "SELECT format('%s event %d %s', lower(hex(session_id)), seq, body ->> '$.title') FROM events",
];

/// What the database holds, by session, read with stock SQLite.
#[expect(
    clippy::disallowed_methods,
    reason = "the file is read from outside the store's door"
)]
pub(super) fn of_database(path: &Path) -> Result<BTreeMap<u32, Picture>> {
    let connection = Connection::open(path)?;
    let sound: String = connection.query_row("PRAGMA quick_check", [], |row| row.get(0))?;
    ensure!(sound == "ok", "quick_check: {sound}");
    let orphans = connection.prepare("PRAGMA foreign_key_check")?.exists([])?;
    ensure!(!orphans, "a row refers to nothing");
    let mut pictures: BTreeMap<u32, Picture> = BTreeMap::new();
    for sql in LINES {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let line: String = row.get(0)?;
            pictures.entry(session_of(&line)).or_default().insert(line);
        }
    }
    Ok(pictures)
}

fn hex(uuid: Uuid) -> String {
    uuid.simple().to_string()
}

fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}

/// What it must hold of a session.
pub(super) fn of_model(model: &Model, session: u32) -> Picture {
    let message = |number| hex(id(2, session, number));
    let run = |number| hex(id(3, session, number));
    let step = |number| hex(id(4, session, number));
    let call = |number| hex(id(5, session, number));
    let here = hex(id(1, session, 0));
    let mut lines = Picture::new();
    if let Some(found) = &model.session {
        lines.insert(format!(
            "{here} session {} {} {} {} {}",
            or_dash(found.title.clone()),
            found.branch,
            found.messages,
            model.events.len(),
            or_dash(found.newest_run.map(run)),
        ));
    }
    lines.extend(model.branches.iter().map(|(branch, (parent, from))| {
        let parent = or_dash(parent.map(|parent| parent.to_string()));
        format!("{here} branch {branch} {parent} {from}")
    }));
    lines.extend(model.messages.iter().map(|(number, found)| {
        let of = or_dash(found.run.map(run));
        let (branch, position, text) = (found.branch, found.position, message_text(*number));
        format!(
            "{} message {branch} {position} {text} {of}",
            message(*number)
        )
    }));
    lines.extend(model.runs.iter().map(|(number, found)| {
        format!(
            "{} run {} {} {} {} {} {} {}",
            run(*number),
            found.branch,
            message(found.message),
            or_dash(found.key.map(|number| key(session, number))),
            found.status.as_str(),
            found.steps_completed,
            found.crashes,
            found.crashes_total,
        )
    }));
    lines.extend(model.steps.iter().map(|(number, found)| {
        let (of, status) = (run(found.run), found.status.as_str());
        format!("{} step {of} {} {status}", step(*number), found.position)
    }));
    lines.extend(model.attempts.iter().map(|((number, attempt), found)| {
        let (status, streamed) = (found.status.as_str(), found.streamed);
        format!("{} attempt {attempt} {status} {streamed}", step(*number))
    }));
    lines.extend(model.deltas.iter().map(|(key, text)| {
        let (number, attempt, block, offset) = key;
        format!("{} delta {attempt} {block} {offset} {text}", step(*number))
    }));
    lines.extend(model.calls.iter().map(|(number, found)| {
        format!(
            "{} call {} {} {} {} {} {{\"number\":{number}}} {}",
            call(*number),
            run(found.run),
            message(found.message),
            found.ordinal,
            found.status.as_str(),
            found.revision,
            or_dash(result_text(*number, found.status)),
        )
    }));
    lines.extend(model.approvals.iter().map(|((number, round), found)| {
        let (status, used) = (found.status.as_str(), u8::from(found.is_used));
        format!("{} approval {round} {status} {used}", call(*number))
    }));
    lines.extend(
        model.queue.iter().map(|(number, (position, text))| {
            format!("{} waits {position} {text}", message(*number))
        }),
    );
    lines.extend(
        model.requests.iter().map(|(number, of)| {
            format!("{here} request {} {}", key(session, *number), message(*of))
        }),
    );
    lines.extend(
        (1..)
            .zip(&model.events)
            .map(|(seq, title): (u64, _)| format!("{here} event {seq} {title}")),
    );
    lines
}
