//! The text in a PDF.

mod packed;
mod shape;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use std::{io, str};

use pdf_extract::{Document, PlainTextOutput, output_doc_page};
use protocol::{AttachmentKind, CommandError, limits};

use crate::look::{Looked, fitting, refused, too_large, too_long};

/// Reading takes no longer than this.
pub(crate) const WITHIN: Duration = Duration::from_secs(20);
/// The library calls itself for what is nested: enough for whatever [`shape`] lets pass.
const STACK_BYTES: usize = 64 * 1024 * 1024;
/// Readers look for the header in so many bytes.
const HEADER_WITHIN: usize = 1024;

pub(crate) fn is_one(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEADER_WITHIN)];
    head.windows(5).any(|five| five == b"%PDF-")
}

/// On a thread of its own: what it does with a hostile file ends with it, or is left behind. One that
/// is left behind ends at the next word that it writes.
pub(crate) fn look(bytes: &[u8]) -> Result<Looked, CommandError> {
    shape::check_nesting(bytes)?;
    packed::check(bytes)?;
    let (sender, receiver) = mpsc::channel();
    let is_over = Arc::new(AtomicBool::new(false));
    let (bytes, told) = (bytes.to_vec(), Arc::clone(&is_over));
    let thread = thread::Builder::new()
        .name("pdf".to_owned())
        .stack_size(STACK_BYTES)
        // A panic drops the sender: that is answer enough.
        .spawn(move || sender.send(read(&bytes, &told)).unwrap_or_default());
    if thread.is_err() {
        return Err(refused(
            "The PDF cannot be read now.",
            "Close other programs, then try again.",
        ));
    }
    match receiver.recv_timeout(WITHIN) {
        Ok(read) => read,
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(damaged()),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            is_over.store(true, Ordering::Relaxed);
            Err(refused(
                format!(
                    "Reading the PDF took longer than {} seconds.",
                    WITHIN.as_secs()
                ),
                "Attach fewer pages of it, or its text.",
            ))
        }
    }
}

fn read(bytes: &[u8], is_over: &Arc<AtomicBool>) -> Result<Looked, CommandError> {
    let mut document = Document::load_mem(bytes).map_err(|_| damaged())?;
    // Many are encrypted with no password at all, and are read by then.
    if document.trailer.get(b"Encrypt").is_ok() && document.encryption_state.is_none() {
        return Err(refused(
            "The PDF is protected with a password.",
            "Save a copy without a password, or attach its text.",
        ));
    }
    shape::empty_pictures(&mut document);
    let pages = document.get_pages();
    if pages.len() > limits::PDF_PAGES {
        return Err(too_large(format!(
            "The PDF has {} pages; {} can be attached.",
            pages.len(),
            limits::PDF_PAGES
        )));
    }
    shape::check(&document, pages.values().copied())?;
    let mut page = Page {
        text: String::new(),
        is_over: Arc::clone(is_over),
    };
    let mut texts: Vec<String> = Vec::new();
    let mut bytes = 0;
    for number in pages.keys() {
        let mut output = PlainTextOutput::new(&mut page as &mut dyn io::Write);
        let is_read = output_doc_page(&document, &mut output, *number).is_ok();
        let text = std::mem::take(&mut page.text);
        bytes += text.len();
        if bytes > limits::ATTACHMENT_TEXT_BYTES {
            return Err(too_long());
        }
        if !is_read {
            return Err(damaged());
        }
        texts.push(text.trim().to_owned());
    }
    let text = texts.join("\n\n").trim().to_owned();
    if text.is_empty() {
        return Err(refused(
            "There is no text in the PDF: its pages are pictures.",
            "Attach its pages as images, or run it through text recognition first.",
        ));
    }
    Ok(Looked {
        kind: AttachmentKind::Pdf,
        media_type: "application/pdf",
        size: None,
        pages: u32::try_from(pages.len()).ok(),
        text: Some(fitting(text)?),
    })
}

/// What is written, until it is too much or takes too long.
struct Page {
    text: String,
    is_over: Arc<AtomicBool>,
}

impl io::Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_full = self.text.len() > limits::ATTACHMENT_TEXT_BYTES;
        if is_full || self.is_over.load(Ordering::Relaxed) {
            return Err(io::Error::other("enough"));
        }
        let text = str::from_utf8(bytes).map_err(io::Error::other)?;
        // A character that nobody can see has no place in a text.
        self.text.extend(text.chars().filter(|c| *c != '\0'));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn damaged() -> CommandError {
    refused(
        "The PDF is damaged, or uses something that cannot be read.",
        "Open it in a program for PDFs and save it anew, or attach its text.",
    )
}
