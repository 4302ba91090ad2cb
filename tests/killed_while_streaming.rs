//! Pull the plug at any instant: what was printed before is there after.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use protocol::{
    Command, Envelope, Event, MessageStatus, Push, Reply, RunStatus, SessionId, SessionSnapshot,
};
use testkit::{Headless, Recording, assert_contains_everything_seen};

/// Kills in every run of the tests, and with `--full`.
const ROUNDS: u64 = 50;
const FULL_ROUNDS: u64 = 500;
/// The reply takes about a second and some fifty pieces at this pace.
const PAUSE: &str = "3";
const QUESTION: &str = "What happens if I pull the plug?";

/// STR-2, STO-3, RUN-4: fifty kills at random moments of a streamed reply, from before its first
/// piece to after its last.
#[test]
fn everything_printed_before_a_kill_is_in_the_snapshot_after_it() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut random = Random::new(0x5eed_0001);
    let is_full = std::env::var_os("HOLDFAST_FULL").is_some();
    let rounds = if is_full { FULL_ROUNDS } else { ROUNDS };
    let (mut kept_text, mut cut_off, mut whole) = (0, 0, 0);
    for round in 0..rounds {
        let moment = Moment {
            pieces: random.below(60),
            micros: random.below(20_000),
        };
        let (session_id, seen) = stream_until_killed(folder.path(), moment)
            .with_context(|| format!("round {round}, {moment:?}"))?;
        let (snapshot, log) = look(folder.path(), session_id)?;
        assert_contains_everything_seen(&seen, &snapshot, &log)
            .with_context(|| format!("round {round}, {moment:?}"))?;
        kept_text += u64::from(seen.text_len() > 0);
        cut_off += u64::from(has_reply(&snapshot, MessageStatus::Partial));
        whole += u64::from(has_reply(&snapshot, MessageStatus::Complete));
    }
    // The kills really fall into the streaming, whatever the speed of the machine.
    assert!(
        kept_text >= rounds / 2,
        "{kept_text} of {rounds} kills came after the first text"
    );
    assert!(
        cut_off >= rounds / 4,
        "{cut_off} of {rounds} kills came before the end"
    );
    println_counts(rounds, kept_text, cut_off, whole);
    Ok(())
}

#[expect(
    clippy::print_stdout,
    reason = "the counts are the result of the suite"
)]
fn println_counts(rounds: u64, kept_text: u64, cut_off: u64, whole: u64) {
    println!(
        "kills {rounds}, after text {kept_text}, replies cut off {cut_off}, whole {whole}, lost 0"
    );
}

/// RUN-13, STP-5: after a kill the run is interrupted, resumes, and ends; nothing is there twice.
#[test]
fn a_killed_run_is_offered_and_resumes_to_its_end() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (session_id, _) = stream_until_killed(
        folder.path(),
        Moment {
            pieces: 5,
            micros: 0,
        },
    )?;
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
    assert!(attention.partial_chars > 0);
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

/// RUN-12: starting again and again changes nothing more.
#[test]
fn recovering_twice_equals_recovering_once() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (session_id, _) = stream_until_killed(
        folder.path(),
        Moment {
            pieces: 3,
            micros: 0,
        },
    )?;
    let first = look(folder.path(), session_id)?;
    for _ in 0..3 {
        let app = Headless::start(folder.path(), &[])?;
        app.kill()?;
    }
    assert_eq!(look(folder.path(), session_id)?, first);
    Ok(())
}

/// When to kill: after so many pieces of text were seen (or the end), and a little later.
#[derive(Debug, Clone, Copy)]
struct Moment {
    pieces: u64,
    micros: u64,
}

fn stream_until_killed(folder: &Path, moment: Moment) -> Result<(SessionId, Recording)> {
    let mut app = Headless::start(folder, &["--guide-pause-ms", PAUSE])?;
    let reply = app.must(&Command::CreateSession {
        session_id: None,
        title: None,
        agent_id: None,
    })?;
    let Reply::Session(session) = reply else {
        anyhow::bail!("not a session: {reply:?}")
    };
    let session_id = session.session_id;
    app.must(&Command::Subscribe {
        session_id,
        after_seq: 0,
    })?;
    let text = QUESTION.to_owned();
    app.must(&Command::StartRun {
        session_id: Some(session_id),
        text,
        request_key: None,
    })?;
    let mut pieces = 0;
    if moment.pieces > 0 {
        app.wait_for(|push| {
            pieces += u64::from(matches!(push, Push::Delta(_)));
            pieces >= moment.pieces
                || is_event(push, |event| matches!(event, Event::RunCompleted { .. }))
        })?;
    }
    std::thread::sleep(Duration::from_micros(moment.micros));
    Ok((session_id, app.kill()?))
}

fn look(folder: &Path, session_id: SessionId) -> Result<(SessionSnapshot, Vec<Envelope>)> {
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
    Ok(*snapshot)
}

fn has_reply(snapshot: &SessionSnapshot, status: MessageStatus) -> bool {
    let mut replies = snapshot
        .messages
        .iter()
        .filter(|message| message.step_id.is_some());
    replies.any(|message| message.status == status)
}

fn is_event(push: &Push, is_wanted: impl Fn(&Event) -> bool) -> bool {
    matches!(push, Push::Event(envelope) if is_wanted(&envelope.event))
}

/// Random numbers that a seed fixes, so that a failing round can be repeated.
struct Random(u64);

impl Random {
    const fn new(seed: u64) -> Self {
        Self(seed)
    }

    const fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
