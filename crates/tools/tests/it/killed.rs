//! Processes that really end in the middle of a write. // EFF-5

use std::path::Path;
use std::time::Duration;

use engine::{CallInput, FileIntent, Intent};
use protocol::{CallId, SessionId};
use serde_json::json;
use uuid::Uuid;

use crate::child::{Running, say};
use crate::fixture::{Fixture, context, hash, run};

const PATH: &str = "notes/tides.md";
const ROUNDS: u32 = 45;

/// What the file holds after a write; long enough to end in the middle of it.
fn content(number: u32) -> String {
    format!("{number}\n").repeat(5_000)
}

fn call(workspace: &Path, number: u32) -> CallInput {
    CallInput {
        session_id: SessionId::from_uuid(Uuid::from_u128(1)),
        call_id: CallId::from_uuid(Uuid::from_u128(u128::from(number))),
        arguments: json!({"path": PATH, "content": content(number)}).to_string(),
        workspace: workspace.to_owned(),
    }
}

/// As it was committed before the body started.
fn intent(number: u32) -> Intent {
    let before = number.checked_sub(1).map(content);
    Intent {
        files: vec![FileIntent {
            path: PATH.to_owned(),
            before: before.map(String::into_bytes),
            after: hash(&content(number)),
        }],
        ..Intent::default()
    }
}

/// What the child does: write after write, each said before it starts.
pub(crate) fn write_for_ever(workspace: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async {
        for number in 0.. {
            say(number);
            let call = call(workspace, number);
            run("write_file", &call, &intent(number), &context())
                .await
                .unwrap();
        }
    });
}

/// Returns in any case: a body that was faster is also worth a look.
fn wait_for_temporary(folder: &Path) {
    for _ in 0..20_000 {
        let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        if entries.any(|entry| entry.file_name().to_string_lossy().ends_with(".tmp")) {
            return;
        }
        std::thread::yield_now();
    }
}

// EFF-5: whatever it was doing, the file is whole, and the next body gets it to the end.
#[tokio::test]
async fn a_write_that_was_cut_off_is_on_one_side_of_the_rename() {
    let mut sides = [0, 0];
    let mut leftovers = 0;
    for round in 0..ROUNDS {
        let fixture = Fixture::new();
        let mut child = Running::start(&fixture.workspace);
        // The first write makes the folder, the others replace.
        for _ in 0..=round % 3 {
            child.heard().expect("the child works");
        }
        // From the first sight of the temporary file on, in small steps over the rest of the body.
        wait_for_temporary(&fixture.path("notes"));
        std::thread::sleep(Duration::from_micros(u64::from(round / 3) * 50));
        let number = child.kill().unwrap_or(round % 3);
        let found = std::fs::read_to_string(fixture.path(PATH)).ok();
        let before = number.checked_sub(1).map(content);
        assert!(
            found == before || found == Some(content(number)),
            "torn: {:?} bytes",
            found.map(|found| found.len())
        );
        sides[usize::from(found != before)] += 1;
        leftovers += usize::from(fixture.tree().len() > 2);
        let call = call(&fixture.workspace, number);
        let first = run("write_file", &call, &intent(number), &context()).await;
        let again = run("write_file", &call, &intent(number), &context()).await;
        assert_eq!(first.unwrap(), again.unwrap());
        assert_eq!(fixture.text(PATH), content(number));
        assert_eq!(fixture.tree(), ["notes", PATH], "nothing is left over");
    }
    assert!(
        sides[0] > 0 && sides[1] > 0 && leftovers > 0,
        "{sides:?}, {leftovers} in the middle"
    );
}
