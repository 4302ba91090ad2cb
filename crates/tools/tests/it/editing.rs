//! `edit_file`: what is shown, what is changed, what is refused.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use engine::{FileIntent, Intent, Workspaces};
use protocol::{CallPreview, ErrorClass, PreviewPart};
use serde_json::{Value, json};

use crate::fixture::{Fixture, NAME, context, hash, make_pipe, run};

fn edit(path: &str, edits: &[(&str, &str)]) -> Value {
    let edits: Vec<Value> = edits
        .iter()
        .map(|(old, new)| json!({"old": old, "new": new}))
        .collect();
    json!({"path": path, "edits": edits})
}

#[tokio::test]
async fn an_edit_is_shown_as_a_unified_diff() {
    let fixture = Fixture::new();
    fixture.put("notes/t.md", "1\n2\n3\n4\n5\nlow");
    let arguments = edit("notes/t.md", &[("1\n", "one\n"), ("low", "high")]);
    let plan = fixture.plan("edit_file", arguments).await.unwrap();
    assert_eq!(
        plan.preview,
        CallPreview {
            summary: "Edit notes/t.md (2 places)".to_owned(),
            subject: Some("notes/t.md".to_owned()),
            parts: vec![
                PreviewPart::Path {
                    path: fixture.path("notes/t.md").display().to_string(),
                },
                PreviewPart::Diff {
                    path: "notes/t.md".to_owned(),
                    text: "--- a/notes/t.md\n+++ b/notes/t.md\n@@ -1,6 +1,6 @@\n-1\n+one\n 2\n 3\n 4\n \
                           5\n-low\n\\ No newline at end of file\n+high\n\\ No newline at end of file\n"
                        .to_owned(),
                    is_new: false,
                },
            ],
        }
    );
    assert_eq!(plan.resources, ["notes/t.md"]);
    assert_eq!(fixture.text("notes/t.md"), "1\n2\n3\n4\n5\nlow", "not yet");
}

// APR-6: what an approval is bound to.
#[tokio::test]
async fn the_plan_is_bound_to_what_the_file_holds() {
    let fixture = Fixture::new();
    let mut bindings = Vec::new();
    for content in ["old\n", "old\n\n"] {
        fixture.put("t.md", content);
        let plan = fixture.plan("edit_file", edit("t.md", &[("old", "new")]));
        bindings.push(plan.await.unwrap().binding);
        assert_eq!(bindings.last().unwrap(), &hash(content));
    }
    assert_ne!(bindings[0], bindings[1]);
}

#[tokio::test]
async fn it_changes_what_it_was_told_and_keeps_the_rest() {
    let fixture = Fixture::new();
    fixture.put("t.md", "\u{feff}one\r\ntwo\r\none");
    let arguments = json!({"path": "t.md", "edits": [
        {"old": "one", "new": "1\n1", "all": true},
        {"old": "two", "new": "2", "all": null},
    ]});
    assert_eq!(
        fixture.ok("edit_file", arguments).await,
        "Edited t.md (3 places; now 5 lines, 16 bytes)."
    );
    assert_eq!(fixture.text("t.md"), "\u{feff}1\r\n1\r\n2\r\n1\r\n1");
    fs::set_permissions(fixture.path("t.md"), Permissions::from_mode(0o750)).unwrap();
    fixture
        .ok("edit_file", edit("t.md", &[("2", "zwei")]))
        .await;
    let mode = fs::metadata(fixture.path("t.md")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o750);
    assert_eq!(fixture.tree(), ["t.md"], "nothing is left over");
}

#[tokio::test]
async fn all_edits_are_made_or_none() {
    let fixture = Fixture::new();
    fixture.put("t.md", "one\ntwo\ntwo\n");
    for (edits, said) in [
        (
            vec![("one", "1"), ("three", "3")],
            "`edits[1].old` is not in t.md",
        ),
        (
            vec![("one", "1"), ("two", "2")],
            "in 2 places of t.md: lines 2, 3",
        ),
        (vec![("one", "1"), ("", "2")], "`edits[1].old` is empty"),
        (vec![("one", "1"), ("ne\n", "2")], "both change line 1"),
        (vec![("one", "one")], "changes nothing"),
        (vec![("one\r\n", "one\n")], "leave t.md as it is"),
        (vec![], "1 to 100"),
    ] {
        let (class, message) = fixture.fails("edit_file", edit("t.md", &edits)).await;
        assert_eq!(class, ErrorClass::InvalidRequest, "{message}");
        assert!(message.contains(said), "{message}");
        assert_eq!(fixture.text("t.md"), "one\ntwo\ntwo\n");
    }
}

#[tokio::test]
async fn what_is_no_ordinary_text_file_is_refused() {
    let fixture = Fixture::new();
    fixture.put("binary", b"one\0");
    fixture.put("latin", b"one \xe4");
    fixture.put("kept.md", "one");
    fs::set_permissions(fixture.path("kept.md"), Permissions::from_mode(0o444)).unwrap();
    fixture.put(".env", "one=1");
    fixture.put(".git/config", "one");
    fixture.put("real.md", "one");
    symlink("real.md", fixture.path("link.md")).unwrap();
    make_pipe(&fixture.path("pipe"));
    let huge = File::create(fixture.path("huge")).unwrap();
    huge.set_len(1 << 42).unwrap();
    for (path, class, said) in [
        ("binary", ErrorClass::Tool, "not text"),
        ("latin", ErrorClass::Tool, "not text"),
        ("kept.md", ErrorClass::Permission, "read-only"),
        (".env", ErrorClass::Permission, "credentials"),
        (".git/config", ErrorClass::Permission, "programs"),
        ("link.md", ErrorClass::Permission, "is a link"),
        ("pipe", ErrorClass::Permission, "pipe"),
        ("huge", ErrorClass::Limit, "bytes"),
        ("gone.md", ErrorClass::Tool, "write_file writes a new file"),
        ("gone/a.md", ErrorClass::Tool, "does not exist"),
    ] {
        let (found, message) = fixture
            .fails("edit_file", edit(path, &[("one", "1")]))
            .await;
        assert_eq!(found, class, "{path}: {message}");
        assert!(message.contains(said), "{path}: {message}");
    }
}

