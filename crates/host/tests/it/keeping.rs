//! Keys: where they are kept, and whom they go to.

use protocol::{Command, ErrorCode, KeyPlace, ProviderHeader, Secret};
use testkit::{ModelServer, model_server};

use crate::fixture::{close, soon};
use crate::provided::{
    KEY, Place, add, add_with_key, execute, fields, for_key, keep_in_file, provider, providers,
    refused, session_with, set_key, start_in,
};

// SEC-1: a key goes to the host that it was given for, and to no other.
#[tokio::test]
async fn another_host_does_not_get_the_key() {
    let old = ModelServer::start(for_key(KEY, "x")).unwrap();
    let new = ModelServer::start(model_server::Reply::text("x")).unwrap();
    let place = Place::new();
    let host = place.host();
    let mut given = fields("Mine", &old);
    given.headers = vec![ProviderHeader {
        name: "X-Team-Token".to_owned(),
        value: None,
    }];
    let provider_id = add_with_key(&host, given.clone(), KEY).await;
    let header = Command::SetProviderKey {
        provider_id,
        header: Some("x-team-token".to_owned()),
        key: Secret::new("team-CANARY-1"),
    };
    assert_eq!(provider(&host, header).await.secrets.len(), 2);
    let update = |base_url: String, revision| {
        let mut fields = given.clone();
        fields.base_url = base_url;
        Command::UpdateProvider {
            provider_id,
            fields,
            revision,
        }
    };
    let session = session_with(&host, format!("{provider_id}/m")).await;
    start_in(&host, session, "Hello").await;
    soon(host.engine.idle()).await;
    let sent = &old.requests()[0];
    assert_eq!(sent.headers["x-team-token"], "team-CANARY-1");
    let same = provider(&host, update(format!("{}/", old.url()), 1)).await;
    assert!(same.has_key());
    let other = provider(&host, update(new.url(), 2)).await;
    assert!(other.secrets.is_empty());
    assert!(place.keychain.names().is_empty());
    start_in(&host, session, "Hello").await;
    soon(host.engine.idle()).await;
    let sent = &new.requests()[0];
    assert!(
        !sent.headers.contains_key("authorization"),
        "{:?}",
        sent.headers
    );
    assert!(!sent.headers.contains_key("x-team-token"));
    close(&host).await;
}

#[tokio::test]
async fn keys_in_the_open_and_addresses_that_are_none_are_refused() {
    let server = ModelServer::start(model_server::Reply::text("x")).unwrap();
    let place = Place::new();
    let host = place.host();
    let header = |name: &str, value: Option<&str>| ProviderHeader {
        name: name.to_owned(),
        value: value.map(str::to_owned),
    };
    for (url, headers) in [
        ("ftp://host/v1".to_owned(), vec![]),
        ("http://me:word@host/v1".to_owned(), vec![]),
        (format!("{}?api_key=x", server.url()), vec![]),
        (
            server.url(),
            vec![header("Authorization", Some("Bearer x"))],
        ),
        (server.url(), vec![header("x-api-key", Some("x"))]),
        (server.url(), vec![header("two words", Some("x"))]),
        (
            server.url(),
            vec![header("X-A", Some("x")), header("x-a", None)],
        ),
    ] {
        let mut fields = fields("Mine", &server);
        fields.base_url = url.clone();
        fields.headers = headers;
        let (code, _) = refused(&host, Command::CreateProvider { fields }).await;
        assert_eq!(code, ErrorCode::InvalidValue, "{url}");
    }
    assert!(providers(&host).await.is_empty());
    close(&host).await;
}

/// No Secret Service runs where tests run: that is what a person without one sees.
#[tokio::test]
async fn without_a_keychain_the_app_starts_and_says_so_when_a_key_is_given() {
    let server = ModelServer::start(model_server::Reply::text("x")).unwrap();
    let place = Place::new();
    place.keychain.break_with(host::keys::KeyError::NoKeychain);
    let host = place.host();
    let provider_id = add(&host, fields("Mine", &server)).await;
    let error = execute(&host, set_key(provider_id, KEY)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NotActionable);
    assert!(error.message.starts_with("There is no keychain"), "{error}");
    assert!(error.hint.contains("key_store"), "{}", error.hint);
    assert!(providers(&host).await[0].secrets.is_empty());
    // Nothing went into a file by itself.
    assert!(!place.home.path().join("keys.sealed").exists());
    keep_in_file(&host).await;
    assert!(provider(&host, set_key(provider_id, KEY)).await.has_key());
    assert!(place.home.path().join("keys.sealed").exists());
    close(&host).await;
}

#[tokio::test]
async fn a_key_moves_when_it_is_given_again_and_goes_with_its_provider() {
    let server = ModelServer::start(for_key(KEY, "x")).unwrap();
    let place = Place::new();
    let host = place.host();
    let provider_id = add_with_key(&host, fields("Mine", &server), KEY).await;
    assert_eq!(place.keychain.names(), [provider_id.to_string()]);
    keep_in_file(&host).await;
    assert_eq!(
        providers(&host).await[0].secrets[0].place,
        KeyPlace::Keychain
    );
    let moved = provider(&host, set_key(provider_id, KEY)).await;
    assert_eq!(moved.secrets[0].place, KeyPlace::File);
    assert!(place.keychain.names().is_empty());
    let forget = Command::ForgetProviderKey {
        provider_id,
        header: None,
    };
    assert!(!provider(&host, forget.clone()).await.has_key());
    assert!(!provider(&host, forget).await.has_key());
    provider(&host, set_key(provider_id, KEY)).await;
    let sealed = std::fs::read(place.home.path().join("keys.sealed"))
        .unwrap()
        .len();
    let delete = Command::DeleteProvider {
        provider_id,
        anyway: false,
    };
    execute(&host, delete).await.unwrap();
    let after = std::fs::read(place.home.path().join("keys.sealed"))
        .unwrap()
        .len();
    assert!(after < sealed);
    close(&host).await;
}
