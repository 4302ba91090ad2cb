//! A key that was given, used, repeated by its provider and refused is found nowhere afterwards:
//! not in the database, its log, the app's logs, an export, a report, or anybody's environment.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use protocol::{
    Command, ErrorClass, ExportFormat, ProviderHeader, ProviderState, RunStatus, Secret, SessionId,
};
use serde_json::json;
use testkit::model_server::{Dialect, Reply, Request};
use testkit::{ModelServer, Provided, command, holdfast, provider_at};

/// In no shape that anybody would take for a key.
const KEY: &str = "CANARY5d20c9ab17FELDSPAR";
const IN_HEADER: &str = "CANARY-b81e-header-GNEISS";

/// Also as it would look encoded, or in other letters.
fn forms(secret: &str) -> [Vec<u8>; 3] {
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    [
        secret.as_bytes().to_vec(),
        hex.into_bytes(),
        secret.to_lowercase().into_bytes(),
    ]
}

fn is_in(bytes: &[u8]) -> bool {
    let mut needles = forms(KEY).into_iter().chain(forms(IN_HEADER));
    needles.any(|needle| bytes.windows(needle.len()).any(|window| window == needle))
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// Every file of the folder, which must have these.
fn require_clean_files(folder: &Path, wanted: &[&str]) -> Result<()> {
    let files = files_below(folder)?;
    for name in wanted {
        let is_there = files.iter().any(|path| path.ends_with(name));
        ensure!(is_there, "no {name} in {files:?}");
    }
    for path in files {
        ensure!(!is_in(&fs::read(&path)?), "{}", path.display());
    }
    Ok(())
}

fn require_clean(what: &str, text: impl AsRef<[u8]>) -> Result<()> {
    let text = text.as_ref();
    ensure!(!is_in(text), "{what}: {}", String::from_utf8_lossy(text));
    Ok(())
}

/// The process and whatever it has started: what they were told, and what they can be asked for.
fn require_clean_processes(id: u32) -> Result<()> {
    let mut ids = vec![id];
    while let Some(id) = ids.pop() {
        for name in ["environ", "cmdline"] {
            let told = fs::read(format!("/proc/{id}/{name}"))?;
            require_clean(name, told)?;
        }
        for entry in fs::read_dir(format!("/proc/{id}/task"))? {
            let children = fs::read_to_string(entry?.path().join("children")).unwrap_or_default();
            let started = children.split_whitespace();
            ids.extend(started.filter_map(|child| child.parse::<u32>().ok()));
        }
    }
    Ok(())
}

/// An error in the middle of a stream, in the words of the dialect, that repeats everything.
fn outburst(dialect: Dialect) -> String {
    let message = format!("Odd: {KEY} of {IN_HEADER}");
    let event = match dialect {
        Dialect::ChatCompletions => json!({"error": {"code": 502, "message": message}}),
        Dialect::Anthropic => {
            json!({"type": "error", "error": {"type": "overloaded_error", "message": message}})
        }
        Dialect::Responses => json!({"type": "error", "code": "server_error", "message": message}),
        Dialect::Ollama => json!({"error": message}),
        Dialect::Gemini => json!({"error": {"code": 503, "message": message}}),
    };
    event.to_string()
}

/// Good at first; then an error that repeats the key in the stream; then a refusal that does.
fn script(request: &Request) -> Reply {
    let said = format!("Bad key {KEY} for {IN_HEADER}");
    match (request.last_user_text(), request.rounds()) {
        ("Refuse", _) => Reply::error(401, &json!({"error": {"message": said}}))
            .header("x-request-id", KEY)
            .header("set-cookie", IN_HEADER),
        (_, 0) => Reply::text("I look.").then_calls([("c1", "list_files", "{\"path\":\".\"}")]),
        (_, _) if request.number == 2 => {
            Reply::text("I am").then_events([outburst(request.dialect).as_str()])
        }
        (_, _) => Reply::text("Nothing is there."),
    }
}

fn app_at(data: &Path, dialect: Dialect, server: &ModelServer) -> Result<Provided> {
    let mut fields = provider_at(dialect.told(), server.url_for(dialect));
    fields.headers = vec![ProviderHeader {
        name: "X-Team".to_owned(),
        value: None,
    }];
    let mut app = Provided::start(data, fields, KEY, "scripted-1")?;
    app.app.must(&Command::SetProviderKey {
        provider_id: app.provider_id,
        header: Some("X-Team".to_owned()),
        key: Secret::new(IN_HEADER),
    })?;
    Ok(app)
}

/// Everything that can be asked for about a session and its provider.
fn require_clean_answers(app: &mut Provided, session_id: SessionId) -> Result<()> {
    let provider_id = app.provider_id;
    let export = |format| Command::ExportSession { session_id, format };
    for command in [
        Command::ListProviders {},
        Command::GetSettings {},
        Command::GetApp {},
        Command::TestProvider { provider_id },
        Command::RefreshModels { provider_id },
        Command::GetSession {
            session_id,
            limit: None,
        },
        export(ExportFormat::Json),
        export(ExportFormat::Markdown),
    ] {
        let answer = format!("{:?}", app.app.ask(&command)?);
        require_clean(&format!("{command:?}"), answer)?;
    }
    require_clean("what was pushed", format!("{:?}", app.app.seen))
}

fn run_program(data: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let mut program = command(holdfast());
    let output = program.args(arguments).arg("--data").arg(data).output()?;
    ensure!(output.status.success(), "{arguments:?}: {output:?}");
    Ok([output.stdout, output.stderr].concat())
}

/// SEC-1
fn planted(dialect: Dialect) -> Result<()> {
    let server = ModelServer::start(script)?;
    server.list_models(|_| Reply::error(401, &json!({"error": {"message": KEY}})));
    let data = tempfile::tempdir()?;
    let mut app = app_at(data.path(), dialect, &server)?;
    let good = app.ask("Look")?;
    ensure!(good.answer()? == "Nothing is there.");
    ensure!(good.retries.len() == 1, "{:?}", good.retries);
    let refused = app.ask_in(good.session_id, "Refuse")?;
    let class = refused.error.context("no error")?.class;
    ensure!((refused.status, class) == (RunStatus::Failed, ErrorClass::Auth));
    let state = app.provider()?.state;
    ensure!(matches!(state, ProviderState::Paused { .. }), "{state:?}");
    let used = &server.requests()[0].headers;
    for secret in [KEY, IN_HEADER] {
        let is_used = used.values().any(|value| value.contains(secret));
        ensure!(is_used, "it was not used: {used:?}");
    }
    require_clean_processes(app.app.id())?;
    require_clean_answers(&mut app, good.session_id)?;
    require_clean("a report", run_program(data.path(), &["diagnostics"])?)?;
    // What has not been put into the database yet is beside it.
    let seen = app.app.kill_in_place()?;
    require_clean("what was printed", format!("{seen:?}"))?;
    let wanted = [
        "holdfast.db",
        "holdfast.db-wal",
        "holdfast.log",
        "keys.sealed",
    ];
    require_clean_files(data.path(), &wanted)?;
    app.start_again()?;
    require_clean_answers(&mut app, good.session_id)?;
    drop(app.app.kill_in_place()?);
    for arguments in [&["diagnostics"][..], &["audit", "export"]] {
        let report = run_program(data.path(), arguments)?;
        require_clean(&format!("{arguments:?}"), report)?;
    }
    require_clean_files(data.path(), &["holdfast.db", "keys.sealed"])
}

#[test]
fn no_key_of_chat_completions_is_found_anywhere() -> Result<()> {
    planted(Dialect::ChatCompletions)
}

#[test]
fn no_key_of_responses_is_found_anywhere() -> Result<()> {
    planted(Dialect::Responses)
}

#[test]
fn no_key_of_anthropic_is_found_anywhere() -> Result<()> {
    planted(Dialect::Anthropic)
}

#[test]
fn no_key_of_ollama_is_found_anywhere() -> Result<()> {
    planted(Dialect::Ollama)
}

#[test]
fn no_key_of_gemini_is_found_anywhere() -> Result<()> {
    planted(Dialect::Gemini)
}

/// The search finds what it looks for.
#[test]
fn a_planted_key_would_be_found() -> Result<()> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("a"), format!("before {KEY} after"))?;
    assert!(require_clean_files(folder.path(), &["a"]).is_err());
    let shouted = IN_HEADER.to_lowercase();
    assert!(require_clean("text", &shouted).is_err());
    let mut child = command("sleep");
    let child = child.arg("30").env("PLANTED", KEY);
    let child = testkit::Process::start(child)?;
    assert!(require_clean_processes(child.id()).is_err());
    Ok(())
}
