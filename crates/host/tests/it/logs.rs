//! What is logged, and what never is.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use protocol::{Command, RunStatus};
use regex::Regex;
use serde_json::Value;
use tracing::Dispatch;
use tracing::subscriber::{DefaultGuard, NoSubscriber};

use crate::fixture::{AT_ONCE, Home, SILENT, close, run, soon, start};

const PLANTED: &str = "PLANTED-7391-tides-of-the-heart";

/// While there is only one subscriber, whoever comes first to a line decides for all whether anybody
/// wants it, also from a thread that has none. With others beside it each is asked.
static OTHERS: LazyLock<[Dispatch; 2]> =
    LazyLock::new(|| [(); 2].map(|()| Dispatch::new(NoSubscriber::new())));

/// Logs of this thread go to the folder until the guard is dropped.
pub(crate) fn log_to(home: &Home) -> DefaultGuard {
    LazyLock::force(&OTHERS);
    let logs = home.path().join("logs");
    fs::create_dir_all(&logs).unwrap();
    tracing::subscriber::set_default(host::logging::subscriber(&logs).unwrap())
}

fn log_text(home: &Home) -> String {
    fs::read_to_string(home.path().join("logs").join("holdfast.log")).unwrap()
}

fn log_lines(home: &Home) -> Vec<Value> {
    let text = log_text(home);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Every source file of ours that may log.
fn sources() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<_> = fs::read_dir(root.join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("src"))
        .collect();
    folders.push(root.join("src-tauri/src"));
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    sources
}

// SEC-6
#[test]
fn everything_we_log_has_a_name_of_three_parts() {
    let logged =
        Regex::new(r#"tracing::(?:error|warn|info|debug|trace)!\(\s*(name:\s*"([^"]*)")?"#);
    let logged = logged.unwrap();
    let named = Regex::new(r"^[a-z_]+\.[a-z_]+\.[a-z_]+$").unwrap();
    let mut names = 0;
    for source in sources() {
        for found in logged.captures_iter(&source) {
            let name = found.get(2).map_or("", |name| name.as_str());
            assert!(named.is_match(name), "{:?} in {}", name, &found[0]);
            names += 1;
        }
    }
    assert!(names > 20, "only {names} were found");
}

// SEC-6
#[tokio::test]
async fn a_run_has_one_trace_id_over_a_restart() {
    let home = Home::new();
    let _guard = log_to(&home);
    let host = home.host(SILENT);
    let (_, run_id) = start(&host, PLANTED).await;
    close(&host).await;
    let host = home.host(AT_ONCE);
    soon(host.engine.execute(Command::ResumeRun { run_id }))
        .await
        .unwrap();
    soon(host.engine.idle()).await;
    assert_eq!(run(&host, run_id).await.status, RunStatus::Completed);
    close(&host).await;
    let lines = log_lines(&home);
    let is_of_run = |line: &&Value| {
        let event = line["event"].as_str().unwrap();
        event.starts_with("engine.run.") || event.starts_with("engine.model.")
    };
    let of_run: Vec<&Value> = lines.iter().filter(is_of_run).collect();
    for line in &of_run {
        assert_eq!(line["trace_id"], run_id.to_string(), "{line}");
    }
    let moves: Vec<&str> = of_run
        .iter()
        .filter(|line| line["event"] == "engine.run.moved")
        .map(|line| line["status"].as_str().unwrap())
        .collect();
    assert_eq!(moves, ["running", "interrupted", "running", "completed"]);
    let calls = of_run
        .iter()
        .filter(|line| line["event"] == "engine.model.called");
    assert!(calls.count() >= 1);
}

// SEC-6
#[tokio::test]
async fn lines_are_json_with_time_level_and_name() {
    let home = Home::new();
    let _guard = log_to(&home);
    let host = home.host(AT_ONCE);
    start(&host, "Hello").await;
    soon(host.engine.idle()).await;
    close(&host).await;
    let lines = log_lines(&home);
    assert!(lines.len() > 3);
    for line in lines {
        for field in ["at", "level", "event"] {
            assert!(line[field].is_string(), "{line}");
        }
    }
}

// SEC-6
#[tokio::test]
async fn what_people_and_models_write_is_never_logged() {
    let home = Home::new();
    let _guard = log_to(&home);
    let host = home.host(Duration::from_millis(1));
    let (session_id, run_id) = start(&host, PLANTED).await;
    let title = format!("{PLANTED} again");
    let rename = Command::RenameSession { session_id, title };
    soon(host.engine.execute(rename)).await.unwrap();
    soon(host.engine.idle()).await;
    assert_eq!(run(&host, run_id).await.status, RunStatus::Completed);
    let get = Command::GetSession {
        session_id,
        limit: None,
    };
    let reply = soon(host.engine.execute(get)).await.unwrap();
    let protocol::Reply::Snapshot(snapshot) = reply else {
        panic!("{reply:?}");
    };
    close(&host).await;
    let log = log_text(&home);
    assert!(!log.contains(PLANTED));
    let reply_text = snapshot.messages[1].text();
    let first_line = reply_text.lines().next().unwrap();
    assert!(!log.contains(first_line));
}

// SEC-1, SEC-6
#[test]
fn a_secret_in_an_error_does_not_reach_the_file() {
    let home = Home::new();
    let guard = log_to(&home);
    let secret = "hunter2hunter2";
    let body = format!(r#"{{"error": {{"headers": {{"api_key": "{secret}"}}}}}}"#);
    let span = tracing::info_span!("run", trace_id = "run_1", password = secret);
    span.in_scope(|| {
        tracing::error!(name: "test.error.plain", message = format!("token={secret} was refused"));
        tracing::error!(name: "test.error.quoted", error = ?body);
        tracing::error!(name: "test.error.twice", error = ?format!("{body:?}"));
        tracing::error!(name: "test.error.named", api_key = secret, access_token = %secret);
        tracing::error!("Authorization: Bearer {secret}");
    });
    drop(guard);
    let log = log_text(&home);
    assert!(!log.contains(secret), "{log}");
    assert_eq!(log.lines().count(), 5);
    assert!(log.contains("was refused"), "what is no secret stays");
}
