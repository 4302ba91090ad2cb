//! What is done after a commit.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use protocol::{ErrorClass, RunError};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::Engine;
use crate::decide::{Effect, Outcome};
use crate::drive::{self, Call};

pub(crate) fn perform(engine: &Engine, effect: Effect) {
    match effect {
        Effect::CallModel {
            session_id,
            run_id,
            step_id,
            attempt,
        } => {
            call_model(
                engine,
                Call {
                    session_id,
                    run_id,
                    step_id,
                    attempt,
                },
            );
        }
        Effect::HaltModel { run_id } => {
            if let Some(call) = engine.inner.calls().remove(&run_id) {
                call.cancel();
            }
        }
    }
}

fn call_model(engine: &Engine, call: Call) {
    let cancel = CancellationToken::new();
    engine.inner.calls().insert(call.run_id, cancel.clone());
    // The run's own id is its trace id: it is stored, so it is the same after every restart.
    let span = tracing::info_span!(
        "run",
        trace_id = %call.run_id,
        session_id = %call.session_id,
        step_id = %call.step_id,
        attempt = call.attempt,
    );
    let owned = engine.clone();
    let task = async move {
        // A panic in a model fails its step, not the app.
        let result = AssertUnwindSafe(drive::drive(&owned, call, &cancel))
            .catch_unwind()
            .await;
        if result.is_err() {
            tracing::error!(name: "engine.model.panicked", "a model client panicked");
            let error = RunError {
                class: ErrorClass::Internal,
                message: "The model client failed unexpectedly.".to_owned(),
            };
            drive::settle(&owned, call, Outcome::Failed(error)).await;
        }
        // Only our own handle: a resumed run may have put its own there meanwhile.
        if !cancel.is_cancelled() {
            owned.inner.calls().remove(&call.run_id);
        }
    };
    engine.inner.tasks.spawn(task.instrument(span));
}
