//! Running the body of a tool call: with a deadline, an end on demand, and its panics kept inside.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use protocol::{EffectClass, ErrorClass};
use store::CallRow;
use tokio_util::sync::CancellationToken;

use super::Looked;
use crate::Engine;
use crate::decide::CallEnd;
use crate::tool::{Output, ToolContext, ToolError};

/// A body that was told to end gets this long.
const STOP_WITHIN: Duration = Duration::from_secs(5);

pub(super) async fn run(engine: &Engine, looked: &Looked, cancel: &CancellationToken) -> CallEnd {
    let context = ToolContext {
        cancel: cancel.clone(),
        state: looked.state.clone(),
        withheld: looked.withheld.clone(),
    };
    let call = &looked.call;
    // A tool may also break before its work even begins.
    let body = async {
        let Looked {
            tool,
            input,
            intent,
            ..
        } = looked;
        tool.run(input, intent, &context).await
    };
    let body = AssertUnwindSafe(body).catch_unwind();
    tokio::pin!(body);
    let deadline = looked.tool.deadline();
    let ended = tokio::select! {
        biased;
        ended = &mut body => Some(ended),
        () = cancel.cancelled() => tokio::time::timeout(STOP_WITHIN, &mut body).await.ok(),
        () = tokio::time::sleep(deadline) => {
            cancel.cancel();
            return match tokio::time::timeout(STOP_WITHIN, &mut body).await {
                Ok(Ok(Ok(output))) => CallEnd::Completed(output),
                // It ended what it had begun: that is a failure, and nobody is in doubt.
                Ok(Ok(Err(error))) if error.is_definite => CallEnd::Failed(late(deadline, &error)),
                Ok(Ok(Err(_)) | Err(_)) | Err(_) => overdue(deadline),
            };
        }
    };
    let is_cancelled = cancel.is_cancelled();
    match ended {
        None => missed(engine, call),
        Some(Err(_)) => {
            tracing::error!(name: "engine.tool.panicked", tool = call.view.tool);
            CallEnd::Unseen {
                class: ErrorClass::Internal,
                reason: "The tool failed unexpectedly.".to_owned(),
            }
        }
        Some(Ok(result)) => seen(engine, call, result, is_cancelled),
    }
}

fn seen(
    engine: &Engine,
    call: &CallRow,
    result: Result<Output, ToolError>,
    is_cancelled: bool,
) -> CallEnd {
    let may_repeat = call.view.effect != EffectClass::Once;
    match result {
        Ok(output) => CallEnd::Completed(output),
        Err(_) if is_cancelled && may_repeat => halted(engine),
        Err(error) if error.is_definite => CallEnd::Failed(error),
        Err(error) => CallEnd::Unseen {
            class: error.class,
            reason: error.message,
        },
    }
}

/// A call that may be run again was told to end: by the person, or because the app closes.
fn halted(engine: &Engine) -> CallEnd {
    if engine.inner.is_closing() {
        CallEnd::Interrupted
    } else {
        CallEnd::Stopped
    }
}

fn missed(engine: &Engine, call: &CallRow) -> CallEnd {
    let seconds = STOP_WITHIN.as_secs();
    tracing::warn!(
        name: "engine.stop.missed",
        session_id = %call.view.session_id,
        tool = call.view.tool,
        deadline_s = seconds,
        reason = "the tool did not end when it was told to",
    );
    if call.view.effect == EffectClass::Once {
        return CallEnd::Unseen {
            class: ErrorClass::Timeout,
            reason: format!("It did not end within {seconds} seconds after it was stopped."),
        };
    }
    halted(engine)
}

fn overdue(deadline: Duration) -> CallEnd {
    CallEnd::Unseen {
        class: ErrorClass::Timeout,
        reason: too_long(deadline),
    }
}

fn late(deadline: Duration, error: &ToolError) -> ToolError {
    let text = format!("{} {}", too_long(deadline), error.message);
    ToolError::definite(text).of(ErrorClass::Timeout)
}

fn too_long(deadline: Duration) -> String {
    format!("It took longer than {} seconds.", deadline.as_secs())
}
