//! What helps to find a fault.

use std::fs;

use host::diagnostics;

use crate::fixture::{AT_ONCE, Home, close, soon, start};

const PLANTED: &str = "PLANTED-5518-tides-of-the-heart";

// SEC-6
#[tokio::test]
async fn diagnostics_count_and_check_while_the_app_runs_and_hold_no_text() {
    let home = Home::new();
    let host = home.host(AT_ONCE);
    start(&host, PLANTED).await;
    soon(host.engine.idle()).await;
    let found = diagnostics::collect(home.path());
    assert_eq!(found["database"]["check"], "ok");
    assert_eq!(found["database"]["rows"]["sessions"], 1);
    assert_eq!(found["database"]["rows"]["messages"], 2);
    assert!(found["files"]["holdfast.db"].as_u64().unwrap() > 0);
    assert!(!found.to_string().contains(PLANTED));
    // And the app is not disturbed.
    start(&host, "Again").await;
    soon(host.engine.idle()).await;
    close(&host).await;
}

// STO-10
#[tokio::test]
async fn diagnostics_work_with_a_damaged_database_and_change_nothing() {
    let home = Home::new();
    let host = home.host(AT_ONCE);
    start(&host, PLANTED).await;
    soon(host.engine.idle()).await;
    close(&host).await;
    let database = home.path().join("holdfast.db");
    let mut bytes = fs::read(&database).unwrap();
    bytes[..4096].fill(0x5a);
    fs::write(&database, &bytes).unwrap();
    let found = diagnostics::collect(home.path());
    assert_ne!(found["database"]["check"], "ok", "{found}");
    assert_eq!(found["app"], env!("CARGO_PKG_VERSION"));
    assert!(!found.to_string().contains(PLANTED));
    assert_eq!(fs::read(&database).unwrap(), bytes);
}

// SEC-6
#[test]
fn the_end_of_the_log_is_included_without_its_secrets_however_it_was_cut() {
    let home = Home::new();
    let logs = home.path().join("logs");
    fs::create_dir_all(&logs).unwrap();
    let secret = "hunter2hunter2";
    let mut log =
        format!("{{\"event\": \"a.b.c\", \"message\": \"api_key={secret}\"}}\n").into_bytes();
    // A crash in the middle of a character.
    log.extend([b'{', 0xc3]);
    fs::write(logs.join("holdfast.log"), log).unwrap();
    let found = diagnostics::collect(home.path());
    assert_eq!(found["log"][0]["event"], "a.b.c");
    assert_eq!(found["log"].as_array().unwrap().len(), 2);
    assert!(!found.to_string().contains(secret));
}

#[test]
fn diagnostics_of_a_folder_that_is_not_there_say_so_and_make_none() {
    let home = Home::new();
    let missing = home.path().join("missing");
    let found = diagnostics::collect(&missing);
    assert!(found["database"]["error"].is_string(), "{found}");
    assert!(!missing.exists());
}
