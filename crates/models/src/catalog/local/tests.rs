//! Who is who.

use serde_json::json;

use super::*;

fn kind(tags: Value, list: Value, older: Value, props: Value) -> Option<LocalKind> {
    let some = |value: Value| (!value.is_null()).then_some(value);
    let seen = Seen {
        tags: some(tags),
        list: some(list),
        own: None,
        older: some(older),
        props: some(props),
    };
    seen.kind().map(|(kind, _)| kind)
}

#[test]
fn servers_are_told_apart_by_what_they_answer() {
    let list = json!({"object": "list", "data": [{"id": "m", "object": "model"}]});
    let tags = json!({"models": [{"name": "m:1b", "model": "m:1b"}]});
    let own = json!({"object": "list", "data": [{"id": "m", "type": "llm", "state": "loaded"}]});
    let props = json!({"default_generation_settings": {}, "total_slots": 1});
    let llama =
        json!({"object": "list", "data": [{"id": "m", "owned_by": "llamacpp"}], "models": []});
    let nothing = || Value::Null;
    // LM Studio answers every question, even those that it does not know.
    let unknown = || json!({"error": "Unexpected endpoint or method."});
    for (seen, expected) in [
        (
            kind(tags, list.clone(), nothing(), nothing()),
            Some(LocalKind::Ollama),
        ),
        (
            kind(unknown(), list.clone(), own, unknown()),
            Some(LocalKind::LmStudio),
        ),
        (
            kind(llama.clone(), llama.clone(), nothing(), props.clone()),
            Some(LocalKind::LlamaCpp),
        ),
        // Its description may need a key.
        (
            kind(llama.clone(), llama, nothing(), nothing()),
            Some(LocalKind::LlamaCpp),
        ),
        // A model may be loading.
        (
            kind(nothing(), nothing(), nothing(), props),
            Some(LocalKind::LlamaCpp),
        ),
        (
            kind(nothing(), list, nothing(), nothing()),
            Some(LocalKind::Other),
        ),
        (kind(unknown(), unknown(), unknown(), unknown()), None),
        (kind(nothing(), nothing(), nothing(), nothing()), None),
        (
            kind(
                nothing(),
                json!({"data": [{"id": "1"}]}),
                nothing(),
                nothing(),
            ),
            None,
        ),
    ] {
        assert_eq!(seen, expected);
    }
}

#[test]
fn a_newer_list_counts_before_an_older_one() {
    let older =
        json!({"object": "list", "data": [{"id": "old", "type": "llm", "state": "loaded"}]});
    let own = json!({"models": [{"key": "new", "type": "llm", "loaded_instances": []}]});
    let seen = Seen {
        own: Some(own),
        older: Some(older),
        ..Seen::default()
    };
    let (kind, models) = seen.kind().expect("a server");
    assert_eq!(
        (kind, models[0].name.as_str()),
        (LocalKind::LmStudio, "new")
    );
}

#[test]
fn only_this_computer_is_asked() {
    for address in LocalAddress::usual() {
        assert!(address.0.ip().is_loopback(), "{address:?}");
    }
    for (address, expected) in [
        ("127.0.0.1:1", true),
        ("127.9.9.9:1", true),
        ("[::1]:1", true),
        ("0.0.0.0:1", false),
        ("10.0.0.1:1", false),
        ("[::]:1", false),
        ("[::ffff:8.8.8.8]:1", false),
    ] {
        let address: SocketAddr = address.parse().expect("an address");
        assert_eq!(LocalAddress::new(address).is_some(), expected, "{address}");
    }
    assert_eq!(LocalAddress::port(1234).url(), "http://127.0.0.1:1234");
}

#[test]
fn a_server_says_how_it_is_spoken_to() {
    let server = |kind| LocalServer {
        address: LocalAddress::port(7),
        kind,
        models: Vec::new(),
    };
    let ollama = server(LocalKind::Ollama);
    assert_eq!(
        (ollama.dialect(), ollama.base_url().as_str()),
        (Dialect::Ollama, "http://127.0.0.1:7")
    );
    for kind in [LocalKind::LmStudio, LocalKind::LlamaCpp, LocalKind::Other] {
        let server = server(kind);
        assert_eq!(
            (server.dialect(), server.base_url().as_str()),
            (Dialect::ChatCompletions, "http://127.0.0.1:7/v1")
        );
    }
}
