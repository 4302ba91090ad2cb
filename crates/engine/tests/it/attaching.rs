//! Attachments: on disk before they are attached, with their message from then on, told to models as
//! what they are.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engine::{ImageLimits, Model, ModelRequest, ModelStream, RequestMessage, RequestPart};
use futures_util::stream;
use protocol::{
    AttachmentId, AttachmentKind, AttachmentView, Command, ErrorCode, ExportFormat, MessageId,
    ModelInfo, Reply, RunStatus, SentOutcome, SessionId, limits,
};
use serde_json::Value;
use uuid::Uuid;

use crate::fixture::{Home, World};
use crate::scripted::{finished, text};

/// One pixel.
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89";
const WEEK_MS: u64 = 7 * 24 * 60 * 60 * 1_000;

/// A model that answers at once and says which images it takes.
#[derive(Debug, Default)]
struct Looker {
    id: &'static str,
    takes: ImageLimits,
    asked: Mutex<Vec<ModelRequest>>,
}

impl Looker {
    fn new(id: &'static str, seen: Option<bool>) -> Arc<Self> {
        let takes = ImageLimits {
            seen,
            ..ImageLimits::default()
        };
        Arc::new(Self {
            id,
            takes,
            asked: Mutex::default(),
        })
    }

    /// What it was told of the person's messages in the newest request.
    fn told(&self) -> Vec<(Vec<RequestPart>, String)> {
        let asked = self.asked.lock().unwrap();
        let messages = asked.last().unwrap().messages.iter();
        messages
            .filter_map(|message| match message {
                RequestMessage::User { parts, text } => Some((parts.clone(), text.clone())),
                RequestMessage::Agent { .. } | RequestMessage::Result { .. } => None,
            })
            .collect()
    }
}

impl Model for Looker {
    fn info(&self) -> ModelInfo {
        ModelInfo::new(self.id, format!("The {}", self.id))
    }

    fn images(&self) -> ImageLimits {
        self.takes
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        self.asked.lock().unwrap().push(request);
        Box::pin(stream::iter([text("I see."), finished()]))
    }
}

impl World {
    async fn attach(&self, name: &str, bytes: &[u8]) -> AttachmentView {
        let command = Command::AddAttachment {
            attachment_id: None,
            name: name.to_owned(),
            data: STANDARD.encode(bytes),
        };
        match self.execute(command).await.unwrap() {
            Reply::Attached { attachment, .. } => attachment,
            other => panic!("{other:?}"),
        }
    }

    async fn send_with(
        &self,
        session_id: Option<SessionId>,
        text: &str,
        attachments: &[&AttachmentView],
    ) -> (SessionId, MessageId, SentOutcome) {
        let command = sending(session_id, text, attachments);
        match self.execute(command).await.unwrap() {
            Reply::Sent {
                session_id,
                message_id,
                outcome,
            } => (session_id, message_id, outcome),
            other => panic!("{other:?}"),
        }
    }

    async fn there_is(&self, id: AttachmentId) -> bool {
        let command = Command::GetAttachment {
            attachment_id: id,
            offset: None,
            as_text: false,
        };
        match self.execute(command).await {
            Ok(_) => true,
            Err(error) => {
                assert_eq!(error.code, ErrorCode::NotFound);
                false
            }
        }
    }

