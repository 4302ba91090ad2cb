//! `find_files`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use engine::Intent;
use protocol::ErrorClass;
use serde_json::{Value, json};

use crate::fixture::{Fixture, context, make_pipe, run};

async fn find(fixture: &Fixture, arguments: Value) -> String {
    fixture.ok("find_files", arguments).await
}

#[tokio::test]
async fn files_are_found_by_pattern_in_order() {
    let fixture = Fixture::new();
    for path in ["b.md", "a/z.md", "a/deep/c.md", "a/x.txt", "a-b.md", "Z.md"] {
        fixture.put(path, "");
    }
    for (arguments, found) in [
        (
            json!({"pattern": "*.md"}),
            "Z.md\na/deep/c.md\na/z.md\na-b.md\nb.md",
        ),
        (json!({"pattern": "a/*.md"}), "a/z.md"),
        (json!({"pattern": "a/**"}), "a/deep/c.md\na/x.txt\na/z.md"),
        (
            json!({"pattern": "*.md", "path": "a"}),
            "a/deep/c.md\na/z.md",
        ),
        (json!({"pattern": "deep/*", "path": "a/"}), "a/deep/c.md"),
        (json!({"pattern": "{b,Z}.md"}), "Z.md\nb.md"),
        (
            json!({"pattern": "*.rs"}),
            "[no file fits *.rs; hidden and ignored files were not looked at]",
        ),
    ] {
        assert_eq!(
            find(&fixture, arguments.clone()).await,
            found,
            "{arguments}"
        );
    }
    let plan = fixture.plan("find_files", json!({"pattern": "*.md", "path": "a"}));
    let plan = plan.await.unwrap();
    assert_eq!(plan.preview.summary, "Find *.md in a");
    assert_eq!(plan.preview.subject.as_deref(), Some("a"));
    let (_, message) = fixture
        .fails("find_files", json!({"pattern": "*", "path": "b.md"}))
        .await;
    assert!(message.contains("not a folder"), "{message}");
}

#[tokio::test]
async fn a_workspace_that_is_not_there_is_empty() {
    let fixture = Fixture::bare();
    let found = find(
        &fixture,
        json!({"pattern": "*", "hidden": true, "ignored": true}),
    )
    .await;
    assert_eq!(found, "[no file fits *]");
    let (_, message) = fixture
        .fails("find_files", json!({"pattern": "*", "path": "a"}))
        .await;
    assert!(message.contains("does not exist"), "{message}");
    assert!(!fixture.workspace.exists());
}

#[tokio::test]
async fn hidden_and_ignored_files_are_found_when_asked_for() {
    let fixture = Fixture::new();
    fixture.put(".gitignore", "*.log\ntarget/\n!kept.log\n/only-here\n");
    fixture.put("sub/.ignore", "!b.log\ndraft.md\n");
    for path in [
        "a.log",
        "kept.log",
        "only-here",
        "sub/only-here",
        "sub/b.log",
        "sub/draft.md",
        "sub/a.md",
        "target/x.md",
        ".env",
        ".hidden/a.md",
        ".git/config",
    ] {
        fixture.put(path, "");
    }
    let plain = "kept.log\nsub/a.md\nsub/b.log\nsub/only-here";
    assert_eq!(find(&fixture, json!({"pattern": "*"})).await, plain);
    assert_eq!(
        find(&fixture, json!({"pattern": "*", "hidden": true})).await,
        format!(
            ".env\n.gitignore\n.hidden/a.md\n{}",
            plain.replace("sub/a.md", "sub/.ignore\nsub/a.md")
        ),
        "credentials may be named; what git keeps for itself is not looked at"
    );
    assert_eq!(
        find(&fixture, json!({"pattern": "*", "ignored": true})).await,
        "a.log\nkept.log\nonly-here\nsub/a.md\nsub/b.log\nsub/draft.md\nsub/only-here\ntarget/x.md"
    );
    // A folder that is named is meant, and the files above it still count.
    assert_eq!(
        find(&fixture, json!({"pattern": "*", "path": "target"})).await,
        "target/x.md"
    );
    assert_eq!(
        find(&fixture, json!({"pattern": "*.log", "path": "sub"})).await,
        "sub/b.log"
    );
}

#[tokio::test]
async fn ignore_files_that_cannot_be_used_are_said() {
    let fixture = Fixture::new();
    fixture.put("a.md", "");
    fs::write(fixture.outside(), "a.md\n").unwrap();
    symlink(fixture.outside(), fixture.path(".gitignore")).unwrap();
    fixture.put(".ignore", "# long\n".repeat(20_000));
    assert_eq!(
        find(&fixture, json!({"pattern": "*.md"})).await,
        "a.md\n[2 ignore files could not be used]"
    );
    fs::remove_file(fixture.path(".gitignore")).unwrap();
    make_pipe(&fixture.path(".gitignore"));
    fixture.put(".ignore", b"\xff\xfe\n[z\n{{{{\n***\na.md".as_slice());
    let found = find(&fixture, json!({"pattern": "*.md"})).await;
    assert!(found.starts_with("[no file fits *.md"), "{found}");
}

