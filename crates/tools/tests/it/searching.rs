//! `search_files`.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::time::Duration;

use engine::Intent;
use protocol::{ErrorClass, PreviewPart};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::fixture::{Fixture, context, make_pipe, run};

async fn search(fixture: &Fixture, arguments: Value) -> String {
    fixture.ok("search_files", arguments).await
}

/// The lines alone, without what is said about them.
fn lines(found: &str) -> Vec<&str> {
    found
        .lines()
        .filter(|line| !line.starts_with('['))
        .collect()
}

#[tokio::test]
async fn lines_that_fit_come_with_their_place() {
    let fixture = Fixture::new();
    fixture.put("b.md", "ebb\nTide at 6\r\nno\ntide at 7");
    fixture.put("a/c.rs", "// tide\n");
    fixture.put("empty", "");
    for (arguments, found) in [
        (
            json!({"pattern": "tide"}),
            "a/c.rs:1: // tide\nb.md:4: tide at 7\n[2 lines in 2 files; 3 files searched]",
        ),
        (
            json!({"pattern": "^TIDE at \\d$", "ignore_case": true}),
            "b.md:2: Tide at 6\nb.md:4: tide at 7\n[2 lines in 1 file; 3 files searched]",
        ),
        (
            json!({"pattern": "tide", "glob": "*.rs"}),
            "a/c.rs:1: // tide\n[1 line in 1 file; 1 file searched]",
        ),
        (
            json!({"pattern": "tide", "path": "a"}),
            "a/c.rs:1: // tide\n[1 line in 1 file; 1 file searched]",
        ),
        (
            json!({"pattern": "tide", "path": "b.md"}),
            "b.md:4: tide at 7\n[1 line in 1 file; 1 file searched]",
        ),
        (
            json!({"pattern": "a\\nb", "hidden": true}),
            "[no line fits; 3 files searched; ignored files were not looked at; lines are searched one by \
             one, so \\n fits nowhere]",
        ),
    ] {
        assert_eq!(
            search(&fixture, arguments.clone()).await,
            found,
            "{arguments}"
        );
    }
}

#[tokio::test]
async fn the_lines_around_come_along() {
    let fixture = Fixture::new();
    fixture.put("a.md", "1\n2\nx\n4\n5\n6\n7\nx\nx\n10\n");
    fixture.put("b.md", "x\n");
    let found = search(&fixture, json!({"pattern": "x", "context": 1})).await;
    assert_eq!(
        lines(&found),
        [
            "a.md-2- 2",
            "a.md:3: x",
            "a.md-4- 4",
            "--",
            "a.md-7- 7",
            "a.md:8: x",
            "a.md:9: x",
            "a.md-10- 10",
            "--",
            "b.md:1: x"
        ]
    );
    let found = search(
        &fixture,
        json!({"pattern": "x", "context": 2, "path": "a.md"}),
    )
    .await;
    assert_eq!(
        found.matches("--\n").count(),
        0,
        "nothing is left out: {found}"
    );
    assert_eq!(lines(&found).len(), 10);
    let (class, message) = fixture
        .fails("search_files", json!({"pattern": "x", "context": 11}))
        .await;
    assert_eq!(class, ErrorClass::InvalidRequest);
    assert!(message.contains("`context`"), "{message}");
}

#[tokio::test]
async fn what_is_not_searched_is_counted() {
    let fixture = Fixture::new();
    fixture.put("a.md", "tide\n");
    fixture.put("zero", b"tide\0");
    fixture.put("latin", b"tide \xe4");
    fixture.put("server.pem", "tide\n");
    fixture.put(".env", "tide\n");
    fixture.put(".ssh/config", "tide\n");
    fixture.put("ignored.log", "tide\n");
    fixture.put(".gitignore", "*.log\n");
    let huge = File::create(fixture.path("huge")).unwrap();
    huge.set_len(1 << 42).unwrap();
    make_pipe(&fixture.path("pipe"));
    symlink("a.md", fixture.path("link")).unwrap();
    symlink(fixture.outside(), fixture.path("out")).unwrap();
    assert_eq!(
        search(&fixture, json!({"pattern": "tide|secret"})).await,
        "a.md:1: tide\n[1 line in 1 file; 1 file searched; 2 not text; 1 too large to search; 1 with \
         credentials, which are not searched]"
    );
    let arguments = json!({"pattern": "tide", "hidden": true, "ignored": true});
    let found = search(&fixture, arguments).await;
    assert_eq!(lines(&found), ["a.md:1: tide", "ignored.log:1: tide"]);
    assert!(found.contains("3 with credentials"), "{found}");
    for path in [".env", ".ssh", ".ssh/config"] {
        let arguments = json!({"pattern": "tide", "path": path});
        let (class, message) = fixture.fails("search_files", arguments).await;
        assert_eq!(class, ErrorClass::Permission, "{path}");
        assert!(message.contains("credentials"), "{message}");
    }
}

