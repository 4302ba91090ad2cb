//! What changes between one step and the next. // WSP-1
//!
//! Whoever changes things here does it as fast as it can, so these tests also pass when it comes too
//! early or too late; where a race has to be met once to mean anything, it is tried until it is.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use protocol::ErrorClass;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

use crate::fixture::{Fixture, context, make_pipe, run};

const ROUNDS: usize = 2_000;
const TRIES: usize = 50;

/// Swaps two names for as long as it lives.
struct Swapping {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Swapping {
    fn start(first: PathBuf, second: PathBuf) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let is_over_there = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            while !is_over_there.load(Ordering::Relaxed) {
                renameat_with(CWD, &first, CWD, &second, RenameFlags::EXCHANGE).unwrap();
            }
        });
        Self {
            is_over,
            thread: Some(thread),
        }
    }
}

impl Drop for Swapping {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(matches!(ended, Some(Ok(()))), "it swapped until the end");
    }
}

fn write(content: &str) -> Value {
    json!({"path": "notes/tides.md", "content": content})
}

/// A folder outside that holds what must not be read or changed.
fn outside(fixture: &Fixture) -> PathBuf {
    let folder = fixture.folder.path().join("elsewhere");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("tides.md"), "secret").unwrap();
    folder
}

fn assert_untouched(folder: &Path) {
    assert_eq!(
        fs::read_to_string(folder.join("tides.md")).unwrap(),
        "secret"
    );
    assert_eq!(
        fs::read_dir(folder).unwrap().count(),
        1,
        "nothing was added"
    );
}

// WSP-1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_becomes_a_link_at_any_moment_leads_nowhere() {
    let fixture = Fixture::new();
    fixture.put("notes/tides.md", "mine");
    let outside = outside(&fixture);
    symlink(&outside, fixture.path("link")).unwrap();
    let swapping = Swapping::start(fixture.path("notes"), fixture.path("link"));
    let mut read = 0;
    for round in 0..ROUNDS {
        let found = fixture.run("read_file", json!({"path": "notes/tides.md"}));
        if let Ok(text) = found.await {
            assert!(!text.contains("secret"), "round {round}");
            read += 1;
        }
        if round % 10 == 0 {
            drop(
                fixture
                    .run("write_file", write(&format!("mine {round}")))
                    .await,
            );
        }
        let listed = fixture.run("list_files", json!({"path": "notes"})).await;
        drop(listed);
    }
    drop(swapping);
    assert!(read > 0, "it was there now and then");
    assert_untouched(&outside);
}

// WSP-1: a walk enters what it opens, and opens no link: neither one that leads out, nor one that
// leads to credentials beside it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_walk_is_not_led_away_by_a_folder_that_becomes_a_link() {
    for is_inside in [false, true] {
        let fixture = Fixture::new();
        fixture.put("top/notes/mine.md", "mine");
        let (theirs, target) = if is_inside {
            (fixture.path("top/.ssh"), PathBuf::from(".ssh"))
        } else {
            let outside = fixture.folder.path().join("elsewhere");
            (outside.clone(), outside)
        };
        fs::create_dir(&theirs).unwrap();
        fs::write(theirs.join("theirs.md"), "secret").unwrap();
        symlink(&target, fixture.path("top/link")).unwrap();
        let swapping = Swapping::start(fixture.path("top/notes"), fixture.path("top/link"));
        let mut found = 0;
        for round in 0..ROUNDS {
            for path in [".", "top"] {
                let arguments = json!({"pattern": "*.md", "path": path});
                let files = fixture.run("find_files", arguments).await.unwrap();
                assert!(!files.contains("theirs"), "round {round}: {files}");
                found += usize::from(files.contains("mine.md"));
                let arguments = json!({"pattern": "secret|mine", "path": path});
                let lines = fixture.run("search_files", arguments).await.unwrap();
                assert!(!lines.contains("secret"), "round {round}: {lines}");
                found += usize::from(lines.contains(": mine"));
            }
        }
        drop(swapping);
        assert!(found > 0, "it was there now and then");
    }
}

