//! Rows and schemas of two databases, side by side.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, ensure};
use testkit::raw;

/// The rows of every table, every value as text, with the columns that were asked for.
pub(super) type Rows = BTreeMap<String, BTreeSet<Vec<String>>>;
/// The columns of every table.
pub(super) type Columns = BTreeMap<String, Vec<String>>;

pub(super) fn columns(database: &Path) -> Result<Columns> {
    let found = raw::look(
        database,
        "SELECT s.name, x.name FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS x
         WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite_%' ORDER BY s.name, x.cid",
    )?;
    let mut columns = Columns::new();
    for row in found {
        let [table, column] = <[String; 2]>::try_from(row).unwrap_or_default();
        columns.entry(table).or_default().push(column);
    }
    Ok(columns)
}

/// The rows as far as those columns go. `runtime` is left out: it is the process's own.
pub(super) fn rows(database: &Path, columns: &Columns) -> Result<Rows> {
    let tables = columns.iter().filter(|(table, _)| *table != "runtime");
    tables
        .map(|(table, columns)| {
            let columns = columns.join("\", \"");
            let sql = format!("SELECT \"{columns}\" FROM \"{table}\"");
            let found = raw::look(database, &sql)?;
            Ok((table.clone(), found.into_iter().collect()))
        })
        .collect()
}

pub(super) fn count(rows: &Rows) -> usize {
    rows.values().map(BTreeSet::len).sum()
}

/// What is written about every start and never taken back: it grows.
const GROWS: &str = "audit";

/// Nothing is gone and nothing came.
pub(super) fn ensure_same(before: &Rows, after: &Rows) -> Result<()> {
    for (table, rows) in before {
        let found = after.get(table).cloned().unwrap_or_default();
        let gone: Vec<_> = rows.difference(&found).collect();
        let came: Vec<_> = found.difference(rows).collect();
        let is_same = gone.is_empty() && (came.is_empty() || table == GROWS);
        ensure!(is_same, "{table}: gone {gone:#?}, came {came:#?}");
    }
    Ok(())
}

/// Every column of every table, every column of every index, and every statement without its spaces.
pub(super) fn shape(database: &Path) -> Result<BTreeSet<Vec<String>>> {
    let mut shape = BTreeSet::new();
    for sql in [
        "SELECT type, name, replace(replace(coalesce(sql, ''), ' ', ''), char(10), '')
         FROM sqlite_schema",
        "SELECT s.name, x.cid, x.name, x.type, x.\"notnull\", x.dflt_value, x.pk, x.hidden
         FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS x",
        "SELECT s.name, x.seqno, x.name, x.\"desc\", x.coll, x.key
         FROM sqlite_schema AS s, pragma_index_xinfo(s.name) AS x",
        "SELECT 'version', user_version FROM pragma_user_version",
        "SELECT 'application', application_id FROM pragma_application_id",
    ] {
        shape.extend(raw::look(database, sql)?);
    }
    Ok(shape)
}

/// The ids of runs, of their sessions and of their steps.
pub(super) fn ids_of_runs(database: &Path, condition: &str) -> Result<BTreeSet<String>> {
    let found = raw::look(
        database,
        &format!(
            "WITH found AS (SELECT id, session_id FROM runs WHERE {condition})
             SELECT lower(hex(session_id)) FROM found
             UNION SELECT lower(hex(id)) FROM found
             UNION SELECT lower(hex(steps.id)) FROM steps JOIN found ON found.id = steps.run_id"
        ),
    )?;
    Ok(found.into_iter().flatten().collect())
}

/// The rows that name none of these ids.
pub(super) fn without(rows: &Rows, ids: &BTreeSet<String>) -> Rows {
    let is_other = |row: &&Vec<String>| !row.iter().any(|value| ids.contains(value));
    rows.iter()
        .map(|(table, rows)| {
            (
                table.clone(),
                rows.iter().filter(is_other).cloned().collect(),
            )
        })
        .collect()
}

/// What recovery may change: what was going. Everything else stays as it is; of what was going,
/// messages and events stay too.
pub(super) fn ensure_only_what_was_going_changed(
    database: &Path,
    before: &Rows,
    after: &Rows,
) -> Result<usize> {
    const MOVE: [&str; 6] = [
        "sessions",
        "runs",
        "steps",
        "attempts",
        "deltas",
        "tool_calls",
    ];
    let going = ids_of_runs(database, "status = 'running'")?;
    let mut changed = 0;
    for (table, rows) in before {
        let found = after.get(table).cloned().unwrap_or_default();
        for gone in rows.difference(&found) {
            let may_move = MOVE.contains(&table.as_str());
            let was_going = gone.iter().any(|value| going.contains(value));
            ensure!(may_move && was_going, "{table}: {gone:?} is gone");
            changed += 1;
        }
    }
    Ok(changed)
}
