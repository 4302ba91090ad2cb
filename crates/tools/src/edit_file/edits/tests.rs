//! What edits make of a text, and which are refused.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;

fn edit(old: &str, new: &str) -> Edit {
    Edit {
        old: old.to_owned(),
        new: new.to_owned(),
        all: None,
    }
}

fn all(old: &str, new: &str) -> Edit {
    Edit {
        all: Some(true),
        ..edit(old, new)
    }
}

fn made(text: &str, edits: &[Edit]) -> String {
    apply(text, edits, "t.md").unwrap().text
}

fn refused(text: &str, edits: &[Edit]) -> String {
    let error = apply(text, edits, "t.md").unwrap_err();
    assert!(error.is_definite);
    error.message
}

#[test]
fn an_edit_changes_its_place_and_nothing_else() {
    assert_eq!(made("a b c", &[edit("b", "B")]), "a B c");
    assert_eq!(made("a b c", &[edit("a b c", "")]), "");
    assert_eq!(made("ebb – flood", &[edit("–", "→")]), "ebb → flood");
    assert_eq!(made("x.x.x", &[all(".", "")]), "xxx");
    let both = [edit("one", "two"), edit("two", "one")];
    assert_eq!(
        made("one two", &both),
        "two one",
        "each sees the file as it is"
    );
    let beside = [edit("a", "1"), edit("b", "2")];
    assert_eq!(made("ab", &beside), "12", "side by side is apart");
}

#[test]
fn an_ambiguous_text_is_refused_with_its_lines() {
    let message = refused(
        "tide\nx\ntide tide\n",
        &[edit("x", "y"), edit("tide", "ebb")],
    );
    assert!(
        message.contains("`edits[1].old` is in 3 places"),
        "{message}"
    );
    assert!(message.contains("lines 1, 3."), "{message}");
    let message = refused("aaa", &[edit("aa", "b")]);
    assert!(
        message.contains("in 2 places"),
        "also inside of itself: {message}"
    );
    let many = "tide\n".repeat(1_000);
    let message = refused(&many, &[edit("tide", "ebb")]);
    assert!(message.contains("in more than 100 places"), "{message}");
    assert!(message.contains("8, 9, 10 and others"), "{message}");
}

#[test]
fn a_missing_text_is_refused_and_what_is_like_it_named() {
    let message = refused("one\n", &[edit("two", "2")]);
    assert!(
        message.contains("`edits[0].old` is not in t.md. Read"),
        "{message}"
    );
    let message = refused("a\n\tif x {\n\t}\n", &[edit("    if x {\n    }", "")]);
    assert!(message.contains("like line 2"), "{message}");
    let message = refused("one", &[edit("one\n", "two\n")]);
    assert!(message.contains("how lines end"), "{message}");
}

#[test]
fn edits_that_touch_each_other_are_refused() {
    let message = refused("x\nabc\n", &[edit("bc", "1"), edit("ab", "2")]);
    assert!(
        message.contains("`edits[0]` and `edits[1]` both change line 2"),
        "{message}"
    );
    let message = refused("abc", &[all("b", "1"), edit("abc", "2")]);
    assert!(message.contains("both change line 1"), "{message}");
}

#[test]
fn what_is_wrong_whatever_the_file_holds() {
    for edits in [
        vec![],
        vec![edit("", "x")],
        vec![edit("a", "a")],
        vec![edit("a", "x\0")],
        vec![edit("a", "b"); 101],
    ] {
        let error = check(&edits).unwrap_err();
        assert!(error.message.contains("`edits"), "{error}");
    }
    check(&[edit("a", "")]).unwrap();
}

#[test]
fn line_endings_stay_as_the_file_has_them() {
    let long = "one\r\ntwo\r\nthree";
    for (old, new) in [("one\ntwo", "1\n2\n2b"), ("one\r\ntwo", "1\r\n2\r\n2b")] {
        assert_eq!(made(long, &[edit(old, new)]), "1\r\n2\r\n2b\r\nthree");
        assert_eq!(made("one\ntwo\n", &[edit(old, new)]), "1\n2\n2b\n");
    }
    // Mixed, or one line: as it is given.
    assert_eq!(made("a\r\nb\nc", &[edit("a\r\nb", "x\ny")]), "x\ny\nc");
    refused("a\r\nb\nc", &[edit("a\nb", "x")]);
    assert_eq!(made("a", &[edit("a", "x\r\ny")]), "x\r\ny");
}

#[test]
fn the_mark_at_the_beginning_stays() {
    for edits in [
        [edit("one", "two")],
        [edit("\u{feff}one", "two")],
        [edit("\u{feff}one", "\u{feff}two")],
    ] {
        assert_eq!(made("\u{feff}one\r\n", &edits), "\u{feff}two\r\n");
    }
    refused("\u{feff}one", &[edit("\u{feff}", "")]);
}

