//! `write_file`: what is shown, what is written, what is refused.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use protocol::{CallPreview, ErrorClass, PreviewPart, limits};
use serde_json::{Value, json};

use crate::fixture::{Fixture, context, make_pipe, run};

fn write(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content})
}

async fn preview(fixture: &Fixture, path: &str, content: &str) -> CallPreview {
    let plan = fixture.plan("write_file", write(path, content)).await;
    plan.unwrap().preview
}

fn full(fixture: &Fixture, path: &str) -> PreviewPart {
    PreviewPart::Path {
        path: fixture.path(path).display().to_string(),
    }
}

#[tokio::test]
async fn a_new_file_is_shown_whole() {
    let fixture = Fixture::bare();
    assert_eq!(
        preview(&fixture, "notes/tides.md", "high\nlow\n").await,
        CallPreview {
            summary: "Write notes/tides.md (2 lines, new)".to_owned(),
            subject: Some("notes/tides.md".to_owned()),
            parts: vec![
                full(&fixture, "notes/tides.md"),
                PreviewPart::Diff {
                    path: "notes/tides.md".to_owned(),
                    text: "--- /dev/null\n+++ b/notes/tides.md\n@@ -0,0 +1,2 @@\n+high\n+low\n"
                        .to_owned(),
                    is_new: true,
                },
            ],
        }
    );
    assert!(!fixture.workspace.exists(), "a plan makes nothing");
}

#[tokio::test]
async fn a_change_is_shown_as_a_unified_diff() {
    let fixture = Fixture::new();
    fixture.put("t.md", "1\n2\n3\n4\n5\n6\n7\n8\n9\nlow");
    assert_eq!(
        preview(&fixture, "t.md", "1\n2\n3\n4\n5\n6\n7\n8\n9\nhigh\n").await,
        CallPreview {
            summary: "Write t.md (10 lines, replaces 10 lines)".to_owned(),
            subject: Some("t.md".to_owned()),
            parts: vec![
                full(&fixture, "t.md"),
                PreviewPart::Diff {
                    path: "t.md".to_owned(),
                    text: "--- a/t.md\n+++ b/t.md\n@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-low\n\
                           \\ No newline at end of file\n+high\n"
                        .to_owned(),
                    is_new: false,
                },
            ],
        }
    );
    let same = preview(&fixture, "t.md", &fixture.text("t.md")).await;
    assert_eq!(same.summary, "Write t.md (10 lines, no change)");
}

#[tokio::test]
async fn binary_that_would_be_replaced_is_said_to_be_binary() {
    let fixture = Fixture::new();
    fixture.put("t.md", b"\0\xff\xfe");
    let preview = preview(&fixture, "t.md", "text\n").await;
    assert_eq!(preview.summary, "Write t.md (1 line, replaces 3 bytes)");
    let [
        _,
        PreviewPart::Text { label, .. },
        PreviewPart::Diff { text, is_new, .. },
    ] = preview.parts.as_slice()
    else {
        panic!("{preview:?}");
    };
    assert_eq!((label.as_str(), *is_new), ("Not text", false));
    assert!(text.ends_with("+text\n"), "{text}");
}

#[tokio::test]
async fn two_long_texts_are_compared_in_bounded_time() {
    let fixture = Fixture::new();
    let old: String = (0..200_000).map(|line| format!("{line}\n")).collect();
    let new: String = (0..100_000).map(|line| format!("{}\n", line * 7)).collect();
    fixture.put("t.md", old);
    let preview = tokio::time::timeout(Duration::from_secs(20), preview(&fixture, "t.md", &new));
    let preview = preview.await.expect("it ends");
    assert!(preview.summary.contains("replaces 200000 lines"));
}

#[tokio::test]
async fn it_writes_what_it_was_given() {
    let fixture = Fixture::bare();
    for (content, result) in [
        ("high\n", "Created a/b/tides.md (1 line, 5 bytes)."),
        ("high\nlow", "Replaced a/b/tides.md (2 lines, 8 bytes)."),
        (
            "high\nlow",
            "a/b/tides.md held this already (2 lines, 8 bytes).",
        ),
        ("", "Replaced a/b/tides.md (0 lines, 0 bytes)."),
        (
            "ebb – \u{1F30A}\r\n",
            "Replaced a/b/tides.md (1 line, 14 bytes).",
        ),
    ] {
        let found = fixture
            .ok("write_file", write("a/b/tides.md", content))
            .await;
        assert_eq!(found, result);
        assert_eq!(fixture.text("a/b/tides.md"), content);
    }
    assert_eq!(
        fixture.tree(),
        ["a", "a/b", "a/b/tides.md"],
        "nothing is left over"
    );
    let mode = fs::metadata(&fixture.workspace)
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700, "a workspace is nobody else's");
}

