//! STO-11: migrations, with schemas longer than the one there is.

use std::path::Path;

use super::*;
use crate::connection::{open_existing, open_read_only};
use crate::schema::SCHEMA_VERSION;

const FIRST: &str = include_str!("../../migrations/V001__initial.sql");
const SECOND: &str = include_str!("../../migrations/V002__audit.sql");
const THIRD: &str = include_str!("../../migrations/V003__plain_checks.sql");
const FOURTH: &str = include_str!("../../migrations/V004__native.sql");
const FIFTH: &str = include_str!("../../migrations/V005__providers.sql");
const SIXTH: &str = include_str!("../../migrations/V006__context.sql");
const SEVENTH: &str = include_str!("../../migrations/V007__attachments.sql");
const ADDED: &str = "
    CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
    CREATE INDEX notes_by_body ON notes (body);
    INSERT INTO notes (body) SELECT name FROM agents;";
const ADDED_COLUMN: &str = "ALTER TABLE notes ADD COLUMN pinned INTEGER CHECK (pinned IN (0, 1));";
const BROKEN: &str = "
    CREATE TABLE half (id INTEGER PRIMARY KEY) STRICT;
    INSERT INTO nowhere VALUES (1);";
/// Leaves a row that refers to nothing.
const ORPHANING: &str = "
    PRAGMA defer_foreign_keys = ON;
    INSERT INTO sessions (id, agent_id, created_at_ms, updated_at_ms)
    VALUES (randomblob(16), randomblob(16), 1, 1);";

const LONGER: Schema = Schema::of(&[
    FIRST,
    SECOND,
    THIRD,
    FOURTH,
    FIFTH,
    SIXTH,
    SEVENTH,
    ADDED,
    ADDED_COLUMN,
]);

fn place() -> (tempfile::TempDir, Options) {
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        folder: DataFolder::create(dir.path().join("data")).unwrap(),
        app_version: "test".to_owned(),
        pid: 1,
        now_ms: 5_000,
    };
    (dir, options)
}

/// Every column of every table, every column of every index, and every statement.
fn shape(path: &Path) -> Vec<String> {
    let connection = open_read_only(path).unwrap();
    let mut shape = Vec::new();
    for sql in [
        "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1",
        "SELECT format('%s %d %s %s %d %s %d %d', s.name, x.cid, x.name, x.type, x.\"notnull\",
                       x.dflt_value, x.pk, x.hidden)
         FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS x ORDER BY 1",
        "SELECT format('%s %d %s %d %s %d', s.name, x.seqno, x.name, x.\"desc\", x.coll, x.key)
         FROM sqlite_schema AS s, pragma_index_xinfo(s.name) AS x ORDER BY 1",
        "SELECT 'version ' || user_version FROM pragma_user_version",
        "SELECT 'application ' || application_id FROM pragma_application_id",
    ] {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement
            .query_map([], |row| row.get::<_, String>(0))
            .unwrap();
        shape.extend(rows.map(Result::unwrap));
    }
    shape
}

fn fresh(schema: Schema) -> Vec<String> {
    let (_dir, options) = place();
    let (store, opened) = Store::open_with(&options, schema).unwrap();
    assert!(opened.is_new && opened.migrated_from.is_none());
    store.close().unwrap();
    shape(&options.folder.database())
}

fn close(options: &Options, schema: Schema) -> Opened {
    let (store, opened) = Store::open_with(options, schema).unwrap();
    store.close().unwrap();
    opened
}

#[test]
fn a_migrated_database_is_like_a_fresh_one() {
    let migrations: [&'static [&'static str]; 3] = [
        &[FIRST],
        &[FIRST, SECOND],
        &[FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, ADDED],
    ];
    for older in migrations {
        let (_dir, options) = place();
        close(&options, Schema::of(older));
        let opened = close(&options, LONGER);
        assert_eq!(opened.migrated_from, u32::try_from(older.len()).ok());
        assert_eq!(shape(&options.folder.database()), fresh(LONGER));
        let again = close(&options, LONGER);
        assert_eq!(again.migrated_from, None);
        assert_eq!(shape(&options.folder.database()), fresh(LONGER));
    }
}

