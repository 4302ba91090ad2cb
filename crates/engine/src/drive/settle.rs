//! Writing how an attempt ended, also when that does not succeed at once.

use protocol::{CommandError, ErrorClass, ErrorCode, RunError};
use tokio_util::sync::CancellationToken;

use super::Call;
use crate::Engine;
use crate::decide::{self, Outcome};
use crate::patience::Patience;

/// Writes how an attempt ended. While the disk refuses it is tried again, because otherwise the
/// session would stay occupied by a run that nobody works on.
pub(crate) async fn settle(
    engine: &Engine,
    call: Call,
    mut outcome: Outcome,
    cancel: &CancellationToken,
) {
    log(&outcome);
    let mut patience = Patience::new();
    loop {
        let Err(error) = write(engine, call, &outcome).await else {
            return;
        };
        match after_failure(&outcome, &error) {
            Next::TryLater => {
                tracing::warn!(name: "engine.outcome.delayed", code = ?error.code, message = error.message);
                if !patience.wait(cancel).await {
                    return;
                }
            }
            Next::Instead(other) => {
                tracing::error!(name: "engine.outcome.refused", code = ?error.code, message = error.message);
                outcome = other;
            }
            // The rows still say `running`; the next start finds them and offers to resume.
            Next::GiveUp => {
                tracing::error!(name: "engine.outcome.unwritten", code = ?error.code, message = error.message);
                return;
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Next {
    TryLater,
    Instead(Outcome),
    GiveUp,
}

/// What could not be written fails the step; a failure that cannot be written is left to the next
/// start.
fn after_failure(outcome: &Outcome, error: &CommandError) -> Next {
    match (error.code, outcome) {
        (ErrorCode::StorageFailed | ErrorCode::Conflict, _) => Next::TryLater,
        (ErrorCode::Unavailable, _)
        | (
            _,
            Outcome::Failed { .. }
            | Outcome::Held { .. }
            | Outcome::TooLong { .. }
            | Outcome::Unsummarised { .. },
        ) => Next::GiveUp,
        (_, Outcome::Completed { .. } | Outcome::Summarised { .. }) => {
            Next::Instead(super::failed(RunError {
                class: ErrorClass::Internal,
                message: format!("The reply could not be saved: {}", error.message),
            }))
        }
    }
}

async fn write(engine: &Engine, call: Call, outcome: &Outcome) -> Result<(), CommandError> {
    engine
        .transact_attempt(call.session_id, |state| {
            let decision = state.map_or_else(decide::Decision::nothing, |state| {
                let (step_id, attempt) = (call.step_id, call.attempt);
                decide::model_outcome(state, step_id, attempt, outcome, &engine.inner.given())
            });
            Ok(((), decision))
        })
        .await
}

fn log(outcome: &Outcome) {
    match outcome {
        Outcome::Completed { usage, .. } => {
            tracing::info!(name: "engine.model.completed", ?usage);
        }
        Outcome::Failed { error, .. } => {
            tracing::warn!(name: "engine.model.failed", class = error.class.as_str(), message = error.message);
        }
        Outcome::TooLong { error, can_compact } => {
            tracing::info!(name: "engine.model.too_long", can_compact, message = error.message);
        }
        Outcome::Summarised { summary, usage } => {
            let (position, bytes) = (summary.position, summary.text.len());
            tracing::info!(name: "engine.history.summarised", position, bytes, ?usage);
        }
        Outcome::Unsummarised { error, .. } => {
            tracing::warn!(name: "engine.history.unsummarised", message = error.message);
        }
        Outcome::Held { error } => {
            tracing::info!(name: "engine.model.held", class = error.class.as_str());
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::{Ending, MessageId, Usage};

    use super::*;
    use crate::decide::Said;

    fn refused(code: ErrorCode) -> CommandError {
        CommandError::new(code, "No.", "Wait.")
    }

    fn completed() -> Outcome {
        Outcome::Completed {
            message_id: MessageId::from_uuid(uuid::Uuid::from_u128(1)),
            said: Said {
                blocks: Vec::new(),
                ending: Ending::Complete,
                native: None,
                fill: None,
            },
            usage: Usage::default(),
            calls: Vec::new(),
            start: None,
        }
    }

    fn failed(message: &str) -> Outcome {
        Outcome::Failed {
            error: RunError {
                class: ErrorClass::Internal,
                message: message.to_owned(),
            },
            retry_after_ms: None,
        }
    }

    // STO-5
    #[test]
    fn a_refused_outcome_is_tried_again_or_fails_the_step() {
        for outcome in [completed(), failed("Lost.")] {
            for code in [ErrorCode::StorageFailed, ErrorCode::Conflict] {
                assert_eq!(after_failure(&outcome, &refused(code)), Next::TryLater);
            }
            assert_eq!(
                after_failure(&outcome, &refused(ErrorCode::Unavailable)),
                Next::GiveUp
            );
        }
        let error = refused(ErrorCode::Internal);
        let instead = failed("The reply could not be saved: No.");
        assert_eq!(after_failure(&completed(), &error), Next::Instead(instead));
        assert_eq!(after_failure(&failed("Lost."), &error), Next::GiveUp);
    }
}
