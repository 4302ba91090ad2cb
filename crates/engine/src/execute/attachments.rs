//! Commands about attachments: kept before they are shown as attached, removed when nobody wants them.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use protocol::{
    AttachmentId, AttachmentKind, AttachmentView, CommandError, ErrorCode, Reply, SessionId, limits,
};
use store::{AttachmentChange, AttachmentRow, Change, NewAttachment, Reader, Transition};

use super::messages::sent_before;
use crate::Engine;
use crate::attachment;
use crate::command_error::{closing, from_store, not_found};
use crate::decide::{self, Decision, StartRun};

/// How long an attachment is kept that no message was sent with.
const UNSENT_MS: u64 = 7 * 24 * 60 * 60 * 1_000;

impl Engine {
    pub(super) async fn add_attachment(
        &self,
        attachment_id: Option<AttachmentId>,
        name: String,
        data: String,
    ) -> Result<Reply, CommandError> {
        let id = attachment_id.unwrap_or_else(|| AttachmentId::from_uuid(self.inner.new_id()));
        if let Some(before) = self.read(move |reader| reader.attachment(id)).await? {
            return Ok(attached(before));
        }
        let looked = tokio::task::spawn_blocking(move || understood(id, name, &data));
        let added = looked.await.map_err(|_| closing())??;
        self.transact_on(
            move |reader: &Reader<'_>| reader.attachment(id),
            |before| {
                if let Some(before) = before {
                    // The same request was faster.
                    return Ok((attached(before.clone()), Decision::nothing()));
                }
                let now_ms = self.inner.now_ms();
                let added = NewAttachment {
                    at_ms: now_ms,
                    expires_at_ms: now_ms + UNSENT_MS,
                    ..added.clone()
                };
                let reply = Reply::Attached {
                    attachment: added.view.clone(),
                    expires_at_ms: Some(added.expires_at_ms),
                };
                let mut decision = Decision::nothing();
                decision
                    .changes
                    .push(Change::Attachment(AttachmentChange::Add(added)));
                Ok((reply, decision))
            },
        )
        .await
    }

