//! A model file that the app serves itself: started, watched, ended, however the app ends.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;

use host::{Host, HostOptions};
use protocol::{
    Command, ErrorCode, LocalFound, LocalServer, ProviderFields, Reply, RunStatus, ServedModel,
    ServedState,
};
use testkit::{FakeLlama, Process, command, eventually, is_running};

use crate::fake_llama;
use crate::fixture::{close, run, soon};
use crate::provided::{
    Place, add, execute, last_text, provider, refused, session_with, settings, start_in,
};

/// Where the fake is found, and what guards it.
fn programs(fake: &FakeLlama) -> OsString {
    let mut path = fake.path().as_os_str().to_owned();
    path.push(":/usr/bin:/bin");
    path
}

fn host_with(place: &Place, programs: OsString) -> Host {
    let options = HostOptions {
        programs: Some(programs),
        ..place.options()
    };
    Host::start(&options).unwrap()
}

async fn serve(host: &Host, fake: &FakeLlama) -> ServedModel {
    let path = fake.model().to_str().unwrap().to_owned();
    match execute(host, Command::ServeModelFile { path }).await {
        Ok(Reply::Served {
            served: Some(served),
            can_serve: true,
        }) => served,
        other => panic!("{other:?}"),
    }
}

async fn served(host: &Host) -> Option<ServedModel> {
    match execute(host, Command::GetServedModel {}).await.unwrap() {
        Reply::Served { served, .. } => served,
        other => panic!("{other:?}"),
    }
}

async fn until(host: &Host, what: &str, is_so: impl Fn(&ServedModel) -> bool) -> ServedModel {
    eventually(what, async || served(host).await.filter(&is_so))
        .await
        .unwrap()
}

async fn until_ready(host: &Host) -> (u16, String) {
    let is_ready = |served: &ServedModel| matches!(served.state, ServedState::Ready { .. });
    match until(host, "a server that is ready", is_ready).await.state {
        ServedState::Ready { port, base_url } => (port, base_url),
        other => panic!("{other:?}"),
    }
}

async fn until_gone(pid: u32) {
    eventually("the end of the server", async || {
        (!is_running(pid)).then_some(())
    })
    .await
    .unwrap();
}

