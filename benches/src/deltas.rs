//! Streaming: pieces that are committed while models talk as fast as they are listened to.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value, json};

use crate::actors::Talking;
use crate::meter::Watch;
use crate::scene::{Scene, together};

/// A token or two.
const PIECE: &str = "some words ";

pub(crate) async fn measure(folder: &Path, sessions: u32, pieces: u32) -> Result<Value> {
    let model = Arc::new(Talking {
        pieces: pieces as usize,
        piece: PIECE.to_owned(),
    });
    let scene = Scene::open(folder, model, Vec::new())?;
    let mut ids = Vec::new();
    for _ in 0..sessions {
        ids.push(scene.create_session(None).await?);
    }
    let watch = Watch::start()?;
    let runs = together(ids.into_iter().map(|session_id| {
        let scene = scene.clone();
        async move { scene.start_run(session_id, "Talk.").await }
    }))
    .await?;
    scene.engine.idle().await;
    let (wall_s, cpu_s) = watch.stop()?;
    for run_id in runs {
        scene.steps_of(run_id).await?;
    }
    scene.close().await?;
    let said = f64::from(sessions) * f64::from(pieces);
    Ok(json!({
        "pieces_per_second": said / wall_s,
        "bytes_per_second": said * PIECE.len() as f64 / wall_s,
        "cpu_microseconds_per_piece": cpu_s * 1_000_000.0 / said,
    }))
}
