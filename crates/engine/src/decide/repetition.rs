//! The same calls with the same results, again and again: a model that turns in circles is not asked for
//! ever. Small ones do.
//!
//! Only what comes to nothing counts. A call that gives something else each time may be one that waits for
//! something, and goes on.

use protocol::{CallStatus, ErrorClass, Event, RunError, RunStatus, ToolResult};
use store::{CallRow, SameRound};

use super::draft::Draft;

/// So often in a row, and no more.
const MOST: u32 = 4;

impl Draft<'_> {
    /// The model has asked for these calls. What came before them is kept, if it was the same.
    pub(super) fn begin_round(&mut self, calls: Vec<CallRow>) {
        let before = std::mem::replace(&mut self.run.calls, calls);
        let past = self.run.same_round.take();
        if asked_same(&before, &self.run.calls) && !is_cut_short(&before) {
            let results: Vec<_> = results(&before)
                .map(Option::<&ToolResult>::cloned)
                .collect();
            let times = match past {
                Some(past) if past.results == results => past.times + 1,
                Some(_) | None => 1,
            };
            self.run.same_round = Some(SameRound { results, times });
        }
    }

    /// Why the model is not asked once more, if it is not.
    pub(super) fn repetition(&self) -> Option<RunError> {
        let past = self.run.same_round.as_ref()?;
        if is_cut_short(&self.run.calls) {
            return None;
        }
        let is_same = results(&self.run.calls).eq(past.results.iter().map(Option::as_ref));
        let times = past.times + 1;
        (is_same && times >= MOST).then(|| RunError {
            class: ErrorClass::Limit,
            message: format!(
                "The model called {} {times} times in a row, with the same arguments and the same \
                 result. Tell it what to do instead, or choose another model.",
                tools(&self.run.calls)
            ),
        })
    }

    /// The run ends here. A person can try it again from where it stands.
    pub(super) fn end_repetition(&mut self, error: RunError) {
        let run_id = self.run.run_id;
        tracing::warn!(
            name: "engine.run.repeats",
            trace_id = %run_id,
            session_id = %self.session_id(),
            "the run repeats itself and is ended"
        );
        self.move_run(RunStatus::Failed, None, Some(error.clone()));
        self.event(Event::RunFailed { run_id, error });
    }
}

fn asked_same(one: &[CallRow], other: &[CallRow]) -> bool {
    let asked = |call: &CallRow| (call.view.tool.clone(), call.view.arguments.clone());
    !one.is_empty() && one.iter().map(asked).eq(other.iter().map(asked))
}

/// A person has said something instead of answering, so it is not the model alone that goes on.
fn is_cut_short(calls: &[CallRow]) -> bool {
    let mut calls = calls.iter();
    calls.any(|call| call.view.status == CallStatus::Cancelled)
}

fn results(calls: &[CallRow]) -> impl Iterator<Item = Option<&ToolResult>> {
    calls.iter().map(|call| call.view.result.as_ref())
}

/// Their names, each once.
fn tools(calls: &[CallRow]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for call in calls {
        if !names.contains(&call.view.tool.as_str()) {
            names.push(&call.view.tool);
        }
    }
    names.join(" and ")
}
