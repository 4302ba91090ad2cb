//! The folders themselves.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use engine::Workspaces;
use protocol::ErrorClass;
use serde_json::json;

use crate::fixture::{Fixture, NAME, make_pipe};

const BAD: [&str; 10] = [
    "", ".", "..", "a/b", "../ses-1", "/tmp", "a\0b", "UPPER", "a b", "ä",
];

#[test]
fn folders_lie_below_the_root() {
    let fixture = Fixture::bare();
    let root = fixture.folder.path().join("workspaces");
    assert_eq!(fixture.workspaces.folder("ses-2"), root.join("ses-2"));
    assert!(!root.exists(), "asking makes nothing");
    assert!(fixture.workspaces.names().unwrap().is_empty());
}

// SEC-3: a name that is none gives a folder that nobody can open or make.
#[tokio::test]
async fn bad_names_lead_to_no_folder() {
    let mut fixture = Fixture::new();
    let long = "a".repeat(65);
    for name in BAD.into_iter().chain([long.as_str()]) {
        assert!(fixture.workspaces.remove(name).is_err(), "{name:?}");
        fixture.workspace = fixture.workspaces.folder(name);
        let arguments = json!({"path": "a.md", "content": "x"});
        let error = fixture.run("write_file", arguments).await.unwrap_err();
        assert!(error.is_definite, "{name:?}: {error}");
    }
    let root = fixture.folder.path().join("workspaces");
    let left: Vec<_> = fs::read_dir(root).unwrap().collect();
    assert_eq!(left.len(), 1, "only the one of the fixture: {left:?}");
}

#[test]
fn everything_in_a_workspace_is_removed_and_nothing_else() {
    let fixture = Fixture::new();
    fixture.put("a/b/c.md", "x");
    fixture.put("kept/read-only.md", "x");
    let read_only = fs::Permissions::from_mode(0o444);
    fs::set_permissions(fixture.path("kept/read-only.md"), read_only).unwrap();
    make_pipe(&fixture.path("pipe"));
    symlink(fixture.folder.path(), fixture.path("up")).unwrap();
    symlink(fixture.outside(), fixture.path("a/out")).unwrap();
    let other = fixture.workspaces.folder("ses-2");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("a.md"), "x").unwrap();
    assert_eq!(fixture.workspaces.names().unwrap(), [NAME, "ses-2"]);
    fixture.workspaces.remove(NAME).unwrap();
    assert!(!fixture.workspace.exists());
    assert!(fixture.outside().exists() && other.join("a.md").exists());
    assert_eq!(fixture.workspaces.names().unwrap(), ["ses-2"]);
    fixture.workspaces.remove(NAME).expect("it is gone already");
    fixture.workspaces.remove("never-was").unwrap();
}

#[test]
fn a_link_in_place_of_a_workspace_is_removed_itself() {
    let fixture = Fixture::new();
    let link = fixture.workspaces.folder("ses-2");
    symlink(&fixture.workspace, &link).unwrap();
    fixture.put("a.md", "x");
    assert_eq!(
        fixture.workspaces.names().unwrap(),
        [NAME],
        "a link is none"
    );
    fixture.workspaces.remove("ses-2").unwrap();
    assert!(fs::symlink_metadata(link).is_err());
    assert_eq!(fixture.text("a.md"), "x");
}

#[test]
fn removing_without_a_root_succeeds() {
    Fixture::bare().workspaces.remove(NAME).unwrap();
}

#[tokio::test]
async fn a_file_in_place_of_the_workspace_is_a_definite_error() {
    let fixture = Fixture::bare();
    fs::create_dir_all(fixture.workspace.parent().unwrap()).unwrap();
    fs::write(&fixture.workspace, "x").unwrap();
    for (name, arguments) in [
        ("list_files", json!({})),
        ("read_file", json!({"path": "a.md"})),
        ("write_file", json!({"path": "a.md", "content": "x"})),
    ] {
        let (class, message) = fixture.fails(name, arguments).await;
        assert_eq!(class, ErrorClass::Tool, "{name}: {message}");
    }
}