// What is opened counts, not what it was called.
#[tokio::test]
async fn credentials_stay_closed_behind_links() {
    let fixture = Fixture::new();
    fixture.put(".ssh/config", "tide\n");
    fixture.put(".env", "tide\n");
    symlink(".ssh", fixture.path("notes")).unwrap();
    symlink(".env", fixture.path("notes.md")).unwrap();
    let found = search(&fixture, json!({"pattern": "tide", "path": "notes"})).await;
    assert!(
        found.starts_with("[no line fits; 0 files searched; 1 with credentials"),
        "{found}"
    );
    let (class, _) = fixture
        .fails(
            "search_files",
            json!({"pattern": "tide", "path": "notes.md"}),
        )
        .await;
    assert_eq!(class, ErrorClass::Permission);
}

#[tokio::test]
async fn an_expression_that_is_wrong_shows_where() {
    let fixture = Fixture::new();
    for (pattern, said) in [
        ("a(b", "    a(b\n     ^"),
        ("[z-a]", "invalid character class range"),
        ("a{2,1}", "invalid repetition"),
        ("(?=a)", "look-around"),
        ("(a)\\1", "backreferences are not supported"),
        ("", "`pattern` is empty"),
    ] {
        let (class, message) = fixture
            .fails("search_files", json!({"pattern": pattern}))
            .await;
        assert_eq!(class, ErrorClass::InvalidRequest, "{pattern}: {message}");
        assert!(message.contains(said), "{pattern}: {message}");
    }
    let nested = "(".repeat(400) + &")".repeat(400);
    let long = "a".repeat(1_001);
    for pattern in ["((a{100}){100}){100}", "\\w{1000}\\w{1000}", &nested, &long] {
        let (class, message) = fixture
            .fails("search_files", json!({"pattern": pattern}))
            .await;
        assert!(
            matches!(class, ErrorClass::Limit | ErrorClass::InvalidRequest),
            "{message}"
        );
        assert!(message.len() < 3_000, "{} bytes", message.len());
    }
    let planned = fixture
        .plan("search_files", json!({"pattern": "a(b"}))
        .await;
    assert!(planned.is_err(), "nobody is shown a call that cannot be");
}

#[tokio::test]
async fn a_card_shows_the_whole_expression() {
    let fixture = Fixture::new();
    let pattern = format!("a\u{202e}b\t{}", "x".repeat(100));
    let plan = fixture.plan("search_files", json!({"pattern": pattern, "path": "a"}));
    let preview = plan.await.unwrap().preview;
    assert_eq!(
        preview.summary.chars().count(),
        "Search for ".len() + 61 + " in a".len()
    );
    assert!(
        preview
            .summary
            .starts_with("Search for a\\u{202e}b\\u{9}xxx"),
        "{}",
        preview.summary
    );
    assert!(preview.parts.contains(&PreviewPart::Text {
        label: "Expression".to_owned(),
        text: pattern,
    }));
}

// EFF-6, SEC-3
#[tokio::test]
async fn many_lines_are_capped_and_say_how_to_narrow() {
    let fixture = Fixture::new();
    fixture.put("a.md", "tide\n".repeat(299));
    fixture.put("b.md", "tide\ntide\n");
    let found = search(&fixture, json!({"pattern": "tide"})).await;
    assert_eq!(lines(&found).len(), 300);
    assert!(
        found.contains("300 lines in 2 files; there are more: narrow it"),
        "{found}"
    );
    fixture.put("b.md", "tide\n");
    let found = search(&fixture, json!({"pattern": "tide"})).await;
    assert!(!found.contains("there are more"), "these are all");
}

