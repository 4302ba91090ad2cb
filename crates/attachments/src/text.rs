//! Text: UTF-8, or UTF-16 that says so. Anything else is no text.

use protocol::{AttachmentKind, CommandError};

use crate::look::{Looked, fitting, refused};

pub(crate) fn look(bytes: &[u8]) -> Result<Looked, CommandError> {
    let text = decode(bytes).filter(|text| is_text(text));
    let text = text.ok_or_else(|| {
        refused(
            "This kind of file cannot be attached.",
            "Attach text in UTF-8, a PDF, or an image as PNG, JPEG, GIF or WebP.",
        )
    })?;
    if text.trim().is_empty() {
        return Err(refused(
            "The file holds nothing but blanks.",
            "Choose a file that holds something.",
        ));
    }
    Ok(Looked {
        kind: AttachmentKind::Text,
        media_type: "text/plain",
        size: None,
        pages: None,
        text: Some(fitting(text)?),
    })
}

fn decode(bytes: &[u8]) -> Option<String> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8(rest.to_vec()).ok(),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => String::from_utf8(bytes.to_vec()).ok(),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|pair| unit(*pair)).collect();
    rest.is_empty().then(|| String::from_utf16(&units).ok())?
}

/// Programs write tabs, ends of lines and pages, and colours of terminals; other control characters
/// are found in what was never meant to be read.
fn is_text(text: &str) -> bool {
    !text.chars().any(|c| {
        c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0c' | '\x1b' | '\x08')
    })
}