/// From every released version: a database of each, brought to the newest, is like a fresh one.
#[test]
fn every_released_schema_migrates_to_the_newest() {
    for version in 1..=SCHEMA_VERSION {
        let (_dir, options) = place();
        close(&options, Schema::CURRENT.up_to(version));
        close(&options, Schema::CURRENT);
        assert_eq!(
            shape(&options.folder.database()),
            fresh(Schema::CURRENT),
            "from {version}"
        );
    }
}

#[test]
fn a_verified_backup_is_made_before_a_migration() {
    let (_dir, options) = place();
    close(&options, Schema::CURRENT);
    let old = shape(&options.folder.database());
    let opened = close(&options, LONGER);
    assert_eq!(opened.migrated_from, Some(7));
    let backup = options.folder.backups().join("holdfast-5000-schema7.db");
    assert_eq!(shape(&backup), old);
    let count = std::fs::read_dir(options.folder.backups()).unwrap().count();
    assert_eq!(count, 1, "one backup, and nothing beside it");
}

/// Whatever fails, at whichever migration of a chain: the database is the old one, and opens with
/// the version that wrote it.
#[test]
fn a_failed_migration_leaves_the_old_database_and_the_backup() {
    let broken: [&'static [&'static str]; 3] = [
        &[FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, BROKEN],
        &[
            FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, ADDED, BROKEN,
        ],
        &[
            FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, ORPHANING,
        ],
    ];
    for migrations in broken {
        let (_dir, options) = place();
        close(&options, Schema::CURRENT);
        let old = shape(&options.folder.database());
        for _ in 0..2 {
            let result = Store::open_with(&options, Schema::of(migrations));
            assert!(matches!(result, Err(Error::Sqlite(_))), "{result:?}");
            assert_eq!(shape(&options.folder.database()), old);
        }
        let backup = options.folder.backups().join("holdfast-5000-schema7.db");
        assert_eq!(shape(&backup), old);
        let opened = close(&options, Schema::CURRENT);
        assert_eq!((opened.is_new, opened.migrated_from), (false, None));
    }
}

/// A disk that cannot take the backup cannot take the migration either.
#[test]
fn without_a_backup_nothing_is_migrated() {
    let (_dir, mut options) = place();
    close(&options, Schema::CURRENT);
    let old = shape(&options.folder.database());
    // The name that the backup would get is taken by a folder, at the end of all times.
    options.now_ms = u64::MAX;
    let taken = format!("holdfast-{}-schema7.db", u64::MAX);
    std::fs::create_dir(options.folder.backups().join(taken)).unwrap();
    assert!(Store::open_with(&options, LONGER).is_err());
    assert_eq!(shape(&options.folder.database()), old);
}

#[test]
fn a_database_of_a_longer_schema_is_newer() {
    let (_dir, options) = place();
    close(&options, LONGER);
    let result = Store::open(&options);
    assert!(
        matches!(
            result,
            Err(Error::Newer {
                found: 9,
                known: SCHEMA_VERSION
            })
        ),
        "{result:?}"
    );
}

/// A commit that fails while the epoch is taken is an error of the start, not a store that takes
/// itself for one that was replaced.
#[test]
fn an_epoch_that_cannot_be_written_fails_the_start() {
    let (_dir, options) = place();
    close(&options, Schema::CURRENT);
    let connection = open_existing(&options.folder.database()).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE late (x REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED);
             CREATE TRIGGER fails_at_commit AFTER UPDATE ON runtime
             BEGIN INSERT INTO late VALUES ('nobody'); END",
        )
        .unwrap();
    drop(connection);
    assert!(Store::open(&options).is_err());
}
