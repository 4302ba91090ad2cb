//! Paths that must not lead anywhere, and links that do. // WSP-1

use std::fs;
use std::os::unix::fs::symlink;

use protocol::ErrorClass;
use serde_json::{Value, json};

use crate::fixture::{Fixture, context, run, tool};

const TOOLS: [&str; 6] = [
    "list_files",
    "find_files",
    "search_files",
    "read_file",
    "edit_file",
    "write_file",
];

fn arguments(tool: &str, path: &str) -> Value {
    match tool {
        "write_file" => json!({"path": path, "content": "x"}),
        "edit_file" => json!({"path": path, "edits": [{"old": "secret", "new": "x"}]}),
        "find_files" => json!({"path": path, "pattern": "*"}),
        "search_files" => json!({"path": path, "pattern": "secret"}),
        _ => json!({"path": path}),
    }
}

// WSP-1, SEC-3
#[tokio::test]
async fn hostile_paths_are_refused_by_every_tool() {
    let fixture = Fixture::new();
    fixture.put("a/b.md", "b");
    let long_path = "a/".repeat(600);
    let long_name = "a".repeat(256);
    let deep = "a/".repeat(40);
    for (path, class) in [
        ("", ErrorClass::InvalidRequest),
        ("..", ErrorClass::Permission),
        ("../outside.txt", ErrorClass::Permission),
        ("a/../../outside.txt", ErrorClass::Permission),
        ("a/..", ErrorClass::Permission),
        ("./../outside.txt", ErrorClass::Permission),
        ("/etc/passwd", ErrorClass::Permission),
        ("//etc/passwd", ErrorClass::Permission),
        ("~", ErrorClass::Permission),
        ("~/.profile", ErrorClass::Permission),
        ("C:\\Windows\\win.ini", ErrorClass::Permission),
        ("c:notes.md", ErrorClass::Permission),
        ("\\\\server\\share", ErrorClass::InvalidRequest),
        ("a\\..\\..\\outside.txt", ErrorClass::InvalidRequest),
        ("a\0b", ErrorClass::InvalidRequest),
        ("a\nb", ErrorClass::InvalidRequest),
        ("a\u{1b}[2J", ErrorClass::InvalidRequest),
        ("a\u{202e}dm.b", ErrorClass::InvalidRequest),
        ("a\u{200b}b", ErrorClass::InvalidRequest),
        (long_path.as_str(), ErrorClass::InvalidRequest),
        (long_name.as_str(), ErrorClass::InvalidRequest),
        (deep.as_str(), ErrorClass::InvalidRequest),
    ] {
        for tool in TOOLS {
            let (found, message) = fixture.fails(tool, arguments(tool, path)).await;
            assert_eq!(found, class, "{tool} {path:?}: {message}");
            assert!(message.len() > 20, "{tool} {path:?} says what to do");
        }
    }
    assert_eq!(fs::read_to_string(fixture.outside()).unwrap(), "secret");
}

#[tokio::test]
async fn folders_are_not_files() {
    let fixture = Fixture::new();
    fixture.put("a/b.md", "b");
    for path in [".", "a/", "a/.", "a", "new/"] {
        for tool in ["read_file", "edit_file", "write_file"] {
            let (class, message) = fixture.fails(tool, arguments(tool, path)).await;
            assert_eq!(
                class,
                ErrorClass::InvalidRequest,
                "{tool} {path}: {message}"
            );
            assert!(message.contains("folder"), "{tool} {path}: {message}");
        }
    }
    let (_, message) = fixture.fails("list_files", json!({"path": "a/b.md"})).await;
    assert!(message.contains("not a folder"), "{message}");
    for tool in TOOLS {
        let (_, message) = fixture.fails(tool, arguments(tool, "a/b.md/c")).await;
        assert!(message.contains("not a folder"), "{tool}: {message}");
    }
}

#[tokio::test]
async fn superfluous_dots_and_slashes_change_nothing() {
    let fixture = Fixture::new();
    for path in ["./a/b.md", "a//b.md", "a/./b.md"] {
        let plan = fixture.plan("write_file", arguments("write_file", path));
        let plan = plan.await.unwrap();
        assert_eq!(plan.preview.subject.as_deref(), Some("a/b.md"), "{path}");
        assert_eq!(plan.resources, ["a/b.md"], "{path}");
    }
}

// WSP-1: what a planted link leads to is out of reach, for every tool alike.
#[tokio::test]
async fn links_out_of_the_workspace_lead_nowhere() {
    let fixture = Fixture::new();
    let outside = fixture.outside();
    symlink(&outside, fixture.path("absolute.md")).unwrap();
    symlink("../../outside.txt", fixture.path("relative.md")).unwrap();
    symlink("relative.md", fixture.path("chained.md")).unwrap();
    symlink(fixture.folder.path(), fixture.path("folder")).unwrap();
    symlink("..", fixture.path("up")).unwrap();
    symlink("loop", fixture.path("loop")).unwrap();
    fs::create_dir(fixture.path("inner")).unwrap();
    symlink("../..", fixture.path("inner/up")).unwrap();
    for path in [
        "absolute.md",
        "relative.md",
        "chained.md",
        "folder/outside.txt",
        "folder",
        "up",
        "up/ses-1/absolute.md",
        "inner/up",
        "loop",
        "loop/a.md",
    ] {
        for tool in TOOLS {
            let (class, message) = fixture.fails(tool, arguments(tool, path)).await;
            assert_eq!(class, ErrorClass::Permission, "{tool} {path}: {message}");
            assert!(!message.contains("secret"));
        }
    }
    assert_eq!(fs::read_to_string(outside).unwrap(), "secret");
}