// SEC-3: a file that undo could not put back is not made.
#[tokio::test]
async fn caps_hold_on_both_sides() {
    let fixture = Fixture::new();
    fixture.put("t.md", "a".repeat(4 * 1024 * 1024 - 1) + "b");
    let (class, message) = fixture
        .fails("edit_file", edit("t.md", &[("b", "bb")]))
        .await;
    assert_eq!(class, ErrorClass::Limit, "{message}");
    fixture.ok("edit_file", edit("t.md", &[("b", "c")])).await;
}

// EFF-5
#[tokio::test]
async fn a_body_that_runs_again_finds_its_own_work() {
    let fixture = Fixture::new();
    fixture.put("t.md", "old\n");
    let arguments = edit("t.md", &[("old", "new")]);
    let intent = fixture.prepare("edit_file", &arguments).await;
    assert_eq!(
        intent.files,
        [FileIntent {
            path: "t.md".to_owned(),
            before: Some(b"old\n".to_vec()),
            after: hash("new\n"),
        }]
    );
    let key = fixture.call(&arguments).effect_key();
    fixture.put(&format!(".holdfast-{key}.tmp"), "torn");
    let first = fixture
        .body("edit_file", &arguments, &intent)
        .await
        .unwrap();
    let inode = fs::metadata(fixture.path("t.md")).unwrap().ino();
    for _ in 0..3 {
        let again = fixture.body("edit_file", &arguments, &intent).await;
        assert_eq!(again.unwrap(), first);
    }
    assert_eq!(fs::metadata(fixture.path("t.md")).unwrap().ino(), inode);
    assert_eq!(fixture.tree(), ["t.md"]);
    assert_eq!(fixture.text("t.md"), "new\n");
}

// EFF-5
#[tokio::test]
async fn what_somebody_else_wrote_in_between_is_left_alone() {
    let fixture = Fixture::new();
    let arguments = edit("t.md", &[("old", "new")]);
    fixture.put("t.md", "old\n");
    let intent = fixture.prepare("edit_file", &arguments).await;
    // It would still fit: but this is not what was shown.
    fixture.put("t.md", "more\nold\n");
    let error = fixture.body("edit_file", &arguments, &intent).await;
    let error = error.unwrap_err();
    assert!(
        error.is_definite && error.message.contains("changed meanwhile"),
        "{error}"
    );
    assert_eq!(fixture.text("t.md"), "more\nold\n");
    fs::remove_file(fixture.path("t.md")).unwrap();
    let error = fixture.body("edit_file", &arguments, &intent).await;
    assert!(error.unwrap_err().message.contains("changed meanwhile"));
    assert_eq!(fixture.tree(), [""; 0], "it is not brought back");
}

#[tokio::test]
async fn an_intent_for_something_else_is_not_used() {
    let fixture = Fixture::new();
    fixture.put("t.md", "old\n");
    let arguments = edit("t.md", &[("old", "new")]);
    let good = fixture.prepare("edit_file", &arguments).await;
    let mut other_path = good.clone();
    other_path.files[0].path = "u.md".to_owned();
    let mut other_before = good.clone();
    other_before.files[0].before = Some(b"old old\n".to_vec());
    let mut other_after = good.clone();
    other_after.files[0].after = hash("other\n");
    for intent in [Intent::default(), other_path, other_before, other_after] {
        let error = fixture.body("edit_file", &arguments, &intent).await;
        assert!(error.unwrap_err().is_definite);
        assert_eq!(fixture.text("t.md"), "old\n");
    }
}

// EFF-9
#[tokio::test]
async fn an_edit_can_be_taken_back() {
    let fixture = Fixture::new();
    fixture.put("t.md", "old\r\n");
    let arguments = edit("t.md", &[("old", "new")]);
    let intent = fixture.prepare("edit_file", &arguments).await;
    fixture
        .body("edit_file", &arguments, &intent)
        .await
        .unwrap();
    let file = &intent.files[0];
    for _ in 0..2 {
        fixture
            .workspaces
            .restore(NAME, &file.path, file.after, file.before.as_deref())
            .unwrap();
        assert_eq!(fixture.text("t.md"), "old\r\n");
    }
}

#[tokio::test]
async fn a_stopped_edit_changes_nothing() {
    let fixture = Fixture::new();
    fixture.put("t.md", "old\n");
    let arguments = edit("t.md", &[("old", "new")]);
    let intent = fixture.prepare("edit_file", &arguments).await;
    let context = context();
    context.cancel.cancel();
    let error = run("edit_file", &fixture.call(&arguments), &intent, &context).await;
    assert_eq!(error.unwrap_err().class, ErrorClass::Cancelled);
    assert_eq!(fixture.text("t.md"), "old\n");
}
