//! The plans of the queries, as SQLite makes them.

use rusqlite::Connection;

use super::{
    attachments, attention, calls, checkpoints, due, events, live, messages, providers, recovery,
    runs, same_round, session_state, sessions, summaries, usage, violations, workspaces,
};
use crate::connection::{make_durable, open_existing};
use crate::schema::Schema;

fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .unwrap();
    // Not bound: the plan does not depend on the values.
    let mut rows = statement.raw_query();
    let mut details: Vec<String> = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        details.push(row.get("detail").unwrap());
    }
    details
}

fn empty() -> (tempfile::NamedTempFile, Connection) {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut connection = open_existing(file.path()).unwrap();
    make_durable(&connection).unwrap();
    Schema::CURRENT
        .fill_new(&mut connection, "test", 1)
        .unwrap();
    (file, connection)
}

/// Every query that may meet a large table.
fn queries() -> Vec<(&'static str, String)> {
    let list = sessions::session_rows_sql;
    vec![
        (
            "session_rows",
            list(sessions::SHOWN, sessions::FROM_THE_TOP),
        ),
        (
            "session_rows_after",
            list(sessions::SHOWN, sessions::AFTER_ONE),
        ),
        (
            "session_rows, archived",
            list(sessions::ARCHIVED, sessions::FROM_THE_TOP),
        ),
        (
            "session_rows_after, archived",
            list(sessions::ARCHIVED, sessions::AFTER_ONE),
        ),
        ("live_sessions", recovery::LIVE_SESSIONS.to_owned()),
        (
            "attention_sessions",
            recovery::ATTENTION_SESSIONS.to_owned(),
        ),
        ("last_done", attention::last_done_sql()),
        ("open_of_run", attention::open_of_run_sql()),
        ("messages_before", messages::MESSAGES_BEFORE.to_owned()),
        ("events_after", events::EVENTS_AFTER.to_owned()),
        ("run_of_request_key", runs::facts_sql(runs::BY_REQUEST_KEY)),
        ("usage_of_run", usage::usage_sql(usage::OF_RUN)),
        ("usage_of_session", usage::usage_sql(usage::OF_SESSION)),
        ("newest_step", session_state::NEWEST_STEP.to_owned()),
        (
            "newest_message_with_calls",
            calls::NEWEST_MESSAGE_WITH_CALLS.to_owned(),
        ),
        (
            "previous_message_with_calls",
            same_round::PREVIOUS_MESSAGE_WITH_CALLS.to_owned(),
        ),
        ("asked_by_message", same_round::ASKED_BY_MESSAGE.to_owned()),
        (
            "results_of_message",
            same_round::RESULTS_OF_MESSAGE.to_owned(),
        ),
        ("calls_of_message", calls::calls_of_message_sql()),
        ("calls_of", calls::calls_of_messages_sql()),
        ("messages_after", messages::MESSAGES_AFTER.to_owned()),
        ("message_at", summaries::MESSAGE_AT.to_owned()),
        ("summaries", summaries::SUMMARIES.to_owned()),
        ("call_rows_of_path", calls::calls_of_segment_sql()),
        ("open_calls", calls::open_calls_sql(calls::OF_ALL)),
        (
            "open_calls of one session",
            calls::open_calls_sql(calls::OF_ONE),
        ),
        ("doubts", calls::doubts_sql()),
        ("provider_ids", calls::PROVIDER_IDS.to_owned()),
        (
            "checkpoints_of_run",
            checkpoints::CHECKPOINTS_OF_RUN.to_owned(),
        ),
        ("workspace_users", workspaces::WORKSPACE_USERS.to_owned()),
        ("deleted_sessions", workspaces::DELETED_SESSIONS.to_owned()),
        ("next_due", due::NEXT_DUE.to_owned()),
        ("due approvals", due::DUE_APPROVALS.to_owned()),
        ("due retries", due::DUE_RETRIES.to_owned()),
        ("held_runs", providers::HELD_RUNS.to_owned()),
        ("due checks", due::DUE_CHECKS.to_owned()),
        ("due purges", due::DUE_PURGES.to_owned()),
        ("due attachments", due::DUE_ATTACHMENTS.to_owned()),
        (
            "attachments_of_session",
            attachments::ATTACHMENTS_OF_SESSION.to_owned(),
        ),
        ("deltas_after", live::DELTAS_AFTER.to_owned()),
        ("live_step", live::LIVE_HEAD.to_owned()),
    ]
}

/// Indexes that hold nothing but what is wanted, or of which only the beginning is read. The queues
/// are short, and what was asked for is a list.
const READ_ALONG: [&str; 11] = [
    "sessions_by_time",
    "sessions_archived",
    "sessions_deleted",
    "tool_calls_open",
    "tool_calls_to_check",
    "approvals_expiring",
    "attachments_expiring",
    "runs_needing",
    "runs_to_retry",
    "sqlite_autoindex_queue_2",
    "wanted VIRTUAL TABLE INDEX 1:",
];

fn is_scan_of_a_table(step: &str) -> bool {
    step.starts_with("SCAN ")
        && step != "SCAN CONSTANT ROW"
        && !READ_ALONG.iter().any(|index| step.ends_with(index))
}

/// STO-18: each list query goes along an index, and none reads a whole table. The plans themselves
/// are pinned, so that a change of one is seen.
#[test]
fn each_list_query_uses_an_index() {
    let (_file, connection) = empty();
    let mut plans = String::new();
    for (name, sql) in queries() {
        let steps = plan(&connection, &sql);
        let scans: Vec<&String> = steps
            .iter()
            .filter(|step| is_scan_of_a_table(step))
            .collect();
        assert!(scans.is_empty(), "{name}: {scans:?}\n{sql}");
        plans.push_str(&format!("{name}\n    {}\n", steps.join("\n    ")));
    }
    insta::assert_snapshot!(plans);
}

/// STO-18: what is checked of a session after recovery looks at the rows of that session alone.
#[test]
fn each_check_looks_at_one_session() {
    let (_file, connection) = empty();
    for (what, sql) in violations::CHECKS {
        let steps = plan(&connection, sql);
        let scans: Vec<&String> = steps
            .iter()
            .filter(|step| step.starts_with("SCAN ") && *step != "SCAN staged_state")
            .collect();
        assert!(scans.is_empty(), "{what}: {scans:?}");
    }
}

/// STO-14, STO-18: a foreign key that is followed when a row goes has an index to follow it by.
#[test]
fn each_foreign_key_can_be_followed_backwards() {
    let (_file, connection) = empty();
    let keys: Vec<(String, String, String)> = connection
        .prepare(
            "SELECT tables.name, keys.\"from\", keys.\"table\"
             FROM pragma_table_list AS tables
             JOIN pragma_foreign_key_list(tables.name) AS keys
             WHERE tables.type = 'table'",
        )
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(keys.len() >= 23, "{keys:?}");
    for (table, column, parent) in keys {
        let sql = format!("SELECT 1 FROM \"{table}\" WHERE \"{column}\" = ?1");
        let steps = plan(&connection, &sql).join("; ");
        assert!(
            steps.starts_with("SEARCH "),
            "{table}.{column} of {parent}: {steps}"
        );
    }
}
