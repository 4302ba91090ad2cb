//! A real engine is followed; the window and the system are in the test's hands.

use std::sync::{Arc, Mutex};

use host::{Host, HostOptions};
use protocol::{AttentionKind, RunId, SessionId, Settings};

use super::*;

/// What a person would see, and what the test decides of it.
#[derive(Debug, Default)]
struct Seen {
    titles: Vec<String>,
    shown: Vec<Notice>,
    is_focused: bool,
    is_broken: bool,
    /// How often something was about to be shown.
    looks: usize,
    tries: usize,
}

#[derive(Debug, Clone, Default)]
struct FakeScreen(Arc<Mutex<Seen>>);

impl FakeScreen {
    fn with<T>(&self, look: impl FnOnce(&mut Seen) -> T) -> T {
        look(&mut self.0.lock().unwrap())
    }

    async fn until(&self, what: &str, is_so: impl Fn(&Seen) -> bool) {
        let waited = timeout(Duration::from_secs(60), async {
            while !self.with(|seen| is_so(seen)) {
                sleep(Duration::from_millis(5)).await;
            }
        });
        assert!(waited.await.is_ok(), "never came: {what}; {self:?}");
    }
}

impl Screen for FakeScreen {
    fn set_title(&self, title: &str) {
        self.with(|seen| seen.titles.push(title.to_owned()));
    }

    fn is_focused(&self) -> bool {
        self.with(|seen| {
            seen.looks += 1;
            seen.is_focused
        })
    }

    fn show(&self, notice: Notice) -> Showing {
        let answer = self.with(|seen| {
            seen.tries += 1;
            if seen.is_broken {
                return Err("no such service".to_owned());
            }
            seen.shown.push(notice);
            Ok(())
        });
        Box::pin(async move { answer })
    }
}

/// A session whose run was cut off by the end of the app, and the engine that found it.
async fn interrupted(folder: &std::path::Path) -> (Host, SessionId, RunId) {
    let mut options = HostOptions::new(folder);
    options.guide.word_pause = Duration::from_secs(5);
    let host = Host::start(&options).unwrap();
    let start = Command::StartRun {
        session_id: None,
        text: "Tides".to_owned(),
        request_key: None,
    };
    let Reply::RunStarted {
        session_id, run_id, ..
    } = host.engine.execute(start).await.unwrap()
    else {
        panic!("not started")
    };
    host.close().await.unwrap();
    (Host::start(&options).unwrap(), session_id, run_id)
}

fn follow(host: &Host, screen: &FakeScreen) -> tokio::task::JoinHandle<()> {
    let pace = Pace {
        gather: Duration::from_millis(20),
        gather_at_start: Duration::from_millis(20),
        try_again: Duration::from_secs(600),
    };
    tokio::spawn(Follower::new(host.engine.clone(), screen.clone(), pace).run())
}

async fn rename(host: &Host, session_id: SessionId, title: &str) {
    let title = title.to_owned();
    let rename = Command::RenameSession { session_id, title };
    host.engine.execute(rename).await.unwrap();
}

/// ATT-3: tried again until it is shown, noted then, and not told by the next process.
#[tokio::test(flavor = "multi_thread")]
async fn a_need_is_told_once_whatever_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let (host, session_id, run_id) = interrupted(folder.path()).await;
    let kind = AttentionKind::Interrupted;
    let screen = FakeScreen::default();
    screen.with(|seen| seen.is_broken = true);
    let follower = follow(&host, &screen);
    screen.until("a try", |seen| seen.tries == 1).await;
    assert!(!host.engine.notice_shown(run_id, kind).await.unwrap());
    screen.with(|seen| seen.is_broken = false);
    rename(&host, session_id, "High water").await;
    screen
        .until("the notice", |seen| seen.shown.len() == 1)
        .await;
    let notice = screen.with(|seen| seen.shown[0].clone());
    assert_eq!(notice.summary, "High water: the run was interrupted");
    assert_eq!(notice.session_id, session_id);
    let noted = timeout(Duration::from_secs(60), async {
        while !host.engine.notice_shown(run_id, kind).await.unwrap() {
            sleep(Duration::from_millis(5)).await;
        }
    });
    noted.await.unwrap();
    follower.abort();

    let next = FakeScreen::default();
    let follower = follow(&host, &next);
    next.until("a look", |seen| seen.looks == 1).await;
    next.until("the title", |seen| seen.titles == ["(1) Holdfast"])
        .await;
    host.engine
        .execute(Command::CancelRun { run_id })
        .await
        .unwrap();
    next.until("the title", |seen| {
        seen.titles == ["(1) Holdfast", "Holdfast"]
    })
    .await;
    assert_eq!(next.with(|seen| seen.tries), 0);
    host.close().await.unwrap();
    // It ends with its engine.
    timeout(Duration::from_secs(60), follower)
        .await
        .unwrap()
        .unwrap();
}

/// ATT-3: whoever looks at the window, or wants none, gets no notification; the title says it.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_told_to_whoever_sees_it_or_wants_it_not() {
    for is_focused in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let (host, session_id, run_id) = interrupted(folder.path()).await;
        if !is_focused {
            let settings = Settings {
                notifications: false,
                ..Settings::default()
            };
            let update = Command::UpdateSettings { settings };
            host.engine.execute(update).await.unwrap();
        }
        let screen = FakeScreen::default();
        screen.with(|seen| seen.is_focused = is_focused);
        let follower = follow(&host, &screen);
        screen.until("a look", |seen| seen.looks == 1).await;
        screen.with(|seen| seen.is_focused = false);
        rename(&host, session_id, "High water").await;
        sleep(Duration::from_millis(200)).await;
        let (tries, titles) = screen.with(|seen| (seen.tries, seen.titles.clone()));
        assert_eq!((tries, titles), (0, vec!["(1) Holdfast".to_owned()]));
        let kind = AttentionKind::Interrupted;
        assert!(!host.engine.notice_shown(run_id, kind).await.unwrap());
        host.close().await.unwrap();
        follower.await.unwrap();
    }
}
