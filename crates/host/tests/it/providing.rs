//! Providers: added, used, changed and removed while the app runs.

use protocol::{
    Command, Dialect, ErrorCode, KeyHeader, KeyPlace, ModelPrice, ProviderState, ProviderTest,
    Reply, RunStatus,
};
use serde_json::json;
use testkit::ModelServer;
use testkit::model_server;

use crate::fixture::{AT_ONCE, Home, close, run, soon, start};
use crate::provided::{
    KEY, Place, add, add_with_key, agent_with, choose, execute, fields, for_key, keep_in_file,
    last_text, list_for, provider, providers, refused, save_settings, session_with, set_key,
    settings, start_in, test, use_by_default,
};
use crate::talk::Talk;

#[tokio::test]
async fn a_person_adds_a_provider_with_its_key_and_talks_to_it_without_a_window() {
    let server = ModelServer::start(for_key(KEY, "Hello from the server.")).unwrap();
    list_for(&server, KEY);
    let place = Place::new();
    let mut talk = Talk::start(place.host(), host::headless::AtEnd::Wait);
    let created = talk
        .ask(json!({ "type": "create_provider", "fields": {
            "name": "Mine", "dialect": "chat_completions", "base_url": server.url(),
            "is_enabled": true } }))
        .await;
    let id = created["ok"]["provider_id"].clone();
    assert_eq!(
        created["ok"]["state"],
        json!({ "state": "ok" }),
        "{created}"
    );
    assert_eq!(created["ok"]["secrets"], json!(null));
    let kept = talk
        .ask(json!({ "type": "set_provider_key", "provider_id": id, "key": KEY }))
        .await;
    assert_eq!(
        kept["ok"]["secrets"],
        json!([{ "place": "keychain" }]),
        "{kept}"
    );
    let tested = talk
        .ask(json!({ "type": "test_provider", "provider_id": id }))
        .await;
    assert_eq!(
        tested["ok"]["test"],
        json!({ "result": "works", "models": 2 })
    );
    let listed = talk
        .ask(json!({ "type": "refresh_models", "provider_id": id }))
        .await;
    let large = &listed["ok"]["models"][0];
    assert_eq!(
        (&large["name"], &large["context_tokens"]),
        (&json!("large"), &json!(128_000))
    );
    assert_eq!(large["price"], json!(null), "unknown is not 0");
    let app = talk.ask(json!({ "type": "get_app" })).await;
    assert_eq!(app["ok"]["model"]["id"], "guide");
    let model = app["ok"]["models"][1]["id"].clone();
    assert_eq!(model, json!(format!("{}/large", id.as_str().unwrap())));
    assert_eq!(app["ok"]["models"][1]["label"], "large (Mine)");
    let session = talk.ask(json!({ "type": "create_session" })).await;
    let session_id = session["ok"]["session_id"].clone();
    let chosen = talk
        .ask(json!({ "type": "set_session_model", "session_id": session_id, "model": model }))
        .await;
    assert_eq!(chosen["ok"]["model"], model, "{chosen}");
    let started = talk
        .ask(json!({ "type": "start_run", "session_id": session_id, "text": "Hello" }))
        .await;
    assert!(started["ok"]["run_id"].is_string(), "{started}");
    talk.end_input();
    talk.ended().await;
    assert_eq!(server.count(), 1);
    let host = place.host();
    let session_id = session_id.as_str().unwrap().parse().unwrap();
    assert_eq!(last_text(&host, session_id).await, "Hello from the server.");
    assert_eq!(
        providers(&host).await[0].models.len(),
        2,
        "a restart keeps the list"
    );
    close(&host).await;
}

#[tokio::test]
async fn two_providers_have_a_model_of_the_same_name_and_each_gets_its_own_key() {
    let one = ModelServer::start(for_key("first-key-of-two", "I am the first.")).unwrap();
    let two = ModelServer::start(for_key("second-key-of-two", "I am the second.")).unwrap();
    let place = Place::new();
    let host = place.host();
    let first = add_with_key(&host, fields("One", &one), "first-key-of-two").await;
    let second = add_with_key(&host, fields("Two", &two), "second-key-of-two").await;
    for (provider_id, said) in [(first, "I am the first."), (second, "I am the second.")] {
        let session = session_with(&host, format!("{provider_id}/large")).await;
        let run_id = start_in(&host, session, "Who are you?").await;
        soon(host.engine.idle()).await;
        assert_eq!(last_text(&host, session).await, said);
        assert_eq!(
            run(&host, run_id).await.model,
            format!("{provider_id}/large")
        );
    }
    assert_eq!((one.count(), two.count()), (1, 1));
    close(&host).await;
}

