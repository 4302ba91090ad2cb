//! How attachments are told to a model, and which images it takes. Pure.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use protocol::{AttachmentKind, AttachmentView, CommandError, ErrorCode, limits};
use store::Content;

use crate::model::{ImageLimits, Model, RequestImage, RequestMessage, RequestPart};

/// Which images a model takes: what is known of it, within what its provider says.
pub(crate) fn taken_by(model: &dyn Model) -> ImageLimits {
    let takes = model.images();
    ImageLimits {
        seen: model.info().images.or(takes.seen),
        ..takes
    }
}

/// Refuses what the model that would answer is known not to take. What is not known is tried.
pub(crate) fn check(
    attachments: &[AttachmentView],
    model: &str,
    takes: &ImageLimits,
) -> Result<(), CommandError> {
    let total: u64 = attachments.iter().map(|one| one.bytes).sum();
    if total > limits::ATTACHMENTS_BYTES {
        return Err(CommandError::new(
            ErrorCode::TooLarge,
            format!(
                "The attachments are larger than {} MB together.",
                limits::ATTACHMENTS_BYTES / (1024 * 1024)
            ),
            "Send some of them with another message.",
        ));
    }
    for one in attachments {
        if one.kind != AttachmentKind::Image {
            continue;
        }
        let image = Image {
            media_type: &one.media_type,
            size: size_of(one),
            data_bytes: one.bytes.div_ceil(3) * 4,
        };
        if let Some(unfit) = image.unfit(takes) {
            return Err(unfit.refusal(&one.name, model));
        }
    }
    Ok(())
}

/// What is known of an image without its bytes.
struct Image<'a> {
    media_type: &'a str,
    size: (u32, u32),
    data_bytes: u64,
}

/// Why a model does not take an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unfit {
    Unseen,
    Bytes(u64),
    Side(u32),
    Type,
}

impl Image<'_> {
    fn unfit(&self, takes: &ImageLimits) -> Option<Unfit> {
        if takes.seen == Some(false) {
            return Some(Unfit::Unseen);
        }
        if takes.refused_types.contains(&self.media_type) {
            return Some(Unfit::Type);
        }
        if let Some(most) = takes.data_bytes.filter(|most| self.data_bytes > *most) {
            return Some(Unfit::Bytes(most));
        }
        let side = self.size.0.max(self.size.1);
        takes.side.filter(|most| side > *most).map(Unfit::Side)
    }
}

impl Unfit {
    fn refusal(self, name: &str, model: &str) -> CommandError {
        let (what, hint) = match self {
            Self::Unseen => (
                format!("{model} cannot look at images."),
                "Choose a model that can, or remove the image.",
            ),
            Self::Type => (
                format!("{model} does not take images of this kind."),
                "Save it as PNG or JPEG and attach that.",
            ),
            Self::Bytes(most) => (
                format!(
                    "{model} takes images of up to {:.1} MB.",
                    // What a person sees of a file is its size before Base64.
                    (most / 4 * 3) as f64 / 1_000_000.0
                ),
                "Attach a smaller version of it.",
            ),
            Self::Side(most) => (
                format!("{model} takes images of up to {most} × {most} pixels."),
                "Attach a smaller version of it.",
            ),
        };
        let message = format!("“{name}” cannot be sent: {what}");
        CommandError::new(ErrorCode::Unsupported, message, hint)
    }
}

fn size_of(view: &AttachmentView) -> (u32, u32) {
    (view.width.unwrap_or(0), view.height.unwrap_or(0))
}

/// How an attachment is told.
pub(crate) fn told(view: &AttachmentView, content: Option<&Content>) -> RequestPart {
    match content {
        Some(Content::Text(text)) => RequestPart::Text(delimited(view, text).into()),
        Some(Content::Image(bytes)) => RequestPart::Image(Arc::new(RequestImage {
            label: plain(&view.name),
            media_type: view.media_type.clone(),
            size: size_of(view),
            data: STANDARD.encode(bytes),
        })),
        None => {
            let name = plain(&view.name);
            RequestPart::Text(format!("[attachment: {name}, not there any more]").into())
        }
    }
}

/// The session as this model is told it: an image that it does not take is named instead.
pub(crate) fn shown(
    messages: Arc<Vec<RequestMessage>>,
    takes: &ImageLimits,
) -> Arc<Vec<RequestMessage>> {
    let is_unfit = |part: &RequestPart| match part {
        RequestPart::Image(image) => unfit(image, takes),
        RequestPart::Text(_) => false,
    };
    let has_unfit = |message: &RequestMessage| match message {
        RequestMessage::User { parts, .. } => parts.iter().any(is_unfit),
        RequestMessage::Agent { .. } | RequestMessage::Result { .. } => false,
    };
    if !messages.iter().any(has_unfit) {
        return messages;
    }
    let mut messages = messages.as_ref().clone();
    for message in &mut messages {
        if let RequestMessage::User { parts, .. } = message {
            for part in parts {
                if let RequestPart::Image(image) = part
                    && unfit(image, takes)
                {
                    let label = &image.label;
                    *part = RequestPart::Text(
                        format!("[image: {label}, not shown to this model]").into(),
                    );
                }
            }
        }
    }
    Arc::new(messages)
}

fn unfit(image: &RequestImage, takes: &ImageLimits) -> bool {
    let image = Image {
        media_type: &image.media_type,
        size: image.size,
        data_bytes: image.data.len() as u64,
    };
    image.unfit(takes).is_some()
}

/// Text between marks that it cannot write itself: it is data, whatever it says.
fn delimited(view: &AttachmentView, text: &str) -> String {
    let kind = match view.kind {
        AttachmentKind::Pdf => "text of a PDF",
        AttachmentKind::Text | AttachmentKind::Image => "text",
    };
    format!(
        "<attachment name=\"{}\" kind=\"{kind}\">\n{}\n</attachment>",
        plain(&view.name),
        escaped(text)
    )
}

/// A name in one line that closes no mark.
fn plain(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            '"' | '<' | '>' | '[' | ']' => '_',
            c if c.is_control() => '_',
            c => c,
        })
        .collect()
}

/// Marks inside of the text are broken up, however they are written.
fn escaped(text: &str) -> String {
    const WORD: &str = "attachment";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at + 1);
        out.push_str(before);
        let word = from.trim_start_matches(|c: char| c == '/' || c.is_whitespace());
        let is_mark = word
            .get(..WORD.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(WORD));
        if is_mark {
            out.push('\\');
        }
        rest = from;
    }
    out.push_str(rest);
    out
}
