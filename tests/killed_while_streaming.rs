//! Pull the plug at any instant: what was printed before is there after.

use std::time::Duration;

use anyhow::{Context, Result};
use protocol::{
    Command, Envelope, Event, MessageStatus, Push, Reply, RunStatus, SessionId, SessionSnapshot,
};
use testkit::{Headless, Recording, assert_contains_everything_seen};

const ROUNDS: u64 = 50;
const PAUSE: &str = "4";

/// STR-2, STO-3, RUN-4: fifty kills at random moments of a streamed reply.
#[test]
fn everything_printed_before_a_kill_is_in_the_snapshot_after_it() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut moments = Moments::new(0x5eed_0001);
    let (mut kept_text, mut cut_off) = (0, 0);
    for round in 0..ROUNDS {
        let moment = moments.next_below(450);
        let (session_id, seen) = stream_until_killed(folder.path(), moment)
            .with_context(|| format!("round {round}, killed after {moment} ms"))?;
        let (snapshot, log) = look(folder.path(), session_id)?;
        assert_contains_everything_seen(&seen, &snapshot, &log)
            .with_context(|| format!("round {round}, killed after {moment} ms"))?;
        kept_text += usize::from(seen.text_len() > 0);
        cut_off += usize::from(is_cut_off(&snapshot));
    }
    // The moments are spread so that the kills really fall into the streaming.
    assert!(
        kept_text >= 25,
        "only {kept_text} of {ROUNDS} kills came after the first text"
    );
    assert!(
        cut_off >= 25,
        "only {cut_off} of {ROUNDS} kills came before the end"
    );
    Ok(())
}

/// RUN-13, STP-5: after a kill the run is interrupted, resumes, and ends; nothing is there twice.
#[test]
fn a_killed_run_is_offered_and_resumes_to_its_end() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (session_id, seen) = stream_until_killed(folder.path(), 250)?;
    let mut app = Headless::start(folder.path(), &["--guide-pause-ms", "0"])?;
    let before = snapshot(&mut app, session_id)?;
    let attention = before
        .session
        .attention
        .clone()
        .context("it asks for attention")?;
    assert_eq!(
        before.session.run.as_ref().map(|run| run.status),
        Some(RunStatus::Interrupted)
    );
    assert!(attention.partial_chars > 0 || seen.text_len() == 0);
    app.must(&Command::Subscribe {
        session_id,
        after_seq: before.seq,
    })?;
    app.must(&Command::ResumeRun {
        run_id: attention.run_id,
    })?;
    app.wait_for(|push| is_event(push, |event| matches!(event, Event::RunCompleted { .. })))?;
    let after = snapshot(&mut app, session_id)?;
    let whole: Vec<_> = after
        .messages
        .iter()
        .filter(|m| m.step_id.is_some() && m.status == MessageStatus::Complete)
        .collect();
    assert_eq!(whole.len(), 1);
    assert_eq!(
        whole[0].attempt,
        Some(2),
        "the reply is of the second attempt"
    );
    assert!(
        after.session.attention.is_none(),
        "nothing needs a person any more"
    );
    let partial = after
        .messages
        .iter()
        .find(|m| m.status == MessageStatus::Partial);
    let partial = partial.context("what had arrived is kept")?;
    assert!(
        whole[0].text().starts_with(&partial.text()),
        "the same guide says the same words"
    );
    app.close()?;
    Ok(())
}

/// RUN-12, I10: starting again and again changes nothing more.
#[test]
fn recovering_twice_equals_recovering_once() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (session_id, _) = stream_until_killed(folder.path(), 200)?;
    let first = look(folder.path(), session_id)?;
    for _ in 0..3 {
        let app = Headless::start(folder.path(), &[])?;
        app.kill()?;
    }
    assert_eq!(look(folder.path(), session_id)?, first);
    Ok(())
}

fn stream_until_killed(folder: &std::path::Path, moment_ms: u64) -> Result<(SessionId, Recording)> {
    let mut app = Headless::start(folder, &["--guide-pause-ms", PAUSE])?;
    let Reply::Session(session) = app.must(&Command::CreateSession {
        session_id: None,
        title: None,
    })?
    else {
        anyhow::bail!("not a session")
    };
    let session_id = session.session_id;
    app.must(&Command::Subscribe {
        session_id,
        after_seq: 0,
    })?;
    let text = "Tell me a long story about the sea".to_owned();
    app.must(&Command::StartRun {
        session_id: Some(session_id),
        text,
        request_key: None,
    })?;
    std::thread::sleep(Duration::from_millis(moment_ms));
    Ok((session_id, app.kill()?))
}

fn look(
    folder: &std::path::Path,
    session_id: SessionId,
) -> Result<(SessionSnapshot, Vec<Envelope>)> {
    let mut app = Headless::start(folder, &[])?;
    let snapshot = snapshot(&mut app, session_id)?;
    app.must(&Command::Subscribe {
        session_id,
        after_seq: 0,
    })?;
    let head = snapshot.seq;
    app.wait_for(|push| matches!(push, Push::Event(envelope) if envelope.seq == head))?;
    let log = app.seen.events.remove(&session_id).unwrap_or_default();
    app.close()?;
    Ok((snapshot, log))
}

fn snapshot(app: &mut Headless, session_id: SessionId) -> Result<SessionSnapshot> {
    let reply = app.must(&Command::GetSession {
        session_id,
        limit: None,
    })?;
    let Reply::Snapshot(snapshot) = reply else {
        anyhow::bail!("not a snapshot: {reply:?}")
    };
    Ok(snapshot)
}

fn is_cut_off(snapshot: &SessionSnapshot) -> bool {
    snapshot
        .messages
        .iter()
        .any(|message| message.status == MessageStatus::Partial)
}

fn is_event(push: &Push, is_wanted: impl Fn(&Event) -> bool) -> bool {
    matches!(push, Push::Event(envelope) if is_wanted(&envelope.event))
}

/// Random moments that a seed fixes, so that a failing round can be repeated.
struct Moments(u64);

impl Moments {
    const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next_below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
