//! What is written and not sent.

use std::sync::Arc;

use protocol::{AttachmentId, AttachmentKind, AttachmentView};

/// The text in the composer of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) text: String,
    /// What goes along with it, in order.
    pub(crate) files: Vec<DraftFile>,
    /// The key under which this very text was sent while its fate was not known: sent again under
    /// the same key it cannot become two messages.
    pub(crate) request_key: Option<String>,
    /// Whether an answer is awaited.
    pub(crate) is_sending: bool,
    /// Why the last try did not work.
    pub(crate) problem: Option<DraftProblem>,
}

/// Why a message could not be sent, or a file not be attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DraftProblem {
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// A file in the composer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DraftFile {
    pub(crate) attachment_id: AttachmentId,
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) stage: FileStage,
}

/// How far a file has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileStage {
    /// It is being read and kept.
    Adding,
    /// It is on disk and can be sent.
    Attached {
        view: AttachmentView,
        /// An image as an address that holds it.
        picture: Option<Arc<str>>,
    },
    /// It cannot be attached.
    Refused(DraftProblem),
}

impl Draft {
    /// Takes what the person typed: a changed text is a new message with a new key.
    pub(crate) fn set_text(&mut self, text: String) {
        if self.text != text {
            self.text = text;
            self.change();
        }
    }

    /// Puts a file beside the text.
    pub(crate) fn add_file(&mut self, file: DraftFile) {
        self.files.push(file);
        self.change();
    }

    /// Takes a file away; gives it back if it was there.
    pub(crate) fn remove_file(&mut self, id: AttachmentId) -> Option<DraftFile> {
        let place = self
            .files
            .iter()
            .position(|file| file.attachment_id == id)?;
        self.change();
        Some(self.files.remove(place))
    }

    /// A file has come further; one that was removed meanwhile is not there. Whether it is.
    pub(crate) fn move_file(&mut self, id: AttachmentId, stage: FileStage) -> bool {
        let file = self.files.iter_mut().find(|file| file.attachment_id == id);
        match file {
            Some(file) => {
                file.stage = stage;
                true
            }
            None => false,
        }
    }

    /// Another message than the one that was tried.
    fn change(&mut self) {
        self.request_key = None;
        self.problem = None;
    }

    /// Whether everything that goes along with it is on disk: nothing is left out unsaid.
    pub(crate) fn is_whole(&self) -> bool {
        let is_attached = |file: &DraftFile| matches!(file.stage, FileStage::Attached { .. });
        self.files.iter().all(is_attached)
    }

    /// The ids of what goes along with it.
    pub(crate) fn attachments(&self) -> Vec<AttachmentId> {
        self.files.iter().map(|file| file.attachment_id).collect()
    }

    /// What is left once `sent` is on disk: whatever was typed and attached while that was not known
    /// yet.
    pub(crate) fn without(&self, sent: &str, attachments: &[AttachmentId]) -> Self {
        let rest = self.text.strip_prefix(sent).unwrap_or(&self.text);
        let mut files = self.files.clone();
        files.retain(|file| !attachments.contains(&file.attachment_id));
        Self {
            text: rest.to_owned(),
            files,
            ..Self::default()
        }
    }
}

impl FileStage {
    /// A file that is on disk, with its picture if it is an image.
    pub(crate) fn attached(view: AttachmentView, data: &str) -> Self {
        let is_image = view.kind == AttachmentKind::Image;
        let picture = is_image.then(|| picture(&view.media_type, data));
        Self::Attached { view, picture }
    }
}

/// An image as an address that holds it. The type is what was found, never what a file claims.
pub(crate) fn picture(media_type: &str, data: &str) -> Arc<str> {
    format!("data:{media_type};base64,{data}").into()
}

#[cfg(test)]
mod tests {
    use protocol::AttachmentId;
    use uuid::Uuid;

    use super::*;

    fn left(typed: &str, sent: &str) -> String {
        let draft = Draft {
            text: typed.to_owned(),
            is_sending: true,
            ..Draft::default()
        };
        let left = draft.without(sent, &[]);
        assert!(!left.is_sending && left.request_key.is_none());
        left.text
    }

    #[test]
    fn what_is_typed_while_a_message_is_on_its_way_stays() {
        assert_eq!(left("One", "One"), "");
        assert_eq!(left("OneTwo", "One"), "Two");
        assert_eq!(left("Something else", "One"), "Something else");
        assert_eq!(left("", "One"), "");
    }

    fn id(number: u128) -> AttachmentId {
        AttachmentId::from_uuid(Uuid::from_u128(number))
    }

    fn file(number: u128) -> DraftFile {
        DraftFile {
            attachment_id: id(number),
            name: "cat.png".to_owned(),
            bytes: 3,
            stage: FileStage::Adding,
        }
    }

    fn view(number: u128, kind: AttachmentKind) -> AttachmentView {
        AttachmentView {
            attachment_id: id(number),
            name: "cat.png".to_owned(),
            kind,
            media_type: "image/png".to_owned(),
            bytes: 3,
            width: Some(1),
            height: Some(1),
            pages: None,
            text_bytes: None,
        }
    }

    #[test]
    fn a_message_is_whole_once_all_of_its_files_are_on_disk() {
        let mut draft = Draft::default();
        draft.add_file(file(1));
        draft.add_file(file(2));
        assert!(!draft.is_whole());
        let image = FileStage::attached(view(1, AttachmentKind::Image), "AAAA");
        assert!(draft.move_file(id(1), image));
        let refused = DraftProblem {
            message: "No.".to_owned(),
            hint: "Another.".to_owned(),
        };
        assert!(draft.move_file(id(2), FileStage::Refused(refused)));
        assert!(!draft.is_whole(), "a refused file is not left out unsaid");
        assert!(draft.remove_file(id(2)).is_some());
        assert!(draft.is_whole());
        assert!(!draft.move_file(id(2), FileStage::Adding));
        assert_eq!(draft.attachments(), [id(1)]);
    }

    #[test]
    fn another_file_makes_another_message() {
        let mut draft = Draft {
            request_key: Some("k".to_owned()),
            ..Draft::default()
        };
        draft.add_file(file(1));
        assert_eq!(draft.request_key, None);
        draft.request_key = Some("k".to_owned());
        draft.remove_file(id(1));
        assert_eq!(draft.request_key, None);
    }

    #[test]
    fn files_that_come_while_a_message_is_on_its_way_stay() {
        let mut draft = Draft::default();
        draft.add_file(file(1));
        draft.add_file(file(2));
        let left = draft.without("", &[id(1)]);
        assert_eq!(left.attachments(), [id(2)]);
    }

    #[test]
    fn only_an_image_has_a_picture_and_of_the_type_that_was_found() {
        let FileStage::Attached { picture, .. } =
            FileStage::attached(view(1, AttachmentKind::Image), "AAAA")
        else {
            panic!("not attached");
        };
        assert_eq!(picture.as_deref(), Some("data:image/png;base64,AAAA"));
        let FileStage::Attached { picture, .. } =
            FileStage::attached(view(1, AttachmentKind::Text), "AAAA")
        else {
            panic!("not attached");
        };
        assert_eq!(picture, None);
    }
}
