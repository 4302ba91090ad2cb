//! What a person does in the window beyond a click: answering a card, pressing keys, reading.

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fantoccini::Locator;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use serde_json::{Value, json};

use super::{Window, by_testid};
use crate::wait::eventually;

/// Which element has the focus, by the id that tests know.
const FOCUSED: &str = "const found = document.activeElement.closest('[data-testid]');
    return found ? found.dataset.testid : '';";

/// A click that counts has an effect by then; if not, the next one waits until it may count.
const TAKEN_WITHIN: Duration = Duration::from_secs(2);
const ANSWER_TRIES: usize = 10;

/// What the window shows first, one or the other.
const FIRST: &str = "[data-testid=first-run], [data-testid=composer-input], \
    [data-testid=resume-panel], [data-testid=start-failed]";

impl Window {
    /// Chooses the guide where the window asks who is to answer; elsewhere does nothing.
    pub(super) async fn pass_first_run(&self) -> Result<()> {
        self.find_css(FIRST).await?;
        if self.count("[data-testid=first-run]").await? > 0 {
            self.click("first-run-guide").await?;
            self.gone("[data-testid=first-run]").await?;
        }
        Ok(())
    }

    /// Clicks what a CSS selector finds, waiting for it to be there.
    pub async fn click_css(&self, css: &str) -> Result<()> {
        self.wait(&format!("{css} to be clickable"), || async {
            let element = self.client.find(Locator::Css(css)).await.ok()?;
            element.click().await.ok()
        })
        .await
    }

    /// Clicks a button that asks once more, and says yes.
    pub async fn click_and_confirm(&self, testid: &str) -> Result<()> {
        self.click(testid).await?;
        self.click_css(&format!("{}[data-confirm]", by_testid(testid)))
            .await
    }

    /// Clicks an answer of a card, once the card is in view and stands still. A click before that
    /// counts for nothing, and neither does one that meets a card which moved under the pointer:
    /// the answer is then still there, and is clicked again, as a person would.
    pub async fn answer(&self, card: &str, testid: &str) -> Result<()> {
        let answer = format!("{card} {}", by_testid(testid));
        for _ in 0..ANSWER_TRIES {
            self.ready(card, testid).await?;
            self.click_css(&answer).await?;
            let taken = self.gone(&answer);
            if tokio::time::timeout(TAKEN_WITHIN, taken).await.is_ok() {
                return Ok(());
            }
        }
        bail!("{answer} was clicked {ANSWER_TRIES} times in vain")
    }

    /// Waits until a click on this answer of a card would count.
    pub async fn ready(&self, card: &str, testid: &str) -> Result<()> {
        let answer = by_testid(testid);
        self.find_css(&format!("{card} {answer}")).await?;
        self.client
            .execute(
                "document.querySelector(arguments[0]).scrollIntoView({block: 'nearest'})",
                vec![json!(format!("{card} {answer}"))],
            )
            .await?;
        let ready = format!("{card}[data-ready=true] {answer}[aria-disabled=false]");
        self.find_css(&ready).await?;
        Ok(())
    }

    /// Presses these keys one after the other, wherever the focus is.
    pub async fn press(&self, keys: &str) -> Result<()> {
        let pressed =
            keys.chars()
                .fold(KeyActions::new("keyboard".to_owned()), |actions, value| {
                    actions
                        .then(KeyAction::Down { value })
                        .then(KeyAction::Up { value })
                });
        Ok(self.client.perform_actions(pressed).await?)
    }

    /// The test id of what has the focus; empty for what has none.
    pub async fn focused(&self) -> Result<String> {
        let found = self.client.execute(FOCUSED, vec![]).await?;
        Ok(found.as_str().unwrap_or_default().to_owned())
    }

    /// An attribute of everything that a selector finds, in the order of the page.
    pub async fn attributes(&self, css: &str, name: &str) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for element in self.client.find_all(Locator::Css(css)).await? {
            found.push(element.attr(name).await?.unwrap_or_default());
        }
        Ok(found)
    }

    /// What everything that a selector finds says, in the order of the page, seen or not.
    pub async fn texts(&self, css: &str) -> Result<Vec<String>> {
        let script =
            "return [...document.querySelectorAll(arguments[0])].map(it => it.textContent)";
        let found = self.client.execute(script, vec![json!(css)]).await?;
        Ok(serde_json::from_value(found)?)
    }

    /// Waits until the first element that a selector finds says these words; all that it says.
    pub async fn text_with(&self, css: &str, words: &str) -> Result<String> {
        self.wait(&format!("{words:?} in {css}"), || async {
            let texts = self.texts(css).await.ok()?;
            texts.into_iter().next().filter(|text| text.contains(words))
        })
        .await
    }

    /// Waits until so many elements are there, neither more nor fewer.
    pub async fn has(&self, css: &str, count: usize) -> Result<()> {
        self.wait(&format!("{count} of {css}"), || async {
            (self.count(css).await.ok()? == count).then_some(())
        })
        .await
    }

    /// Puts a text in the place of what a field holds.
    pub async fn rewrite(&self, testid: &str, text: &str) -> Result<()> {
        let field = self.find(testid).await?;
        field.clear().await?;
        Ok(field.send_keys(text).await?)
    }

    /// The id of the session that is open.
    pub async fn session_id(&self) -> Result<String> {
        let open = "[data-testid=session-row]:has([aria-current=page])";
        let id = self.find_css(open).await?.attr("data-session-id").await?;
        id.context("a session has an id")
    }

    /// The folder that the tools of the open session work in, which is there from the first
    /// write on.
    pub async fn workspace(&self) -> Result<PathBuf> {
        let session_id = self.session_id().await?;
        let name = session_id.trim_start_matches("ses_");
        Ok(self.data.join("workspaces").join(name))
    }

    /// Runs a script in the page.
    pub async fn script(&self, script: &str) -> Result<Value> {
        Ok(self.client.execute(script, vec![]).await?)
    }

    /// Waits, and keeps a picture when that was in vain.
    pub(super) async fn wait<T, F, Fut>(&self, what: &str, ask: F) -> Result<T>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Option<T>>,
    {
        let found = eventually(what, ask).await;
        if found.is_err() {
            // The thread of a test has its name.
            let test = std::thread::current();
            let name = test.name().unwrap_or_default().replace("::", "-");
            drop(self.screenshot(&format!("failed-{name}")).await);
        }
        found
    }
}
