//! Against a real service on a bus of its own.
#![expect(
    clippy::disallowed_methods,
    reason = "the bus is a process, and so is whoever is on it"
)]

use std::collections::HashMap;
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use zbus::blocking::{Connection, connection};
use zbus::zvariant::OwnedValue;

use super::*;

const PATH: &str = "/org/freedesktop/Notifications";
const NAME: &str = "org.freedesktop.Notifications";
/// Set for the process that is on the bus.
const ON_BUS: &str = "HOLDFAST_TEST_ON_BUS";
/// Where nobody answers but whoever is there.
const BUS: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>"#;

#[derive(Debug, PartialEq, Eq)]
struct Asked {
    app: String,
    summary: String,
    body: String,
    actions: Vec<String>,
}

/// The service.
struct Service {
    asked: Sender<Asked>,
    count: u32,
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Service {
    #[expect(clippy::too_many_arguments, reason = "so it is specified")]
    fn notify(
        &mut self,
        app_name: String,
        _replaces_id: u32,
        _app_icon: String,
        summary: String,
        body: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _expire_timeout: i32,
    ) -> u32 {
        let asked = Asked {
            app: app_name,
            summary,
            body,
            actions,
        };
        self.asked.send(asked).unwrap();
        self.count += 1;
        self.count
    }

    fn get_capabilities(&self) -> Vec<String> {
        vec!["actions".to_owned(), "body-markup".to_owned()]
    }
}

fn serve() -> (Connection, Receiver<Asked>) {
    let (asked, received) = channel();
    let service = Service { asked, count: 0 };
    let connection = connection::Builder::session()
        .unwrap()
        .serve_at(PATH, service)
        .unwrap()
        .name(NAME)
        .unwrap()
        .build()
        .unwrap();
    (connection, received)
}

fn notice(summary: &str, body: &str) -> Notice {
    Notice {
        summary: summary.to_owned(),
        body: body.to_owned(),
        session_id: "ses_01920000000070008000000000000001".parse().unwrap(),
    }
}

/// The test again, in a process that is on a bus of its own.
fn on_a_bus(test: &str) -> bool {
    if std::env::var_os(ON_BUS).is_some() {
        return true;
    }
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("bus.conf");
    std::fs::write(&config, BUS).unwrap();
    let output = Command::new("dbus-run-session")
        .arg("--config-file")
        .arg(&config)
        .arg("--")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(ON_BUS, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    assert!(said.contains("1 passed"), "{said}");
    false
}

/// ATT-3: without a service it says so; with one it is shown as written, and a click is heard.
#[test]
fn a_notification_is_shown_and_its_click_is_heard() {
    if !on_a_bus("attention::desktop::tests::a_notification_is_shown_and_its_click_is_heard") {
        return;
    }
    let desktop = Desktop::default();
    let show = |notice, on_click: Box<dyn FnOnce() + Send>| {
        tauri::async_runtime::block_on(desktop.show(notice, on_click))
    };
    let unheard = || Box::new(|| panic!("nobody clicked"));
    let error = show(notice("Tides: the run failed", ""), unheard()).unwrap_err();
    assert!(error.contains("Notifications"), "{error}");

    let (connection, asked) = serve();
    let (clicked, clicks) = channel();
    let on_click = Box::new(move || clicked.send(()).unwrap());
    show(notice("Tides: the run failed", ""), on_click).unwrap();
    show(notice("2 sessions wait for you", "<b>A</b> & B"), unheard()).unwrap();
    let actions = vec!["default".to_owned(), "Open".to_owned()];
    let wanted = |summary: &str, body: &str| Asked {
        app: "Holdfast".to_owned(),
        summary: summary.to_owned(),
        body: body.to_owned(),
        actions: actions.clone(),
    };
    let received: Vec<Asked> = asked.try_iter().collect();
    assert_eq!(
        received,
        [
            wanted("Tides: the run failed", ""),
            wanted("2 sessions wait for you", "&lt;b&gt;A&lt;/b&gt; &amp; B"),
        ]
    );

    let invoke = |id: u32| {
        connection.emit_signal(None::<&str>, PATH, NAME, "ActionInvoked", &(id, "default"))
    };
    let dismiss = |id: u32| {
        let closed = (id, 2_u32);
        connection.emit_signal(None::<&str>, PATH, NAME, "NotificationClosed", &closed)
    };
    // It may not listen yet; nobody clicks that fast.
    let mut was_clicked = false;
    for _ in 0..200 {
        invoke(1).unwrap();
        if clicks.recv_timeout(Duration::from_millis(50)).is_ok() {
            was_clicked = true;
            break;
        }
    }
    assert!(was_clicked);
    // The other one is closed: its thread ends and has heard no click.
    let waits = || {
        let waits = desktop.waits.lock().unwrap();
        waits.iter().filter(|wait| !wait.is_closed()).count()
    };
    for _ in 0..200 {
        dismiss(2).unwrap();
        if waits() == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(waits(), 0);
}