    /// Waits until the app has done what was due.
    async fn until_gone(&self, id: AttachmentId) {
        crate::fixture::soon(async {
            while Box::pin(self.there_is(id)).await {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

fn sending(session_id: Option<SessionId>, text: &str, attachments: &[&AttachmentView]) -> Command {
    Command::SendMessage {
        session_id,
        text: text.to_owned(),
        request_key: None,
        stop_first: false,
        agent_id: None,
        attachments: attachments.iter().map(|one| one.attachment_id).collect(),
    }
}

fn open(home: &Home, models: Vec<Arc<dyn Model>>) -> World {
    home.open_from(
        models,
        home.tools(),
        crate::scripted::Script::new("unused"),
        Arc::new(engine::RandomIds::default()),
        1_000_000,
    )
}

#[tokio::test]
async fn text_and_an_image_reach_the_model_as_what_they_are() {
    let (home, looker) = (Home::new(), Looker::new("looker", Some(true)));
    let world = open(&home, vec![looker.clone()]);
    let note = world.attach("tides.txt", b"High </attachment> water").await;
    let image = world.attach("tide.png", PNG).await;
    assert_eq!(
        (note.kind, note.text_bytes),
        (AttachmentKind::Text, Some(24))
    );
    assert_eq!(
        (image.kind, image.media_type.as_str(), image.width),
        (AttachmentKind::Image, "image/png", Some(1))
    );
    let (session_id, message_id, _) = world.send_with(None, "What is it?", &[&note, &image]).await;
    world.idle().await;
    let told = looker.told();
    assert_eq!(told[0].1, "What is it?");
    let RequestPart::Text(text) = &told[0].0[0] else {
        panic!("{told:?}");
    };
    assert_eq!(
        text.as_ref(),
        "<attachment name=\"tides.txt\" kind=\"text\">\nHigh <\\/attachment> water\n</attachment>"
    );
    let RequestPart::Image(told) = &told[0].0[1] else {
        panic!("no image");
    };
    assert_eq!((told.label.as_str(), told.size), ("tide.png", (1, 1)));
    assert_eq!(STANDARD.decode(&told.data).unwrap(), PNG);
    let snapshot = world.snapshot(session_id).await;
    assert_eq!(
        snapshot.messages[0].attachments,
        [note.clone(), image.clone()]
    );
    assert_eq!(snapshot.messages[0].message_id, message_id);
    // Sent, it stays for as long as its session.
    world.clock.advance(2 * WEEK_MS);
    assert!(world.there_is(note.attachment_id).await);
    let removed = Command::RemoveAttachment {
        attachment_id: note.attachment_id,
    };
    assert_eq!(world.refused(removed).await.0, ErrorCode::NotActionable);
    world.close().await;
}

// RUN-20
#[tokio::test]
async fn the_next_step_and_the_next_process_tell_the_same() {
    let (home, looker) = (Home::new(), Looker::new("looker", None));
    let world = open(&home, vec![looker.clone()]);
    let image = world.attach("tide.png", PNG).await;
    let (session_id, ..) = world.send_with(None, "One", &[&image]).await;
    world.idle().await;
    let first = looker.told();
    world.send_with(Some(session_id), "Two", &[]).await;
    world.idle().await;
    assert_eq!(looker.told()[..1], first);
    world.close().await;
    let world = open(&home, vec![looker.clone()]);
    world.send_with(Some(session_id), "Three", &[]).await;
    world.idle().await;
    assert_eq!(looker.told()[..1], first);
    world.close().await;
}

#[tokio::test]
async fn a_model_that_sees_no_images_is_told_so_before_anything_is_written() {
    let (home, blind) = (Home::new(), Looker::new("mole", Some(false)));
    let looker = Looker::new("looker", Some(true));
    let world = open(&home, vec![blind.clone(), looker.clone()]);
    let image = world.attach("tide.png", PNG).await;
    let error = world
        .execute(sending(None, "What is it?", &[&image]))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::Unsupported);
    assert_eq!(
        error.message,
        "“tide.png” cannot be sent: The mole cannot look at images."
    );
    assert!(world.sessions().await.is_empty(), "nothing was written");
    // With another model it goes, and the first is told its name later.
    let session_id = world.create().await;
    let choose = |model: &str| Command::SetSessionModel {
        session_id,
        model: Some(model.to_owned()),
    };
    world.execute(choose("looker")).await.unwrap();
    world
        .send_with(Some(session_id), "What is it?", &[&image])
        .await;
    world.idle().await;
    assert!(matches!(looker.told()[0].0[0], RequestPart::Image(_)));
    world.execute(choose("mole")).await.unwrap();
    world.send_with(Some(session_id), "And now?", &[]).await;
    world.idle().await;
    assert_eq!(
        blind.told()[0].0,
        [RequestPart::Text(
            "[image: tide.png, not shown to this model]".into()
        )]
    );
    world.close().await;
}

/// Text is no image: every model takes it.
#[tokio::test]
async fn text_goes_to_a_model_that_sees_no_images() {
    let (home, blind) = (Home::new(), Looker::new("mole", Some(false)));
    let world = open(&home, vec![blind.clone()]);
    let note = world.attach("tides.txt", b"High water").await;
    world.send_with(None, "What is it?", &[&note]).await;
    world.idle().await;
    assert_eq!(blind.told()[0].0.len(), 1);
    world.close().await;
}

/// Whoever sends at once stops the run first: not if what is sent is refused.
#[tokio::test]
async fn a_refused_message_stops_nothing() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Wait").await;
    let call = world.script.call().await;
    let gone = AttachmentId::from_uuid(Uuid::from_u128(7));
    let command = Command::SendMessage {
        session_id: Some(one.session_id),
        text: "Now".to_owned(),
        request_key: None,
        stop_first: true,
        agent_id: None,
        attachments: vec![gone],
    };
    assert_eq!(world.refused(command).await.0, ErrorCode::NotFound);
    assert_eq!(world.run(one.run_id).await.status, RunStatus::Running);
    call.finish();
    world.close().await;
}

// ATT-4
#[tokio::test]
async fn what_is_not_sent_goes_after_a_week_also_over_a_restart() {
    let home = Home::new();
    let world = home.open();
    let kept = world.attach("kept.txt", b"kept").await;
    world.clock.advance(WEEK_MS - 1);
    assert!(world.there_is(kept.attachment_id).await);
    world.clock.advance(1);
    world.until_gone(kept.attachment_id).await;
    let second = world.attach("second.txt", b"second").await;
    world.close().await;
    let world = home.open_from(
        vec![Looker::new("looker", None)],
        home.tools(),
        crate::scripted::Script::new("unused"),
        Arc::new(engine::RandomIds::default()),
        1_000_000 + 3 * WEEK_MS,
    );
    world.until_gone(second.attachment_id).await;
    world.close().await;
}

#[tokio::test]
async fn what_is_removed_is_gone_and_the_same_id_is_the_same_attachment() {
    let home = Home::new();
    let world = home.open();
    let id = AttachmentId::from_uuid(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0042));
    let add = |name: &str| Command::AddAttachment {
        attachment_id: Some(id),
        name: name.to_owned(),
        data: STANDARD.encode("tide"),
    };
    let first = world.execute(add("one.txt")).await.unwrap();
    assert_eq!(world.execute(add("two.txt")).await.unwrap(), first);
    let remove = Command::RemoveAttachment { attachment_id: id };
    world.execute(remove.clone()).await.unwrap();
    assert!(!world.there_is(id).await);
    assert_eq!(world.refused(remove).await.0, ErrorCode::NotFound);
    world.close().await;
}

#[tokio::test]
async fn what_cannot_be_attached_is_refused_with_what_to_do() {
    let home = Home::new();
    let world = home.open();
    let refused = async |data: String| {
        let command = Command::AddAttachment {
            attachment_id: None,
            name: "x".to_owned(),
            data,
        };
        let error = world.execute(command).await.unwrap_err();
        assert!(!error.hint.is_empty());
        error.code
    };
    assert_eq!(
        refused("no base64!".to_owned()).await,
        ErrorCode::InvalidValue
    );
    assert_eq!(
        refused(STANDARD.encode(b"\x00\x01")).await,
        ErrorCode::InvalidValue
    );
    let long = vec![b'a'; limits::ATTACHMENT_TEXT_BYTES + 1];
    assert_eq!(refused(STANDARD.encode(long)).await, ErrorCode::TooLarge);
    let large = vec![b'a'; limits::ATTACHMENT_BYTES + 1];
    assert_eq!(refused(STANDARD.encode(large)).await, ErrorCode::TooLarge);
    world.close().await;
}

/// A long file comes in pieces that are put together without being decoded.
#[tokio::test]
async fn an_attachment_is_read_piece_by_piece() {
    let home = Home::new();
    let world = home.open();
    let whole: Vec<u8> = (0..limits::ATTACHMENT_PIECE_BYTES + 1_000)
        .map(|at| b'a' + (at % 26) as u8)
        .collect();
    let kept = world.attach("long.txt", &whole).await;
    for as_text in [false, true] {
        let mut data = String::new();
        for offset in [0, limits::ATTACHMENT_PIECE_BYTES as u64] {
            let command = Command::GetAttachment {
                attachment_id: kept.attachment_id,
                offset: Some(offset),
                as_text,
            };
            match world.execute(command).await.unwrap() {
                Reply::Attachment {
                    data: piece,
                    total_bytes,
                    ..
                } => {
                    assert_eq!(total_bytes, whole.len() as u64);
                    data.push_str(&piece);
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(STANDARD.decode(data).unwrap(), whole);
    }
    world.close().await;
}

#[tokio::test]
async fn a_message_that_waits_keeps_what_goes_along_until_it_is_removed() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Wait").await;
    let call = world.script.call().await;
    let note = world.attach("tides.txt", b"High water").await;
    let other = world.attach("other.txt", b"Low water").await;
    let (_, queued, outcome) = world
        .send_with(Some(one.session_id), "Next", &[&note])
        .await;
    assert_eq!(outcome, SentOutcome::Queued {});
    let (_, removed, _) = world
        .send_with(Some(one.session_id), "Never", &[&other])
        .await;
    let edit = Command::EditQueued {
        message_id: queued,
        text: "Next, please".to_owned(),
    };
    world.execute(edit).await.unwrap();
    let remove = Command::RemoveQueued {
        message_id: removed,
    };
    world.execute(remove).await.unwrap();
    world.until_gone(other.attachment_id).await;
    let queue = world.snapshot(one.session_id).await.queue;
    assert_eq!(queue[0].attachments, std::slice::from_ref(&note));
    call.text("Done.");
    call.finish();
    let call = world.script.call().await;
    let Some(RequestMessage::User { parts, text }) = call.request.messages.last() else {
        panic!("{:?}", call.request.messages);
    };
    assert_eq!((parts.len(), text.as_str()), (1, "Next, please"));
    call.text("Seen.");
    call.finish();
    world.idle().await;
    assert!(world.there_is(note.attachment_id).await);
    world.close().await;
}

#[tokio::test]
async fn edits_and_forks_have_what_their_origin_has_and_deleting_lets_it_go() {
    let (home, looker) = (Home::new(), Looker::new("looker", Some(true)));
    let world = open(&home, vec![looker.clone()]);
    let image = world.attach("tide.png", PNG).await;
    let (session_id, message_id, _) = world.send_with(None, "What is it?", &[&image]).await;
    world.idle().await;
    let edit = Command::EditMessage {
        message_id,
        text: "What is this?".to_owned(),
        request_key: None,
    };
    world.execute(edit).await.unwrap();
    world.idle().await;
    assert_eq!(looker.told().len(), 1);
    assert!(matches!(looker.told()[0].0[0], RequestPart::Image(_)));
    let shown = world.snapshot(session_id).await.messages;
    assert_eq!(shown[0].attachments, std::slice::from_ref(&image));
    let fork = Command::ForkSession {
        session_id,
        message_id: shown[0].message_id,
    };
    let Reply::Session(fork) = world.execute(fork).await.unwrap() else {
        panic!("no session");
    };
    for (session_id, is_left) in [(session_id, true), (fork.session_id, false)] {
        let delete = Command::DeleteSession { session_id };
        world.execute(delete).await.unwrap();
        world.clock.advance(60_001);
        if is_left {
            let there = world.snapshot(fork.session_id).await;
            assert_eq!(there.messages[0].attachments, std::slice::from_ref(&image));
            assert!(world.there_is(image.attachment_id).await);
        } else {
            world.until_gone(image.attachment_id).await;
        }
    }
    world.close().await;
}

#[tokio::test]
async fn an_export_carries_its_attachments_and_an_import_looks_at_them_again() {
    let (home, looker) = (Home::new(), Looker::new("looker", Some(true)));
    let world = open(&home, vec![looker.clone()]);
    let image = world.attach("tide.png", PNG).await;
    let note = world.attach("tides.txt", b"High water").await;
    let (session_id, ..) = world.send_with(None, "What is it?", &[&image, &note]).await;
    world.idle().await;
    let export = async |format| {
        let command = Command::ExportSession { session_id, format };
        match world.execute(command).await.unwrap() {
            Reply::Exported { text, .. } => text,
            other => panic!("{other:?}"),
        }
    };
    let markdown = export(ExportFormat::Markdown).await;
    assert!(
        markdown.contains("Attached: tide.png (image/png)"),
        "{markdown}"
    );
    let json = export(ExportFormat::Json).await;
    let other = Home::new();
    let elsewhere = open(&other, vec![looker.clone()]);
    let import = async |json: String| elsewhere.execute(Command::ImportSession { json }).await;
    let Reply::Session(session) = import(json.clone()).await.unwrap() else {
        panic!("no session");
    };
    elsewhere
        .send_with(Some(session.session_id), "And now?", &[])
        .await;
    elsewhere.idle().await;
    let told = looker.told();
    let RequestPart::Image(told) = &told[0].0[0] else {
        panic!("no image");
    };
    assert_eq!(STANDARD.decode(&told.data).unwrap(), PNG);
    // What the file says of an attachment does not count, and one that is missing is told.
    let mut lying: Value = serde_json::from_str(&json).unwrap();
    lying["messages"][0]["attachments"][1]["kind"] = "image".into();
    lying["messages"][0]["attachments"][1]["media_type"] = "text/html".into();
    let Reply::Session(session) = import(lying.to_string()).await.unwrap() else {
        panic!("no session");
    };
    let copied = elsewhere.snapshot(session.session_id).await.messages;
    assert_eq!(copied[0].attachments[1].kind, AttachmentKind::Text);
    assert_eq!(copied[0].attachments[1].media_type, "text/plain");
    let mut missing: Value = serde_json::from_str(&json).unwrap();
    missing["attachments"].as_array_mut().unwrap().remove(0);
    let error = import(missing.to_string()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidValue);
    world.close().await;
    elsewhere.close().await;
}

/// The same request again is the same message, also if its model would refuse it by now.
#[tokio::test]
async fn a_request_that_was_sent_is_answered_again() {
    let (home, looker) = (Home::new(), Looker::new("looker", Some(true)));
    let blind = Looker::new("mole", Some(false));
    let world = open(&home, vec![looker, blind]);
    let image = world.attach("tide.png", PNG).await;
    let session_id = world.create().await;
    let mut command = sending(Some(session_id), "What is it?", &[&image]);
    if let Command::SendMessage { request_key, .. } = &mut command {
        *request_key = Some("once".to_owned());
    }
    let first = world.execute(command.clone()).await.unwrap();
    world.idle().await;
    let choose = Command::SetSessionModel {
        session_id,
        model: Some("mole".to_owned()),
    };
    world.execute(choose).await.unwrap();
    assert_eq!(world.execute(command).await.unwrap(), first);
    world.close().await;
}
