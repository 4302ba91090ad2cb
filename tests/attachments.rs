//! What was acknowledged as attached is there after a kill, and reaches the model whole.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use protocol::{
    AttachmentId, AttachmentView, Command, ErrorCode, Event, Push, Reply, SessionId,
    SessionSnapshot,
};
use testkit::model_server::in_order;
use testkit::{Headless, ModelServer, model_server};

/// One pixel, in Base64.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// "High water at noon."
const TEXT: &str = "SGlnaCB3YXRlciBhdCBub29uLg==";
/// Kills at other moments of sending.
const ROUNDS: u64 = 8;

fn start(folder: &Path, model: &ModelServer) -> Result<Headless> {
    let url = model.url();
    Headless::start(folder, &["--model-url", &url, "--model", "looker"])
}

fn attach(app: &mut Headless, name: &str, data: &str) -> Result<AttachmentView> {
    let reply = app.must(&Command::AddAttachment {
        attachment_id: None,
        name: name.to_owned(),
        data: data.to_owned(),
    })?;
    let Reply::Attached { attachment, .. } = reply else {
        bail!("not attached: {reply:?}")
    };
    Ok(attachment)
}

fn sending(key: &str, attachments: Vec<AttachmentId>) -> Command {
    Command::SendMessage {
        session_id: None,
        text: "What is it?".to_owned(),
        request_key: Some(key.to_owned()),
        stop_first: false,
        agent_id: None,
        attachments,
    }
}

fn send(app: &mut Headless, key: &str, attachments: Vec<AttachmentId>) -> Result<SessionId> {
    let reply = app.must(&sending(key, attachments))?;
    let Reply::Sent { session_id, .. } = reply else {
        bail!("not sent: {reply:?}")
    };
    app.must(&Command::Subscribe {
        session_id,
        after_seq: 0,
    })?;
    Ok(session_id)
}

fn until_completed(app: &mut Headless) -> Result<()> {
    app.wait_for(|push| {
        matches!(push, Push::Event(envelope) if matches!(envelope.event, Event::RunCompleted { .. }))
    })
    .map(drop)
}

fn snapshot(app: &mut Headless, session_id: SessionId) -> Result<SessionSnapshot> {
    let reply = app.must(&Command::GetSession {
        session_id,
        limit: None,
    })?;
    let Reply::Snapshot(snapshot) = reply else {
        bail!("no snapshot: {reply:?}")
    };
    Ok(*snapshot)
}

/// ATT-4: a kill between attaching and sending loses nothing; what is sent then reaches the model, in
/// order, before the text.
#[test]
fn a_kill_between_attaching_and_sending_loses_nothing() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let model = ModelServer::start(in_order([model_server::Reply::text("A tide.")]))?;
    let mut app = start(folder.path(), &model)?;
    let note = attach(&mut app, "tides.txt", TEXT)?;
    let image = attach(&mut app, "tide.png", PNG)?;
    app.kill()?;
    let mut app = start(folder.path(), &model)?;
    let ids = vec![note.attachment_id, image.attachment_id];
    let session_id = send(&mut app, "one", ids)?;
    until_completed(&mut app)?;
    let message = &snapshot(&mut app, session_id)?.messages[0];
    assert_eq!(message.attachments, [note, image]);
    let request = &model.requests()[0];
    let content = &request.messages()[0]["content"];
    assert_eq!(
        content[0]["text"],
        "<attachment name=\"tides.txt\" kind=\"text\">\nHigh water at noon.\n</attachment>"
    );
    assert_eq!(
        content[2]["image_url"]["url"],
        format!("data:image/png;base64,{PNG}")
    );
    assert_eq!(content[3]["text"], "What is it?");
    app.close()?;
    Ok(())
}

/// ATT-4: whenever the app is killed while a message is sent, it is sent whole with its attachments or
/// not at all, and sending it again under its key makes one of it.
#[test]
fn a_kill_while_sending_leaves_a_whole_message_or_none() -> Result<()> {
    let model =
        ModelServer::start(|_: &model_server::Request| model_server::Reply::text("A tide."))?;
    let folder = tempfile::tempdir()?;
    for round in 0..ROUNDS {
        let mut app = start(folder.path(), &model)?;
        let image = attach(&mut app, "tide.png", PNG)?;
        let ids = vec![image.attachment_id];
        let key = format!("round {round}");
        app.send(&sending(&key, ids.clone()))?;
        std::thread::sleep(std::time::Duration::from_millis(round * 2));
        app.kill()?;
        let mut app = start(folder.path(), &model)?;
        // The message may have been whole before the kill or not: either is fine.
        let session_id = send(&mut app, &key, ids.clone())?;
        let after = sessions(&mut app)?;
        ensure!(after.len() as u64 == round + 1, "{after:?}");
        let shown = snapshot(&mut app, session_id)?;
        assert_eq!(shown.messages[0].attachments, [image]);
        app.close()?;
    }
    Ok(())
}

fn sessions(app: &mut Headless) -> Result<Vec<SessionId>> {
    let reply = app.must(&Command::ListSessions {
        limit: None,
        after: None,
        archived: false,
    })?;
    let Reply::Sessions { sessions, .. } = reply else {
        bail!("no sessions: {reply:?}")
    };
    Ok(sessions.iter().map(|one| one.session_id).collect())
}

/// The guide reads a script: it says that it sees nothing, and nothing is written.
#[test]
fn the_guide_refuses_images_and_takes_text() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut app = Headless::start(folder.path(), &["--guide-pause-ms", "0"])?;
    let image = attach(&mut app, "tide.png", PNG)?;
    let refused = app.ask(&sending("one", vec![image.attachment_id]))?;
    let Err(error) = refused else {
        bail!("sent: {refused:?}")
    };
    assert_eq!(error.code, ErrorCode::Unsupported);
    assert!(error.message.contains("tide.png") && !error.hint.is_empty());
    assert_eq!(sessions(&mut app)?, []);
    let note = attach(&mut app, "tides.txt", TEXT)?;
    send(&mut app, "two", vec![note.attachment_id])?;
    until_completed(&mut app)?;
    app.close()?;
    Ok(())
}
