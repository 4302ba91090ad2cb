//! Files put back to what they were. // EFF-9

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use engine::{RestoreError, Workspaces};
use serde_json::json;

use crate::fixture::{Fixture, NAME, hash, make_pipe};

fn restore(fixture: &Fixture, path: &str, before: Option<&str>) -> Result<(), RestoreError> {
    let before = before.map(str::as_bytes);
    fixture
        .workspaces
        .restore(NAME, path, hash("new\n"), before)
}

#[track_caller]
fn assert_changed(result: &Result<(), RestoreError>) {
    assert!(
        matches!(result, Err(RestoreError::Changed(_))),
        "{result:?}"
    );
}

#[track_caller]
fn assert_failed(result: &Result<(), RestoreError>) {
    assert!(
        matches!(result, Err(RestoreError::Failed { .. })),
        "{result:?}"
    );
}

#[tokio::test]
async fn what_a_call_wrote_can_be_taken_back_twice() {
    let fixture = Fixture::new();
    fixture.put("a.sh", "old\n");
    fs::set_permissions(fixture.path("a.sh"), Permissions::from_mode(0o750)).unwrap();
    for path in ["a.sh", "notes/new.md"] {
        let arguments = json!({"path": path, "content": "new\n"});
        let intent = fixture.prepare("write_file", &arguments).await;
        fixture
            .body("write_file", &arguments, &intent)
            .await
            .unwrap();
        let file = &intent.files[0];
        for _ in 0..2 {
            fixture
                .workspaces
                .restore(NAME, &file.path, file.after, file.before.as_deref())
                .unwrap();
            assert_eq!(fs::read(fixture.path(path)).ok(), file.before);
        }
    }
    assert_eq!(fixture.tree(), ["a.sh", "notes"], "no temporary file");
    let mode = fs::metadata(fixture.path("a.sh"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o750);
}

#[test]
fn what_was_changed_since_is_left_alone() {
    let fixture = Fixture::new();
    for before in [None, Some("old\n")] {
        fixture.put("a.md", "theirs\n");
        assert_changed(&restore(&fixture, "a.md", before));
        assert_eq!(fixture.text("a.md"), "theirs\n");
    }
    fs::remove_file(fixture.path("a.md")).unwrap();
    assert_changed(&restore(&fixture, "a.md", Some("old\n")));
    assert_changed(&restore(&fixture, "gone/a.md", Some("old\n")));
    assert_eq!(fixture.tree(), [""; 0], "nothing is brought back");
}

#[test]
fn what_became_something_else_is_left_alone() {
    let fixture = Fixture::new();
    fixture.put("folder/x.md", "new\n");
    make_pipe(&fixture.path("pipe"));
    let huge = fs::File::create(fixture.path("huge")).unwrap();
    huge.set_len(1 << 42).unwrap();
    for path in ["folder", "pipe", "huge"] {
        assert_changed(&restore(&fixture, path, Some("old\n")));
        assert_changed(&restore(&fixture, path, None));
    }
    assert_eq!(fixture.tree(), ["folder", "folder/x.md", "huge", "pipe"]);
}

// WSP-1
#[test]
fn undo_goes_through_no_link() {
    let fixture = Fixture::new();
    fs::write(fixture.outside(), "new\n").unwrap();
    symlink(fixture.outside(), fixture.path("a.md")).unwrap();
    symlink(fixture.folder.path(), fixture.path("up")).unwrap();
    for path in ["a.md", "up/outside.txt"] {
        assert!(restore(&fixture, path, Some("old\n")).is_err(), "{path}");
        assert!(restore(&fixture, path, None).is_err(), "{path}");
    }
    for path in ["../outside.txt", "/etc/passwd", "", "a/../b", "a\0"] {
        assert_failed(&restore(&fixture, path, None));
    }
    assert_eq!(fs::read_to_string(fixture.outside()).unwrap(), "new\n");
    for name in ["", "..", "ses-1/..", "/", "a\0", "UP"] {
        let result = fixture
            .workspaces
            .restore(name, "a.md", hash("new\n"), None);
        assert_failed(&result);
    }
}

#[test]
fn a_workspace_that_became_a_link_is_not_followed() {
    let fixture = Fixture::new();
    fixture.put("a.md", "new\n");
    // Beside it, so that the link does not leave the root.
    let other = fixture.workspaces.folder("ses-2");
    fs::rename(&fixture.workspace, &other).unwrap();
    symlink("ses-2", &fixture.workspace).unwrap();
    assert_failed(&restore(&fixture, "a.md", None));
    assert!(other.join("a.md").exists());
}

#[test]
fn undo_in_a_workspace_that_is_gone() {
    let fixture = Fixture::bare();
    restore(&fixture, "a.md", None).unwrap();
    assert_changed(&restore(&fixture, "a.md", Some("old\n")));
    assert!(!fixture.workspace.exists());
}

// An undo that died before its rename is done again.
#[test]
fn a_leftover_of_an_undo_is_replaced() {
    let fixture = Fixture::new();
    fixture.put("a.md", "new\n");
    let after = blake3::Hash::from_bytes(hash("new\n")).to_hex();
    fixture.put(&format!(".holdfast-undo-{after}.tmp"), "torn");
    restore(&fixture, "a.md", Some("old\n")).unwrap();
    assert_eq!(fixture.text("a.md"), "old\n");
    assert_eq!(fixture.tree(), ["a.md"]);
}
