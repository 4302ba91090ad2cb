//! Durable steps: every session's run asks for one tool call after the other.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::actors::{Answer, Asking};
use crate::meter::{Lane, Watch, percentile_us};
use crate::scene::{Scene, together};

pub(crate) async fn measure(folder: &Path, sessions: u32, steps: u32) -> Result<Value> {
    let lanes: Arc<[Lane]> = (0..sessions).map(|_| Lane::default()).collect();
    let model = Arc::new(Asking {
        lanes: Arc::clone(&lanes),
        calls: steps as usize / 2,
    });
    let tool = Arc::new(Answer {
        lanes: Arc::clone(&lanes),
    });
    let scene = Scene::open(folder, model, vec![tool])?;
    let agent_id = scene.tireless_agent().await?;
    let mut ids = Vec::new();
    for _ in 0..sessions {
        ids.push(scene.create_session(Some(agent_id)).await?);
    }
    let watch = Watch::start()?;
    let runs = together(ids.into_iter().enumerate().map(|(lane, session_id)| {
        let scene = scene.clone();
        async move { scene.start_run(session_id, &lane.to_string()).await }
    }))
    .await?;
    scene.engine.idle().await;
    let (wall_s, cpu_s) = watch.stop()?;
    let mut completed = 0;
    for run_id in runs {
        completed += scene.steps_of(run_id).await?;
    }
    scene.close().await?;
    // The calls, the replies that asked for them, and the reply that ended the run.
    let expected = sessions * (steps / 2 * 2 + 1);
    ensure!(completed == expected, "{completed} steps of {expected}");
    let mut waits: Vec<_> = lanes.iter().flat_map(Lane::waits).collect();
    Ok(json!({
        "steps": completed,
        "seconds": wall_s,
        "cpu_seconds": cpu_s,
        "p50_us": percentile_us(&mut waits, 50),
        "p95_us": percentile_us(&mut waits, 95),
    }))
}
