//! What this version does with an old database: takes it over whole, and goes on where it stood.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use protocol::{Command, Decision, Reply, Resolution, RunStatus, SessionSummary};
use store::{DataFolder, Error, Opened, SCHEMA_VERSION, Store, restore_newest_backup};
use tempfile::TempDir;
use testkit::raw;

use super::rows::{self, Rows};
use super::text;
use super::world::{BEGINNING, Mood, World};
use crate::suites::place::memory_folder;

/// Before anything of the story is due.
const NOW: u64 = BEGINNING + 40_000;

/// What all of them came to.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) rows: u64,
    pub(super) moved: u64,
    pub(super) in_doubt: u64,
    pub(super) ended: u64,
}

/// A golden database that was just built, and what is in it.
struct Golden {
    folder: TempDir,
    columns: rows::Columns,
    rows: Rows,
}

impl Golden {
    fn build(sql: &str) -> Result<Self> {
        let folder = memory_folder()?;
        let database = folder.path().join("holdfast.db");
        text::build(sql, &database)?;
        let columns = rows::columns(&database)?;
        let rows = rows::rows(&database, &columns)?;
        Ok(Self {
            folder,
            columns,
            rows,
        })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn database(&self) -> PathBuf {
        self.path().join("holdfast.db")
    }

    fn rows_now(&self) -> Result<Rows> {
        rows::rows(&self.database(), &self.columns)
    }
}

pub(super) async fn age(version: u32, sql: &str, counts: &mut Counts) -> Result<()> {
    migrates(version, sql)?;
    restores(version, sql)?;
    is_refused_by_older_versions(sql)?;
    let golden = Golden::build(sql)?;
    counts.rows += rows::count(&golden.rows) as u64;
    recovers(&golden, counts).await?;
    goes_on(&golden, counts).await
}

fn open(folder: &Path) -> Result<(Store, Opened), Error> {
    Store::open(&store::Options {
        folder: DataFolder::create(folder)?,
        app_version: "0.1.0".to_owned(),
        pid: 1,
        now_ms: NOW,
    })
}

/// The schema of a database that never had another.
fn fresh_shape() -> Result<std::collections::BTreeSet<Vec<String>>> {
    let folder = memory_folder()?;
    open(folder.path())?.0.close()?;
    rows::shape(&folder.path().join("holdfast.db"))
}

/// STO-11: nothing is lost by the migration, before which there is a backup; the schema is that of a
/// fresh database; the second time nothing happens.
fn migrates(version: u32, sql: &str) -> Result<()> {
    let golden = Golden::build(sql)?;
    let is_old = version < SCHEMA_VERSION;
    for is_first in [true, false] {
        let (store, opened) = open(golden.path())?;
        store.close()?;
        let expected = (is_old && is_first).then_some(version);
        ensure!(opened.migrated_from == expected, "{opened:?}");
        rows::ensure_same(&golden.rows, &golden.rows_now()?)?;
        let (found, fresh) = (rows::shape(&golden.database())?, fresh_shape()?);
        let differs: Vec<_> = found.symmetric_difference(&fresh).collect();
        ensure!(differs.is_empty(), "unlike a fresh one: {differs:#?}");
        let backups = fs::read_dir(golden.path().join("backups"))?.count();
        ensure!(backups == usize::from(is_old), "{backups} backups");
    }
    Ok(())
}

/// STO-10: a backup from before comes back whole, and is migrated again.
fn restores(version: u32, sql: &str) -> Result<()> {
    let golden = Golden::build(sql)?;
    let (store, _) = open(golden.path())?;
    if version == SCHEMA_VERSION {
        store.backup(NOW)?;
    }
    store.close()?;
    fs::write(golden.database(), "no database at all")?;
    let folder = DataFolder::create(golden.path())?;
    restore_newest_backup(&folder, 1, NOW + 1)?;
    let (store, opened) = open(golden.path())?;
    store.close()?;
    let expected = (version < SCHEMA_VERSION).then_some(version);
    ensure!(opened.migrated_from == expected, "{opened:?}");
    rows::ensure_same(&golden.rows, &golden.rows_now()?)
}

/// STO-11: of a schema that this version does not know, not a byte is touched.
fn is_refused_by_older_versions(sql: &str) -> Result<()> {
    let golden = Golden::build(sql)?;
    text::make_newer(&golden.database(), SCHEMA_VERSION + 1)?;
    let before = fs::read(golden.database())?;
    for _ in 0..2 {
        match open(golden.path()) {
            Err(Error::Newer { found, known }) => {
                ensure!((found, known) == (SCHEMA_VERSION + 1, SCHEMA_VERSION));
            }
            other => bail!("not refused: {other:?}"),
        }
        ensure!(before == fs::read(golden.database())?, "it was touched");
        ensure!(!golden.path().join("holdfast.db-wal").exists());
        ensure!(fs::read_dir(golden.path().join("backups"))?.count() == 0);
    }
    Ok(())
}

/// RUN-4, RUN-12: what was going is interrupted, what it had said is kept, nothing else changes; and
/// again nothing the second time.
async fn recovers(golden: &Golden, counts: &mut Counts) -> Result<()> {
    let was = TempDir::new_in(golden.path())?;
    let was_database = was.path().join("holdfast.db");
    fs::copy(golden.database(), &was_database)?;
    let world = World::open(golden.path(), Mood::Story, NOW)?;
    let found = world.recovered;
    world.close().await?;
    ensure!((found.unreadable, found.violations) == (0, 0), "{found:?}");
    ensure!(found.interrupted > 0 && found.in_doubt > 0, "{found:?}");
    counts.in_doubt += found.in_doubt as u64;
    let after = golden.rows_now()?;
    let moved = rows::ensure_only_what_was_going_changed(&was_database, &golden.rows, &after)?;
    ensure!(moved > 0, "recovery did nothing");
    counts.moved += moved as u64;
    keeps_what_was_streamed(&was_database, &golden.database())?;
    // A failed call whose next try is due may be made again before the close, or not.
    let due = rows::ids_of_runs(&golden.database(), "retry_at_ms IS NOT NULL")?;
    let again = World::open(golden.path(), Mood::Story, NOW + 1_000)?;
    let found = again.recovered;
    again.close().await?;
    ensure!((found.interrupted, found.in_doubt) == (0, 0), "{found:?}");
    rows::ensure_same(
        &rows::without(&after, &due),
        &rows::without(&golden.rows_now()?, &due),
    )
}

/// STR-2: the text of an attempt that was cut off is a partial message.
fn keeps_what_was_streamed(was: &Path, is: &Path) -> Result<()> {
    let streamed = raw::look(
        was,
        "SELECT lower(hex(step_id)), attempt, block, group_concat(body, '' ORDER BY \"offset\")
         FROM deltas GROUP BY step_id, attempt, block",
    )?;
    ensure!(!streamed.is_empty(), "nothing was being streamed");
    for row in streamed {
        let [step, attempt, block, text] = <[String; 4]>::try_from(row).unwrap_or_default();
        let kept = raw::look(
            is,
            &format!(
                "SELECT blocks ->> '$[{block}].text' FROM messages
                 WHERE step_id = x'{step}' AND attempt = {attempt} AND status = 'partial'"
            ),
        )?;
        ensure!(kept == [[text.clone()]], "{text:?} is kept as {kept:?}");
    }
    let left = raw::look(is, "SELECT count(*) FROM deltas")?;
    ensure!(left == [["0"]], "text of nobody: {left:?}");
    Ok(())
}

/// APR-5, RUN-13: questions still wait and can be answered, what is in doubt can be settled, and every
/// run can be taken to its end.
async fn goes_on(golden: &Golden, counts: &mut Counts) -> Result<()> {
    let open = "status IN ('queued', 'running', 'waiting', 'stopped', 'interrupted')";
    let runs = raw::look(
        &golden.database(),
        &format!("SELECT count(*) FROM runs WHERE {open}"),
    )?;
    let asked = raw::look(
        &golden.database(),
        "SELECT lower(hex(call_id)) FROM approvals WHERE status = 'pending'",
    )?;
    ensure!(!asked.is_empty(), "nothing waits for an answer");
    let world = World::open(golden.path(), Mood::Calm, NOW + 2_000)?;
    let over = format!("SELECT count(*) FROM runs WHERE {open}");
    for turn in 0.. {
        answer_all(&world).await?;
        resume_all(&world).await?;
        if raw::look(&golden.database(), &over)? == [["0"]] {
            break;
        }
        let left = raw::look(
            &golden.database(),
            &format!("SELECT hex(id), status, retry_at_ms FROM runs WHERE {open}"),
        )?;
        ensure!(turn < 6_000, "these never end: {left:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    world.close().await?;
    for call in asked.into_iter().flatten() {
        let sql = format!("SELECT status FROM tool_calls WHERE id = x'{call}'");
        let status = raw::look(&golden.database(), &sql)?;
        ensure!(status == [["completed"]], "{call} is {status:?}");
    }
    let after = golden.rows_now()?;
    for table in ["messages", "events", "rules", "agents", "blobs"] {
        let none = std::collections::BTreeSet::new();
        let (before, after) = (&golden.rows[table], after.get(table).unwrap_or(&none));
        let gone: Vec<_> = before.difference(after).collect();
        // A deleted session may be purged by now.
        let is_purged = |row: &&Vec<String>| row.iter().any(|value| value.contains("Deleted"));
        let gone: Vec<_> = gone.into_iter().filter(|row| !is_purged(row)).collect();
        ensure!(gone.is_empty(), "{table}: gone {gone:?}");
    }
    counts.ended += runs.concat().concat().parse::<u64>()?;
    Ok(())
}

async fn answer_all(world: &World) -> Result<()> {
    let reply = world
        .must(Command::ListApprovals { session_id: None })
        .await?;
    let Reply::Calls { calls } = reply else {
        bail!("no calls: {reply:?}")
    };
    for call in calls {
        let command = if call.doubt.is_some() {
            Command::ResolveCall {
                call_id: call.call_id,
                resolution: Resolution::Happened { result: None },
            }
        } else {
            let approval = call.approval.context("a call waits without a question")?;
            Command::DecideCall {
                call_id: call.call_id,
                digest: approval.digest,
                decision: Decision::AllowOnce {},
                from: None,
            }
        };
        // It may have moved meanwhile; then it is there again in the next turn, or over.
        drop(world.engine.execute(command).await);
    }
    Ok(())
}

async fn resume_all(world: &World) -> Result<()> {
    for archived in [false, true] {
        let reply = world
            .must(Command::ListSessions {
                limit: None,
                after: None,
                archived,
            })
            .await?;
        let Reply::Sessions { sessions, .. } = reply else {
            bail!("no sessions: {reply:?}")
        };
        let runs = sessions
            .into_iter()
            .filter_map(|one: SessionSummary| one.run);
        for run in runs {
            if matches!(run.status, RunStatus::Stopped | RunStatus::Interrupted) {
                let run_id = run.run_id;
                // Refused while a call is in doubt: that is settled in the next turn.
                drop(world.engine.execute(Command::ResumeRun { run_id }).await);
            }
        }
    }
    Ok(())
}
