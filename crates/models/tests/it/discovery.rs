//! Servers on this computer, good and bad ones.

use std::sync::Arc;

use engine::SystemClock;
use models::{Known, LocalAddress, LocalAnswer, LocalFinder, LocalKind, LocalServer};
use serde_json::json;

use crate::small_server::{Asked, Said, SmallServer};

fn ollama(asked: &Asked) -> Said {
    match asked.path.as_str() {
        "/api/tags" => Said::json(
            200,
            &json!({"models": [{"name": "qwen3:8b", "model": "qwen3:8b"}]}),
        ),
        "/api/show" => Said::json(
            200,
            &json!({"capabilities": ["completion", "tools", "thinking"],
                "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40_960}}),
        ),
        "/v1/models" => Said::json(
            200,
            &json!({"object": "list", "data": [{"id": "qwen3:8b", "owned_by": "library"}]}),
        ),
        _ => Said::not_found(),
    }
}

fn lm_studio(asked: &Asked) -> Said {
    match asked.path.as_str() {
        "/api/v0/models" => Said::json(
            200,
            &json!({"object": "list", "data": [
                {"id": "gemma", "type": "vlm", "state": "loaded", "max_context_length": 131_072, "loaded_context_length": 8_192},
                {"id": "embed", "type": "embeddings", "state": "loaded"},
            ]}),
        ),
        "/v1/models" => Said::json(
            200,
            &json!({"object": "list", "data": [{"id": "gemma"}, {"id": "embed"}]}),
        ),
        path => Said::json(
            200,
            &json!({"error": format!("Unexpected endpoint or method. (GET {path})")}),
        ),
    }
}

fn llama_cpp(asked: &Asked) -> Said {
    let list = json!({"object": "list", "models": [{"name": "m.gguf", "model": "m.gguf"}],
        "data": [{"id": "m.gguf", "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx_train": 40_960}}]});
    match asked.path.as_str() {
        "/props" => Said::json(
            200,
            &json!({"default_generation_settings": {"n_ctx": 4_096}, "total_slots": 1, "modalities": {"vision": false}}),
        ),
        "/v1/models" | "/api/tags" => Said::json(200, &list),
        _ => Said::json(
            404,
            &json!({"error": {"code": 404, "type": "not_found_error"}}),
        ),
    }
}

fn other(asked: &Asked) -> Said {
    match asked.path.as_str() {
        "/v1/models" => Said::json(
            200,
            &json!({"object": "list", "data": [{"id": "jan-v1", "max_model_len": 2_048}]}),
        ),
        _ => Said::not_found(),
    }
}

fn at(server: &SmallServer) -> LocalAddress {
    LocalAddress::new(server.address()).unwrap()
}

async fn find(servers: &[SmallServer]) -> Vec<LocalAnswer> {
    let addresses: Vec<LocalAddress> = servers.iter().map(at).collect();
    LocalFinder::new(Arc::new(SystemClock))
        .find(&addresses)
        .await
}

fn server(answer: &LocalAnswer) -> &LocalServer {
    match answer {
        LocalAnswer::Server(server) => server,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn servers_of_every_kind_are_found_wherever_they_listen() {
    let servers = [
        SmallServer::start(other),
        SmallServer::start(llama_cpp),
        SmallServer::start(ollama),
        SmallServer::start(lm_studio),
    ];
    let answers = find(&servers).await;
    let found: Vec<_> = answers
        .iter()
        .map(server)
        .map(|found| {
            (
                found.kind,
                found.models[0].name.as_str(),
                found.models[0].context_tokens,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (LocalKind::Other, "jan-v1", Some(2_048)),
            (LocalKind::LlamaCpp, "m.gguf", Some(4_096)),
            (LocalKind::Ollama, "qwen3:8b", Some(40_960)),
            (LocalKind::LmStudio, "gemma", Some(8_192)),
        ]
    );
    for (answer, listening) in answers.iter().zip(&servers) {
        let found = server(answer);
        assert_eq!(found.address, at(listening));
        assert_eq!(found.models.len(), 1);
        assert!(found.base_url().starts_with(&listening.url()));
    }
    assert_eq!(
        server(&answers[2]).models[0].capabilities.reasoning,
        Known::Yes
    );
    // Nothing is sent but questions, and no key.
    for asked in servers.iter().flat_map(SmallServer::asked) {
        let expected = if asked.path == "/api/show" {
            "POST"
        } else {
            "GET"
        };
        assert_eq!(asked.method, expected, "{}", asked.path);
        assert_eq!(asked.headers.get("authorization"), None);
    }
}

#[tokio::test]
async fn a_server_without_models_is_a_server() {
    let empty = SmallServer::start(|asked: &Asked| match asked.path.as_str() {
        "/api/tags" => Said::json(200, &json!({"models": []})),
        _ => Said::not_found(),
    });
    let answers = find(&[empty]).await;
    assert_eq!(server(&answers[0]).kind, LocalKind::Ollama);
    assert!(server(&answers[0]).models.is_empty());
}

#[tokio::test]
async fn a_server_that_still_loads_its_model_is_worth_asking_again() {
    let error =
        json!({"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}});
    let loading = SmallServer::start(move |_: &Asked| Said::json(503, &error));
    assert_eq!(find(&[loading]).await, [LocalAnswer::NotYet]);
}

#[tokio::test]
async fn strangers_are_harmless() {
    let huge = format!("{{\"models\":[{}]}}", "{\"name\":\"x\"},".repeat(2_000_000));
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let names =
        json!({"object": "list", "data": [{"id": "a\nb"}, {"id": "\u{0}"}, {"id": 7}, {"id": ""}]});
    let said = [
        Said::stream("text/html", "<html>It works!</html>"),
        Said::stream("application/json", "{\"status\":\"UP\"}"),
        Said::json(200, &json!([{"id": 1, "title": "a post"}])),
        Said::json(200, &json!({"data": [], "models": null})),
        Said::json(200, &names),
        Said::json(401, &json!({"error": "who are you"})),
        Said::json(302, &json!({})).header("location", "http://127.0.0.1:1/"),
        Said::stream("application/json", &huge),
        Said::stream("application/json", &deep),
        Said::stream("application/json", "\u{0}\u{1}garbage"),
        // One that never ends.
        Said::stream("application/json", "{\"models\":[").then_drips(),
    ];
    let servers = said.map(|said| SmallServer::start(move |_: &Asked| said.clone()));
    for (at, answer) in find(&servers).await.iter().enumerate() {
        assert_eq!(*answer, LocalAnswer::Stranger, "{at}");
    }
}

#[tokio::test]
async fn who_is_silent_is_nobody_and_keeps_nobody_waiting() {
    let silent =
        SmallServer::start(|_: &Asked| Said::stream("application/json", "").then_silence());
    let good = SmallServer::start(other);
    let unused = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let free = unused.local_addr().unwrap();
    drop(unused);
    let addresses = [at(&silent), LocalAddress::new(free).unwrap(), at(&good)];
    let finder = LocalFinder::new(Arc::new(SystemClock));
    let asked = finder.find(&addresses);
    let answers = tokio::time::timeout(std::time::Duration::from_secs(10), asked);
    let answers = answers.await.expect("a deadline");
    assert_eq!(answers[0], LocalAnswer::Nobody);
    assert_eq!(answers[1], LocalAnswer::Nobody);
    assert_eq!(server(&answers[2]).kind, LocalKind::Other);
}

#[tokio::test]
async fn descriptions_that_take_too_long_are_not_waited_for() {
    let names: Vec<_> = (0..40).map(|n| json!({"name": format!("m{n}")})).collect();
    let list = json!({ "models": names });
    let slow = SmallServer::start(move |asked: &Asked| match asked.path.as_str() {
        "/api/tags" => Said::json(200, &list),
        "/api/show" => Said::stream("application/json", "{").then_drips(),
        _ => Said::not_found(),
    });
    let answers = find(&[slow]).await;
    let found = server(&answers[0]);
    assert_eq!((found.kind, found.models.len()), (LocalKind::Ollama, 40));
}

#[tokio::test]
async fn descriptions_that_do_not_come_leave_a_model_undescribed() {
    let slow = SmallServer::start(|asked: &Asked| match asked.path.as_str() {
        "/api/tags" => Said::json(200, &json!({"models": [{"name": "m"}]})),
        "/api/show" => Said::json(500, &json!({"error": "broken"})),
        _ => Said::not_found(),
    });
    let answers = find(&[slow]).await;
    let found = server(&answers[0]);
    assert_eq!(found.models[0].context_tokens, None);
    assert_eq!(found.models[0].capabilities.tools, Known::Unknown);
}
