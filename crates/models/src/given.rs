//! What was given along with a message, as every dialect tells it: in order, before the text.

use std::borrow::Cow;

use engine::{RequestImage, RequestPart};

/// One piece of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Text(Cow<'a, str>),
    Image(&'a RequestImage),
}

/// A message in pieces. An image is told by its name first: a message may have several.
pub(crate) fn pieces<'a>(parts: &'a [RequestPart], text: &'a str) -> Vec<Piece<'a>> {
    let mut pieces = Vec::with_capacity(2 * parts.len() + 1);
    for part in parts {
        match part {
            RequestPart::Text(text) => pieces.push(Piece::Text(text.as_ref().into())),
            RequestPart::Image(image) => {
                pieces.push(Piece::Text(label(image).into()));
                pieces.push(Piece::Image(image));
            }
        }
    }
    pieces.push(Piece::Text(text.into()));
    pieces
}

/// The texts alone, in one. Without parts these are the bytes of the text.
pub(crate) fn text<'a>(parts: &'a [RequestPart], text: &'a str) -> Cow<'a, str> {
    if parts.is_empty() {
        return text.into();
    }
    let mut whole = String::new();
    for part in parts {
        match part {
            RequestPart::Text(text) => whole.push_str(text),
            RequestPart::Image(image) => whole.push_str(&label(image)),
        }
        whole.push_str("\n\n");
    }
    whole.push_str(text);
    whole.into()
}

pub(crate) fn images(parts: &[RequestPart]) -> impl Iterator<Item = &RequestImage> {
    parts.iter().filter_map(|part| match part {
        RequestPart::Image(image) => Some(image.as_ref()),
        RequestPart::Text(_) => None,
    })
}

/// The image as an address that holds it.
pub(crate) fn data_url(image: &RequestImage) -> String {
    format!("data:{};base64,{}", image.media_type, image.data)
}

fn label(image: &RequestImage) -> String {
    format!("[image: {}]", image.label)
}

/// A text and an image, for the tests of every dialect.
#[cfg(test)]
pub(crate) fn samples() -> Vec<RequestPart> {
    vec![
        RequestPart::Text("<attachment>\ntide\n</attachment>".into()),
        RequestPart::Image(std::sync::Arc::new(RequestImage {
            label: "tide.png".to_owned(),
            media_type: "image/png".to_owned(),
            size: (1, 1),
            data: "iVBORw0KGgo=".to_owned(),
        })),
    ]
}
