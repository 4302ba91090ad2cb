//! What the reader of events must survive.

use futures_util::{FutureExt, stream};

use super::*;

type Read = Result<Vec<String>, FrameError<&'static str>>;

fn read(pieces: &[&[u8]], largest: usize) -> Read {
    let pieces: Vec<Result<Bytes, &'static str>> = pieces
        .iter()
        .map(|piece| Ok(Bytes::copy_from_slice(piece)))
        .collect();
    let events: Vec<_> = events(stream::iter(pieces), largest)
        .collect()
        .now_or_never()
        .expect("nothing to wait for");
    events.into_iter().collect()
}

/// In one piece, and in two pieces with every possible cut, and byte by byte.
fn assert_reads(bytes: &[u8], expected: &[&str]) {
    assert_eq!(read(&[bytes], 1024).unwrap(), expected, "whole {bytes:?}");
    for cut in 0..=bytes.len() {
        let (left, right) = bytes.split_at(cut);
        assert_eq!(
            read(&[left, right], 1024).unwrap(),
            expected,
            "cut {cut} {bytes:?}"
        );
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(
        read(&single, 1024).unwrap(),
        expected,
        "byte by byte {bytes:?}"
    );
}

#[test]
fn every_line_end_ends_a_line() {
    assert_reads(b"data: a\n\ndata: b\n\n", &["a", "b"]);
    assert_reads(b"data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
    assert_reads(b"data: a\r\rdata: b\r\r", &["a", "b"]);
    assert_reads(b"data: a\r\n\ndata: b\n\r", &["a", "b"]);
}

#[test]
fn text_may_be_cut_inside_of_a_character() {
    assert_reads("data: ü€😀\n\n".as_bytes(), &["ü€😀"]);
}

#[test]
fn a_mark_of_byte_order_at_the_beginning_is_no_text() {
    assert_reads(b"\xef\xbb\xbfdata: a\n\n", &["a"]);
}

#[test]
fn lines_of_data_are_put_together() {
    assert_reads(b"data: a\ndata: b\ndata:\ndata: c\n\n", &["a\nb\n\nc"]);
    assert_reads(b"data:a\n\ndata:  b\n\n", &["a", " b"]);
}

#[test]
fn comments_and_other_fields_are_no_data() {
    let bytes = b": OPENROUTER PROCESSING\n\nevent: ping\nid: 1\nretry: 10\nx: y\ndata: a\n\n:\n\n";
    assert_reads(bytes, &["a"]);
    assert_reads(b"event: ping\n\n", &[]);
}

#[test]
fn an_event_without_its_last_empty_line_is_none() {
    assert_reads(b"data: a\n\ndata: [DONE]", &["a"]);
    assert_reads(b"data: a\n\ndata: [DONE]\n", &["a"]);
    assert_reads(b"", &[]);
}

#[test]
fn a_line_separator_of_unicode_ends_no_line() {
    assert_reads(
        "data: a\u{2028}b\u{85}c\n\n".as_bytes(),
        &["a\u{2028}b\u{85}c"],
    );
}

#[test]
fn what_is_no_text_is_an_error() {
    assert_eq!(read(&[b"data: \xff\n\n"], 1024), Err(FrameError::NotText));
}

#[test]
fn an_event_has_a_largest_size_and_a_stream_has_none() {
    let small = b"data: 0123456789\n\n";
    let many: Vec<&[u8]> = vec![small; 1_000];
    assert_eq!(read(&many, 20).unwrap().len(), 1_000);
    let endless: Vec<&[u8]> = vec![b"data: 0123"; 10];
    assert_eq!(read(&endless, 20), Err(FrameError::TooLarge));
    let lines: Vec<&[u8]> = vec![b"data: a\n"; 10];
    assert_eq!(read(&lines, 20), Err(FrameError::TooLarge));
}

#[test]
fn a_connection_that_breaks_is_an_error() {
    let pieces = [Ok(Bytes::from_static(b"data: a\n\nda")), Err("reset")];
    let events: Vec<_> = events(stream::iter(pieces), 1024)
        .take(2)
        .collect()
        .now_or_never()
        .expect("nothing to wait for");
    assert_eq!(
        events,
        [Ok("a".to_owned()), Err(FrameError::Transport("reset"))]
    );
}