// WSP-1
#[tokio::test]
async fn links_are_named_and_never_followed() {
    let fixture = Fixture::new();
    fixture.put("real/a.md", "");
    symlink("real/a.md", fixture.path("link.md")).unwrap();
    symlink("real", fixture.path("folder.md")).unwrap();
    symlink(fixture.outside(), fixture.path("out.md")).unwrap();
    symlink(fixture.folder.path(), fixture.path("up.md")).unwrap();
    symlink(".", fixture.path("real/round.md")).unwrap();
    make_pipe(&fixture.path("pipe.md"));
    assert_eq!(
        find(&fixture, json!({"pattern": "**/*.md"})).await,
        "folder.md (link)\nlink.md (link)\nout.md (link)\npipe.md\nreal/a.md\nreal/round.md (link)\n\
         up.md (link)"
    );
    // A link inside that is named is walked through, as the other tools do it.
    assert_eq!(
        find(&fixture, json!({"pattern": "a.md", "path": "folder.md"})).await,
        "folder.md/a.md"
    );
}

// A name cannot pretend to be another file, or to be an instruction on a line of its own.
#[tokio::test]
async fn strange_names_stay_on_their_line() {
    let fixture = Fixture::new();
    fs::write(fixture.path("a\nb.md"), "").unwrap();
    fs::create_dir(fixture.path("c\u{202e}d")).unwrap();
    fs::write(fixture.path("c\u{202e}d/e.md"), "").unwrap();
    let name = OsStr::from_bytes(b"f\xff.md");
    fs::write(fixture.path("f").with_file_name(name), "").unwrap();
    assert_eq!(
        find(&fixture, json!({"pattern": "*.md"})).await,
        "a\\u{a}b.md\nc\\u{202e}d/e.md\nf\u{fffd}.md"
    );
}

#[tokio::test]
async fn what_lies_too_deep_is_said() {
    let fixture = Fixture::new();
    let deep = vec!["d"; 31].join("/");
    fixture.put(&format!("{deep}/a.md"), "");
    fixture.put(&format!("{deep}/d/d/b.md"), "");
    assert_eq!(
        find(&fixture, json!({"pattern": "*.md"})).await,
        format!("{deep}/a.md\n[1 folder too deep to be looked at]")
    );
    // Thousands of folders in each other, more than one path could name.
    let mut folder =
        cap_std::fs::Dir::open_ambient_dir(fixture.path("d"), cap_std::ambient_authority())
            .unwrap();
    for _ in 0..3_000 {
        folder.create_dir("x").unwrap();
        folder = folder.open_dir("x").unwrap();
    }
    let found = find(&fixture, json!({"pattern": "*.md"})).await;
    assert!(found.contains("2 folders too deep"), "{found}");
    remove_deep(&fixture);
}

/// By the folders themselves: a path to the last one would be too long for the system.
fn remove_deep(fixture: &Fixture) {
    let top = cap_std::fs::Dir::open_ambient_dir(fixture.path("d"), cap_std::ambient_authority());
    top.unwrap().remove_dir_all("x").unwrap();
}

// EFF-6, SEC-3
#[tokio::test]
async fn a_hundred_thousand_files() {
    let fixture = Fixture::new();
    for folder in 0..100 {
        let path = fixture.path(&format!("f{folder:02}"));
        fs::create_dir(&path).unwrap();
        for file in 0..1_000 {
            fs::write(path.join(format!("{file:04}.md")), "x").unwrap();
        }
    }
    fixture.put("f99/last.txt", "tide");
    assert_eq!(
        find(&fixture, json!({"pattern": "*.txt"})).await,
        "f99/last.txt"
    );
    let found = find(&fixture, json!({"pattern": "*.md"})).await;
    let (files, note) = found.rsplit_once('\n').unwrap();
    assert_eq!(files.lines().count(), 1_000);
    assert_eq!(files.lines().next(), Some("f00/0000.md"));
    assert_eq!(
        note,
        "[these are the first 1000 files; there are more. Narrow it with `path` or a longer pattern]"
    );
    // On a machine that is busy its time may be over first: either way it says so.
    let found = fixture.ok("search_files", json!({"pattern": "tide"})).await;
    assert!(
        found.contains("50000 files searched; too many files: narrow it")
            || found.contains("the time was over"),
        "{found}"
    );
    let found = fixture
        .ok("search_files", json!({"pattern": "tide", "glob": "*.txt"}))
        .await;
    assert!(found.starts_with("f99/last.txt:1: tide\n"), "{found}");
}

#[tokio::test]
async fn patterns_that_cannot_be_used_say_so() {
    let fixture = Fixture::new();
    for pattern in [
        "", "../*", "/etc/*", "a/../b", "docs/", "[a", "{a", "~/x", "a\nb",
    ] {
        for (tool, field) in [("find_files", "pattern"), ("search_files", "glob")] {
            let mut arguments = json!({"pattern": "x"});
            arguments[field] = json!(pattern);
            let (class, message) = fixture.fails(tool, arguments).await;
            assert_eq!(class, ErrorClass::InvalidRequest, "{tool} {pattern:?}");
            assert!(message.contains(&format!("`{field}`")), "{message}");
        }
    }
}

#[tokio::test]
async fn a_stopped_call_ends_as_cancelled() {
    let fixture = Fixture::new();
    fixture.put("a.md", "a");
    let context = context();
    context.cancel.cancel();
    for tool in ["find_files", "search_files"] {
        let call = fixture.call(&json!({"pattern": "*"}));
        let call = if tool == "search_files" {
            fixture.call(&json!({"pattern": "a"}))
        } else {
            call
        };
        let error = run(tool, &call, &Intent::default(), &context).await;
        let error = error.unwrap_err();
        assert_eq!(
            (error.class, error.is_definite),
            (ErrorClass::Cancelled, true)
        );
    }
}
