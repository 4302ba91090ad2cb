//! What a person is shown before a file is written.

use std::path::Path;

use protocol::{CallPreview, PreviewPart};

use crate::difference::{self, Before, lines};
use crate::file;

/// The preview of a file that would hold `content` instead of `before`.
pub(super) fn make(
    path: &str,
    full_path: &Path,
    before: Option<&[u8]>,
    content: &str,
) -> CallPreview {
    let mut parts = vec![PreviewPart::Path {
        path: full_path.display().to_string(),
    }];
    let replaced = match before {
        None => {
            parts.push(difference::part(path, Before::Nothing, content));
            "new".to_owned()
        }
        Some(before) if before == content.as_bytes() => {
            parts.push(PreviewPart::Text {
                label: "No change".to_owned(),
                text: format!("{path} holds exactly this already."),
            });
            "no change".to_owned()
        }
        Some(before) => match file::as_text(before) {
            Some(text) => {
                parts.push(difference::part(path, Before::Text(text), content));
                format!("replaces {}", lines(text))
            }
            None => {
                let bytes = format!("{} bytes", before.len());
                parts.push(PreviewPart::Text {
                    label: "Not text".to_owned(),
                    text: format!("{path} holds {bytes} that are not text. All are replaced."),
                });
                parts.push(difference::part(path, Before::Binary, content));
                format!("replaces {bytes}")
            }
        },
    };
    CallPreview {
        summary: format!("Write {path} ({}, {replaced})", lines(content)),
        subject: Some(path.to_owned()),
        parts,
    }
}
