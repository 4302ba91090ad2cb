//! Behaviour of looking at files: what each is, and that nothing hostile does more than be refused.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

mod hostile;
mod images;
mod paper;
mod pdfs;
mod texts;

use attachments::look;
use protocol::{CommandError, ErrorCode};

/// Refused with what to do.
#[track_caller]
fn refused(bytes: &[u8]) -> CommandError {
    let error = look(bytes).expect_err("it was taken");
    assert!(
        matches!(error.code, ErrorCode::InvalidValue | ErrorCode::TooLarge),
        "{error:?}"
    );
    assert!(!error.message.is_empty() && !error.hint.is_empty());
    error
}

#[test]
fn nothing_and_too_much_are_refused() {
    assert_eq!(refused(b"").message, "The file is empty.");
    let large = vec![b'a'; protocol::limits::ATTACHMENT_BYTES + 1];
    assert_eq!(refused(&large).code, ErrorCode::TooLarge);
}
