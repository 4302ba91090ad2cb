//! Tells a person outside the window that sessions need them: in the window's title, and in a
//! notification. Which sessions do is what the engine says of them; nothing of it is decided here.

mod desktop;
mod plan;
mod screen;
mod words;

use std::collections::HashSet;
use std::convert::Infallible;
use std::pin::Pin;
use std::time::Duration;

use host::{Engine, Source};
use protocol::{Command, CommandError, ErrorCode, Reply};
use tokio::time::{Instant, sleep, timeout};

use plan::{Circumstances, Key, Pace, Plan};
pub(crate) use screen::{Focus, follow};
use words::Notice;

/// After the list could not be read.
const READ_AGAIN: Duration = Duration::from_secs(5);
/// A notification that the system takes longer for counts as not shown.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// What comes of asking the system to show something.
type Showing = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

/// Where a person is told: the window and the system around it.
trait Screen: Send + Sync + 'static {
    fn set_title(&self, title: &str);

    /// Whether the person looks at the window.
    fn is_focused(&self) -> bool;

    /// Shows a notification; a click on it opens its session.
    fn show(&self, notice: Notice) -> Showing;
}

/// Follows one engine until it closes.
struct Follower<S> {
    engine: Engine,
    screen: S,
    plan: Plan,
    started: Instant,
    title: String,
    has_warned: bool,
}

/// A notification that the system was asked to show, and what it tells of.
struct Asked {
    keys: Vec<Key>,
    showing: Showing,
}

impl<S: Screen> Follower<S> {
    fn new(engine: Engine, screen: S, pace: Pace) -> Self {
        Self {
            engine,
            screen,
            plan: Plan::new(pace),
            started: Instant::now(),
            title: words::window_title(0),
            has_warned: false,
        }
    }

    async fn run(mut self) {
        loop {
            let Err(error) = self.follow().await;
            if error.code == ErrorCode::Unavailable {
                return;
            }
            tracing::warn!(name: "shell.attention.unread", message = error.message);
            sleep(READ_AGAIN).await;
        }
    }

    async fn follow(&mut self) -> Result<Infallible, CommandError> {
        // Watched first and listed then: what changes in between is in both.
        let mut source = Source::List(self.engine.watch_sessions()?);
        let listed = self.engine.execute(Command::ListAttention {}).await?;
        if let Reply::Sessions { sessions, .. } = listed {
            self.plan.seed(&sessions, self.started.elapsed());
        }
        let mut asked = None;
        loop {
            self.say_title();
            tokio::select! {
                pushes = source.next() => {
                    self.plan.take(&pushes?, self.started.elapsed());
                }
                () = until(self.started, self.plan.due_at()), if asked.is_none() => {
                    // What is no longer needed by now is not told.
                    self.plan.take(&source.take_new().await?, self.started.elapsed());
                    asked = self.ask().await?;
                }
                shown = answer(&mut asked) => {
                    if let Some(Asked { keys, .. }) = asked.take() {
                        self.take_answer(&keys, shown).await;
                    }
                }
            }
        }
    }

    fn say_title(&mut self) {
        let title = words::window_title(self.plan.count());
        if title != self.title {
            self.screen.set_title(&title);
            self.title = title;
        }
    }

    /// Asks the system to show what is due, if anything is.
    async fn ask(&mut self) -> Result<Option<Asked>, CommandError> {
        let mut shown = HashSet::new();
        for (run_id, kind) in self.plan.untold() {
            if self.engine.notice_shown(run_id, kind).await? {
                shown.insert((run_id, kind));
            }
        }
        let settings = self.engine.execute(Command::GetSettings {}).await?;
        let needs = self.plan.decide(&Circumstances {
            is_focused: self.screen.is_focused(),
            is_silent: matches!(settings, Reply::Settings(settings) if !settings.notifications),
            shown,
        });
        Ok(words::notice_of(&needs).map(|notice| Asked {
            keys: needs.iter().map(plan::Need::key).collect(),
            showing: Box::pin(in_time(self.screen.show(notice))),
        }))
    }

    async fn take_answer(&mut self, keys: &[Key], shown: Result<(), String>) {
        if let Err(error) = shown {
            if !self.has_warned {
                tracing::warn!(name: "shell.notice.unshown", error);
            }
            self.has_warned = true;
            self.plan.note_unshown(self.started.elapsed());
            return;
        }
        self.has_warned = false;
        self.plan.note_shown(keys);
        for (run_id, kind) in keys {
            if let Err(error) = self.engine.note_notice(*run_id, *kind).await {
                // This process remembers it all the same.
                tracing::warn!(name: "shell.notice.unnoted", message = error.message);
            }
        }
    }
}

/// Waits for a time since the start; for ever if there is none.
async fn until(started: Instant, at: Option<Duration>) {
    match at {
        Some(at) => tokio::time::sleep_until(started + at).await,
        None => std::future::pending().await,
    }
}

async fn in_time(showing: Showing) -> Result<(), String> {
    let shown = timeout(ANSWER_WITHIN, showing).await;
    shown.unwrap_or_else(|_| Err("the system takes too long".to_owned()))
}

async fn answer(asked: &mut Option<Asked>) -> Result<(), String> {
    match asked {
        Some(asked) => asked.showing.as_mut().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
