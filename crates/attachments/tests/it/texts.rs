//! Text, and what only looks like it.

use attachments::look;
use protocol::{AttachmentKind, ErrorCode, limits};

use crate::refused;

#[track_caller]
fn text(bytes: &[u8]) -> String {
    let looked = look(bytes).unwrap();
    assert_eq!(looked.kind, AttachmentKind::Text);
    assert_eq!(looked.media_type, "text/plain");
    looked.text.unwrap()
}

#[test]
fn text_is_read_in_every_form_that_says_what_it_is() {
    assert_eq!(text("Ebbe und Flut: é\n".as_bytes()), "Ebbe und Flut: é\n");
    assert_eq!(text(b"\xEF\xBB\xBFtide"), "tide");
    assert_eq!(text(b"\xFF\xFEt\0i\0\x3D\xD8\x00\xDE"), "ti😀");
    assert_eq!(text(b"\xFE\xFF\0t\0i"), "ti");
    assert_eq!(
        text(b"\x1b[1mbold\x1b[0m\tand\r\n\x0cnext"),
        "\x1b[1mbold\x1b[0m\tand\r\n\x0cnext"
    );
    assert_eq!(
        text(b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        "<svg xmlns='http://www.w3.org/2000/svg'/>"
    );
}

#[test]
fn what_is_no_text_is_refused() {
    for bytes in [
        b"\x00\x01\x02\x03".as_slice(),
        b"text with a \0 in it",
        b"\x7fELF\x02\x01\x01",
        b"PK\x03\x04zip",
        b"caf\xe9 in latin-1",
        b"\xFF\xFEodd",
        b"\xFF\xFE\x00\xDC",
    ] {
        let error = refused(bytes);
        assert_eq!(
            error.message, "This kind of file cannot be attached.",
            "{bytes:?}"
        );
        assert!(error.hint.contains("UTF-8"));
    }
    for blank in [b" \n\t ".as_slice(), b"\xEF\xBB\xBF"] {
        assert!(refused(blank).message.contains("nothing but blanks"));
    }
}

#[test]
fn text_that_is_too_long_for_a_model_is_refused_and_not_cut() {
    let most = vec![b'a'; limits::ATTACHMENT_TEXT_BYTES];
    assert_eq!(text(&most).len(), most.len());
    let more = vec![b'a'; limits::ATTACHMENT_TEXT_BYTES + 1];
    assert_eq!(refused(&more).code, ErrorCode::TooLarge);
}
