//! Images: only their headers are read. What they would be in memory is known from that.

use imagesize::ImageType;
use protocol::{AttachmentKind, CommandError, limits};

use crate::look::{Looked, refused, too_large};

/// Nothing if it is no image of a kind that models are given.
pub(crate) fn look(bytes: &[u8]) -> Option<Result<Looked, CommandError>> {
    let media_type = match imagesize::image_type(bytes).ok()? {
        ImageType::Png => "image/png",
        ImageType::Jpeg => "image/jpeg",
        ImageType::Gif => "image/gif",
        ImageType::Webp => "image/webp",
        _ => return None,
    };
    Some(sized(bytes, media_type))
}

fn sized(bytes: &[u8], media_type: &'static str) -> Result<Looked, CommandError> {
    let size = imagesize::blob_size(bytes).ok();
    let sides = size.and_then(|size| {
        let sides: (u32, u32) = (size.width.try_into().ok()?, size.height.try_into().ok()?);
        (sides.0 > 0 && sides.1 > 0).then_some(sides)
    });
    let Some((width, height)) = sides else {
        return Err(refused(
            "The image is damaged: its size cannot be read.",
            "Open it in a program for images and save it anew.",
        ));
    };
    let pixels = u64::from(width) * u64::from(height);
    if width.max(height) > limits::IMAGE_SIDE || pixels > limits::IMAGE_PIXELS {
        return Err(too_large(format!(
            "The image has {width} × {height} pixels, which is too many."
        )));
    }
    Ok(Looked {
        kind: AttachmentKind::Image,
        media_type,
        size: Some((width, height)),
        pages: None,
        text: None,
    })
}
