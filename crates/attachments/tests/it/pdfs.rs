//! The text in PDFs.

use attachments::look;
use protocol::{AttachmentKind, ErrorCode, limits};

use crate::paper::{line, pages, pdf, stream};
use crate::refused;

#[test]
fn the_text_of_every_page_is_read() {
    let looked = look(&pages(&[
        &line("High water at noon"),
        &line("Low water at six"),
    ]))
    .unwrap();
    assert_eq!(looked.kind, AttachmentKind::Pdf);
    assert_eq!(
        (looked.media_type, looked.pages),
        ("application/pdf", Some(2))
    );
    assert_eq!(
        looked.text.unwrap(),
        "High water at noon\n\nLow water at six"
    );
}

#[test]
fn a_pdf_of_pictures_is_refused_with_what_to_do() {
    let error = refused(&pages(&["0 0 100 100 re f"]));
    assert!(error.message.contains("no text"), "{error:?}");
    assert!(error.hint.contains("images"));
}

#[test]
fn a_protected_pdf_is_refused_with_what_to_do() {
    let whole = String::from_utf8(pages(&[&line("secret")])).unwrap();
    let o = "00".repeat(32);
    let protected = whole.replace(
        "/Root 1 0 R",
        &format!(
            "/Root 1 0 R /ID [<{0}> <{0}>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{o}> /U <{o}> >>",
            "00".repeat(16)
        ),
    );
    let error = refused(protected.as_bytes());
    assert!(error.message.contains("password"), "{error:?}");
}

#[test]
fn pages_have_a_limit() {
    let line = line("x");
    let many = vec![line.as_str(); limits::PDF_PAGES + 1];
    let error = refused(&pages(&many));
    assert_eq!(error.code, ErrorCode::TooLarge);
    assert!(error.message.contains("501 pages"));
}

#[test]
fn text_in_a_pdf_has_a_limit() {
    let content = format!(
        "BT /F1 12 Tf {} ET",
        "(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj\n".repeat(6_000)
    );
    let many = vec![content.as_str(); 5];
    assert_eq!(refused(&pages(&many)).code, ErrorCode::TooLarge);
}

/// A form that is shown by a page is part of it.
#[test]
fn forms_are_read_along() {
    let objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 300 300] >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>"
            .to_owned(),
        stream("", "/X Do"),
        stream(
            "/Type /XObject /Subtype /Form /BBox [0 0 300 300] /Resources << /Font << /F1 6 0 R >> >>",
            &line("inside"),
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    assert_eq!(look(&pdf(&objects)).unwrap().text.unwrap(), "inside");
}
