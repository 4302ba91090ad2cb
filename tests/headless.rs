//! The app without a window keeps its promises to scripts.

use anyhow::Result;
use protocol::{Command, ErrorCode, Event, Push, Reply, RunStatus};
use serde_json::Value;
use testkit::Headless;

/// STR-9: a bad line gets an error and ends nothing.
#[test]
fn bad_lines_get_an_error_each_and_the_app_goes_on() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut app = Headless::start(folder.path(), &[])?;
    for line in [
        "",
        "nonsense",
        "{}",
        "[]",
        "null",
        "{\"id\":1}",
        "\u{feff}{}",
        "{\"id\":\"x\",\"command\":{\"type\":\"subscribe\",\"session_id\":\"ses_01920000000070008000000000000001\",\"after_seq\":-1}}",
    ] {
        app.send_line(line)?;
        if !line.is_empty() {
            let answer = app.next_value()?;
            assert_eq!(
                answer["error"]["code"], "invalid_command",
                "{line}: {answer}"
            );
            assert!(
                answer["error"]["hint"]
                    .as_str()
                    .is_some_and(|hint| !hint.is_empty())
            );
        }
    }
    app.must(&Command::GetApp {})?;
    app.close()?;
    Ok(())
}

/// RUN-1, STR-1: a whole run, and its events in order.
#[test]
fn a_run_streams_and_ends_with_its_events_in_order() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut app = Headless::start(folder.path(), &["--guide-pause-ms", "1"])?;
    app.must(&Command::WatchSessions {})?;
    let (session_id, run_id) = app.start_run("Hello", Some("one"))?;
    app.wait_for(|push| {
        matches!(push, Push::Event(envelope) if matches!(envelope.event, Event::RunCompleted { .. }))
    })?;
    let kinds: Vec<String> = app.seen.events[&session_id]
        .iter()
        .map(|envelope| {
            let value = serde_json::to_value(&envelope.event).unwrap_or(Value::Null);
            value["type"].as_str().unwrap_or_default().to_owned()
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "session_created",
            "message_added",
            "run_started",
            "step_started",
            "step_completed",
            "run_completed"
        ]
    );
    // RUN-3: the same request again is the same run.
    let again = app.must(&Command::StartRun {
        session_id: None,
        text: "Hello".to_owned(),
        request_key: Some("one".to_owned()),
    })?;
    assert!(matches!(again, Reply::RunStarted { run_id: same, .. } if same == run_id));
    let Reply::Run(run) = app.must(&Command::GetRun { run_id })? else {
        anyhow::bail!("not a run")
    };
    assert_eq!(run.status, RunStatus::Completed);
    app.close()?;
    Ok(())
}

/// RUN-18: the end of the input interrupts what is going, says so, and it can be resumed.
#[test]
fn the_end_of_the_input_interrupts_and_says_so() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut app = Headless::start(folder.path(), &["--guide-pause-ms", "50"])?;
    let (session_id, run_id) = app.start_run("A long story, please", None)?;
    app.wait_for(|push| matches!(push, Push::Delta(_)))?;
    let seen = app.close()?;
    let last = seen.events[&session_id]
        .last()
        .map(|envelope| envelope.event.clone());
    assert!(
        matches!(last, Some(Event::RunInterrupted { .. })),
        "{last:?}"
    );
    let mut app = Headless::start(folder.path(), &["--guide-pause-ms", "0", "--wait"])?;
    app.must(&Command::ResumeRun { run_id })?;
    // Going or over by now: either way there is nothing to resume.
    let again = app.ask(&Command::ResumeRun { run_id })?;
    assert_eq!(
        again.map_err(|error| error.code),
        Err(ErrorCode::NotActionable)
    );
    app.close()?;
    let mut app = Headless::start(folder.path(), &[])?;
    let Reply::Run(run) = app.must(&Command::GetRun { run_id })? else {
        anyhow::bail!("not a run")
    };
    assert_eq!(run.status, RunStatus::Completed, "--wait lets it end");
    app.close()?;
    Ok(())
}
