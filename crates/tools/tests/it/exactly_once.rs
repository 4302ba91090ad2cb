//! Both sides of the rename. // EFF-5
//!
//! A body that died leaves one of these behind: nothing, a temporary file (whole or torn), or the
//! file in place with its outcome not recorded. The next body gets the same call and the same
//! intent.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

use engine::{FileIntent, Intent};
use protocol::ErrorClass;
use serde_json::{Value, json};

use crate::fixture::{Fixture, hash};

const PATH: &str = "notes/tides.md";

fn arguments() -> Value {
    json!({"path": PATH, "content": "new\n"})
}

/// Where the bytes of the fixture's call are until they are in place.
fn temporary(fixture: &Fixture) -> String {
    format!(
        "notes/.holdfast-{}.tmp",
        fixture.call(&arguments()).effect_key()
    )
}

async fn body(fixture: &Fixture, intent: &Intent) -> String {
    fixture
        .body("write_file", &arguments(), intent)
        .await
        .unwrap()
}

// EFF-5, EFF-9
#[tokio::test]
async fn the_intent_holds_the_way_back_and_the_way_forth() {
    let fixture = Fixture::new();
    let intent = |before: Option<&str>| Intent {
        files: vec![FileIntent {
            path: PATH.to_owned(),
            before: before.map(|before| before.as_bytes().to_vec()),
            after: hash("new\n"),
        }],
        detail: Value::Null,
    };
    assert_eq!(
        fixture.prepare("write_file", &arguments()).await,
        intent(None)
    );
    assert_eq!(fixture.tree(), [""; 0], "preparing changes nothing");
    fixture.put(PATH, "old\n");
    assert_eq!(
        fixture.prepare("write_file", &arguments()).await,
        intent(Some("old\n"))
    );
}

#[tokio::test]
async fn a_body_that_died_before_the_rename_is_done_again() {
    for left in [
        "",
        "ne",
        "new\n",
        "something longer than what it should be\n",
    ] {
        for before in [None, Some("old\n")] {
            let fixture = Fixture::new();
            fs::create_dir(fixture.path("notes")).unwrap();
            if let Some(before) = before {
                fixture.put(PATH, before);
            }
            let intent = fixture.prepare("write_file", &arguments()).await;
            fixture.put(&temporary(&fixture), left);
            body(&fixture, &intent).await;
            assert_eq!(fixture.text(PATH), "new\n");
            assert_eq!(fixture.tree(), ["notes", PATH], "the leftover is gone");
        }
    }
}

#[tokio::test]
async fn a_body_that_died_after_the_rename_is_not_done_again() {
    for before in [None, Some("old\n"), Some("new\n")] {
        let fixture = Fixture::new();
        if let Some(before) = before {
            fixture.put(PATH, before);
        }
        let intent = fixture.prepare("write_file", &arguments()).await;
        let first = body(&fixture, &intent).await;
        let metadata = fs::metadata(fixture.path(PATH)).unwrap();
        // What a body that died while it cleaned up leaves too.
        fixture.put(&temporary(&fixture), "new\n");
        for _ in 0..3 {
            assert_eq!(body(&fixture, &intent).await, first, "the same result");
        }
        let again = fs::metadata(fixture.path(PATH)).unwrap();
        assert_eq!(
            (again.ino(), again.mtime_nsec()),
            (metadata.ino(), metadata.mtime_nsec()),
            "it was written once"
        );
        assert_eq!(fixture.tree(), ["notes", PATH]);
    }
}

