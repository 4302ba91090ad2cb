//! The real window, driven by WebDriver as a person would use it.

mod acts;

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};
use fantoccini::elements::Element;
use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;

use crate::process::{Process, ask_process_to_end, command, is_running, kill_process};
use crate::wait::eventually;
use crate::{ModelServer, holdfast};

/// What was laid out in one frame is painted in the next, and what slides has arrived.
const SETTLED: &str = "const done = arguments[arguments.length - 1];
    const passing = () => document.getAnimations()
        .filter(found => found.effect.getTiming().iterations !== Infinity)
        .map(found => found.finished.catch(() => {}));
    requestAnimationFrame(() => requestAnimationFrame(() =>
        Promise.all(passing()).then(() => requestAnimationFrame(() => done()))));";

/// One driver gets this long to open the window before another one is tried.
const OPEN_WITHIN: Duration = Duration::from_secs(13);

/// How a window is opened.
#[derive(Debug, Clone)]
pub struct WindowOptions {
    /// Its data folder.
    pub data: PathBuf,
    /// The middle pause of the guide, in milliseconds.
    pub guide_pause_ms: u64,
    /// Where the model is; the guide answers when absent.
    pub model_url: Option<String>,
    /// Light or dark, as the system would say.
    pub theme: Theme,
    /// How large it is made; absent for as large as it opens.
    pub size: Option<(u32, u32)>,
    /// Whether the page of the first start is left as it is. Otherwise the guide is chosen there,
    /// as whoever wants to write at once does.
    pub meets_first_run: bool,
    /// Whether it reaches the session bus of whoever runs the test. There is the keychain, which no
    /// test talks to, and the way from a second start to the first.
    pub has_session_bus: bool,
    /// Where programs are looked for before all other places.
    pub programs: Option<PathBuf>,
}

/// What the system prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl WindowOptions {
    /// A light window whose guide speaks at this pace.
    pub fn new(data: &Path, guide_pause_ms: u64) -> Self {
        Self {
            data: data.to_owned(),
            guide_pause_ms,
            model_url: None,
            theme: Theme::Light,
            size: Some((1280, 800)),
            meets_first_run: false,
            has_session_bus: false,
            programs: None,
        }
    }

    /// A light window whose agents talk to this model.
    pub fn with_model(data: &Path, model: &ModelServer) -> Self {
        Self {
            model_url: Some(model.url()),
            ..Self::new(data, 0)
        }
    }
}

/// An open window.
#[derive(Debug)]
pub struct Window {
    client: Client,
    data: PathBuf,
    _driver: Process,
}

impl Window {
    /// Starts a driver of its own and opens the app through it. A driver that does not manage is
    /// replaced: its port may have been taken, and it never tries twice by itself.
    pub async fn open(options: &WindowOptions) -> Result<Self> {
        let (client, driver) = eventually("a WebDriver to open the window", || async {
            let port = free_port().ok()?;
            let driver = start_driver(options, port).ok()?;
            let opened = tokio::time::timeout(OPEN_WITHIN, connect(options, port)).await;
            let Ok(Ok(client)) = opened else {
                drop(driver);
                end_stray(options).await;
                return None;
            };
            Some((client, driver))
        })
        .await?;
        let window = Self {
            client,
            data: options.data.clone(),
            _driver: driver,
        };
        if let Some((width, height)) = options.size {
            window.resize(width, height).await?;
        }
        if options.model_url.is_none() && !options.meets_first_run {
            window.pass_first_run().await?;
        }
        Ok(window)
    }

    /// The WebDriver client, for what is not here.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Makes the window this large, and waits until the page is laid out for it.
    pub async fn resize(&self, width: u32, height: u32) -> Result<()> {
        self.client.set_window_rect(0, 0, width, height).await?;
        eventually(&format!("the page to be {width} wide"), || async {
            let found = self
                .client
                .execute("return window.innerWidth", vec![])
                .await
                .ok()?;
            (found.as_u64() == Some(u64::from(width))).then_some(())
        })
        .await?;
        self.client.execute_async(SETTLED, vec![]).await?;
        Ok(())
    }

    /// Waits for an element by its test id.
    pub async fn find(&self, testid: &str) -> Result<Element> {
        self.find_css(&by_testid(testid)).await
    }

    /// Waits for an element by a CSS selector.
    pub async fn find_css(&self, css: &str) -> Result<Element> {
        self.wait(css, || async {
            self.client.find(Locator::Css(css)).await.ok()
        })
        .await
    }

    /// How many elements there are at this moment.
    pub async fn count(&self, css: &str) -> Result<usize> {
        Ok(self.client.find_all(Locator::Css(css)).await?.len())
    }

    /// Waits until no such element is there.
    pub async fn gone(&self, css: &str) -> Result<()> {
        self.wait(&format!("{css} to be gone"), || async {
            matches!(self.count(css).await, Ok(0)).then_some(())
        })
        .await
    }

    /// Clicks an element, waiting for it to be there.
    pub async fn click(&self, testid: &str) -> Result<()> {
        self.click_css(&by_testid(testid)).await
    }

