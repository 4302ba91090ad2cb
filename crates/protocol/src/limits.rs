//! The caps that every command is checked against.

/// Bytes of one message.
pub const MESSAGE_BYTES: usize = 256 * 1024;
/// Bytes of one title.
pub const TITLE_BYTES: usize = 200;
/// Bytes of one request key.
pub const REQUEST_KEY_BYTES: usize = 128;
/// Sessions or messages in one answer.
pub const PAGE: u32 = 1_000;
/// Messages in a snapshot when nothing else is asked for.
pub const SNAPSHOT_MESSAGES: u32 = 200;
/// Bytes of one whole command: an import is the largest.
pub const COMMAND_BYTES: usize = IMPORT_BYTES + 1024 * 1024;
/// Bytes of an exported session that can be imported.
pub const IMPORT_BYTES: usize = 32 * 1024 * 1024;
/// The largest integer on the wire: what a page can hold exactly.
pub const INTEGER: u64 = (1 << 53) - 1;
/// Bytes of the arguments of one tool call.
pub const ARGUMENTS_BYTES: usize = 1024 * 1024;
/// Bytes of what a provider said in its own words in one message.
pub const NATIVE_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of a summary of older messages.
pub const SUMMARY_BYTES: usize = 64 * 1024;
/// Bytes of the reason of a denial.
pub const REASON_BYTES: usize = 4 * 1024;
/// Bytes of the result that a person gives a call in doubt.
pub const RESULT_BYTES: usize = 64 * 1024;
/// Bytes of a rule's tool or pattern.
pub const PATTERN_BYTES: usize = 1024;
/// Bytes of a digest in hexadecimal.
pub const DIGEST_BYTES: usize = 64;
/// Decisions in one batch.
pub const BATCH: usize = 256;
/// Messages that may wait in one session.
pub const QUEUE: usize = 20;
/// Bytes of an agent's name.
pub const NAME_BYTES: usize = 80;
/// Bytes of an agent's instructions.
pub const INSTRUCTIONS_BYTES: usize = 64 * 1024;
/// Tools that an agent may name.
pub const AGENT_TOOLS: usize = 256;
/// Bytes of a window's name in a decision.
pub const FROM_BYTES: usize = 64;
/// Bytes of a workspace's path in a rule.
pub const PATH_BYTES: usize = 4 * 1024;
/// Bytes of a provider's key, or of the value of a secret header.
pub const KEY_BYTES: usize = 16 * 1024;
/// Bytes of a provider's address.
pub const URL_BYTES: usize = 2 * 1024;
/// Headers of a provider.
pub const HEADERS: usize = 32;
/// How long a provider may be told to wait for the next byte.
pub const SILENCE_SECONDS: std::ops::RangeInclusive<u32> = 1..=3_600;
/// Bytes of a header's name.
pub const HEADER_NAME_BYTES: usize = 128;
/// Bytes of a header's value.
pub const HEADER_VALUE_BYTES: usize = 4 * 1024;
/// Bytes of what a provider is told beside its address, as JSON.
pub const OPTIONS_BYTES: usize = 64 * 1024;
/// Ports of this computer that a person may add.
pub const LOCAL_PORTS: usize = 16;
/// Bytes of a model's id.
pub const MODEL_BYTES: usize = 1024;
/// Bytes of one attachment.
pub const ATTACHMENT_BYTES: usize = 10 * 1024 * 1024;
/// The same in Base64: four characters for three bytes.
pub const ATTACHMENT_DATA_BYTES: usize = ATTACHMENT_BYTES.div_ceil(3) * 4;
/// Bytes of the text that a model gets of one attachment.
pub const ATTACHMENT_TEXT_BYTES: usize = 1024 * 1024;
/// Attachments of one message.
pub const ATTACHMENTS: usize = 10;
/// Bytes of all attachments of one message.
pub const ATTACHMENTS_BYTES: u64 = 20 * 1024 * 1024;
/// Bytes of an attachment in one answer. Three of them are four characters of Base64: pieces can be
/// put together without being decoded.
pub const ATTACHMENT_PIECE_BYTES: usize = 3 * 256 * 1024;
/// Bytes of the name of an attachment.
pub const ATTACHMENT_NAME_BYTES: usize = 255;
/// Pixels of either side of an image.
pub const IMAGE_SIDE: u32 = 16_384;
/// Pixels of a whole image.
pub const IMAGE_PIXELS: u64 = 64 * 1024 * 1024;
/// Pages of a PDF.
pub const PDF_PAGES: usize = 500;