#[tokio::test]
async fn what_somebody_else_wrote_in_between_is_left_alone() {
    for before in [None, Some("old\n")] {
        for theirs in [Some("theirs\n"), None] {
            if before == theirs {
                continue;
            }
            let fixture = Fixture::new();
            fs::create_dir(fixture.path("notes")).unwrap();
            if let Some(before) = before {
                fixture.put(PATH, before);
            }
            let intent = fixture.prepare("write_file", &arguments()).await;
            match theirs {
                Some(theirs) => fixture.put(PATH, theirs),
                None => fs::remove_file(fixture.path(PATH)).unwrap(),
            }
            let tree = fixture.tree();
            let error = fixture
                .body("write_file", &arguments(), &intent)
                .await
                .unwrap_err();
            assert_eq!((error.class, error.is_definite), (ErrorClass::Tool, true));
            assert!(error.message.contains("changed meanwhile"), "{error}");
            assert_eq!(fixture.tree(), tree);
            if let Some(theirs) = theirs {
                assert_eq!(fixture.text(PATH), theirs);
            }
        }
    }
}

#[tokio::test]
async fn a_folder_that_is_gone_is_not_made_for_a_write_that_is_refused() {
    let fixture = Fixture::new();
    fixture.put(PATH, "old\n");
    let intent = fixture.prepare("write_file", &arguments()).await;
    fs::remove_dir_all(&fixture.workspace).unwrap();
    let error = fixture.body("write_file", &arguments(), &intent).await;
    assert!(error.unwrap_err().message.contains("changed meanwhile"));
    assert!(!fixture.workspace.exists());
}

// The temporary file's name can be known beforehand: what is planted there is not written through.
#[tokio::test]
async fn a_link_planted_as_the_temporary_file_is_replaced() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.path("notes")).unwrap();
    let intent = fixture.prepare("write_file", &arguments()).await;
    symlink(fixture.outside(), fixture.path(&temporary(&fixture))).unwrap();
    body(&fixture, &intent).await;
    assert_eq!(fs::read_to_string(fixture.outside()).unwrap(), "secret");
    assert_eq!(fixture.text(PATH), "new\n");
    assert!(fs::symlink_metadata(fixture.path(PATH)).unwrap().is_file());
}

#[tokio::test]
async fn a_folder_in_the_way_of_the_temporary_file_is_a_definite_error() {
    let fixture = Fixture::new();
    let intent = fixture.prepare("write_file", &arguments()).await;
    fs::create_dir_all(fixture.path(&temporary(&fixture))).unwrap();
    let error = fixture.body("write_file", &arguments(), &intent).await;
    assert!(error.unwrap_err().is_definite);
    assert!(!fixture.path(PATH).exists());
}

#[tokio::test]
async fn an_intent_for_something_else_is_not_used() {
    let fixture = Fixture::new();
    let good = fixture.prepare("write_file", &arguments()).await;
    let mut other_path = good.clone();
    other_path.files[0].path = "notes/other.md".to_owned();
    let mut other_content = good.clone();
    other_content.files[0].after = hash("other\n");
    for intent in [Intent::default(), other_path, other_content] {
        let error = fixture
            .body("write_file", &arguments(), &intent)
            .await
            .unwrap_err();
        assert_eq!(
            (error.class, error.is_definite),
            (ErrorClass::Internal, true)
        );
    }
    assert_eq!(fixture.tree(), [""; 0]);
}

// EFF-7
#[tokio::test(flavor = "multi_thread")]
async fn many_bodies_of_one_call_at_once_write_it_once() {
    let fixture = std::sync::Arc::new(Fixture::new());
    fixture.put(PATH, "old\n");
    let intent = fixture.prepare("write_file", &arguments()).await;
    let bodies: Vec<_> = (0..8)
        .map(|_| {
            let (fixture, intent) = (std::sync::Arc::clone(&fixture), intent.clone());
            tokio::spawn(async move { fixture.body("write_file", &arguments(), &intent).await })
        })
        .collect();
    let mut done = 0;
    for body in bodies {
        done += usize::from(body.await.unwrap().is_ok());
    }
    assert!(done > 0, "at least one came through");
    // Whoever lost may have left its temporary file's removal to the winner.
    body(&fixture, &intent).await;
    assert_eq!(fixture.text(PATH), "new\n");
    assert_eq!(fixture.tree(), ["notes", PATH]);
}
