//! Files that want to end the app: they are refused, and it goes on.

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