// WSP-1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_becomes_a_link_or_a_pipe_at_any_moment_is_not_opened() {
    let fixture = Fixture::new();
    let outside = outside(&fixture);
    make_pipe(&fixture.path("pipe"));
    symlink(outside.join("tides.md"), fixture.path("link")).unwrap();
    // Inside, but not to be read.
    fixture.put(".env", "secret");
    symlink(".env", fixture.path("inner-link")).unwrap();
    for other in ["link", "inner-link", "pipe"] {
        fixture.put("a.md", "mine");
        let swapping = Swapping::start(fixture.path("a.md"), fixture.path(other));
        for round in 0..ROUNDS {
            let found = fixture.run("read_file", json!({"path": "a.md"}));
            let found = tokio::time::timeout(Duration::from_secs(30), found).await;
            if let Ok(text) = found.expect("it waits for nobody") {
                assert_eq!(text, "mine", "{other}, round {round}");
            }
            if round % 4 == 0 {
                let found = fixture.run("search_files", json!({"pattern": "secret"}));
                let found = tokio::time::timeout(Duration::from_secs(30), found).await;
                let found = found.expect("it waits for nobody").unwrap();
                assert!(found.starts_with("[no line fits"), "{other}: {found}");
                let edit = json!({"path": "a.md", "edits": [{"old": "secret", "new": "x"}]});
                let found =
                    tokio::time::timeout(Duration::from_secs(30), fixture.run("edit_file", edit));
                assert!(found.await.expect("it waits for nobody").is_err());
            }
        }
        drop(swapping);
        assert_untouched(&outside);
        let kept = fs::symlink_metadata(fixture.path("a.md")).unwrap();
        if !kept.is_file() {
            fs::rename(fixture.path(other), fixture.path("a.md")).unwrap();
        }
    }
}

/// Does something as soon as the temporary file is there.
fn when_begun(fixture: &Fixture, act: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    let key = fixture.call(&json!({})).effect_key();
    let temporary = fixture.path(&format!("notes/.holdfast-{key}.tmp"));
    std::thread::spawn(move || {
        for _ in 0..1_000_000 {
            if temporary.exists() {
                break;
            }
        }
        act();
    })
}

// EFF-5: what somebody writes while the temporary file is on its way to the disk survives.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_during_the_write_is_seen_before_the_rename() {
    let long = "new\n".repeat(50_000);
    for _ in 0..TRIES {
        let fixture = Fixture::new();
        fixture.put("notes/tides.md", "old\n");
        let arguments = write(&long);
        let intent = fixture.prepare("write_file", &arguments).await;
        let path = fixture.path("notes/tides.md");
        let other = when_begun(&fixture, move || fs::write(path, "theirs\n").unwrap());
        let ended = fixture.body("write_file", &arguments, &intent).await;
        other.join().unwrap();
        if let Err(error) = ended {
            assert!(error.message.contains("changed meanwhile"), "{error}");
            assert_eq!(fixture.text("notes/tides.md"), "theirs\n");
            assert_eq!(fixture.tree(), ["notes", "notes/tides.md"]);
            return;
        }
    }
    panic!("in {TRIES} tries it was never in time");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_during_the_write_leaves_everything_as_it_was() {
    let long = "new\n".repeat(50_000);
    for _ in 0..TRIES {
        let fixture = Fixture::new();
        fixture.put("notes/tides.md", "old\n");
        let arguments = write(&long);
        let intent = fixture.prepare("write_file", &arguments).await;
        let context = context();
        let cancel = context.cancel.clone();
        let other = when_begun(&fixture, move || cancel.cancel());
        let ended = run("write_file", &fixture.call(&arguments), &intent, &context).await;
        other.join().unwrap();
        assert_eq!(fixture.tree(), ["notes", "notes/tides.md"]);
        if let Err(error) = ended {
            assert_eq!(
                (error.class, error.is_definite),
                (ErrorClass::Cancelled, true)
            );
            assert_eq!(fixture.text("notes/tides.md"), "old\n");
            return;
        }
        assert_eq!(fixture.text("notes/tides.md"), long, "it came too late");
    }
    panic!("in {TRIES} tries it was never in time");
}