/// Those that the scripted server speaks; the others have their tests beside their codecs.
#[tokio::test]
async fn each_dialect_puts_the_key_where_it_belongs_or_where_the_person_says() {
    let place = Place::new();
    let host = place.host();
    for (dialect, said, name, value) in [
        (
            Dialect::ChatCompletions,
            None,
            "authorization",
            format!("Bearer {KEY}"),
        ),
        (
            Dialect::Responses,
            None,
            "authorization",
            format!("Bearer {KEY}"),
        ),
        (Dialect::Anthropic, None, "x-api-key", KEY.to_owned()),
        (
            Dialect::Anthropic,
            Some(KeyHeader::Bearer),
            "authorization",
            format!("Bearer {KEY}"),
        ),
    ] {
        let server = ModelServer::start(model_server::Reply::text("Understood.")).unwrap();
        let mut given = fields(dialect.as_str(), &server);
        given.dialect = dialect;
        given.options.key_header = said;
        let provider_id = add_with_key(&host, given, KEY).await;
        let session = session_with(&host, format!("{provider_id}/a/b:c")).await;
        start_in(&host, session, "Hello").await;
        soon(host.engine.idle()).await;
        assert_eq!(
            last_text(&host, session).await,
            "Understood.",
            "{dialect:?}"
        );
        let sent = &server.requests()[0];
        assert_eq!(sent.headers[name], value, "{dialect:?}");
        assert_eq!(sent.body["model"], "a/b:c");
    }
    close(&host).await;
}

#[tokio::test]
async fn a_restart_keeps_providers_keys_lists_and_choices() {
    let server = ModelServer::start(for_key(KEY, "Still here.")).unwrap();
    list_for(&server, KEY);
    let place = Place::new();
    let host = place.host();
    keep_in_file(&host).await;
    let provider_id = add_with_key(&host, fields("Mine", &server), KEY).await;
    provider(&host, Command::RefreshModels { provider_id }).await;
    use_by_default(&host, format!("{provider_id}/large")).await;
    let before = providers(&host).await;
    assert_eq!(before[0].secrets[0].place, KeyPlace::File);
    assert!(place.keychain.names().is_empty());
    close(&host).await;
    let host = place.host();
    assert_eq!(providers(&host).await, before);
    assert_eq!(host.engine.app_info().model.label, "large (Mine)");
    let (session, run_id) = start(&host, "Are you there?").await;
    soon(host.engine.idle()).await;
    assert_eq!(run(&host, run_id).await.status, RunStatus::Completed);
    assert_eq!(last_text(&host, session).await, "Still here.");
    close(&host).await;
}

#[tokio::test]
async fn a_session_changes_its_model_between_two_runs_and_goes_before_its_agent() {
    let one = ModelServer::start(model_server::Reply::text("One.")).unwrap();
    let two = ModelServer::start(model_server::Reply::text("Two.")).unwrap();
    let place = Place::new();
    let host = place.host();
    let first = add(&host, fields("One", &one)).await;
    let second = add(&host, fields("Two", &two)).await;
    let agent = agent_with(&host, "Clerk", format!("{first}/m")).await;
    let create = Command::CreateSession {
        session_id: None,
        title: None,
        agent_id: Some(agent.agent_id),
    };
    let Reply::Session(session) = execute(&host, create).await.unwrap() else {
        panic!("another reply");
    };
    let session = session.session_id;
    for (chosen, said) in [
        (None, "One."),
        (Some(format!("{second}/m")), "Two."),
        (Some("guide".to_owned()), ""),
        (None, "One."),
    ] {
        choose(&host, session, chosen).await.unwrap();
        start_in(&host, session, "Hello").await;
        soon(host.engine.idle()).await;
        let text = last_text(&host, session).await;
        assert!(text == said || said.is_empty() && text.len() > 20, "{text}");
    }
    let unknown = choose(&host, session, Some("prv_x/y".to_owned())).await;
    assert_eq!(unknown.unwrap_err().code, ErrorCode::InvalidValue);
    close(&host).await;
}

