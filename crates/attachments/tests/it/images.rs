//! Images by their headers.

use attachments::look;
use protocol::{AttachmentKind, ErrorCode};

use crate::refused;

pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 6, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

fn gif(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = b"GIF89a".to_vec();
    bytes.extend(width.to_le_bytes());
    bytes.extend(height.to_le_bytes());
    bytes.extend([0; 8]);
    bytes
}

fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = vec![0xFF, 0xD8, 0xFF, 0xE0, 0, 16];
    bytes.extend(b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
    bytes.extend([0xFF, 0xC0, 0, 17, 8]);
    bytes.extend(height.to_be_bytes());
    bytes.extend(width.to_be_bytes());
    bytes.extend([3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xFF, 0xD9]);
    bytes
}

fn webp(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0".to_vec();
    bytes.extend(&(width - 1).to_le_bytes()[..3]);
    bytes.extend(&(height - 1).to_le_bytes()[..3]);
    bytes
}

#[test]
fn each_kind_is_known_by_its_bytes_with_its_size() {
    for (bytes, media_type) in [
        (png(640, 480), "image/png"),
        (gif(640, 480), "image/gif"),
        (jpeg(640, 480), "image/jpeg"),
        (webp(640, 480), "image/webp"),
    ] {
        let looked = look(&bytes).unwrap();
        assert_eq!(looked.kind, AttachmentKind::Image);
        assert_eq!(looked.media_type, media_type);
        assert_eq!(looked.size, Some((640, 480)), "{media_type}");
        assert_eq!((looked.pages, looked.text), (None, None));
    }
}

/// An image of a few bytes may be gigabytes once somebody shows it.
#[test]
fn an_image_that_would_be_too_many_pixels_is_refused() {
    for (width, height) in [
        (60_000, 1),
        (1, 16_385),
        (16_000, 16_000),
        (u32::MAX, u32::MAX),
    ] {
        let error = refused(&png(width, height));
        assert_eq!(error.code, ErrorCode::TooLarge, "{width} × {height}");
    }
    assert!(look(&png(16_384, 4_096)).is_ok());
}

#[test]
fn an_image_without_a_size_is_refused() {
    for bytes in [png(0, 10), png(10, 0)] {
        assert!(refused(&bytes).message.contains("damaged"));
    }
    refused(&png(9, 9)[..14]);
    refused(&jpeg(5, 5)[..8]);
}

#[test]
fn an_image_cut_off_anywhere_is_an_image_or_refused() {
    for whole in [png(9, 9), gif(9, 9), jpeg(9, 9), webp(9, 9)] {
        for cut in 0..whole.len() {
            // Whatever it says: it says something.
            drop(look(&whole[..cut]));
        }
    }
}
