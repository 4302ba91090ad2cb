//! Model servers on this computer: found, offered, and used like every other provider.

use std::net::TcpListener;

use host::Host;
use protocol::{
    Command, Dialect, ErrorCode, LocalFound, LocalKind, LocalServer, ProviderFields, ProviderId,
    Reply, RunStatus, Settings,
};
use serde_json::json;
use testkit::model_server;
use testkit::{ModelServer, SmallServer};

use crate::fixture::{close, run, soon};
use crate::provided::{
    Place, add, execute, last_text, provider, providers, refused, save_settings, session_with,
    settings, start_in,
};
use crate::talk::Talk;

async fn look_at(host: &Host, local_ports: Vec<u16>) {
    let before = settings(host).await;
    let after = Settings {
        local_ports,
        ..before
    };
    save_settings(host, after).await.unwrap();
}

/// What is at the ports that a test added; others of this computer are none of its business.
async fn found(host: &Host) -> Vec<LocalServer> {
    match execute(host, Command::FindLocalServers {}).await.unwrap() {
        Reply::LocalServers { servers } => servers.into_iter().filter(|one| one.is_added).collect(),
        other => panic!("{other:?}"),
    }
}

fn port_of(url: &str) -> u16 {
    let rest = url.rsplit(':').next().unwrap();
    rest.split('/').next().unwrap().parse().unwrap()
}

fn with_models(server: &ModelServer) {
    server.list_models(|_| {
        let list = json!({ "object": "list", "data": [{ "id": "small", "max_model_len": 4_096 }] });
        model_server::Reply::body(200, "application/json", &list.to_string())
    });
}

/// Makes a provider of what was found, as the window does.
async fn take(host: &Host, server: &LocalServer) -> ProviderId {
    let LocalFound::Server {
        name,
        dialect,
        base_url,
        ..
    } = server.found.clone()
    else {
        panic!("{server:?}");
    };
    let fields = ProviderFields {
        name,
        dialect,
        base_url,
        headers: Vec::new(),
        options: protocol::ProviderOptions::default(),
        is_enabled: true,
    };
    let provider_id = add(host, fields).await;
    let refreshed = provider(host, Command::RefreshModels { provider_id }).await;
    assert!(!refreshed.models.is_empty());
    assert!(!refreshed.has_key());
    provider_id
}

#[tokio::test]
async fn a_server_at_an_added_port_is_found_chosen_and_answers_without_a_key() {
    let server = ModelServer::start(|_: &model_server::Request| {
        model_server::Reply::text("Hello from your computer.")
    })
    .unwrap();
    with_models(&server);
    let port = port_of(&server.url());
    let place = Place::new();
    let host = place.host();
    look_at(&host, vec![port]).await;
    let servers = found(&host).await;
    let [one] = servers.as_slice() else {
        panic!("{servers:?}");
    };
    assert_eq!(
        (one.port, one.provider_id, one.is_served),
        (port, None, false)
    );
    assert_eq!(one.address, format!("127.0.0.1:{port}"));
    let LocalFound::Server {
        kind,
        dialect,
        models,
        ..
    } = &one.found
    else {
        panic!("{one:?}");
    };
    assert_eq!(
        (*kind, *dialect),
        (LocalKind::Other, Dialect::ChatCompletions)
    );
    assert_eq!(models[0].name, "small");
    assert_eq!(models[0].context_tokens, Some(4_096));
    assert_eq!(models[0].tools, None, "unknown is not no");
    // Finding chooses nothing.
    assert_eq!(providers(&host).await, []);
    assert_eq!(settings(&host).await.default_model, None);
    let provider_id = take(&host, one).await;
    assert_eq!(found(&host).await[0].provider_id, Some(provider_id));
    let session = session_with(&host, format!("{provider_id}/small")).await;
    let run_id = start_in(&host, session, "Hello").await;
    soon(host.engine.idle()).await;
    assert_eq!(run(&host, run_id).await.status, RunStatus::Completed);
    assert_eq!(last_text(&host, session).await, "Hello from your computer.");
    for request in server.requests() {
        assert_eq!(request.headers.get("authorization"), None);
    }
    close(&host).await;
}

fn ollama(path: &str) -> Option<(&'static str, String)> {
    let body = match path {
        "/api/tags" => json!({ "models": [{ "name": "tiny:1b", "model": "tiny:1b" }] }).to_string(),
        "/api/show" => json!({ "capabilities": ["completion", "tools"],
            "model_info": { "general.architecture": "t", "t.context_length": 8_192 } })
        .to_string(),
        "/api/chat" => {
            let said = |text: &str, done: bool| {
                json!({ "model": "tiny:1b", "message": { "role": "assistant", "content": text },
                    "done": done, "done_reason": done.then_some("stop") })
            };
            let lines = format!("{}\n{}\n", said("Woof.", false), said("", true));
            return Some(("application/x-ndjson", lines));
        }
        _ => return None,
    };
    Some(("application/json", body))
}

