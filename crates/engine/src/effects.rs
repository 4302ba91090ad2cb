//! What is done after a commit.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use protocol::{ErrorClass, RunError, StepId};
use tokio::runtime::Handle;
use tracing::Instrument;

use crate::Engine;
use crate::calls::CallHandle;
use crate::decide::Effect;
use crate::drive::{self, Call};
use crate::work::{self, Job, Looked};

/// Called in the order of the commits, so that a stop always finds the call it has to end.
pub(crate) fn perform(engine: &Engine, effect: Effect, runtime: &Handle) {
    match effect {
        Effect::CallModel {
            session_id,
            run_id,
            step_id,
            attempt,
            asking,
        } => {
            // Whoever closes the engine interrupts the run; a call would only be in the way.
            if engine.inner.is_closing() {
                return;
            }
            let call = Call {
                session_id,
                run_id,
                step_id,
                attempt,
                asking,
            };
            call_model(engine, call, runtime);
        }
        Effect::HaltModel { session_id, run_id } => engine.inner.calls.halt(session_id, run_id),
        Effect::StartCall {
            session_id,
            run_id,
            call_id,
        } => {
            if engine.inner.is_closing() {
                return;
            }
            let job = Job {
                session_id,
                run_id,
                call_id,
            };
            spawn_job(engine, job, None, runtime);
        }
        Effect::RunCall {
            session_id,
            run_id,
            call_id,
            step_id,
            attempt,
        } => {
            let job = Job {
                session_id,
                run_id,
                call_id,
            };
            // Also while the engine closes: the intent is written, and its end must be.
            match engine.inner.jobs.unpark(call_id) {
                Some(looked) => {
                    let started = Some((looked, (step_id, attempt)));
                    spawn_job(engine, job, started, runtime);
                }
                None => tracing::error!(name: "engine.call.not_parked", %call_id),
            }
        }
        Effect::HaltCalls { run_id } => engine.inner.jobs.halt(run_id),
    }
}

fn call_model(engine: &Engine, call: Call, runtime: &Handle) {
    let handle = engine.inner.calls.begin(call.session_id, call.run_id);
    let engine = engine.clone();
    let tasks = engine.inner.tasks.clone();
    let task = async move {
        // Made here and not by whoever commits: that thread may log elsewhere. The run's own id is
        // its trace id: it is stored, so it is the same after every restart.
        let span = tracing::info_span!(
            "run",
            trace_id = %call.run_id,
            session_id = %call.session_id,
            step_id = %call.step_id,
            attempt = call.attempt,
        );
        drive_safely(&engine, call, &handle).instrument(span).await;
        engine.inner.calls.end(call.session_id, &handle);
    };
    tasks.spawn_on(task, runtime);
}

/// Works on a call from its beginning, or from where its intent is written.
fn spawn_job(
    engine: &Engine,
    job: Job,
    started: Option<(Looked, (StepId, u32))>,
    runtime: &Handle,
) {
    // Every decision about a run names all calls that may start; most are being started already.
    let Some(cancel) = engine.inner.jobs.begin(job.call_id, job.run_id) else {
        return;
    };
    let engine = engine.clone();
    let tasks = engine.inner.tasks.clone();
    let task = async move {
        let span = tracing::info_span!(
            "call",
            trace_id = %job.run_id,
            session_id = %job.session_id,
            call_id = %job.call_id,
        );
        let working = async {
            match &started {
                None => work::work(&engine, job, &cancel).await,
                Some((looked, attempt)) => {
                    work::run_body(&engine, job, looked, *attempt, &cancel).await;
                }
            }
        };
        let worked = AssertUnwindSafe(working.instrument(span))
            .catch_unwind()
            .await;
        let is_wanted = engine.inner.jobs.end(job.call_id);
        match worked {
            Ok(()) if is_wanted => work::look_again(&engine, job).await,
            Ok(()) => {}
            // What was written stands; the next start takes it up.
            Err(_) => tracing::error!(name: "engine.call.panicked", call_id = %job.call_id),
        }
    };
    tasks.spawn_on(task, runtime);
}

/// A panic in a model fails its step, not the app.
async fn drive_safely(engine: &Engine, call: Call, handle: &CallHandle) {
    let result = AssertUnwindSafe(drive::drive(engine, call, handle))
        .catch_unwind()
        .await;
    if result.is_err() {
        tracing::error!(name: "engine.model.panicked", "a model client panicked");
        let error = RunError {
            class: ErrorClass::Internal,
            message: "The model client failed unexpectedly.".to_owned(),
        };
        drive::settle(engine, call, drive::failed(error), &handle.cancel).await;
    }
}
