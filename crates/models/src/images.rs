//! Which images a dialect's own provider takes, as it documents it. What is not said is tried.

use engine::ImageLimits;

use crate::Dialect;

/// Compatible servers may take others; none of them takes less on purpose.
pub const fn image_limits(dialect: Dialect) -> ImageLimits {
    let none = ImageLimits {
        seen: None,
        data_bytes: None,
        side: None,
        refused_types: &[],
    };
    match dialect {
        // "Image exceeds 5 MB maximum" counts the Base64.
        Dialect::Anthropic => ImageLimits {
            data_bytes: Some(5 * 1024 * 1024),
            side: Some(8_000),
            ..none
        },
        // The whole request may have 20 MB.
        Dialect::Gemini => ImageLimits {
            data_bytes: Some(18 * 1024 * 1024),
            refused_types: &["image/gif"],
            ..none
        },
        Dialect::ChatCompletions | Dialect::Responses | Dialect::Ollama => none,
    }
}