#[tokio::test]
async fn an_ollama_is_found_with_what_it_says_of_its_models_and_answers_without_a_key() {
    let server = SmallServer::start(ollama).unwrap();
    let place = Place::new();
    let mut talk = Talk::start(place.host(), host::headless::AtEnd::Wait);
    let mut settings = talk.ask(json!({ "type": "get_settings" })).await["ok"].clone();
    settings.as_object_mut().unwrap().remove("type");
    settings["local_ports"] = json!([server.address.port()]);
    let saved = talk
        .ask(json!({ "type": "update_settings", "settings": settings }))
        .await;
    assert!(saved["ok"].is_object(), "{saved}");
    let found = talk.ask(json!({ "type": "find_local_servers" })).await;
    let servers = found["ok"]["servers"].as_array().unwrap();
    let one = servers.iter().find(|one| one["is_added"] == true).unwrap();
    let ours = &one["found"];
    assert_eq!(
        (&ours["found"], &ours["kind"], &ours["name"]),
        (&json!("server"), &json!("ollama"), &json!("Ollama"))
    );
    assert_eq!(
        ours["models"],
        json!([{ "name": "tiny:1b", "label": "tiny:1b", "context_tokens": 8_192,
            "tools": true, "images": false, "reasoning": false }])
    );
    let created = talk
        .ask(
            json!({ "type": "create_provider", "fields": { "name": ours["name"],
            "dialect": ours["dialect"], "base_url": ours["base_url"], "is_enabled": true } }),
        )
        .await;
    let id = created["ok"]["provider_id"].as_str().unwrap().to_owned();
    let listed = talk
        .ask(json!({ "type": "refresh_models", "provider_id": id }))
        .await;
    assert_eq!(listed["ok"]["models"], ours["models"], "{listed}");
    let session = talk.ask(json!({ "type": "create_session" })).await;
    let session_id = session["ok"]["session_id"].clone();
    let model = format!("{id}/tiny:1b");
    let chosen = talk
        .ask(json!({ "type": "set_session_model", "session_id": session_id, "model": model }))
        .await;
    assert_eq!(chosen["ok"]["model"], model, "{chosen}");
    talk.ask(json!({ "type": "start_run", "session_id": session_id, "text": "Speak" }))
        .await;
    talk.end_input();
    talk.ended().await;
    let host = place.host();
    let session_id = session_id.as_str().unwrap().parse().unwrap();
    assert_eq!(last_text(&host, session_id).await, "Woof.");
    assert!(
        server
            .asked()
            .iter()
            .all(|asked| !asked.contains("authorization"))
    );
    close(&host).await;
}

/// Looking again is cheap: what was told of a model is not asked for again while the list is the same.
#[tokio::test]
async fn looking_again_asks_an_ollama_for_no_more_than_its_list() {
    let server = SmallServer::start(ollama).unwrap();
    let shown = || {
        let asked = server.asked();
        asked
            .iter()
            .filter(|one| one.starts_with("post /api/show"))
            .count()
    };
    let place = Place::new();
    let host = place.host();
    look_at(&host, vec![server.address.port()]).await;
    let first = found(&host).await;
    assert_eq!(shown(), 1);
    for _ in 0..3 {
        assert_eq!(found(&host).await, first);
    }
    assert_eq!(shown(), 1);
    close(&host).await;
}

/// Servers come and go while the app runs, and some are something else.
#[tokio::test]
async fn who_comes_goes_or_speaks_of_something_else_is_said_as_such() {
    let unused = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = unused.local_addr().unwrap().port();
    drop(unused);
    let stranger =
        SmallServer::start(|_| Some(("text/html", "<p>It works!</p>".to_owned()))).unwrap();
    let place = Place::new();
    let host = place.host();
    look_at(&host, vec![port, stranger.address.port()]).await;
    let kinds = async || {
        let servers = found(&host).await;
        servers.into_iter().map(|one| one.found).collect::<Vec<_>>()
    };
    let both = [LocalFound::Nobody {}, LocalFound::Stranger {}];
    assert_eq!(kinds().await, both);
    let _here = SmallServer::at(port, ollama).unwrap();
    assert!(matches!(kinds().await[0], LocalFound::Server { .. }));
    // One that nobody added is not said to be missing.
    look_at(&host, Vec::new()).await;
    assert_eq!(kinds().await, []);
    close(&host).await;
}

/// Many windows that look at once are one search.
#[tokio::test]
async fn two_searches_never_overlap() {
    let server = SmallServer::start(ollama).unwrap();
    let place = Place::new();
    let host = place.host();
    look_at(&host, vec![server.address.port()]).await;
    let looks = (0..20).map(|_| found(&host));
    let all = futures_util::future::join_all(looks).await;
    assert!(all.windows(2).all(|two| two[0] == two[1]));
    let asked = server.asked();
    let lists = asked.iter().filter(|one| one.starts_with("get /api/tags"));
    assert!(lists.count() <= 2, "{}", asked.len());
    close(&host).await;
}

#[tokio::test]
async fn ports_that_are_none_are_refused() {
    let place = Place::new();
    let host = place.host();
    let before = settings(&host).await;
    for local_ports in [vec![0], vec![7, 7], (1..=17).collect()] {
        let settings = Settings {
            local_ports,
            ..before.clone()
        };
        let command = Command::UpdateSettings { settings };
        assert_eq!(refused(&host, command).await.0, ErrorCode::InvalidValue);
    }
    assert_eq!(settings(&host).await, before);
    close(&host).await;
}