#[test]
fn the_missing_end_of_the_last_line_stays_missing() {
    assert_eq!(made("one\ntwo", &[edit("two", "2")]), "one\n2");
    assert_eq!(made("one\ntwo\n", &[edit("two", "2")]), "one\n2\n");
}

// SEC-3: before it is put together, not after.
#[test]
fn what_would_become_huge_is_refused() {
    let text = "a".repeat(100_000);
    let message = refused(&text, &[all("a", &"b".repeat(500_000))]);
    assert!(
        message.contains("would have 50000000000 bytes"),
        "{message}"
    );
    let message = refused(&"a".repeat(100_001), &[all("a", "b")]);
    assert!(message.contains("more than 100000 places"), "{message}");
}

// A text that is in itself everywhere costs what its cap costs, not the square of its length.
#[test]
fn hostile_repetition_ends_soon() {
    let text = "a".repeat(4 * 1024 * 1024);
    let message = refused(&text, &[edit(&"a".repeat(500_000), "b")]);
    assert!(message.contains("in more than 100 places"), "{message}");
}

/// A text of few different pieces, so that what is looked for is there now and then.
fn any_text(random: &mut StdRng, pieces: &[&str], most: usize) -> String {
    let count = random.random_range(0..=most);
    (0..count)
        .map(|_| pieces[random.random_range(0..pieces.len())])
        .collect()
}

// Whatever is made is what replacing would make; whatever is refused is missing or ambiguous.
#[test]
fn edits_do_what_replacing_does() {
    let mut random = StdRng::seed_from_u64(6);
    let (mut once, mut refusals) = (0, 0);
    for _ in 0..20_000 {
        let text = any_text(&mut random, &["a", "b", "ü", "\n", "\u{1F30A}"], 12);
        let old = any_text(&mut random, &["a", "b", "ü", "\n"], 3);
        let new = any_text(&mut random, &["x", "ü", "\n"], 3);
        if old.is_empty() {
            continue;
        }
        let starts = (0..text.len())
            .filter(|&at| text.is_char_boundary(at) && text[at..].starts_with(&old))
            .count();
        match apply(&text, &[edit(&old, &new)], "t.md") {
            Ok(edited) => {
                assert_eq!((starts, edited.places), (1, 1), "{text:?} {old:?}");
                assert_eq!(edited.text, text.replacen(&old, &new, 1));
                once += 1;
            }
            Err(_) => {
                assert_ne!(starts, 1, "{text:?} {old:?}");
                refusals += 1;
            }
        }
        match apply(&text, &[all(&old, &new)], "t.md") {
            Ok(edited) => assert_eq!(edited.text, text.replace(&old, &new)),
            Err(_) => assert_eq!(starts, 0),
        }
    }
    assert!(once > 1_000 && refusals > 1_000, "{once}, {refusals}");
}

#[test]
fn the_order_of_edits_does_not_matter() {
    let mut random = StdRng::seed_from_u64(7);
    let mut made = 0;
    for _ in 0..20_000 {
        let text = any_text(&mut random, &["a", "b", "c", "d", "\n"], 8);
        let mut edits: Vec<Edit> = (0..3)
            .map(|_| {
                let old = any_text(&mut random, &["a", "b", "c", "d"], 2);
                edit(&old, &any_text(&mut random, &["a", "x"], 2))
            })
            .filter(|edit| !edit.old.is_empty())
            .collect();
        let first = apply(&text, &edits, "t.md").ok();
        edits.reverse();
        let second = apply(&text, &edits, "t.md").ok();
        assert_eq!(first, second, "{text:?}");
        made += usize::from(first.is_some_and(|edited| edited.places > 1));
    }
    assert!(made > 100, "{made}");
}

// What a file had only of one kind, it has only of that kind afterwards.
#[test]
fn whole_line_endings_stay_whole() {
    let mut random = StdRng::seed_from_u64(8);
    let mut made = 0;
    for _ in 0..10_000 {
        let text = any_text(&mut random, &["a", "b", "\r\n"], 10);
        let old = any_text(&mut random, &["a", "b", "\n", "\r\n"], 3);
        let new = any_text(&mut random, &["x", "\n", "\r\n"], 3);
        if !text.contains('\n') || old.is_empty() {
            continue;
        }
        if let Ok(edited) = apply(&text, &[all(&old, &new)], "t.md") {
            let breaks = edited.text.matches('\n').count();
            assert_eq!(
                breaks,
                edited.text.matches("\r\n").count(),
                "{text:?} {old:?}"
            );
            made += 1;
        }
    }
    assert!(made > 1_000, "{made}");
}