    /// Types a message and sends it.
    pub async fn send_message(&self, text: &str) -> Result<()> {
        self.find("composer-input").await?.send_keys(text).await?;
        self.click("composer-send").await
    }

    /// The text of the newest message that the selector finds, once it is as long as wanted.
    pub async fn text_of(&self, css: &str, min_chars: usize) -> Result<String> {
        self.wait(&format!("{min_chars} characters in {css}"), || async {
            let found = self.client.find_all(Locator::Css(css)).await.ok()?;
            let text = found.last()?.text().await.ok()?;
            (text.chars().count() >= min_chars).then_some(text)
        })
        .await
    }

    /// Keeps a picture of the window under `target/screenshots`.
    pub async fn screenshot(&self, name: &str) -> Result<PathBuf> {
        let folder = std::env::var_os("HOLDFAST_SCREENSHOTS")
            .map_or_else(|| PathBuf::from("../target/screenshots"), PathBuf::from);
        fs::create_dir_all(&folder)?;
        // A page that is stuck is still worth a picture.
        drop(self.client.execute_async(SETTLED, vec![]).await);
        let path = folder.join(format!("{name}.png"));
        fs::write(&path, self.client.screenshot().await?)?;
        Ok(path)
    }

    /// The process id of the app, as its lock file says.
    pub fn app_id(&self) -> Result<u32> {
        app_of(&self.data)
    }

    /// Ends the app at once, as a crash would, and waits until it is gone.
    pub async fn kill(self) -> Result<()> {
        let app = self.app_id()?;
        kill_process(app);
        eventually("the app to be gone", || async {
            (!is_running(app)).then_some(())
        })
        .await
    }

    /// Asks the app to end, as the system does at log-out, and waits until it has.
    pub async fn quit(self) -> Result<()> {
        let app = self.app_id()?;
        ask_process_to_end(app);
        eventually("the app to end", || async {
            (!is_running(app)).then_some(())
        })
        .await
    }

    /// Closes the window through the driver.
    pub async fn close(self) -> Result<()> {
        Ok(self.client.close().await?)
    }
}

fn by_testid(testid: &str) -> String {
    format!("[data-testid={testid:?}]")
}

/// An app that was opened too late for its driver would keep the folder from the next one.
async fn end_stray(options: &WindowOptions) {
    let Ok(app) = app_of(&options.data) else {
        return;
    };
    // The note may be an old one, of a process that is gone.
    let program = fs::read_link(format!("/proc/{app}/exe"));
    if program.is_ok_and(|program| program == holdfast()) {
        kill_process(app);
        drop(
            eventually("an app without its driver to be gone", || async {
                (!is_running(app)).then_some(())
            })
            .await,
        );
    }
}

/// The process that has the folder, as its lock file says.
fn app_of(data: &Path) -> Result<u32> {
    let text = fs::read_to_string(data.join("engine.lock"))?;
    text.trim()
        .parse()
        .context("the lock file holds no process id")
}

/// Connects to a driver as soon as it listens.
async fn connect(options: &WindowOptions, port: u16) -> Result<Client> {
    let url = format!("http://127.0.0.1:{port}");
    eventually("the driver to listen", || async {
        tokio::net::TcpStream::connect(("127.0.0.1", port))
            .await
            .ok()
    })
    .await?;
    let mut builder = ClientBuilder::new(HttpConnector::new());
    Ok(builder
        .capabilities(capabilities(options)?)
        .connect(&url)
        .await?)
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// One driver holds one session. The app inherits the driver's environment.
fn start_driver(options: &WindowOptions, port: u16) -> Result<Process> {
    let mut driver = command("WebKitWebDriver");
    driver
        .arg(format!("--port={port}"))
        .arg("--host=127.0.0.1")
        .env("TAURI_WEBVIEW_AUTOMATION", "true")
        .env("XDG_CONFIG_HOME", options.data.join("xdg-config"))
        .env("XDG_CACHE_HOME", options.data.join("xdg-cache"))
        .env("XDG_DATA_HOME", options.data.join("xdg-data"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if !options.has_session_bus {
        driver.env("DBUS_SESSION_BUS_ADDRESS", "disabled:");
    }
    if let Some(first) = &options.programs {
        let others = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(first.clone()).chain(std::env::split_paths(&others));
        driver.env("PATH", std::env::join_paths(all)?);
    }
    if options.theme == Theme::Dark {
        driver.env("GTK_THEME", "Adwaita:dark");
    }
    Process::start(&mut driver)
        .context("WebKitWebDriver is missing: run `cargo xtask setup --tests`")
}

fn capabilities(options: &WindowOptions) -> Result<Capabilities> {
    let mut arguments = vec![
        json!("--data"),
        json!(options.data),
        json!("--guide-pause-ms"),
        json!(options.guide_pause_ms.to_string()),
    ];
    if let Some(url) = &options.model_url {
        arguments.extend([json!("--model-url"), json!(url)]);
    }
    let capabilities = json!({
        "webkitgtk:browserOptions": { "binary": holdfast(), "args": arguments }
    });
    capabilities
        .as_object()
        .cloned()
        .context("capabilities are an object")
}