    pub(super) async fn get_attachment(
        &self,
        id: AttachmentId,
        offset: u64,
        as_text: bool,
    ) -> Result<Reply, CommandError> {
        let read = move |reader: &Reader<'_>| {
            let Some(row) = reader.attachment(id)? else {
                return Ok(None);
            };
            let (total_bytes, piece) = if as_text {
                let text = match reader.attachment_content(id)? {
                    Some(store::Content::Text(text)) => text.into_bytes(),
                    Some(store::Content::Image(_)) | None => Vec::new(),
                };
                (text.len() as u64, piece_of(&text, offset).to_vec())
            } else {
                let piece = reader.attachment_piece(id, offset, limits::ATTACHMENT_PIECE_BYTES)?;
                (row.view.bytes, piece.unwrap_or_default())
            };
            Ok(Some((row.view, total_bytes, piece)))
        };
        let found = self.read(read).await?;
        let (attachment, total_bytes, piece) = found.ok_or_else(|| not_found("attachment"))?;
        Ok(Reply::Attachment {
            attachment,
            offset,
            data: STANDARD.encode(piece),
            total_bytes,
        })
    }

    pub(super) async fn remove_attachment(&self, id: AttachmentId) -> Result<Reply, CommandError> {
        self.transact_on(
            move |reader: &Reader<'_>| reader.attachment(id),
            |row| {
                let row = row.as_ref().ok_or_else(|| not_found("attachment"))?;
                if row.expires_at_ms.is_none() {
                    return Err(CommandError::new(
                        ErrorCode::NotActionable,
                        "A message was sent with this attachment.",
                        "It goes with its session.",
                    ));
                }
                let mut decision = Decision::nothing();
                decision
                    .changes
                    .push(Change::Attachment(AttachmentChange::Remove {
                        attachment_id: id,
                        at_ms: self.inner.now_ms(),
                    }));
                Ok((Reply::AttachmentRemoved { attachment_id: id }, decision))
            },
        )
        .await
    }

    /// What no message was sent with in time goes.
    pub(crate) async fn purge_attachments(&self) -> Result<(), CommandError> {
        let purge = AttachmentChange::Purge {
            at_ms: self.inner.now_ms(),
        };
        let transition = Transition {
            sync: store::Sync::Barrier,
            changes: vec![Change::Attachment(purge)],
        };
        let purged = self.commit(transition, Vec::new()).await;
        purged.map_err(|error| from_store(&error))
    }

    /// The attachments of a message that is to be sent, if the model that would answer takes them.
    /// Refused before anything is stopped or written; one that was sent before is not looked at again.
    pub(super) async fn attachable(
        &self,
        start: &StartRun,
        ids: Vec<AttachmentId>,
        session_id: Option<SessionId>,
    ) -> Result<Vec<AttachmentView>, CommandError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let key = start.request_key.clone();
        let read = move |reader: &Reader<'_>| {
            let is_sent = match &key {
                Some(key) => sent_before(reader, key)?.is_some(),
                None => false,
            };
            let state = session_id.map(|id| reader.session_state(id)).transpose()?;
            let rows = ids.iter().map(|id| reader.attachment(*id));
            Ok((
                is_sent,
                state.flatten(),
                rows.collect::<Result<Vec<_>, _>>()?,
            ))
        };
        let (is_sent, state, rows) = self.read(read).await?;
        let views = rows.into_iter().map(|row| row.map(|row| row.view));
        if is_sent {
            return Ok(views.flatten().collect());
        }
        let views: Option<Vec<AttachmentView>> = views.collect();
        let views = views.ok_or_else(|| {
            CommandError::new(
                ErrorCode::NotFound,
                "An attachment is not there any more.",
                "Remove it and attach the file again.",
            )
        })?;
        let agent = state.as_ref().map_or(&start.agent.1, |state| &state.agent);
        let model = decide::chosen_model(state.as_ref(), agent, &self.inner.given());
        // One that cannot be used now is said when the run begins.
        if let Some(model) = self.inner.model(&model) {
            attachment::check(&views, &model.info().label, &attachment::taken_by(&*model))?;
        }
        Ok(views)
    }
}

fn attached(row: AttachmentRow) -> Reply {
    Reply::Attached {
        attachment: row.view,
        expires_at_ms: row.expires_at_ms,
    }
}

/// Looks at a file, and says what it is in the words of a row.
pub(super) fn understood(
    attachment_id: AttachmentId,
    name: String,
    data: &str,
) -> Result<NewAttachment, CommandError> {
    let body = STANDARD.decode(data).map_err(|_| {
        CommandError::new(
            ErrorCode::InvalidValue,
            "The file is not in Base64.",
            "Encode its bytes with the standard alphabet and padding.",
        )
    })?;
    let looked = attachments::look(&body)?;
    let view = AttachmentView {
        attachment_id,
        name,
        kind: looked.kind,
        media_type: looked.media_type.to_owned(),
        bytes: body.len() as u64,
        width: looked.size.map(|size| size.0),
        height: looked.size.map(|size| size.1),
        pages: looked.pages,
        text_bytes: looked.text.as_ref().map(|text| text.len() as u64),
    };
    // Plain text is kept once.
    let is_itself = view.kind == AttachmentKind::Text
        && looked
            .text
            .as_ref()
            .is_some_and(|text| text.as_bytes() == body);
    Ok(NewAttachment {
        view,
        body: body.into(),
        text: looked.text.filter(|_| !is_itself).map(Arc::from),
        at_ms: 0,
        expires_at_ms: 0,
    })
}

fn piece_of(text: &[u8], offset: u64) -> &[u8] {
    let from = usize::try_from(offset).map_or(text.len(), |from| from.min(text.len()));
    let to = text.len().min(from + limits::ATTACHMENT_PIECE_BYTES);
    &text[from..to]
}
