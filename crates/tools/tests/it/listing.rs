//! `list_files`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::fixture::{Fixture, make_pipe};

#[tokio::test]
async fn one_level_in_order_with_sizes() {
    let fixture = Fixture::new();
    fixture.put("b.md", "12345");
    fixture.put("a/deep/c.md", "");
    fixture.put("Z.md", "");
    symlink("b.md", fixture.path("c-link")).unwrap();
    symlink("/etc", fixture.path("d-link")).unwrap();
    make_pipe(&fixture.path("pipe"));
    assert_eq!(
        fixture.ok("list_files", json!({})).await,
        "Z.md (0 bytes)\na/\nb.md (5 bytes)\nc-link -> b.md (link)\nd-link -> /etc (link)\n\
         pipe (pipe, socket or device)"
    );
    assert_eq!(
        fixture.ok("list_files", json!({"path": "a"})).await,
        "deep/"
    );
    assert_eq!(
        fixture.ok("list_files", json!({"path": "a/"})).await,
        "deep/"
    );
}

#[tokio::test]
async fn an_empty_folder_and_a_workspace_that_is_not_there_are_empty() {
    for fixture in [Fixture::new(), Fixture::bare()] {
        assert_eq!(
            fixture.ok("list_files", json!({})).await,
            "[the folder is empty]"
        );
        let (_, message) = fixture.fails("list_files", json!({"path": "a"})).await;
        assert!(message.contains("does not exist"), "{message}");
    }
}

// EFF-6, SEC-3
#[tokio::test]
async fn ten_thousand_entries_come_in_pages() {
    let fixture = Fixture::new();
    let names: Vec<String> = (0..10_000)
        .map(|number| format!("file-{number:05}"))
        .collect();
    for name in &names {
        fs::write(fixture.path(name), "").unwrap();
    }
    let mut seen = Vec::new();
    let mut offset = 1;
    loop {
        let page = fixture.ok("list_files", json!({"offset": offset})).await;
        let (entries, note) = page.rsplit_once("\n[").unwrap();
        assert!(entries.lines().count() <= 1_000);
        assert!(note.contains("of 10000"), "{note}");
        seen.extend(entries.lines().map(|line| line.replace(" (0 bytes)", "")));
        match note.split_once("offset ") {
            Some((_, next)) => offset = next.trim_end_matches(']').parse().unwrap(),
            None => break,
        }
    }
    assert_eq!(seen, names);
    let (_, message) = fixture.fails("list_files", json!({"offset": 10_001})).await;
    assert!(message.contains("has 10000 entries"), "{message}");
}

// A name cannot pretend to be another entry, or to be an instruction on a line of its own.
#[tokio::test]
async fn strange_names_stay_on_their_line() {
    let fixture = Fixture::new();
    fs::write(fixture.path("a\nb.md (9 bytes)"), "").unwrap();
    fs::write(fixture.path("c\u{202e}dm.d"), "").unwrap();
    symlink("x\ny", fixture.path("e")).unwrap();
    fs::write(
        fixture
            .path("f")
            .with_file_name(OsStr::from_bytes(b"f\xff")),
        "",
    )
    .unwrap();
    assert_eq!(
        fixture.ok("list_files", json!({})).await,
        "a\\u{a}b.md (9 bytes) (0 bytes)\nc\\u{202e}dm.d (0 bytes)\ne -> x\\u{a}y (link)\n\
         f\u{fffd} (0 bytes)"
    );
}
