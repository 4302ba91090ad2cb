//! A refused key pauses its provider once for everybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use host::Host;
use protocol::{
    Command, ErrorClass, ProviderId, ProviderState, ProviderTest, Reply, RunId, RunStatus,
    SessionId,
};
use serde_json::json;
use testkit::ModelServer;
use testkit::model_server::{self, Request};

use crate::fixture::{close, run, soon};
use crate::provided::{
    KEY, Place, add_with_key, execute, fields, for_key, last_text, list_for, provider, providers,
    refusal, session_with, set_key, start_in, test,
};

async fn in_need(host: &Host) -> usize {
    match execute(host, Command::ListAttention {}).await.unwrap() {
        Reply::Sessions { sessions, .. } => sessions.len(),
        other => panic!("{other:?}"),
    }
}

async fn begin(host: &Host, provider_id: ProviderId) -> (SessionId, RunId) {
    let session = session_with(host, format!("{provider_id}/m")).await;
    let run_id = start_in(host, session, "Hello").await;
    soon(host.engine.idle()).await;
    (session, run_id)
}

async fn class_of(host: &Host, provider_id: ProviderId) -> Option<ErrorClass> {
    let providers = providers(host).await;
    let mut views = providers.into_iter();
    let view = views.find(|view| view.provider_id == provider_id).unwrap();
    match view.state {
        ProviderState::Paused { class, .. } => Some(class),
        ProviderState::Ok {} | ProviderState::Disabled {} => None,
    }
}

// RUN-10
#[tokio::test]
async fn a_wrong_key_fails_one_run_and_the_others_wait_without_asking() {
    let server = ModelServer::start(for_key("the-good-one", "Now it works.")).unwrap();
    let other = ModelServer::start(model_server::Reply::text("Unconcerned.")).unwrap();
    let place = Place::new();
    let host = place.host();
    let mine = add_with_key(&host, fields("Mine", &server), KEY).await;
    let theirs = add_with_key(&host, fields("Theirs", &other), KEY).await;
    let (_, first) = begin(&host, mine).await;
    let failed = run(&host, first).await;
    assert_eq!(failed.status, RunStatus::Failed);
    let error = failed.error.unwrap();
    assert_eq!(error.class, ErrorClass::Auth);
    assert!(!error.message.contains(KEY), "{error:?}");
    assert_eq!(class_of(&host, mine).await, Some(ErrorClass::Auth));
    assert_eq!(server.count(), 1);
    let mut waiting = Vec::new();
    for _ in 0..3 {
        let (session, run_id) = begin(&host, mine).await;
        let held = run(&host, run_id).await;
        assert_eq!(held.status, RunStatus::Running);
        let retry = held.retry.unwrap();
        assert_eq!((retry.error.class, retry.failed), (ErrorClass::Auth, 0));
        assert!(
            retry.error.message.starts_with("Mine is paused: "),
            "{retry:?}"
        );
        waiting.push((session, run_id));
    }
    assert_eq!(server.count(), 1, "nothing more was sent");
    assert_eq!(in_need(&host).await, 1, "one need for all of them");
    let (session, _) = begin(&host, theirs).await;
    assert_eq!(last_text(&host, session).await, "Unconcerned.");
    // A restart changes nothing of it.
    close(&host).await;
    let host = place.host();
    assert_eq!(class_of(&host, mine).await, Some(ErrorClass::Auth));
    let (session, run_id) = begin(&host, mine).await;
    waiting.push((session, run_id));
    let message = run(&host, run_id).await.retry.unwrap().error.message;
    assert_eq!(message.matches("is paused").count(), 1, "{message}");
    assert_eq!(server.count(), 1);
    // The good key, and they all go on.
    let mended = provider(&host, set_key(mine, "the-good-one")).await;
    assert_eq!(mended.state, ProviderState::Ok {});
    soon(host.engine.idle()).await;
    for (session, run_id) in waiting {
        assert_eq!(run(&host, run_id).await.status, RunStatus::Completed);
        assert_eq!(last_text(&host, session).await, "Now it works.");
    }
    assert_eq!(server.count(), 5);
    close(&host).await;
}

// RUN-10
#[tokio::test]
async fn requests_that_were_under_way_wait_too_and_only_the_first_fails() {
    let asked = Arc::new(AtomicUsize::new(0));
    let is_good = {
        let asked = Arc::clone(&asked);
        move |_: &Request| {
            // All three are there before the first is refused.
            asked.fetch_add(1, Ordering::SeqCst);
            while asked.load(Ordering::SeqCst) < 3 {
                std::thread::yield_now();
            }
            refusal()
        }
    };
    let server = ModelServer::start(is_good).unwrap();
    let place = Place::new();
    let host = place.host();
    let mine = add_with_key(&host, fields("Mine", &server), KEY).await;
    let mut runs = Vec::new();
    for _ in 0..3 {
        let session = session_with(&host, format!("{mine}/m")).await;
        runs.push(start_in(&host, session, "Hello").await);
    }
    soon(host.engine.idle()).await;
    let mut failed = 0;
    for run_id in runs {
        let found = run(&host, run_id).await;
        failed += usize::from(found.status == RunStatus::Failed);
        assert_eq!(found.status == RunStatus::Running, found.retry.is_some());
    }
    assert_eq!(failed, 1);
    assert_eq!(in_need(&host).await, 1);
    close(&host).await;
}

