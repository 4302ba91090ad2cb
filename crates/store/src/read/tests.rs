//! The plans of the queries, as SQLite makes them.

use rusqlite::Connection;

use super::{events, live, messages, runs, sessions, state};
use crate::connection::{make_durable, open_existing};
use crate::schema::Schema;

fn plan(connection: &Connection, sql: &str) -> String {
    let mut statement = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .unwrap();
    // Not bound: the plan does not depend on the values.
    let mut rows = statement.raw_query();
    let mut details: Vec<String> = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        details.push(row.get("detail").unwrap());
    }
    details.join("; ")
}

/// STO-18: each list query goes along an index. None reads a whole table, and only recovery's
/// sorts what it found, which is a handful.
#[test]
fn each_list_query_uses_an_index() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut connection = open_existing(file.path()).unwrap();
    make_durable(&connection).unwrap();
    Schema::CURRENT
        .fill_new(&mut connection, "test", 1)
        .unwrap();
    let plans = [
        (
            sessions::session_rows_sql(sessions::FROM_THE_TOP),
            "SCAN sessions USING INDEX sessions_by_time; \
             SEARCH runs USING PRIMARY KEY (id=?) LEFT-JOIN",
        ),
        (
            sessions::session_rows_sql(sessions::AFTER_ONE),
            "SEARCH sessions USING INDEX sessions_by_time ((updated_at_ms,id)<(?,?)); \
             SCALAR SUBQUERY 1; SEARCH sessions USING PRIMARY KEY (id=?); REUSE SUBQUERY 1; \
             SEARCH runs USING PRIMARY KEY (id=?) LEFT-JOIN",
        ),
        (
            sessions::LIVE_SESSIONS.to_owned(),
            "SEARCH runs USING INDEX runs_live (status=?); USE TEMP B-TREE FOR ORDER BY",
        ),
        (
            messages::MESSAGES_BEFORE.to_owned(),
            "SEARCH messages USING INDEX sqlite_autoindex_messages_2 (session_id=? AND position<?)",
        ),
        (
            events::EVENTS_AFTER.to_owned(),
            "SEARCH events USING PRIMARY KEY (session_id=? AND seq>?)",
        ),
        (
            runs::facts_sql(runs::BY_REQUEST_KEY),
            "SEARCH runs USING INDEX runs_by_request_key (request_key=?)",
        ),
        (
            live::DELTAS_AFTER.to_owned(),
            "SEARCH deltas USING PRIMARY KEY (step_id=? AND attempt=? AND block>? AND block<?)",
        ),
        (
            state::NEWEST_STEP.to_owned(),
            "SEARCH steps USING INDEX sqlite_autoindex_steps_2 (run_id=?); \
             SEARCH attempts USING PRIMARY KEY (step_id=?) LEFT-JOIN",
        ),
        (
            live::LIVE_HEAD.to_owned(),
            "SEARCH runs USING INDEX runs_one_live_per_session (session_id=?); \
             SEARCH steps USING INDEX sqlite_autoindex_steps_2 (run_id=?); \
             SEARCH attempts USING PRIMARY KEY (step_id=?)",
        ),
    ];
    for (sql, expected) in plans {
        assert_eq!(plan(&connection, &sql), expected, "{sql}");
    }
}