#[tokio::test]
async fn a_provider_that_is_removed_during_a_run_ends_nothing_that_was_begun() {
    let hanging = model_server::Reply::text("It was begun and it ends.").hang_after(2);
    let server = ModelServer::start(hanging).unwrap();
    let place = Place::new();
    let host = place.host();
    let provider_id = add(&host, fields("Mine", &server)).await;
    let session = session_with(&host, format!("{provider_id}/m")).await;
    let run_id = start_in(&host, session, "Hello").await;
    while server.count() == 0 {
        tokio::task::yield_now().await;
    }
    let delete = |anyway| Command::DeleteProvider {
        provider_id,
        anyway,
    };
    let (code, message) = refused(&host, delete(false)).await;
    assert_eq!(code, ErrorCode::NotActionable);
    assert_eq!(message, "Models of this provider are used by one session.");
    execute(&host, delete(true)).await.unwrap();
    assert!(providers(&host).await.is_empty());
    server.release();
    soon(host.engine.idle()).await;
    assert_eq!(run(&host, run_id).await.status, RunStatus::Completed);
    assert_eq!(last_text(&host, session).await, "It was begun and it ends.");
    // The next run says what is missing, and is tried again once another model is chosen.
    let run_id = start_in(&host, session, "And now?").await;
    soon(host.engine.idle()).await;
    let failed = run(&host, run_id).await;
    assert_eq!(failed.status, RunStatus::Failed);
    let message = failed.error.unwrap().message;
    assert_eq!(
        message,
        format!("The model {provider_id}/m is not available any more.")
    );
    choose(&host, session, None).await.unwrap();
    let retry = Command::RetryRun {
        run_id,
        request_key: None,
    };
    execute(&host, retry).await.unwrap();
    soon(host.engine.idle()).await;
    assert!(
        last_text(&host, session).await.len() > 20,
        "the guide answers"
    );
    close(&host).await;
}

#[tokio::test]
async fn whoever_uses_a_provider_is_named_before_it_goes() {
    let server = ModelServer::start(model_server::Reply::text("x")).unwrap();
    let place = Place::new();
    let host = place.host();
    let provider_id = add(&host, fields("Mine", &server)).await;
    agent_with(&host, "Clerk", format!("{provider_id}/m")).await;
    use_by_default(&host, format!("{provider_id}/m")).await;
    let delete = |anyway| Command::DeleteProvider {
        provider_id,
        anyway,
    };
    let (_, message) = refused(&host, delete(false)).await;
    assert_eq!(
        message,
        "Models of this provider are used by the agent Clerk, the setting for the default model."
    );
    execute(&host, delete(true)).await.unwrap();
    // A setting that names a model which is gone can be kept, and does not fall back in silence.
    let kept = settings(&host).await;
    save_settings(&host, kept.clone()).await.unwrap();
    assert_eq!(host.engine.app_info().model.id, format!("{provider_id}/m"));
    let mut other = kept;
    other.default_model = Some("prv_1/unknown".to_owned());
    let refused = save_settings(&host, other).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidValue);
    close(&host).await;
}

#[tokio::test]
async fn an_edit_compares_its_revision_and_a_disabled_provider_answers_nobody() {
    let server = ModelServer::start(model_server::Reply::text("x")).unwrap();
    let place = Place::new();
    let host = place.host();
    let provider_id = add(&host, fields("Mine", &server)).await;
    let update = |revision, is_enabled| {
        let mut fields = fields("Ours", &server);
        fields.is_enabled = is_enabled;
        Command::UpdateProvider {
            provider_id,
            fields,
            revision,
        }
    };
    let updated = provider(&host, update(1, false)).await;
    assert_eq!(
        (updated.revision, updated.state),
        (2, ProviderState::Disabled {})
    );
    assert_eq!(refused(&host, update(1, true)).await.0, ErrorCode::Conflict);
    let model = format!("{provider_id}/m");
    assert!(
        choose(
            &host,
            session_with(&host, "guide".to_owned()).await,
            Some(model)
        )
        .await
        .is_err()
    );
    provider(&host, update(2, true)).await;
    session_with(&host, format!("{provider_id}/m")).await;
    close(&host).await;
}

