//! Every fault that `llmock` has, against the app, for each kind of provider. Its verdict must be
//! pass without a warning, and the run must stand where a person would want it.

use anyhow::{Context, Result, ensure};
use protocol::{CallStatus, Dialect, ErrorClass, MessageStatus, ProviderState, RunStatus};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Ended, Provided, provider_at};

use super::asking;
use super::llmock::{Llmock, PLACES};

const KEY: &str = "key-of-the-judges";
const TEXT: &str = "One two three four five six seven eight nine ten.";
/// Worth another try, and what they are called.
const TRANSIENT: [(u16, ErrorClass); 8] = [
    (408, ErrorClass::Timeout),
    (409, ErrorClass::Overloaded),
    (429, ErrorClass::RateLimit),
    (500, ErrorClass::Overloaded),
    (502, ErrorClass::Overloaded),
    (503, ErrorClass::Overloaded),
    (504, ErrorClass::Timeout),
    (529, ErrorClass::Overloaded),
];
/// The same at every try.
const FINAL: [(u16, ErrorClass); 13] = [
    (400, ErrorClass::InvalidRequest),
    (401, ErrorClass::Auth),
    (402, ErrorClass::Billing),
    (403, ErrorClass::Permission),
    (404, ErrorClass::InvalidRequest),
    (405, ErrorClass::InvalidRequest),
    (410, ErrorClass::InvalidRequest),
    (413, ErrorClass::ContextLength),
    (415, ErrorClass::InvalidRequest),
    (422, ErrorClass::InvalidRequest),
    (451, ErrorClass::InvalidRequest),
    (501, ErrorClass::Internal),
    (505, ErrorClass::Internal),
];
const CUTS: [&str; 3] = ["disconnect", "truncate", "malformed"];

/// An app with a provider at the judge.
struct Court {
    judge: Llmock,
    app: Provided,
    _data: TempDir,
}

impl Court {
    fn open(dialect: Dialect, path: &str, arguments: &[&str]) -> Result<Self> {
        let judge = Llmock::start(arguments)?;
        let data = tempfile::tempdir()?;
        let mut fields = provider_at(dialect, judge.server.url(path));
        fields.options.silence_seconds = Some(1);
        let app = Provided::start(data.path(), fields, KEY, "judged-1")?;
        Ok(Self {
            judge,
            app,
            _data: data,
        })
    }

    /// One message under these circumstances; the judge must have seen so many faults and found
    /// nothing.
    fn judged(&mut self, behaviours: &[Value], faults: u64) -> Result<Ended> {
        let judged = self.judge.play(behaviours).and_then(|()| {
            let ended = self.app.ask("Count, please.")?;
            self.judge.require_pass(faults)?;
            Ok(ended)
        });
        judged.with_context(|| json!(behaviours).to_string())
    }
}

fn says(text: &str) -> Value {
    json!({"type": "reply", "text": text, "times": null})
}

fn calls(tools: &[(&str, Value)]) -> Value {
    let calls = tools.iter();
    let calls = calls.map(|(name, arguments)| json!({"name": name, "arguments": arguments}));
    json!({"type": "reply", "tool_calls": calls.collect::<Vec<Value>>()})
}

fn breaks(kind: &str, after: u64) -> Value {
    json!({"type": "stream_fault", "kind": kind, "after_chunks": after, "stall_seconds": 6})
}

/// RUN-8: tried again, with the wait that was asked for, and then answered.
fn transient_errors(court: &mut Court, statuses: &[(u16, ErrorClass)]) -> Result<()> {
    for (status, class) in statuses {
        let fail = json!({"type": "fail", "status": status});
        let ended = court.judged(&[fail, says(TEXT)], 1)?;
        ensure!(ended.answer()? == TEXT);
        let met: Vec<ErrorClass> = ended
            .retries
            .iter()
            .map(|retry| retry.error.class)
            .collect();
        ensure!(met == [*class], "{status}: {met:?}");
    }
    Ok(())
}

/// RUN-9, RUN-10: said once, not tried again; a refused key and no credit pause for everyone.
fn final_errors(court: &mut Court, statuses: &[(u16, ErrorClass)]) -> Result<()> {
    for (status, class) in statuses {
        let fail = json!({"type": "fail", "status": status});
        let ended = court.judged(&[fail], 1)?;
        let error = ended.error.with_context(|| format!("{status}: no error"))?;
        ensure!(
            (ended.status, error.class) == (RunStatus::Failed, *class),
            "{status}: {error:?}"
        );
        let state = court.app.provider()?.state;
        let is_paused = matches!(state, ProviderState::Paused { .. });
        ensure!(
            is_paused == matches!(status, 401 | 402),
            "{status}: {state:?}"
        );
        court.app.resume_provider()?;
    }
    Ok(())
}