#[tokio::test]
async fn links_inside_the_workspace_are_read_through_and_never_written_through() {
    let fixture = Fixture::new();
    fixture.put("docs/deep/tides.md", "high\n");
    symlink("docs/deep", fixture.path("short")).unwrap();
    symlink("../docs/./deep/../deep/tides.md", fixture.path("docs/t.md")).unwrap();
    for path in ["short/tides.md", "docs/t.md"] {
        assert_eq!(
            fixture.ok("read_file", json!({"path": path})).await,
            "high\n"
        );
        let (class, message) = fixture
            .fails("write_file", arguments("write_file", path))
            .await;
        assert_eq!(class, ErrorClass::Permission, "{path}");
        assert!(message.contains("is a link"), "{message}");
    }
    let listed = fixture.ok("list_files", json!({"path": "short"})).await;
    assert_eq!(listed, "tides.md (5 bytes)");
}

// What is opened counts, not what it was called.
#[tokio::test]
async fn protected_names_stay_protected_behind_links() {
    let fixture = Fixture::new();
    fixture.put(".git/hooks/pre-commit", "#!/bin/sh\n");
    fixture.put(".env", "KEY=secret\n");
    symlink(".git", fixture.path("notes")).unwrap();
    symlink(".env", fixture.path("notes.md")).unwrap();
    for path in [
        ".git/hooks/pre-commit",
        ".git/config",
        ".GIT/config",
        ".git",
        "sub/.git/config",
        ".gitmodules",
        ".vscode/tasks.json",
        "notes/hooks/pre-commit",
    ] {
        let (class, message) = fixture
            .fails("write_file", arguments("write_file", path))
            .await;
        assert_eq!(class, ErrorClass::Permission, "{path}: {message}");
    }
    for path in [".env", "notes.md"] {
        let (class, message) = fixture.fails("read_file", json!({"path": path})).await;
        assert_eq!(class, ErrorClass::Permission, "{path}: {message}");
        assert!(!message.contains("KEY"));
    }
    let planned = fixture.plan("read_file", json!({"path": ".env"})).await;
    assert!(planned.is_err(), "nobody is shown a call that cannot be");
}

// Allowed is what was shown: a link that takes its place afterwards is found when it is opened.
#[tokio::test]
async fn a_link_swapped_in_after_the_plan_is_refused() {
    let fixture = Fixture::new();
    fixture.put("notes/tides.md", "old\n");
    fixture.put("flat.md", "old\n");
    let elsewhere = fixture.folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("tides.md"), "old\n").unwrap();
    for (path, swapped, target) in [
        ("notes/tides.md", "notes", elsewhere.clone()),
        ("flat.md", "flat.md", elsewhere.join("tides.md")),
    ] {
        let call = fixture.call(&arguments("write_file", path));
        let tool = tool("write_file");
        tool.plan(&call).await.unwrap();
        let intent = tool.prepare(&call).await.unwrap();
        fs::rename(fixture.path(swapped), fixture.path("moved")).unwrap();
        symlink(&target, fixture.path(swapped)).unwrap();
        let error = run("write_file", &call, &intent, &context())
            .await
            .unwrap_err();
        assert_eq!(
            (error.class, error.is_definite),
            (ErrorClass::Permission, true)
        );
        assert!(
            tool.plan(&call).await.is_err(),
            "the second plan sees it too"
        );
        if fixture.path("moved").is_dir() {
            fs::remove_dir_all(fixture.path("moved")).unwrap();
        }
    }
    assert_eq!(
        fs::read_to_string(elsewhere.join("tides.md")).unwrap(),
        "old\n"
    );
    assert_eq!(
        fs::read_dir(&elsewhere).unwrap().count(),
        1,
        "no temporary file"
    );
}

#[tokio::test]
async fn names_in_any_script_work() {
    let fixture = Fixture::new();
    for path in [
        "Gezeiten-Übersicht.md",
        "潮汐/表.md",
        "🌊/👩‍🔬.md",
        "مد.md",
        "with blanks & (signs)=$HOME;.md",
        "a..b/...c",
        "-rf",
        "{a,b}*?.md",
    ] {
        fixture
            .ok("write_file", arguments("write_file", path))
            .await;
        assert_eq!(
            fixture.ok("read_file", json!({"path": path})).await,
            "x",
            "{path}"
        );
    }
    let listed = fixture.ok("list_files", json!({})).await;
    assert!(
        listed.contains("潮汐/\n") && listed.contains("🌊/"),
        "{listed}"
    );
}