async fn ours(host: &Host) -> Vec<LocalServer> {
    match execute(host, Command::FindLocalServers {}).await.unwrap() {
        Reply::LocalServers { servers } => {
            servers.into_iter().filter(|one| one.is_served).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_file_is_served_found_and_talked_to_and_ends_with_the_app() {
    let (place, fake) = (Place::new(), fake_llama::willing());
    let host = host_with(&place, programs(&fake));
    let begun = serve(&host, &fake).await;
    assert_eq!(begun.name, "small");
    let (port, base_url) = until_ready(&host).await;
    let found = ours(&host).await;
    assert_eq!((found.len(), found[0].port), (1, port));
    assert!(matches!(found[0].found, LocalFound::Server { .. }));
    let fields = ProviderFields {
        name: "My file".to_owned(),
        dialect: protocol::Dialect::ChatCompletions,
        base_url,
        headers: Vec::new(),
        options: protocol::ProviderOptions::default(),
        is_enabled: true,
    };
    let provider_id = add(&host, fields).await;
    let listed = provider(&host, Command::RefreshModels { provider_id }).await;
    assert_eq!(listed.models[0].name, "small");
    let session = session_with(&host, format!("{provider_id}/small")).await;
    let run_id = start_in(&host, session, "Hello").await;
    soon(host.engine.idle()).await;
    assert_eq!(run(&host, run_id).await.status, RunStatus::Completed);
    assert_eq!(last_text(&host, session).await, "From a file.");
    let (pid, _) = fake.starts()[0];
    assert!(is_running(pid));
    close(&host).await;
    assert!(!is_running(pid), "it has ended when the app has closed");
    // It is served again at the next start, because nobody stopped it.
    let host = host_with(&place, programs(&fake));
    until_ready(&host).await;
    let (again, _) = fake.starts()[1];
    let Reply::Served { served: None, .. } = execute(&host, Command::StopServing {}).await.unwrap()
    else {
        panic!("it is still served");
    };
    until_gone(again).await;
    assert_eq!(ours(&host).await, []);
    close(&host).await;
    let host = host_with(&place, programs(&fake));
    assert_eq!(served(&host).await, None, "stopped is stopped");
    close(&host).await;
    assert_eq!(fake.starts().len(), 2);
}

/// SEC-1: nothing of our environment but what is on the list. This process has the canary.
#[tokio::test(flavor = "multi_thread")]
async fn a_child_gets_no_key_from_the_environment() {
    let (place, fake) = (Place::new(), fake_llama::willing());
    let app = App::start(&place, &fake, &programs(&fake));
    let starts = started(&fake, 1).await;
    let names: Vec<&str> = starts[0]
        .1
        .split('\t')
        .filter_map(|variable| variable.split('=').next())
        .collect();
    assert!(!starts[0].1.contains("CANARY"), "{names:?}");
    for name in &names {
        let is_good = matches!(
            *name,
            "PATH"
                | "HOME"
                | "LANG"
                | "LC_ALL"
                | "LC_CTYPE"
                | "TMPDIR"
                | "TZ"
                | "LD_LIBRARY_PATH"
                | "XDG_CACHE_HOME"
                | "HOLDFAST_SERVED"
        );
        // What the script of the fake adds.
        let is_its_own = matches!(
            *name,
            "HOLDFAST_FAKE_LLAMA" | "PWD" | "_" | "SHLVL" | "OLDPWD"
        );
        assert!(is_good || is_its_own, "{name}");
    }
    drop(app);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_dies_is_said_and_started_again_and_not_for_ever() {
    let (place, fake) = (Place::new(), fake_llama::willing());
    let host = host_with(&place, programs(&fake));
    serve(&host, &fake).await;
    until_ready(&host).await;
    fake.crash().unwrap();
    let again = until(&host, "a restart", |served| served.restarts == 1).await;
    assert!(again.last_error.unwrap().contains("llama-server ended"));
    fake.stop_crashing().unwrap();
    until_ready(&host).await;
    fake.crash().unwrap();
    let is_failed = |served: &ServedModel| served.state == ServedState::Failed {};
    let failed = until(&host, "giving up", is_failed).await;
    assert_eq!(failed.restarts, 3);
    assert!(fake.starts().iter().all(|(pid, _)| !is_running(*pid)));
    assert_eq!(fake.starts().len(), 4);
    // The person asks for it once more.
    fake.stop_crashing().unwrap();
    serve(&host, &fake).await;
    until_ready(&host).await;
    close(&host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_cannot_be_loaded_says_why() {
    let (place, fake) = (Place::new(), fake_llama::willing());
    std::fs::write(fake.model(), "GGUF broken").unwrap();
    let host = host_with(&place, programs(&fake));
    serve(&host, &fake).await;
    let said = until(&host, "a reason", |served| served.last_error.is_some()).await;
    let reason = said.last_error.unwrap();
    assert!(reason.contains("it is broken"), "{reason}");
    close(&host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_does_not_listen_is_made_to_end() {
    let (place, fake) = (Place::new(), fake_llama::stubborn());
    let host = host_with(&place, programs(&fake));
    serve(&host, &fake).await;
    until_ready(&host).await;
    let (pid, _) = fake.starts()[0];
    close(&host).await;
    assert!(!is_running(pid));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_served_is_refused_and_changes_nothing() {
    let (place, fake) = (Place::new(), fake_llama::willing());
    let text = fake.path().join("notes.txt");
    std::fs::write(&text, "not a model").unwrap();
    let at = |path: &Path| Command::ServeModelFile {
        path: path.to_str().unwrap().to_owned(),
    };
    let host = host_with(&place, programs(&fake));
    for path in [
        text.as_path(),
        fake.path(),
        &fake.path().join("missing.gguf"),
        Path::new("small.gguf"),
    ] {
        let (code, message) = refused(&host, at(path)).await;
        assert_eq!(code, ErrorCode::InvalidValue, "{message}");
    }
    close(&host).await;
    let host = host_with(&place, OsString::from("/nowhere"));
    let (code, message) = refused(&host, at(&fake.model())).await;
    assert_eq!(code, ErrorCode::NotActionable, "{message}");
    assert!(matches!(
        execute(&host, Command::GetServedModel {}).await,
        Ok(Reply::Served {
            served: None,
            can_serve: false
        })
    ));
    assert_eq!(settings(&host).await.served_file, None);
    close(&host).await;
    assert_eq!(fake.starts(), []);
}

const DATA: &str = "HOLDFAST_SERVING_DATA";
const MODEL: &str = "HOLDFAST_SERVING_MODEL";
const PROGRAMS: &str = "HOLDFAST_SERVING_PROGRAMS";

/// The entry of an app of its own that serves a file until it is ended; not a test by itself.
#[tokio::test(flavor = "multi_thread")]
async fn entry() {
    let Some(data) = std::env::var_os(DATA) else {
        return;
    };
    let options = HostOptions {
        programs: std::env::var_os(PROGRAMS),
        ..HostOptions::new(data)
    };
    let host = Host::start(&options).unwrap();
    let path = std::env::var(MODEL).unwrap();
    execute(&host, Command::ServeModelFile { path })
        .await
        .unwrap();
    std::future::pending::<()>().await;
}

/// An app in a process of its own, to be killed.
struct App(Process);

impl App {
    fn start(place: &Place, fake: &FakeLlama, programs: &OsString) -> Self {
        let mut app = command(std::env::current_exe().unwrap());
        app.args(["serving::entry", "--exact", "--nocapture"])
            .env(DATA, place.home.path())
            .env(MODEL, fake.model())
            .env(PROGRAMS, programs)
            .env("HOLDFAST_MODEL_KEY", "CANARY-in-the-environment")
            .env("HF_TOKEN", "CANARY-too")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Self(Process::start(&mut app).unwrap())
    }
}

async fn started(fake: &FakeLlama, count: usize) -> Vec<(u32, String)> {
    eventually("the server's start", async || {
        let starts = fake.starts();
        (starts.len() >= count).then_some(starts)
    })
    .await
    .unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_ends_with_an_app_that_is_killed() {
    let (place, fake) = (Place::new(), fake_llama::willing());
    let mut app = App::start(&place, &fake, &programs(&fake));
    let (pid, _) = started(&fake, 1).await[0].clone();
    assert!(is_running(pid));
    app.0.kill();
    until_gone(pid).await;
}

/// Without the guard it is left behind. The next start ends it, and nobody else.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn what_a_dead_app_left_is_ended_at_the_next_start_and_nobody_else_is() {
    let (place, fake) = (Place::new(), fake_llama::willing());
    let other = fake_llama::another(&fake);
    // The same program with a mark of somebody else's.
    let theirs = Place::new();
    let bystander = App::start(&theirs, &other, &programs(&other));
    let (stranger, _) = started(&other, 1).await[0].clone();
    let unguarded = fake.path().as_os_str().to_owned();
    let mut app = App::start(&place, &fake, &unguarded);
    let (pid, _) = started(&fake, 1).await[0].clone();
    app.0.kill();
    assert!(is_running(pid), "nothing has ended it");
    let host = host_with(&place, programs(&fake));
    until_gone(pid).await;
    let starts = started(&fake, 2).await;
    until_ready(&host).await;
    assert!(is_running(starts[1].0) && is_running(stranger));
    close(&host).await;
    drop(bystander);
    until_gone(stranger).await;
}