#[tokio::test]
async fn long_lines_are_cut_around_what_fits() {
    let fixture = Fixture::new();
    // Seven bytes each time: what is cut is cut inside a character.
    let filler = "→🌊".repeat(20_000);
    fixture.put(
        "a.json",
        format!("{filler}tide{filler}\n{filler}tide\ntide{filler}"),
    );
    let found = search(&fixture, json!({"pattern": "tide"})).await;
    let found = lines(&found);
    assert_eq!(found.len(), 3);
    for (line, number) in found.iter().zip(1..) {
        assert!(line.starts_with(&format!("a.json:{number}: ")), "{line}");
        assert!(line.contains("tide") && line.contains('…'), "{line}");
        assert!(line.len() < 450, "{}", line.len());
    }
}

// A file of one line, nine million bytes long, and what is behind its beginning.
#[tokio::test]
async fn a_huge_line_is_searched_at_its_beginning_and_said_so() {
    let fixture = Fixture::new();
    fixture.put("one-line", format!("tide{}ebb", "x".repeat(9_000_000)));
    let found = search(&fixture, json!({"pattern": "tide"})).await;
    assert!(found.contains("1 line in 1 file"), "{found}");
    assert!(
        found.contains("1 very long line searched only at the beginning"),
        "{found}"
    );
    assert!(found.len() < 1_000);
    let found = search(&fixture, json!({"pattern": "ebb"})).await;
    assert!(
        found.contains("no line fits") && found.contains("very long line"),
        "{found}"
    );
}

// A name, or a line, cannot pretend to be another line that fits.
#[tokio::test]
async fn strange_names_stay_on_their_line() {
    let fixture = Fixture::new();
    fs::write(fixture.path("a\nb.md:9: x"), "tide\n").unwrap();
    fs::write(fixture.path("c\u{202e}.md"), "tide\n").unwrap();
    let found = search(&fixture, json!({"pattern": "tide"})).await;
    assert_eq!(
        lines(&found),
        ["a\\u{a}b.md:9: x:1: tide", "c\\u{202e}.md:1: tide"]
    );
}

// RUN-16: whoever stops it does not wait for an expression that is slow on a text that is hostile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_is_not_kept_waiting() {
    let fixture = Fixture::new();
    let line = "ab".repeat(100_000);
    for number in 0..20 {
        fixture.put(&format!("{number}.txt"), format!("{line}\n").repeat(40));
    }
    let call = fixture.call(&json!({"pattern": "(a|b|ab){300}x"}));
    let context = context();
    let cancel = context.cancel.clone();
    let searching =
        tokio::spawn(async move { run("search_files", &call, &Intent::default(), &context).await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!searching.is_finished(), "it would take long");
    cancel.cancel();
    let ended = tokio::time::timeout(Duration::from_millis(100), searching).await;
    let error = ended.expect("at once").unwrap().unwrap_err();
    assert_eq!(
        (error.class, error.is_definite),
        (ErrorClass::Cancelled, true)
    );
}

// Whatever the files hold, the lines that are found are those that hold the word.
#[tokio::test]
async fn what_is_found_is_what_is_there() {
    let mut random = StdRng::seed_from_u64(9);
    for _ in 0..30 {
        let fixture = Fixture::new();
        let mut expected = Vec::new();
        for number in 0..random.random_range(0..8) {
            let path = format!("{}/{number}.md", ["a", "b/c", "d"][number % 3]);
            let pieces = ["tide", "ebb ", "\n", "\r\n", "ü", "ti"];
            let text: String = (0..random.random_range(0..30))
                .map(|_| pieces[random.random_range(0..pieces.len())])
                .collect();
            for (line, at) in text.lines().zip(1..) {
                if line.contains("tide") {
                    expected.push(format!("{path}:{at}: {line}"));
                }
            }
            fixture.put(&path, text);
        }
        expected.sort_by_key(|line| line.split(':').next().map(str::to_owned));
        let found = search(&fixture, json!({"pattern": "tide"})).await;
        assert_eq!(lines(&found), expected);
    }
}
