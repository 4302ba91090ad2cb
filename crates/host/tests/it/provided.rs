//! Providers of a test: a scripted server behind a socket, a keychain in memory, and the commands.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use host::keys::{KeyError, Keys};
use host::{Host, HostOptions};
use models::SecretString;
use protocol::{
    AgentFields, AgentView, Command, CommandError, Dialect, ErrorCode, KeyPlace, ProviderFields,
    ProviderId, ProviderTest, ProviderView, Reply, RunId, RunLimits, Secret, SessionId, Settings,
};
use secrecy::ExposeSecret;
use serde_json::json;
use testkit::ModelServer;
use testkit::model_server::{self, Headers, Request};

use crate::fixture::{AT_ONCE, Home, soon};

/// Recognisable, and in no shape that the log would take out by itself.
pub(crate) const KEY: &str = "CANARY7c1e44f0b2QUARTZ";

/// A keychain that lives as long as the test, or is out of order.
#[derive(Debug, Default)]
pub(crate) struct MemoryKeys {
    kept: Mutex<BTreeMap<String, SecretString>>,
    broken: Mutex<Option<KeyError>>,
}

impl MemoryKeys {
    pub(crate) fn names(&self) -> Vec<String> {
        self.kept().keys().cloned().collect()
    }

    pub(crate) fn break_with(&self, error: impl Into<Option<KeyError>>) {
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = error.into();
    }

    pub(crate) fn lose_all(&self) {
        self.kept().clear();
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, SecretString>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self) -> Result<(), KeyError> {
        let broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        broken.clone().map_or(Ok(()), Err)
    }
}

impl Keys for MemoryKeys {
    fn put(&self, name: &str, key: &SecretString) -> Result<(), KeyError> {
        self.check()?;
        let key = SecretString::from(key.expose_secret());
        self.kept().insert(name.to_owned(), key);
        Ok(())
    }

    fn get(&self, name: &str) -> Result<Option<SecretString>, KeyError> {
        self.check()?;
        Ok(self.kept().get(name).cloned())
    }

    fn remove(&self, name: &str) -> Result<(), KeyError> {
        self.check()?;
        self.kept().remove(name);
        Ok(())
    }
}

/// A home with a keychain that outlives the host.
pub(crate) struct Place {
    pub(crate) home: Home,
    pub(crate) keychain: Arc<MemoryKeys>,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            home: Home::new(),
            keychain: Arc::default(),
        }
    }

    pub(crate) fn options(&self) -> HostOptions {
        HostOptions {
            keychain: Some(Arc::<MemoryKeys>::clone(&self.keychain)),
            ..self.home.options(AT_ONCE)
        }
    }

    pub(crate) fn host(&self) -> Host {
        Host::start(&self.options()).unwrap()
    }
}

pub(crate) fn fields(name: &str, server: &ModelServer) -> ProviderFields {
    ProviderFields {
        name: name.to_owned(),
        dialect: Dialect::ChatCompletions,
        base_url: server.url(),
        headers: Vec::new(),
        options: protocol::ProviderOptions::default(),
        is_enabled: true,
    }
}

/// Answers only whoever has the key.
pub(crate) fn for_key(key: &'static str, text: &'static str) -> impl model_server::Script {
    move |request: &Request| {
        if has_key(&request.headers, key) {
            model_server::Reply::text(text)
        } else {
            refusal()
        }
    }
}

/// Lists two models to whoever has the key.
pub(crate) fn list_for(server: &ModelServer, key: &'static str) {
    server.list_models(move |headers| {
        if has_key(headers, key) {
            let list = json!({ "object": "list", "data": [
                { "id": "large", "context_length": 128_000 }, { "id": "small" } ] });
            model_server::Reply::body(200, "application/json", &list.to_string())
        } else {
            refusal()
        }
    });
}

fn has_key(headers: &Headers, key: &str) -> bool {
    headers.get("authorization").map(String::as_str) == Some(&format!("Bearer {key}"))
}

/// What servers say about a wrong key; some repeat it.
pub(crate) fn refusal() -> model_server::Reply {
    let message = format!("Incorrect API key provided: {KEY}");
    let error = json!({ "error": { "message": message, "code": "invalid_api_key" } });
    model_server::Reply::error(401, &error)
}