#[tokio::test]
async fn no_credit_pauses_and_a_test_that_works_lets_everyone_go_on() {
    let left = Arc::new(AtomicUsize::new(0));
    let script = {
        let left = Arc::clone(&left);
        move |_: &Request| {
            if left.load(Ordering::SeqCst) == 0 {
                let error =
                    json!({ "error": { "message": "No credit.", "code": "insufficient_quota" } });
                return model_server::Reply::error(429, &error);
            }
            model_server::Reply::text("Paid.")
        }
    };
    let server = ModelServer::start(script).unwrap();
    list_for(&server, KEY);
    let place = Place::new();
    let host = place.host();
    let mine = add_with_key(&host, fields("Mine", &server), KEY).await;
    let (_, first) = begin(&host, mine).await;
    assert_eq!(
        run(&host, first).await.error.unwrap().class,
        ErrorClass::Billing
    );
    let (session, held) = begin(&host, mine).await;
    assert_eq!(server.count(), 1);
    assert_eq!(class_of(&host, mine).await, Some(ErrorClass::Billing));
    left.store(1, Ordering::SeqCst);
    let (found, view) = test(&host, mine).await;
    assert_eq!(found, ProviderTest::Works { models: 2 });
    assert_eq!(view.state, ProviderState::Ok {});
    soon(host.engine.idle()).await;
    assert_eq!(run(&host, held).await.status, RunStatus::Completed);
    assert_eq!(last_text(&host, session).await, "Paid.");
    close(&host).await;
}

#[tokio::test]
async fn resuming_tries_again_and_a_key_that_is_still_wrong_pauses_again() {
    let server = ModelServer::start(refusal()).unwrap();
    let place = Place::new();
    let host = place.host();
    let mine = add_with_key(&host, fields("Mine", &server), KEY).await;
    begin(&host, mine).await;
    let (_, held) = begin(&host, mine).await;
    let resume = Command::ResumeProvider { provider_id: mine };
    provider(&host, resume.clone()).await;
    soon(host.engine.idle()).await;
    assert_eq!(
        run(&host, held).await.status,
        RunStatus::Failed,
        "it was the first to hear it"
    );
    assert_eq!(class_of(&host, mine).await, Some(ErrorClass::Auth));
    assert_eq!(server.count(), 2);
    // A run that waits can be stopped, and goes on waiting when it is resumed.
    let (_, held) = begin(&host, mine).await;
    execute(&host, Command::StopRun { run_id: held })
        .await
        .unwrap();
    execute(&host, Command::ResumeRun { run_id: held })
        .await
        .unwrap();
    soon(host.engine.idle()).await;
    assert!(run(&host, held).await.retry.is_some());
    assert_eq!(server.count(), 2);
    close(&host).await;
}

#[tokio::test]
async fn a_keychain_that_is_locked_pauses_like_a_refused_key() {
    let server = ModelServer::start(for_key(KEY, "Open.")).unwrap();
    let place = Place::new();
    let host = place.host();
    let mine = add_with_key(&host, fields("Mine", &server), KEY).await;
    close(&host).await;
    let host = place.host();
    place.keychain.break_with(host::keys::KeyError::Locked);
    let (_, first) = begin(&host, mine).await;
    let error = run(&host, first).await.error.unwrap();
    assert_eq!(error.class, ErrorClass::Auth);
    assert!(error.message.contains("locked"), "{error:?}");
    let (session, _) = begin(&host, mine).await;
    assert_eq!(server.count(), 0);
    place.keychain.break_with(None);
    provider(&host, Command::ResumeProvider { provider_id: mine }).await;
    soon(host.engine.idle()).await;
    assert_eq!(last_text(&host, session).await, "Open.");
    close(&host).await;
}

/// One model or one text may be refused to a key that is good for all others.
#[tokio::test]
async fn what_a_key_may_not_do_fails_its_run_and_pauses_nothing() {
    let script = |request: &Request| {
        if request.body.to_string().contains("forbidden fruit") {
            let error = json!({ "error": { "message": "Not you.", "type": "permission_error" } });
            return model_server::Reply::error(403, &error);
        }
        model_server::Reply::text("Of course.")
    };
    let server = ModelServer::start(script).unwrap();
    let place = Place::new();
    let host = place.host();
    let mine = add_with_key(&host, fields("Mine", &server), KEY).await;
    let session = session_with(&host, format!("{mine}/m")).await;
    let refused = start_in(&host, session, "forbidden fruit").await;
    soon(host.engine.idle()).await;
    let error = run(&host, refused).await.error.unwrap();
    assert_eq!(error.class, ErrorClass::Permission);
    assert_eq!(class_of(&host, mine).await, None);
    let (session, _) = begin(&host, mine).await;
    assert_eq!(last_text(&host, session).await, "Of course.");
    close(&host).await;
}
