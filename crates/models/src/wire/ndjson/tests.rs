//! What the reader of lines must survive.

use futures_util::{FutureExt, stream};

use super::*;

type Read = Vec<Result<String, FrameError<&'static str>>>;

fn read(pieces: &[&[u8]], largest: usize) -> Read {
    let pieces: Vec<Result<Bytes, &'static str>> = pieces
        .iter()
        .map(|piece| Ok(Bytes::copy_from_slice(piece)))
        .collect();
    lines(stream::iter(pieces), largest)
        .collect()
        .now_or_never()
        .expect("nothing to wait for")
}

/// In one piece, in two and in three pieces with every possible cut, and byte by byte.
fn assert_same_at_every_cut(bytes: &[u8], largest: usize, expected: &Read) {
    assert_eq!(&read(&[bytes], largest), expected, "whole {bytes:?}");
    for cut in 0..=bytes.len() {
        let (left, right) = bytes.split_at(cut);
        let what = format!("cut {cut} {bytes:?}");
        assert_eq!(&read(&[left, right], largest), expected, "{what}");
        for second in 0..=right.len() {
            let (middle, right) = right.split_at(second);
            let pieces = [left, middle, right];
            assert_eq!(&read(&pieces, largest), expected, "{what} {second}");
        }
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(&read(&single, largest), expected, "byte by byte {bytes:?}");
}

fn assert_reads(bytes: &[u8], expected: &[&str]) {
    let expected = expected.iter().map(|line| Ok((*line).to_owned())).collect();
    assert_same_at_every_cut(bytes, 1024, &expected);
}

#[test]
fn a_line_is_a_value() {
    assert_reads(b"{\"a\":1}\n{\"b\":2}\n", &["{\"a\":1}", "{\"b\":2}"]);
    assert_reads(b"", &[]);
}

#[test]
fn both_line_ends_end_a_line_and_neither_is_part_of_it() {
    assert_reads(b"{}\r\n[]\r\n1\n", &["{}", "[]", "1"]);
    // Alone it is white space between two tokens.
    assert_reads(b"{\"a\":\r1}\n", &["{\"a\":\r1}"]);
}

#[test]
fn empty_lines_are_no_values() {
    assert_reads(b"\n\n{}\n\r\n  \t\n[]\n\n", &["{}", "[]"]);
    assert_reads(b"\n\r\n", &[]);
}

#[test]
fn the_last_line_needs_no_end() {
    assert_reads(b"{}\n{\"done\":true}", &["{}", "{\"done\":true}"]);
    assert_reads(b"{}\n{\"done\":tr", &["{}", "{\"done\":tr"]);
    assert_reads(b"{}\n  ", &["{}"]);
    assert_reads(b"{}\r", &["{}"]);
}

#[test]
fn text_may_be_cut_inside_of_a_character() {
    assert_reads("\"ü€😀\"\n\"世界\"\n".as_bytes(), &["\"ü€😀\"", "\"世界\""]);
}

#[test]
fn a_mark_of_byte_order_at_the_beginning_is_no_text() {
    assert_reads(b"\xef\xbb\xbf{}\n[]\n", &["{}", "[]"]);
    assert_reads(b"\xef\xbb\xbf\n[]\n", &["[]"]);
}

#[test]
fn a_line_separator_of_unicode_ends_no_line() {
    assert_reads(
        "\"a\u{2028}b\u{85}c\"\n".as_bytes(),
        &["\"a\u{2028}b\u{85}c\""],
    );
}

#[test]
fn what_is_no_text_is_an_error_after_what_came_before() {
    let expected = vec![Ok("{}".to_owned()), Err(FrameError::NotText)];
    assert_same_at_every_cut(b"{}\n\"\xff\"\n[]\n", 1024, &expected);
    // A character that never becomes whole.
    assert_same_at_every_cut(b"{}\n\"\xf0\x9f", 1024, &expected);
}

#[test]
fn a_line_has_a_largest_size_and_a_stream_has_none() {
    let many: Vec<&[u8]> = vec![b"0123456789\n"; 1_000];
    assert_eq!(read(&many, 10).len(), 1_000);
    let good = Ok("0123456789".to_owned());
    let too_large = vec![good, Err(FrameError::TooLarge)];
    for bytes in [
        &b"0123456789\n01234567890\n1\n"[..],
        b"0123456789\n01234567890",
        b"0123456789\n0123456789012",
    ] {
        assert_same_at_every_cut(bytes, 10, &too_large);
    }
    // It is noticed before the line is whole.
    let endless = stream::iter(std::iter::repeat_n(
        Ok::<_, &str>(Bytes::from_static(b"0123")),
        1_000_000,
    ));
    let mut lines = Box::pin(lines(endless, 20));
    let first = lines.next().now_or_never().expect("nothing to wait for");
    assert_eq!(first, Some(Err(FrameError::TooLarge)));
}

#[test]
fn a_connection_that_breaks_is_an_error_and_the_last() {
    let pieces = [
        Ok(Bytes::from_static(b"{}\n{\"a")),
        Err("reset"),
        Ok(Bytes::from_static(b"\":1}\n")),
    ];
    let read: Read = lines(stream::iter(pieces), 1024)
        .collect()
        .now_or_never()
        .expect("nothing to wait for");
    assert_eq!(
        read,
        [Ok("{}".to_owned()), Err(FrameError::Transport("reset"))]
    );
}
