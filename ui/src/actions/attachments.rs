//! Attachments: kept by the engine before they are shown as attached, read again to be shown.

use leptos::prelude::{ReadUntracked, Update};
use leptos::task::spawn_local;
use protocol::{AttachmentId, Command, CommandError, Reply, SessionId, limits};
use web_sys::File;

use super::Actions;
use crate::browser;
use crate::state::{AppStateStoreFields, DraftFile, DraftProblem, FileStage};

/// What a file is called that has no name, such as a picture from the clipboard.
const UNNAMED: &str = "file";

impl Actions {
    /// Puts files beside the text that is being written, and keeps each.
    pub(crate) fn attach(self, session_id: Option<SessionId>, files: Vec<File>) {
        for file in files {
            self.attach_one(session_id, file);
        }
    }

    fn attach_one(self, session_id: Option<SessionId>, file: File) {
        let Some(attachment_id) = browser::fresh_attachment_id() else {
            return;
        };
        let drafts = self.store.drafts();
        let count = drafts
            .read_untracked()
            .get(&session_id)
            .map_or(0, |draft| draft.files.len());
        let name = name_of(&file.name());
        // Sizes of files are whole and far below 2^53.
        let bytes = file.size() as u64;
        let refused = refusal(count, bytes);
        let is_refused = refused.is_some();
        self.update_draft(session_id, |draft| {
            draft.add_file(DraftFile {
                attachment_id,
                name: name.clone(),
                bytes,
                stage: refused.map_or(FileStage::Adding, FileStage::Refused),
            });
        });
        if is_refused {
            return;
        }
        spawn_local(async move {
            let stage = self.keep(attachment_id, name, &file).await;
            // The draft may have moved on to its session meanwhile.
            self.store.drafts().update(|drafts| {
                for draft in drafts.values_mut() {
                    draft.move_file(attachment_id, stage.clone());
                }
            });
        });
    }

    async fn keep(self, attachment_id: AttachmentId, name: String, file: &File) -> FileStage {
        let Some(data) = browser::read_base64(file).await else {
            return FileStage::Refused(DraftProblem {
                message: "The file cannot be read.".to_owned(),
                hint: "Check that it is still there and may be read.".to_owned(),
            });
        };
        let command = Command::AddAttachment {
            attachment_id: Some(attachment_id),
            name,
            data: data.clone(),
        };
        match self.ask(command).await {
            Ok(Some(Reply::Attached { attachment, .. })) => FileStage::attached(attachment, &data),
            Ok(_) => FileStage::Refused(DraftProblem {
                message: "Not attached: the engine did not answer.".to_owned(),
                hint: "Remove it and attach it again.".to_owned(),
            }),
            Err(error) => FileStage::Refused(DraftProblem {
                message: error.message,
                hint: error.hint,
            }),
        }
    }

    /// Takes a file away again.
    pub(crate) fn detach(self, session_id: Option<SessionId>, attachment_id: AttachmentId) {
        let mut was_kept = false;
        self.update_draft(session_id, |draft| {
            let removed = draft.remove_file(attachment_id);
            was_kept = removed.is_some_and(|file| matches!(file.stage, FileStage::Attached { .. }));
        });
        if was_kept {
            // One that is left behind is removed by the engine in time.
            spawn_local(async move {
                let command = Command::RemoveAttachment { attachment_id };
                self.act(command).await.ok();
            });
        }
    }

    /// All of an attachment in Base64, or the text that a model gets of it. Nothing if the connection
    /// is lost.
    pub(crate) async fn read_attachment(
        self,
        attachment_id: AttachmentId,
        as_text: bool,
    ) -> Result<Option<String>, CommandError> {
        let mut whole = String::new();
        let mut read = 0;
        loop {
            let command = Command::GetAttachment {
                attachment_id,
                offset: Some(read),
                as_text,
            };
            let Some(Reply::Attachment {
                data, total_bytes, ..
            }) = self.ask(command).await?
            else {
                return Ok(None);
            };
            whole.push_str(&data);
            read += limits::ATTACHMENT_PIECE_BYTES as u64;
            if data.is_empty() || read >= total_bytes {
                return Ok(Some(whole));
            }
        }
    }
}

/// What can be told without reading the file.
fn refusal(count: usize, bytes: u64) -> Option<DraftProblem> {
    let (message, hint) = if count >= limits::ATTACHMENTS {
        (
            format!(
                "A message takes at most {} attachments.",
                limits::ATTACHMENTS
            ),
            "Send it with another message.",
        )
    } else if bytes > limits::ATTACHMENT_BYTES as u64 {
        (
            format!(
                "The file is larger than {} MB.",
                limits::ATTACHMENT_BYTES / (1024 * 1024)
            ),
            "Attach a smaller part of it, or a smaller version.",
        )
    } else if bytes == 0 {
        (
            "The file is empty.".to_owned(),
            "Choose a file that holds something.",
        )
    } else {
        return None;
    };
    Some(DraftProblem {
        message,
        hint: hint.to_owned(),
    })
}

/// A name in one line that fits.
fn name_of(name: &str) -> String {
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let name = name.trim();
    let name = &name[..name.floor_char_boundary(limits::ATTACHMENT_NAME_BYTES)];
    if name.trim().is_empty() {
        UNNAMED
    } else {
        name
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_attached_is_told_before_it_is_read() {
        assert_eq!(refusal(0, 1), None);
        assert_eq!(refusal(limits::ATTACHMENTS - 1, 1), None);
        for (count, bytes) in [
            (limits::ATTACHMENTS, 1),
            (0, 0),
            (0, limits::ATTACHMENT_BYTES as u64 + 1),
        ] {
            let refused = refusal(count, bytes).unwrap();
            assert!(!refused.message.is_empty() && !refused.hint.is_empty());
        }
    }

    #[test]
    fn a_name_is_one_line_that_fits() {
        assert_eq!(name_of("a\nb.txt"), "ab.txt");
        assert_eq!(name_of(" \u{7} "), "file");
        assert!(name_of(&"ä".repeat(400)).len() <= limits::ATTACHMENT_NAME_BYTES);
    }
}