/// RUN-8: what broke is there for the person, marked, and the answer that counts is whole.
fn broken_streams(court: &mut Court, cuts: std::ops::RangeInclusive<u64>) -> Result<()> {
    for kind in CUTS {
        for after in cuts.clone() {
            let ended = court.judged(&[breaks(kind, after), says(TEXT)], 1)?;
            ensure!(ended.answer()? == TEXT, "{kind} after {after}");
            let replies = ended.snapshot.messages.iter();
            let replies: Vec<_> = replies.filter(|it| it.step_id.is_some()).collect();
            let partial: Vec<String> = replies
                .iter()
                .filter(|reply| reply.status == MessageStatus::Partial)
                .map(|reply| reply.text())
                .collect();
            ensure!(
                partial
                    .iter()
                    .all(|text| TEXT.starts_with(text) && text != TEXT),
                "{kind} after {after}: {partial:?}"
            );
            let whole = replies.len() - partial.len();
            ensure!(whole == 1, "{kind} after {after}: {whole} whole replies");
            ensure!(
                ended.retries.len() == 1 && ended.retries[0].error.class == ErrorClass::Network,
                "{kind} after {after}: {:?}",
                ended.retries
            );
        }
    }
    Ok(())
}

/// RUN-16: silence ends a try; slowness does not.
fn silence_and_slowness(court: &mut Court) -> Result<()> {
    let ended = court.judged(&[breaks("stall", 2), says(TEXT)], 1)?;
    ensure!(ended.answer()? == TEXT);
    ensure!(ended.retries[0].error.class == ErrorClass::Timeout);
    for kind in ["delay", "slow_first_token"] {
        let slow = json!({"type": kind, "seconds": 0.6});
        let ended = court.judged(&[slow, says(TEXT)], 0)?;
        ensure!(ended.answer()? == TEXT && ended.retries.is_empty());
    }
    Ok(())
}

/// RUN-20: two rounds of calls after a reply that broke in the middle of its own.
fn conversation_with_tools(court: &mut Court) -> Result<()> {
    let first = calls(&[
        (
            "write_file",
            json!({"path": "notes.txt", "content": "Noted."}),
        ),
        ("list_files", json!({"path": "."})),
    ]);
    let second = calls(&[("read_file", json!({"path": "notes.txt"}))]);
    let cut = breaks("disconnect", 2);
    // The reply that is cut off is used up by that.
    let replies = [cut, first.clone(), first, second, says("It says: Noted.")];
    let is_cut = court.app.provider()?.fields.dialect != Dialect::Gemini;
    // There, calls come whole in the only event, which is not the third.
    let (replies, faults) = if is_cut {
        (&replies[..], 1)
    } else {
        (&replies[2..], 0)
    };
    let ended = court.judged(replies, faults)?;
    ensure!(ended.answer()? == "It says: Noted.");
    let done: Vec<(&str, CallStatus)> = ended
        .snapshot
        .calls
        .iter()
        .map(|call| (call.tool.as_str(), call.status))
        .collect();
    let expected = ["write_file", "list_files", "read_file"].map(|it| (it, CallStatus::Completed));
    ensure!(done == expected, "{done:?}");
    let last = court.judge.requests()?.pop().context("no request")?;
    ensure!(last["body"].to_string().contains("Noted."), "{last}");
    // The session goes on after it.
    court.judge.play(&[says("Nothing else.")])?;
    let ended = court.app.ask_in(ended.session_id, "And now?")?;
    ensure!(ended.answer()? == "Nothing else.");
    court.judge.require_pass(0)
}

/// RUN-21: a call that makes no sense gets an error for a result, and the model goes on.
fn broken_calls(court: &mut Court) -> Result<()> {
    // In one dialect arguments are no text: what arrives is an object, or nothing does.
    let is_text = court.app.provider()?.fields.dialect != Dialect::Gemini;
    let kinds = ["unknown_tool", "malformed_arguments"].into_iter();
    for kind in kinds.take(if is_text { 2 } else { 1 }) {
        let broken = json!({"type": "tool_fault", "kind": kind});
        let first = json!({"type": "reply", "text": "I look.", "times": 1});
        let ended = court.judged(&[broken, first, says(TEXT)], 0)?;
        ensure!(ended.answer()? == TEXT, "{kind}");
        let statuses: Vec<CallStatus> = ended.snapshot.calls.iter().map(|it| it.status).collect();
        ensure!(statuses == [CallStatus::Failed], "{kind}: {statuses:?}");
    }
    Ok(())
}

