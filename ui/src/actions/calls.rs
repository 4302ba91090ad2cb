//! Tool calls: decisions, ways out of doubt, undoing, reading on in a result.

use protocol::{
    ApprovalView, CallDecision, CallId, Command, CommandError, Decision, Reply, Resolution,
    ToolCallView,
};

use super::Actions;

/// From where a decision comes, for the record.
const WINDOW: &str = "window";

/// Why a decision was not taken, with the one that stands if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DecisionProblem {
    pub(crate) error: Box<CommandError>,
    pub(crate) stands: Option<Box<ApprovalView>>,
}

impl Actions {
    /// Answers one approval.
    pub(crate) async fn decide(
        self,
        call_id: CallId,
        digest: String,
        decision: Decision,
    ) -> Result<(), DecisionProblem> {
        let command = Command::DecideCall {
            call_id,
            digest,
            decision,
            from: Some(WINDOW.to_owned()),
        };
        let reply = self.ask(command).await.map_err(DecisionProblem::from)?;
        match reply {
            Some(Reply::Decided { calls }) => calls
                .into_iter()
                .find_map(|call| Some((call.error?, call.approval)))
                .map_or(Ok(()), |(error, approval)| {
                    let mut problem = DecisionProblem::from(error);
                    problem.stands = problem.stands.or(approval.map(Box::new));
                    Err(problem)
                }),
            Some(_) | None => Ok(()),
        }
    }

    /// Gives all these calls the same answer. Each gets its own result; what was refused is said.
    pub(crate) async fn decide_all(self, calls: Vec<ToolCallView>, decision: Decision) {
        let decisions: Vec<CallDecision> = calls
            .into_iter()
            .filter_map(|call| {
                Some(CallDecision {
                    call_id: call.call_id,
                    digest: call.approval?.digest,
                    decision: decision.clone(),
                })
            })
            .collect();
        if decisions.is_empty() {
            return;
        }
        let command = Command::DecideCalls {
            decisions,
            from: Some(WINDOW.to_owned()),
        };
        if let Some(Reply::Decided { calls }) = self.ask_or_say(command).await
            && let Some(error) = calls.into_iter().find_map(|call| call.error)
        {
            self.say_problem(&error);
        }
    }

    /// Settles a call in doubt.
    pub(crate) async fn resolve(
        self,
        call_id: CallId,
        resolution: Resolution,
    ) -> Result<(), CommandError> {
        let command = Command::ResolveCall {
            call_id,
            resolution,
        };
        self.act(command).await
    }

    /// Takes the file changes of a call back.
    pub(crate) async fn undo(self, call_id: CallId) -> Result<(), CommandError> {
        self.act(Command::UndoCall { call_id }).await
    }

    /// Reads on in a result: the next piece, and the bytes of the whole.
    pub(crate) async fn read_result(
        self,
        call_id: CallId,
        offset: u64,
    ) -> Result<Option<(String, u64)>, CommandError> {
        match self.ask(Command::GetResult { call_id, offset }).await? {
            Some(Reply::Result {
                text, total_bytes, ..
            }) => Ok(Some((text, total_bytes))),
            Some(_) | None => Ok(None),
        }
    }
}

impl From<CommandError> for DecisionProblem {
    fn from(error: CommandError) -> Self {
        let stands = error.approval.clone();
        Self {
            error: Box::new(error),
            stands,
        }
    }
}