#[tokio::test]
async fn permission_bits_are_kept_but_for_those_that_lend_rights() {
    let fixture = Fixture::new();
    for (mode, kept) in [
        (0o755, 0o755),
        (0o600, 0o600),
        (0o4755, 0o755),
        (0o2660, 0o660),
    ] {
        fixture.put("run.sh", "old");
        fs::set_permissions(fixture.path("run.sh"), Permissions::from_mode(mode)).unwrap();
        fixture.ok("write_file", write("run.sh", "new")).await;
        let found = fs::metadata(fixture.path("run.sh")).unwrap().permissions();
        assert_eq!(found.mode() & 0o7777, kept, "{mode:o}");
    }
}

#[tokio::test]
async fn a_hard_link_elsewhere_keeps_what_it_holds() {
    let fixture = Fixture::new();
    fs::hard_link(fixture.outside(), fixture.path("a.md")).unwrap();
    fixture.ok("write_file", write("a.md", "mine")).await;
    assert_eq!(fs::read_to_string(fixture.outside()).unwrap(), "secret");
}

#[tokio::test]
async fn what_is_no_ordinary_file_is_refused_without_waiting() {
    let fixture = Fixture::new();
    make_pipe(&fixture.path("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(fixture.path("socket")).unwrap();
    for path in ["pipe", "socket", "pipe/a.md"] {
        let answer = fixture.fails("write_file", write(path, "x"));
        let (class, message) = tokio::time::timeout(Duration::from_secs(10), answer)
            .await
            .expect("it does not wait for a reader");
        assert!(
            matches!(class, ErrorClass::Permission | ErrorClass::Tool),
            "{path}: {message}"
        );
    }
}

#[tokio::test]
async fn devices_are_refused() {
    let mut fixture = Fixture::new();
    fixture.workspace = PathBuf::from("/dev");
    for name in ["read_file", "write_file"] {
        let mut arguments = json!({"path": "null"});
        if name == "write_file" {
            arguments["content"] = json!("x");
        }
        let error = fixture.run(name, arguments).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Permission, "{error}");
        assert!(error.message.contains("device"), "{error}");
    }
}

#[tokio::test]
async fn a_read_only_file_stays_as_it_is() {
    let fixture = Fixture::new();
    fixture.put("kept.md", "old");
    fs::set_permissions(fixture.path("kept.md"), Permissions::from_mode(0o444)).unwrap();
    let (class, message) = fixture.fails("write_file", write("kept.md", "new")).await;
    assert_eq!(class, ErrorClass::Permission);
    assert!(message.contains("read-only"), "{message}");
    assert_eq!(fixture.text("kept.md"), "old");
}

// A file system that takes no files, even from whoever may do everything elsewhere.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_cannot_be_written_to_gives_a_definite_error() {
    let mut fixture = Fixture::new();
    fixture.workspace = PathBuf::from("/sys/kernel");
    for path in ["holdfast.md", "holdfast/a.md"] {
        let error = fixture
            .run("write_file", write(path, "x"))
            .await
            .unwrap_err();
        assert_eq!(
            (error.class, error.is_definite),
            (ErrorClass::Permission, true),
            "{error}"
        );
        assert!(!error.message.contains("/sys"), "{error}");
    }
}

// SEC-3: by its size alone.
#[tokio::test]
async fn caps_hold_on_both_sides() {
    let fixture = Fixture::new();
    let huge = File::create(fixture.path("huge.md")).unwrap();
    huge.set_len(1 << 42).unwrap();
    let (class, _) = fixture.fails("write_file", write("huge.md", "x")).await;
    assert_eq!(class, ErrorClass::Limit);
    huge.set_len(4 * 1024 * 1024).unwrap();
    fixture.ok("write_file", write("huge.md", "x")).await;
    let (class, _) = fixture
        .fails(
            "write_file",
            write("a.md", &"x".repeat(limits::ARGUMENTS_BYTES)),
        )
        .await;
    assert_eq!(class, ErrorClass::Limit);
    let most = "x".repeat(limits::ARGUMENTS_BYTES - 64);
    fixture.ok("write_file", write("a.md", &most)).await;
    assert_eq!(fixture.text("a.md").len(), most.len());
}

#[tokio::test]
async fn a_stopped_call_writes_nothing() {
    let fixture = Fixture::bare();
    let arguments = write("notes/a.md", "x");
    let intent = fixture.prepare("write_file", &arguments).await;
    let context = context();
    context.cancel.cancel();
    let call = fixture.call(&arguments);
    let error = run("write_file", &call, &intent, &context)
        .await
        .unwrap_err();
    assert_eq!(
        (error.class, error.is_definite),
        (ErrorClass::Cancelled, true)
    );
    assert!(!fixture.workspace.exists());
}