// RUN-21
#[tokio::test]
async fn what_a_run_cost_is_counted_where_the_price_is_known() {
    let said = model_server::Reply::text("Done.").usage(1_000, 100, 0);
    let server = ModelServer::start(said).unwrap();
    let place = Place::new();
    let host = place.host();
    let mut priced = fields("Mine", &server);
    let price = ModelPrice {
        input: 2_000_000,
        output: 10_000_000,
        cache_read: None,
        cache_write: None,
        up_to_input_tokens: None,
    };
    priced.options.prices.insert("m".to_owned(), price);
    let provider_id = add(&host, priced).await;
    for (model, cost) in [("m", Some(3_000)), ("other", None)] {
        let session = session_with(&host, format!("{provider_id}/{model}")).await;
        let run_id = start_in(&host, session, "Hello").await;
        soon(host.engine.idle()).await;
        let usage = run(&host, run_id).await.usage;
        assert_eq!(usage.sum.cost_microusd, cost, "{usage:?}");
    }
    close(&host).await;
}

#[tokio::test]
async fn a_test_says_exactly_what_is_wrong() {
    let server = ModelServer::start(for_key(KEY, "x")).unwrap();
    let place = Place::new();
    let host = place.host();
    let provider_id = add(&host, fields("Mine", &server)).await;
    let (found, _) = test(&host, provider_id).await;
    assert!(
        matches!(found, ProviderTest::WrongServer { .. }),
        "{found:?}"
    );
    list_for(&server, KEY);
    let (found, view) = test(&host, provider_id).await;
    assert!(
        matches!(found, ProviderTest::KeyRefused { .. }),
        "{found:?}"
    );
    assert!(matches!(view.state, ProviderState::Paused { .. }));
    let view = provider(&host, set_key(provider_id, KEY)).await;
    assert_eq!(view.state, ProviderState::Ok {});
    let (found, _) = test(&host, provider_id).await;
    assert_eq!(found, ProviderTest::Works { models: 2 });
    place.keychain.lose_all();
    // What was read before is used until something changes; then it is looked for again.
    close(&host).await;
    let host = place.host();
    let (found, _) = test(&host, provider_id).await;
    let ProviderTest::KeyUnavailable { message } = found else {
        panic!("{found:?}");
    };
    assert!(message.contains("no longer"), "{message}");
    let mut gone = fields("Mine", &server);
    gone.base_url = "http://127.0.0.1:9/v1".to_owned();
    let gone = add(&host, gone).await;
    let (found, _) = test(&host, gone).await;
    assert!(matches!(found, ProviderTest::NoNetwork { .. }), "{found:?}");
    close(&host).await;
}

#[tokio::test]
async fn the_command_line_says_who_answers_for_this_start() {
    let told = ModelServer::start(model_server::Reply::text("I was told.")).unwrap();
    let server = ModelServer::start(model_server::Reply::text("I was set.")).unwrap();
    let place = Place::new();
    let host = place.host();
    let provider_id = add(&host, fields("Mine", &server)).await;
    use_by_default(&host, format!("{provider_id}/m")).await;
    close(&host).await;
    let mut options = place.options();
    let mut endpoint = models::Endpoint::new(told.url(), "x");
    endpoint.id = "chat:x".to_owned();
    options.endpoint = Some(endpoint);
    let with_told = host::Host::start(&options).unwrap();
    let (session, _) = start(&with_told, "Hello").await;
    soon(with_told.engine.idle()).await;
    assert_eq!(last_text(&with_told, session).await, "I was told.");
    close(&with_told).await;
    let host = place.host();
    let (session, _) = start(&host, "Hello").await;
    soon(host.engine.idle()).await;
    assert_eq!(last_text(&host, session).await, "I was set.");
    close(&host).await;
}

#[tokio::test]
async fn an_old_home_has_no_providers_and_the_guide_answers() {
    let home = Home::new();
    let host = home.host(AT_ONCE);
    assert!(providers(&host).await.is_empty());
    assert_eq!(host.engine.app_info().model.id, "guide");
    close(&host).await;
}
