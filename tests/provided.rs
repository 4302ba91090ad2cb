//! What the tests of providers have in common: a server that wants a key, and ways to set it up.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail};
use protocol::{
    Command, Dialect, KeyPlace, ProviderFields, ProviderId, ProviderOptions, Reply, Secret,
};
use serde_json::json;
use testkit::model_server::{self, Headers, Request};
use testkit::{Headless, ModelServer, Window, WindowOptions};

/// A key that can be found again wherever it should not be.
pub(crate) const KEY: &str = "CANARY51d0a7WINDOW";
/// Another one.
pub(crate) const OTHER_KEY: &str = "CANARY9e33f2WINDOW";
/// One provider on the models page.
pub(crate) const PROVIDER: &str = "[data-testid=provider-card]";

/// A server with the models `large` and `small` that only answers whoever has its key.
pub(crate) struct Service {
    pub(crate) server: ModelServer,
    wanted: Arc<Mutex<&'static str>>,
}

impl Service {
    pub(crate) fn start(script: impl model_server::Script) -> Result<Self> {
        let wanted = Arc::new(Mutex::new(KEY));
        let (asked, listed) = (Arc::clone(&wanted), Arc::clone(&wanted));
        let server = ModelServer::start(move |request: &Request| {
            if has_key(&request.headers, &asked) {
                script.reply(request)
            } else {
                refusal()
            }
        })?;
        server.list_models(move |headers| {
            if has_key(headers, &listed) {
                models()
            } else {
                refusal()
            }
        });
        Ok(Self { server, wanted })
    }

    /// Another key is the right one from now on.
    pub(crate) fn want(&self, key: &'static str) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = key;
    }
}

/// What a server with two models says.
pub(crate) fn models() -> model_server::Reply {
    let list = json!({ "object": "list", "data": [
        { "id": "large", "context_length": 128_000 }, { "id": "small" } ] });
    model_server::Reply::body(200, "application/json", &list.to_string())
}

fn has_key(headers: &Headers, wanted: &Mutex<&'static str>) -> bool {
    let wanted = *wanted.lock().unwrap_or_else(PoisonError::into_inner);
    headers.get("authorization").map(String::as_str) == Some(&format!("Bearer {wanted}"))
}

fn refusal() -> model_server::Reply {
    let error = json!({ "error": { "message": "Incorrect API key", "code": "invalid_api_key" } });
    model_server::Reply::error(401, &error)
}

/// Sets a provider up before the window opens, with its key in the file and its models listed.
pub(crate) fn add_before(folder: &Path, name: &str, service: &Service) -> Result<ProviderId> {
    let mut app = Headless::start(folder, &[])?;
    let Reply::Settings(mut settings) = app.must(&Command::GetSettings {})? else {
        bail!("no settings")
    };
    settings.key_store = KeyPlace::File;
    app.must(&Command::UpdateSettings { settings })?;
    let created = app.must(&Command::CreateProvider {
        fields: ProviderFields {
            name: name.to_owned(),
            dialect: Dialect::ChatCompletions,
            base_url: service.server.url(),
            headers: Vec::new(),
            options: ProviderOptions::default(),
            is_enabled: true,
        },
    })?;
    let Reply::Provider(created) = created else {
        bail!("no provider: {created:?}")
    };
    let provider_id = created.provider_id;
    app.must(&Command::SetProviderKey {
        provider_id,
        header: None,
        key: Secret::new(KEY),
    })?;
    app.must(&Command::RefreshModels { provider_id })?;
    app.close()?;
    Ok(provider_id)
}

/// The same, and its large model answers by default.
pub(crate) fn add_default(folder: &Path, name: &str, service: &Service) -> Result<ProviderId> {
    let provider_id = add_before(folder, name, service)?;
    let mut app = Headless::start(folder, &[])?;
    let Reply::Settings(mut settings) = app.must(&Command::GetSettings {})? else {
        bail!("no settings")
    };
    settings.default_model = Some(format!("{provider_id}/large"));
    app.must(&Command::UpdateSettings { settings })?;
    app.close()?;
    Ok(provider_id)
}

/// Fills in the form of a service that no preset names, and saves it.
pub(crate) async fn write_provider(window: &Window, url: &str, key: &str) -> Result<()> {
    window.click("open-models").await?;
    window.click_css("[data-preset='Another service']").await?;
    window.rewrite("provider-name", "Mine").await?;
    window.rewrite("provider-address", url).await?;
    window.rewrite("provider-key", key).await?;
    window.click("provider-save").await
}

/// A window that leaves the page of the first start as it is.
pub(crate) fn first_run(folder: &Path) -> WindowOptions {
    WindowOptions {
        meets_first_run: true,
        ..WindowOptions::new(folder, 0)
    }
}

/// Everything that the page holds, what is written in fields too.
pub(crate) async fn page(window: &Window) -> Result<String> {
    let all = "return document.documentElement.outerHTML
        + [...document.querySelectorAll('input, textarea')].map(it => it.value).join()";
    let found = window.script(all).await?;
    Ok(found.as_str().unwrap_or_default().to_owned())
}