pub(crate) async fn execute(host: &Host, command: Command) -> Result<Reply, CommandError> {
    soon(host.engine.execute(command)).await
}

pub(crate) async fn refused(host: &Host, command: Command) -> (ErrorCode, String) {
    let error = execute(host, command).await.unwrap_err();
    (error.code, error.message)
}

pub(crate) async fn provider(host: &Host, command: Command) -> ProviderView {
    match execute(host, command).await.unwrap() {
        Reply::Provider(provider) => *provider,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn providers(host: &Host) -> Vec<ProviderView> {
    match execute(host, Command::ListProviders {}).await.unwrap() {
        Reply::Providers { providers } => providers,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn add(host: &Host, fields: ProviderFields) -> ProviderId {
    let created = provider(host, Command::CreateProvider { fields }).await;
    created.provider_id
}

pub(crate) fn set_key(provider_id: ProviderId, key: &str) -> Command {
    Command::SetProviderKey {
        provider_id,
        header: None,
        key: Secret::new(key),
    }
}

pub(crate) async fn add_with_key(host: &Host, fields: ProviderFields, key: &str) -> ProviderId {
    let provider_id = add(host, fields).await;
    provider(host, set_key(provider_id, key)).await;
    provider_id
}

pub(crate) async fn test(host: &Host, provider_id: ProviderId) -> (ProviderTest, ProviderView) {
    match execute(host, Command::TestProvider { provider_id })
        .await
        .unwrap()
    {
        Reply::ProviderTested { test, provider } => (test, *provider),
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn settings(host: &Host) -> Settings {
    match execute(host, Command::GetSettings {}).await.unwrap() {
        Reply::Settings(settings) => settings,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn save_settings(host: &Host, settings: Settings) -> Result<Reply, CommandError> {
    execute(host, Command::UpdateSettings { settings }).await
}

pub(crate) async fn use_by_default(host: &Host, model: String) {
    let before = settings(host).await;
    let default_model = Some(model);
    let after = Settings {
        default_model,
        ..before
    };
    save_settings(host, after).await.unwrap();
}

pub(crate) async fn keep_in_file(host: &Host) {
    let before = settings(host).await;
    let key_store = KeyPlace::File;
    let after = Settings {
        key_store,
        ..before
    };
    save_settings(host, after).await.unwrap();
}

pub(crate) async fn choose(
    host: &Host,
    session_id: SessionId,
    model: Option<String>,
) -> Result<Reply, CommandError> {
    execute(host, Command::SetSessionModel { session_id, model }).await
}

/// A session that is created with its model before anything is said in it.
pub(crate) async fn session_with(host: &Host, model: String) -> SessionId {
    let create = Command::CreateSession {
        session_id: None,
        title: None,
        agent_id: None,
    };
    let Reply::Session(session) = execute(host, create).await.unwrap() else {
        panic!("another reply");
    };
    choose(host, session.session_id, Some(model)).await.unwrap();
    session.session_id
}

pub(crate) async fn start_in(host: &Host, session_id: SessionId, text: &str) -> RunId {
    let command = Command::StartRun {
        session_id: Some(session_id),
        text: text.to_owned(),
        request_key: None,
    };
    match execute(host, command).await.unwrap() {
        Reply::RunStarted { run_id, .. } => run_id,
        other => panic!("{other:?}"),
    }
}

/// What was said in a session, the last message.
pub(crate) async fn last_text(host: &Host, session_id: SessionId) -> String {
    let command = Command::GetSession {
        session_id,
        limit: None,
    };
    match execute(host, command).await.unwrap() {
        Reply::Snapshot(snapshot) => snapshot.messages.last().unwrap().text(),
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn agent_with(host: &Host, name: &str, model: String) -> AgentView {
    let fields = AgentFields {
        name: name.to_owned(),
        instructions: None,
        model: Some(model),
        tools: None,
        limits: RunLimits::default(),
    };
    match execute(host, Command::CreateAgent { fields })
        .await
        .unwrap()
    {
        Reply::Agent(agent) => agent,
        other => panic!("{other:?}"),
    }
}
