//! Files that want to end the app: they are refused, and it goes on.

use std::io::Write;

use crate::paper::{line, pages, pdf, stream};
use crate::refused;

fn with_form(form_resources: &str, content: &str) -> Vec<u8> {
    pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 300 300] >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>"
            .to_owned(),
        stream("", "/X Do"),
        stream(
            &format!("/Type /XObject /Subtype /Form {form_resources}"),
            content,
        ),
    ])
}

/// A form that shows itself would use the stack up, and with it the app.
#[test]
fn a_form_that_shows_itself_is_refused() {
    refused(&with_form(
        "/Resources << /XObject << /X 5 0 R >> >>",
        "/X Do",
    ));
    // Without resources of its own, it has those of whoever shows it.
    refused(&with_form("", "/X Do"));
}

/// The library would take it for a form.
#[test]
fn a_picture_that_says_it_shows_itself_is_refused() {
    let hostile = String::from_utf8(with_form("", "/X Do")).unwrap();
    refused(
        hostile
            .replace("/Subtype /Form", "/Subtype /Image")
            .as_bytes(),
    );
}

#[test]
fn a_page_that_belongs_to_itself_is_refused() {
    refused(&pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 3 0 R >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>".to_owned(),
        stream("", &line("round and round")),
    ]));
}

#[test]
fn what_is_nested_without_end_is_refused() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    refused(&pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        deep,
    ]));
    let deep = format!("{}{}", "<</A ".repeat(200_000), ">>".repeat(200_000));
    refused(&pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        deep,
    ]));
}

/// The library panics on much of this. Nothing of that reaches whoever asked.
#[test]
fn a_pdf_changed_anywhere_is_read_or_refused() {
    let whole = pages(&[&line("High water")]);
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] = changed[place].wrapping_add(1 + (place % 7) as u8);
        drop(attachments::look(&changed));
    }
    for cut in (0..whole.len()).step_by(5) {
        drop(attachments::look(&whole[..cut]));
    }
}

#[test]
fn a_header_alone_is_refused() {
    refused(b"%PDF-1.7");
    refused(b"%PDF-1.7\n%%EOF");
}

fn packed(content: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(content).unwrap();
    packer.finish().unwrap()
}

/// A PDF with one packed stream that nothing shows.
fn with_packed(content: &[u8], filters: &str) -> Vec<u8> {
    let mut bytes = pages(&[&line("High water")]);
    let stream = format!(
        "9 0 obj\n<< /Filter {filters} /Length {} >>\nstream\n",
        content.len()
    );
    let place = bytes.windows(4).position(|four| four == b"xref").unwrap();
    let mut hostile = stream.into_bytes();
    hostile.extend(content);
    hostile.extend(b"\nendstream\nendobj\n");
    bytes.splice(place..place, hostile);
    bytes
}

/// A small file may be more than there is memory once it is unpacked.
#[test]
fn a_bomb_is_refused_before_it_goes_off() {
    let bomb = packed(&vec![b' '; 300 * 1024 * 1024]);
    assert!(bomb.len() < 1024 * 1024);
    let error = refused(&with_packed(&bomb, "/FlateDecode"));
    assert_eq!(error.code, protocol::ErrorCode::TooLarge);
    let twice = packed(&bomb);
    refused(&with_packed(&twice, "[/FlateDecode /FlateDecode]"));
}

#[test]
fn what_is_nested_inside_of_what_is_packed_is_refused() {
    refused(&with_packed(&packed(&vec![b'['; 100_000]), "/FlateDecode"));
}