/// RUN-9: a reply that reached its limit is kept and said to be so; one that was refused is none.
fn early_ends(court: &mut Court) -> Result<()> {
    let ends = |reason: &str| json!({"type": "reply", "text": TEXT, "finish_reason": reason});
    let ended = court.judged(&[ends("length")], 0)?;
    ensure!(ended.answer()? == TEXT);
    if court.app.provider()?.fields.dialect == Dialect::Responses {
        // This judge has no such end there.
        return Ok(());
    }
    let ended = court.judged(&[ends("content_filter")], 0)?;
    let error = ended.error.context("a refused reply is no error")?;
    ensure!(error.class == ErrorClass::ContentRefused, "{error:?}");
    Ok(())
}

/// RUN-8: five tries, further and further apart, and then it is said.
fn outage(court: &mut Court) -> Result<()> {
    let fail = json!({"type": "fail", "status": 503, "retry_after": 0, "times": null});
    let ended = court.judged(&[fail], 5)?;
    ensure!(ended.status == RunStatus::Failed && ended.retries.len() == 4);
    let asks = json!({"type": "fail", "status": 429, "retry_after": 1.5, "times": 2});
    let ended = court.judged(&[asks, says(TEXT)], 2)?;
    ensure!(ended.answer()? == TEXT && ended.retries.len() == 2);
    Ok(())
}

fn every_fault(name: &str) -> Result<()> {
    let (_, dialect, path) = place(name)?;
    let mut court = Court::open(dialect, path, &[])?;
    conversation_with_tools(&mut court)?;
    broken_streams(&mut court, 0..=4)?;
    transient_errors(&mut court, &TRANSIENT)?;
    final_errors(&mut court, &FINAL)?;
    silence_and_slowness(&mut court)?;
    broken_calls(&mut court)?;
    early_ends(&mut court)?;
    outage(&mut court)
}

fn place(name: &str) -> Result<(&'static str, Dialect, &'static str)> {
    let found = PLACES.into_iter().find(|(known, ..)| *known == name);
    found.context("no such place")
}

#[test]
fn chat_completions_passes_every_fault() -> Result<()> {
    every_fault("openai")
}

#[test]
fn responses_passes_every_fault() -> Result<()> {
    every_fault("responses")
}

#[test]
fn anthropic_passes_every_fault() -> Result<()> {
    every_fault("anthropic")
}

#[test]
fn gemini_passes_every_fault() -> Result<()> {
    every_fault("gemini")
}

/// The services that imitate Chat Completions, each with its own oddities.
#[test]
fn compatible_services_pass_one_fault_of_each_kind() -> Result<()> {
    for (name, dialect, path) in PLACES.into_iter().skip(4) {
        let mut court = Court::open(dialect, path, &[])?;
        let all = conversation_with_tools(&mut court)
            .and_then(|()| broken_streams(&mut court, 2..=2))
            .and_then(|()| transient_errors(&mut court, &TRANSIENT[2..3]))
            .and_then(|()| final_errors(&mut court, &FINAL[1..2]));
        all.context(name)?;
    }
    Ok(())
}

/// RUN-9: a session that is too long is said to be, and not sent again.
#[test]
fn a_window_that_is_too_small_is_said_once() -> Result<()> {
    for (name, dialect, path) in PLACES.into_iter().take(4) {
        let mut court = Court::open(dialect, path, &["--context-window", "2"])?;
        let ended = court.judged(&[], 1).context(name)?;
        let class = ended.error.context("no error")?.class;
        // Anthropic and Gemini say it in words alone, which are not read.
        let is_named = matches!(dialect, Dialect::ChatCompletions | Dialect::Responses);
        let expected = if is_named {
            ErrorClass::ContextLength
        } else {
            ErrorClass::InvalidRequest
        };
        ensure!(class == expected, "{name}: {class:?}");
    }
    Ok(())
}

/// RUN-8: a real quota: the wait that is asked for is the one after which it works.
#[test]
fn a_quota_is_waited_for_as_long_as_it_takes() -> Result<()> {
    let (_, dialect, path) = place("openai")?;
    let mut court = Court::open(dialect, path, &["--rpm", "30"])?;
    court.judge.play(&[says(TEXT)])?;
    let port = court.judge.server.port;
    let request = json!({"model": "m", "messages": [{"role": "user", "content": "Hi"}]});
    let key = format!("authorization: Bearer {KEY}");
    for _ in 0..30 {
        // A minute's worth of requests with the same key; the last may already be too many.
        drop(asking::post_with(
            port,
            "/v1/chat/completions",
            &key,
            &request,
        ));
    }
    asking::delete(port, "/_llmock/requests")?;
    let ended = court.app.ask("Count, please.")?;
    ensure!(ended.answer()? == TEXT);
    ensure!(ended.retries[0].error.class == ErrorClass::RateLimit);
    court.judge.require_pass(1)
}
