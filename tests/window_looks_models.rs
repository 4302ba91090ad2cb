//! Pictures of the first start, of providers and their models, and of what goes wrong with them.

use anyhow::Result;
use serde_json::json;
use testkit::model_server::{Reply, Request};
use testkit::{Theme, Window, WindowOptions};

use crate::provided::{KEY, OTHER_KEY, Service, add_default, first_run};
use crate::scene::{REPLY, RUN};
use crate::window_looks::picture;

fn script(request: &Request) -> Reply {
    let error = |message: &str| json!({ "error": { "message": message } });
    match request.last_user_text() {
        "Are you there?" => Reply::error(503, &error("The model is overloaded with requests"))
            .header("retry-after", "90"),
        "Is there credit?" => {
            let broke = json!({ "error": { "message": "You exceeded your current quota",
                "type": "insufficient_quota", "code": "insufficient_quota" } });
            Reply::error(429, &broke)
        }
        "Use the large model" => Reply::error(400, &error("No such parameter: temperature")),
        _ => Reply::text("The tide turns at six, and the boat leaves at seven.").finish("length"),
    }
}

/// Every page, card and bar about models, wide and narrow, light and dark.
#[tokio::test]
async fn pages_about_models_can_be_seen_light_dark_wide_and_narrow() -> Result<()> {
    for (theme, name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        let folder = tempfile::tempdir()?;
        let options = WindowOptions {
            theme,
            ..first_run(folder.path())
        };
        let window = Window::open(&options).await?;
        window.find("first-run").await?;
        picture(&window, name, "first-run").await?;
        window.close().await?;
        let service = Service::start(script)?;
        add_default(folder.path(), "Harbour", &service)?;
        let window = Window::open(&options).await?;
        pages(&window, name).await?;
        bars(&window, &service, name).await?;
        window.close().await?;
    }
    Ok(())
}

async fn pages(window: &Window, theme: &str) -> Result<()> {
    window.click("open-models").await?;
    window.click("provider-models").await?;
    window.has("[data-testid=model-row]", 2).await?;
    picture(window, theme, "models").await?;
    window.click("provider-edit").await?;
    window.click("provider-advanced").await?;
    window.click("header-add").await?;
    window.rewrite("provider-key", "wrong").await?;
    window.click("provider-save").await?;
    window.find("provider-fault").await?;
    picture(window, theme, "provider-form").await?;
    window.rewrite("provider-key", KEY).await?;
    window.click("provider-save").await?;
    window.gone("[data-testid=provider-form]").await?;
    window.click("new-session").await?;
    window.click("model-picker").await?;
    window.find("model-list").await?;
    picture(window, theme, "model-picker").await?;
    window.press("\u{e00c}").await
}

async fn bars(window: &Window, service: &Service, theme: &str) -> Result<()> {
    begin(window, "When does the boat leave?").await?;
    window.find_css(REPLY).await?;
    window.gone(RUN).await?;
    picture(window, theme, "length-limit").await?;
    begin(window, "Are you there?").await?;
    window.find("run-try-now").await?;
    picture(window, theme, "retrying").await?;
    begin(window, "Use the large model").await?;
    window.find_css("[data-class=invalid_request]").await?;
    picture(window, theme, "failed-request").await?;
    begin(window, "Is there credit?").await?;
    window.find_css("[data-class=billing]").await?;
    picture(window, theme, "no-credit").await?;
    begin(window, "And now?").await?;
    window.find_css("[data-held=billing]").await?;
    picture(window, theme, "held").await?;
    window.click("run-resume-provider").await?;
    window.find_css(REPLY).await?;
    service.want(OTHER_KEY);
    begin(window, "Hello?").await?;
    window.find_css("[data-class=auth]").await?;
    picture(window, theme, "key-refused").await?;
    window.click("open-models").await?;
    window.find("provider-paused").await?;
    picture(window, theme, "models-paused").await?;
    service.want(KEY);
    Ok(())
}

async fn begin(window: &Window, text: &str) -> Result<()> {
    window.click("new-session").await?;
    window.find("empty-state").await?;
    window.send_message(text).await
}
