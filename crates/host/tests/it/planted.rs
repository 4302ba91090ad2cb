//! Where a key is found after it was given, used and refused: nowhere.

use std::fs;
use std::path::{Path, PathBuf};

use host::{Host, diagnostics};
use protocol::{Command, ExportFormat, ProviderHeader, Reply, Secret, SessionId};
use serde_json::{Value, json};
use testkit::ModelServer;

use crate::fixture::{close, soon};
use crate::logs::log_to;
use crate::provided::{
    KEY, Place, add_with_key, fields, for_key, keep_in_file, list_for, refusal, session_with,
    start_in,
};
use crate::talk::Talk;

const IN_HEADER: &str = "CANARY-header-93b0-BASALT";

/// Also as it would look encoded.
fn forms(secret: &str) -> [Vec<u8>; 3] {
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    [
        secret.as_bytes().to_vec(),
        hex.into_bytes(),
        secret.to_lowercase().into_bytes(),
    ]
}

fn is_in(bytes: &[u8]) -> bool {
    let mut needles = forms(KEY).into_iter().chain(forms(IN_HEADER));
    needles.any(|needle| bytes.windows(needle.len()).any(|window| window == needle))
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found
}

/// Everything that is answered and pushed while a session with a good key, one with a refused key
/// and everything that can be asked about them goes through headless.
async fn everything_said(host: Host, sessions: &[SessionId], provider_id: &str) -> Vec<Value> {
    let mut said = Vec::new();
    let mut talk = Talk::start(host, host::headless::AtEnd::Wait);
    let id = provider_id;
    let mut commands = vec![
        json!({ "type": "set_provider_key", "provider_id": id, "key": KEY }),
        json!({ "type": "set_provider_key", "provider_id": id, "key": [KEY] }),
        json!({ "type": "set_provider_key", "provider_id": KEY, "key": KEY }),
        json!({ "type": "set_provider_key", "provider_id": id, "key": KEY, "kex": KEY }),
        json!({ "type": "set_provider_key", "provider_id": id, KEY: "key" }),
        json!({ "type": "set_provider_key", "provider_id": id, "header": [KEY], "key": KEY }),
        json!({ "type": "set_provider_key", "provider_id": id, "key": KEY, "header": KEY }),
        json!({ "type": "set_provider_key", "provider_id": id, "key": format!("{KEY}\n") }),
        json!({ "type": "test_provider", "provider_id": id }),
        json!({ "type": "refresh_models", "provider_id": id }),
        json!({ "type": "list_providers" }),
        json!({ "type": "get_app" }),
        json!({ "type": "get_settings" }),
        json!({ "type": "list_attention" }),
    ];
    for session_id in sessions {
        commands.extend([
            json!({ "type": "subscribe", "session_id": session_id, "after_seq": 0 }),
            json!({ "type": "get_session", "session_id": session_id }),
            json!({ "type": "export_session", "session_id": session_id, "format": "json" }),
            json!({ "type": "export_session", "session_id": session_id, "format": "markdown" }),
        ]);
    }
    for command in commands {
        said.push(talk.ask(command).await);
    }
    talk.end_input();
    said.extend(talk.ended().await);
    said
}

// SEC-1
#[tokio::test]
async fn a_key_is_nowhere_but_where_it_is_kept() {
    let good = ModelServer::start(for_key(KEY, "Thank you.")).unwrap();
    list_for(&good, KEY);
    let bad = ModelServer::start(refusal()).unwrap();
    bad.list_models(|_| refusal());
    let place = Place::new();
    let _logging = log_to(&place.home);
    let host = place.host();
    let mut given = fields("Good", &good);
    given.headers = vec![ProviderHeader {
        name: "X-Team".to_owned(),
        value: None,
    }];
    let in_keychain = add_with_key(&host, given, KEY).await;
    keep_in_file(&host).await;
    let header = Command::SetProviderKey {
        provider_id: in_keychain,
        header: Some("X-Team".to_owned()),
        key: Secret::new(IN_HEADER),
    };
    soon(host.engine.execute(header)).await.unwrap();
    let in_file = add_with_key(&host, fields("Bad", &bad), KEY).await;
    let mut sessions = Vec::new();
    for provider_id in [in_keychain, in_file, in_file] {
        let session = session_with(&host, format!("{provider_id}/m")).await;
        start_in(&host, session, "Hello").await;
        soon(host.engine.idle()).await;
        sessions.push(session);
    }
    assert_eq!(
        good.requests()[0].headers["x-team"],
        IN_HEADER,
        "it was used"
    );
    assert_eq!(bad.count(), 1, "it was refused");
    for format in [ExportFormat::Json, ExportFormat::Markdown] {
        let export = Command::ExportSession {
            session_id: sessions[1],
            format,
        };
        let exported = soon(host.engine.execute(export)).await.unwrap();
        assert!(matches!(exported, Reply::Exported { .. }));
        assert!(!is_in(format!("{exported:?}").as_bytes()));
    }
    host.engine.backup().unwrap();
    let engine = host.engine.clone();
    for said in everything_said(host, &sessions, &in_file.to_string()).await {
        assert!(!is_in(said.to_string().as_bytes()), "{said}");
    }
    assert!(
        !is_in(format!("{engine:?}").as_bytes()),
        "not even to whoever debugs"
    );
    let host = place.host();
    let found = diagnostics::collect(place.home.path()).to_string();
    assert!(!is_in(found.as_bytes()));
    close(&host).await;
    let files = files_below(place.home.path());
    for must in ["holdfast.db", "keys.sealed", "holdfast.log"] {
        assert!(
            files.iter().any(|path| path.ends_with(must)),
            "{must} in {files:?}"
        );
    }
    assert!(
        files
            .iter()
            .any(|path| path.parent().unwrap().ends_with("backups"))
    );
    for path in files {
        assert!(!is_in(&fs::read(&path).unwrap()), "{}", path.display());
    }
    assert!(!std::env::vars().any(|(_, value)| is_in(value.as_bytes())));
}

/// The search itself finds what it looks for.
#[test]
fn a_planted_key_would_be_found() {
    assert!(is_in(format!("before {KEY} after").as_bytes()));
    assert!(is_in(format!("{:?}", IN_HEADER.to_lowercase()).as_bytes()));
    assert!(!is_in(b"nothing"));
}
