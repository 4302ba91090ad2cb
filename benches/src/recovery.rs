//! Recovery: many sessions, some of whose runs were going when their process died.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use crate::actors::{Answer, Asking, FOR_EVER};
use crate::meter::{Lane, Watch, timed};
use crate::scene::{Scene, together};

/// Sessions that are filled at once.
const AT_ONCE: usize = 64;
/// Calls of the run that each session has behind it.
const CALLS: usize = 3;

pub(crate) fn open(folder: &Path) -> Result<Scene> {
    let lanes: Arc<[Lane]> = Arc::from([]);
    let model = Arc::new(Asking {
        lanes: Arc::clone(&lanes),
        calls: CALLS,
    });
    Scene::open(folder, model, vec![Arc::new(Answer { lanes })])
}

/// Leaves the sessions behind; the caller ends the process without closing anything.
pub(crate) async fn crash(folder: &Path, sessions: u32, interrupted: u32) -> Result<Value> {
    let scene = open(folder)?;
    let mut ids = Vec::new();
    let numbers: Vec<u32> = (0..sessions).collect();
    for some in numbers.chunks(AT_ONCE) {
        let begun = together(some.iter().map(|number| {
            let (scene, text) = (scene.clone(), number.to_string());
            async move {
                let session_id = scene.create_session(None).await?;
                scene.start_run(session_id, &text).await?;
                Ok(session_id)
            }
        }))
        .await?;
        scene.engine.idle().await;
        ids.extend(begun);
    }
    let going = ids.into_iter().take(interrupted as usize);
    together(going.map(|session_id| {
        let scene = scene.clone();
        async move { scene.start_run(session_id, FOR_EVER).await }
    }))
    .await?;
    while scene.engine.held().calls < interrupted as usize {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(json!({"sessions": sessions, "interrupted": interrupted}))
}

/// From nothing to an engine that takes commands: the lock, the check of every page after an exit
/// that was not clean, and the sweep.
pub(crate) async fn measure(folder: &Path) -> Result<Value> {
    let watch = Watch::start()?;
    let (scene, took) = timed(async { open(folder) }).await;
    let scene = scene?;
    let (_, cpu_s) = watch.stop()?;
    let interrupted = scene.recovered.interrupted;
    scene.close().await?;
    Ok(json!({
        "milliseconds": took.as_secs_f64() * 1_000.0,
        "cpu_milliseconds": cpu_s * 1_000.0,
        "interrupted": interrupted,
    }))
}
