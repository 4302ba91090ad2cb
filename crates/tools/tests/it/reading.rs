//! `read_file`.

use std::fs::File;
use std::time::Duration;

use engine::Intent;
use protocol::ErrorClass;
use serde_json::json;

use crate::fixture::{Fixture, context, make_pipe, run};

#[tokio::test]
async fn a_short_file_comes_verbatim() {
    let fixture = Fixture::new();
    for content in [
        "one\ntwo\n",
        "no end of line",
        "\n",
        "\r\n mixed \n",
        "\u{feff}mark",
    ] {
        fixture.put("a.md", content);
        assert_eq!(
            fixture.ok("read_file", json!({"path": "a.md"})).await,
            content
        );
    }
    fixture.put("a.md", "");
    assert_eq!(
        fixture.ok("read_file", json!({"path": "a.md"})).await,
        "[a.md is empty]"
    );
}

// EFF-6
#[tokio::test]
async fn a_part_says_which_and_how_to_read_on() {
    let fixture = Fixture::new();
    fixture.put("a.md", "one\ntwo\nthree\nfour");
    for (offset, limit, text) in [
        (1, 2, "one\ntwo\n[lines 1–2 of 4; read on with offset 3]"),
        (3, 1, "three\n[lines 3–3 of 4; read on with offset 4]"),
        (3, 2, "three\nfour\n[lines 3–4 of 4]"),
        (4, 9, "four\n[lines 4–4 of 4]"),
        (1, 4, "one\ntwo\nthree\nfour"),
    ] {
        let arguments = json!({"path": "a.md", "offset": offset, "limit": limit});
        assert_eq!(fixture.ok("read_file", arguments).await, text);
    }
    for offset in [5, 1_000_000, u64::MAX] {
        let arguments = json!({"path": "a.md", "offset": offset});
        let (class, message) = fixture.fails("read_file", arguments).await;
        assert_eq!(class, ErrorClass::InvalidRequest);
        assert!(message.contains("has 4 lines"), "{message}");
    }
}

// EFF-6
#[tokio::test]
async fn reading_on_gives_all_of_a_long_file_once() {
    let fixture = Fixture::new();
    let content: String = (0..20_000)
        .map(|line| format!("Zeile {line} – ebbe\n"))
        .collect();
    fixture.put("long.md", &content);
    let mut seen = String::new();
    let mut offset = 1;
    loop {
        let part = fixture
            .ok("read_file", json!({"path": "long.md", "offset": offset}))
            .await;
        assert!(part.len() < 66 * 1024);
        let (text, note) = part.rsplit_once('[').unwrap();
        seen.push_str(text);
        match note.split_once("read on with offset ") {
            Some((_, next)) => offset = next.trim_end_matches(']').parse().unwrap(),
            None => break,
        }
    }
    assert_eq!(seen, content);
}

// EFF-6
#[tokio::test]
async fn a_line_that_is_too_long_is_cut_between_characters_and_can_be_read_on() {
    let fixture = Fixture::new();
    // Seven bytes each time: what fits ends inside a character.
    let line: String = "→🌊".repeat(35_000);
    fixture.put("line.json", format!("{line}\nnext\n"));
    let mut seen = String::new();
    let mut column = 1;
    loop {
        let arguments = json!({"path": "line.json", "column": column});
        let part = fixture.ok("read_file", arguments).await;
        let (text, note) = part.rsplit_once("\n[").unwrap();
        seen.push_str(text);
        let Some((_, next)) = note.split_once("and column ") else {
            assert_eq!(note, "lines 1–2 of 2]");
            break;
        };
        assert!(note.contains("of 70000;"), "{note}");
        column = next.trim_end_matches(']').parse().unwrap();
    }
    assert_eq!(seen, format!("{line}\nnext"));
    let (_, message) = fixture
        .fails("read_file", json!({"path": "line.json", "column": 100_000}))
        .await;
    assert!(message.contains("no column"), "{message}");
}

#[tokio::test]
async fn binary_is_a_definite_error() {
    let fixture = Fixture::new();
    for content in [
        &b"\x89PNG\r\n\x1a\n\0"[..],
        b"\xff\xfe",
        b"text\0text",
        b"cut \xe2\x82",
    ] {
        fixture.put("a.bin", content);
        let (class, message) = fixture.fails("read_file", json!({"path": "a.bin"})).await;
        assert_eq!(class, ErrorClass::Tool);
        assert!(message.contains("not text"), "{message}");
    }
}

// SEC-3: by its size alone. Its content would be zero bytes, which is another error.
#[tokio::test]
async fn a_huge_file_is_refused_before_it_is_read() {
    let fixture = Fixture::new();
    let huge = File::create(fixture.path("huge.log")).unwrap();
    huge.set_len(1 << 42).unwrap();
    let (class, message) = fixture
        .fails("read_file", json!({"path": "huge.log"}))
        .await;
    assert_eq!(class, ErrorClass::Limit);
    assert!(message.contains("4398046511104 bytes"), "{message}");
    let at_the_cap = File::create(fixture.path("cap.log")).unwrap();
    for (bytes, class) in [
        (10 * 1024 * 1024, ErrorClass::Tool),
        (10 * 1024 * 1024 + 1, ErrorClass::Limit),
    ] {
        at_the_cap.set_len(bytes).unwrap();
        assert_eq!(
            fixture
                .fails("read_file", json!({"path": "cap.log"}))
                .await
                .0,
            class
        );
    }
}

#[tokio::test]
async fn pipes_and_sockets_are_refused_without_waiting() {
    let fixture = Fixture::new();
    make_pipe(&fixture.path("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(fixture.path("socket")).unwrap();
    for name in ["pipe", "socket"] {
        let answer = fixture.fails("read_file", json!({"path": name}));
        let (class, message) = tokio::time::timeout(Duration::from_secs(10), answer)
            .await
            .expect("it does not wait for a writer");
        assert_eq!(class, ErrorClass::Permission);
        assert!(message.contains("pipe"), "{message}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_said_to_be_missing() {
    let fixture = Fixture::bare();
    for path in ["a.md", "notes/a.md"] {
        let (class, message) = fixture.fails("read_file", json!({"path": path})).await;
        assert_eq!(class, ErrorClass::Tool);
        assert!(message.contains("does not exist"), "{message}");
    }
    assert!(!fixture.workspace.exists(), "reading makes nothing");
}

#[tokio::test]
async fn a_stopped_call_ends_as_cancelled() {
    let fixture = Fixture::new();
    fixture.put("a.md", "a");
    let context = context();
    context.cancel.cancel();
    for (name, arguments) in [
        ("read_file", json!({"path": "a.md"})),
        ("list_files", json!({})),
    ] {
        let call = fixture.call(&arguments);
        let error = run(name, &call, &Intent::default(), &context)
            .await
            .unwrap_err();
        assert_eq!(
            (error.class, error.is_definite),
            (ErrorClass::Cancelled, true)
        );
    }
}
