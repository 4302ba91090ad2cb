//! Memory: of an engine that is idle, and of runs that are going.

use std::path::Path;

use anyhow::Result;
use protocol::Command;
use serde_json::{Value, json};

use crate::actors::FOR_EVER;
use crate::meter::resident_kb;
use crate::recovery::open;
use crate::scene::together;

pub(crate) async fn measure(folder: &Path, running: u32) -> Result<Value> {
    let scene = open(folder)?;
    // As a window does at its start.
    let list = Command::ListSessions {
        limit: None,
        after: None,
        archived: false,
    };
    scene.execute(list).await?;
    let idle_kb = resident_kb()?;
    let mut ids = Vec::new();
    for _ in 0..running {
        ids.push(scene.create_session(None).await?);
    }
    let before_kb = resident_kb()?;
    together(ids.into_iter().map(|session_id| {
        let scene = scene.clone();
        async move { scene.start_run(session_id, FOR_EVER).await }
    }))
    .await?;
    while scene.engine.held().calls < running as usize {
        tokio::task::yield_now().await;
    }
    let running_kb = resident_kb()?;
    scene.close().await?;
    let each_kb = running_kb.saturating_sub(before_kb) as f64 / f64::from(running.max(1));
    Ok(json!({
        "idle_kilobytes": idle_kb,
        "kilobytes_per_running_session": each_kb,
    }))
}
