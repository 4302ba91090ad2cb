//! What is done to runs, sessions and messages.

use std::collections::HashMap;

use protocol::{
    Block, BlockKind, CallStatus, ErrorClass, Message, MessageId, MessageStatus, Role, RunError,
    RunId, RunReason, Settings, StepStatus, Usage, limits,
};
use store::{Change, Piece, SessionState, Sync, Transition};

use super::super::super::{
    Again, Decision, Outcome, SendMessage, StartRun, archive_session, cancel_run, delete_session,
    dismiss_run, edit_message, edit_queued, follow_up, interrupt, model_outcome, regenerate,
    remove_queued, rename_session, restore_session, resume_run, retry_model, retry_run,
    select_branch, send_message, send_queued, start_run, stop_run, sweep,
};
use super::super::session_id;
use super::{Decided, Walk};

impl Walk {
    fn input(&self) -> StartRun {
        let agent = self.store.read(|reader| reader.agent(store::DEFAULT_AGENT));
        StartRun {
            session_id: session_id(),
            message_id: MessageId::from_uuid(self.id()),
            run_id: RunId::from_uuid(self.id()),
            agent: (store::DEFAULT_AGENT, agent.unwrap().unwrap().fields),
            text: format!("message at {}", self.at_ms),
            attachments: Vec::new(),
            request_key: None,
        }
    }

    pub(super) fn send(&mut self, state: Option<&SessionState>) -> Decided {
        let start = self.input();
        if self.dice.is_one_in(4) {
            return self.decide(|given| start_run(state, &start, given));
        }
        let stop_first = self.dice.is_one_in(3);
        let message = SendMessage { start, stop_first };
        self.decide(|given| send_message(state, &message, given))
            .map(|(_, decision)| decision)
    }

    /// Mostly the newest run, sometimes any that ever was.
    fn any_run(&mut self, state: &SessionState) -> RunId {
        let newest = state.run.as_ref().map(|run| run.run_id);
        match newest.filter(|_| !self.dice.is_one_in(6)) {
            Some(run_id) => run_id,
            None => *self.dice.pick(&self.runs).unwrap(),
        }
    }

    pub(super) fn on_run(&mut self, state: &SessionState) -> Decided {
        let run_id = self.any_run(state);
        match self.dice.below(14) {
            0 => Ok(self.decide(|given| stop_run(state, run_id, given))),
            1 => Ok(self.decide(|given| interrupt(state, RunReason::AppClosed, given))),
            2..=6 => self.decide(|given| resume_run(state, run_id, given)),
            7 => self.decide(|given| cancel_run(state, run_id, given)),
            8 => {
                let seen = self.decide(|given| dismiss_run(state, run_id, given));
                Ok(seen.unwrap_or_default())
            }
            9..=12 => Ok(self.decide(|given| retry_model(state, run_id, given))),
            _ => {
                let is_archived = self.dice.is_one_in(2);
                if self.dice.is_one_in(2) {
                    let title = format!("{}", self.dice.below(3));
                    return Ok(rename_session(state, &title, self.at_ms));
                }
                Ok(self.decide(|given| archive_session(state, is_archived, given)))
            }
        }
    }

    /// An outcome of the newest attempt, or of one before it.
    pub(super) fn end_model(&mut self, state: &SessionState) -> Decided {
        let Some(step) = state.run.as_ref().and_then(|run| run.step.as_ref()) else {
            return Ok(Decision::nothing());
        };
        let late = u32::from(self.dice.is_one_in(8));
        let attempt = step.attempt - late.min(step.attempt.saturating_sub(1));
        let message_id = MessageId::from_uuid(self.id());
        let outcome = match self.dice.below(12) {
            0 => failed(ErrorClass::Internal),
            1..=2 => failed(ErrorClass::Overloaded),
            3..=4 => completed(message_id, step.blocks.clone(), Vec::new()),
            _ => {
                let calls = self.plan(state, message_id);
                completed(message_id, step.blocks.clone(), calls)
            }
        };
        let step_id = step.step_id;
        Ok(self.decide(|given| model_outcome(state, step_id, attempt, &outcome, given)))
    }

    /// Text of the newest attempt; refused unless it runs.
    pub(super) fn stream(&self, state: &SessionState) {
        let Some(step) = state.run.as_ref().and_then(|run| run.step.as_ref()) else {
            return;
        };
        let offset = step.blocks.first().map_or(0, |block| block.text.len());
        let piece = Piece {
            block: 0,
            kind: BlockKind::Text,
            offset: offset as u64,
            text: "word ".to_owned(),
        };
        let result = self.store.apply(Transition {
            sync: Sync::Relaxed,
            changes: vec![Change::AppendDeltas {
                session_id: session_id(),
                step_id: step.step_id,
                attempt: step.attempt,
                streamed_bytes: step.streamed_bytes,
                pieces: vec![piece],
            }],
        });
        assert_eq!(result.is_ok(), step.status == StepStatus::Running);
    }

    /// The process dies and another one takes up what it left: twice is once.
    pub(super) fn crash(&mut self, state: &SessionState) {
        let settings = Settings {
            keep_approvals: !self.dice.is_one_in(3),
            ..Settings::default()
        };
        let swept = self.sweep(state, &settings);
        assert!(swept.effects.is_empty());
        self.commit(swept);
        let state = self.state().unwrap();
        let again = self.sweep(&state, &settings);
        assert!(again.changes.is_empty(), "{:?}", again.changes);
        let calls = state.run.iter().flat_map(|run| &run.calls);
        assert!(
            calls
                .into_iter()
                .all(|call| call.view.status != CallStatus::Running)
        );
        let next = self.decide(|given| follow_up(&state, given));
        self.commit(next);
    }

    fn sweep(&self, state: &SessionState, settings: &Settings) -> Decision {
        let read = self.store.read(|reader| reader.running_calls(session_id()));
        let mut stray = read.unwrap();
        let known: Vec<_> = state.run.iter().flat_map(|run| &run.calls).collect();
        stray.retain(|call| {
            known
                .iter()
                .all(|one| one.view.call_id != call.view.call_id)
        });
        let can_check = HashMap::new();
        self.decide(|given| sweep(state, &stray, settings, &can_check, given))
    }

    pub(super) fn delete(&mut self, state: &SessionState) -> Decided {
        if self.dice.is_one_in(3) {
            return Ok(self.decide(|given| delete_session(state, given)));
        }
        Ok(Decision::nothing())
    }

    /// Only what ends by itself still happens in a session that was deleted.
    pub(super) fn on_deleted(&mut self, state: &SessionState) -> Decided {
        match self.dice.below(4) {
            0 => self.end_call(state),
            1 => {
                self.crash(state);
                Ok(Decision::nothing())
            }
            2 => self.start_call(state),
            _ => Ok(restore_session(state)),
        }
    }

    pub(super) fn queue(&mut self, state: &SessionState) -> Decided {
        let waiting: Vec<MessageId> = state.queue.iter().map(|one| one.message_id).collect();
        let message_id = self.dice.pick(&waiting).copied();
        let message_id = message_id.unwrap_or_else(|| MessageId::from_uuid(self.id()));
        let result = match self.dice.below(4) {
            0 => self.decide(|given| edit_queued(state, message_id, "changed", given)),
            1 => self.decide(|given| remove_queued(state, message_id, given)),
            _ => self.decide(|given| send_queued(state, given)),
        };
        result.map(|(_, decision)| decision)
    }

    pub(super) fn branch(&mut self, state: &SessionState) -> Decided {
        let path = self.path();
        let Some(message) = self.dice.pick(&path).cloned() else {
            return Ok(Decision::nothing());
        };
        let asked = path
            .iter()
            .rev()
            .find(|one| one.role == Role::User && one.position <= message.position);
        let (Some(asked), false) = (asked, message.status == MessageStatus::Unreadable) else {
            return Ok(Decision::nothing());
        };
        let again = Again {
            message_id: MessageId::from_uuid(self.id()),
            run_id: RunId::from_uuid(self.id()),
            request_key: None,
        };
        let run_id = self.any_run(state);
        let branch = u32::try_from(self.dice.below(u64::from(state.branches) + 1)).unwrap();
        match self.dice.below(8) {
            0..=1 => self.decide(|given| edit_message(state, &message, "other", &again, given)),
            2..=3 => {
                self.decide(|given| regenerate(state, &message, asked.message_id, &again, given))
            }
            4..=5 => self.decide(|given| retry_run(state, run_id, &again, given)),
            _ => self.decide(|given| select_branch(state, branch, given)),
        }
    }

    /// What is shown.
    pub(super) fn path(&self) -> Vec<Message> {
        let read = |reader: &store::Reader<'_>| {
            reader.messages_before(session_id(), limits::INTEGER, u32::MAX)
        };
        self.store.read(read).unwrap().0
    }
}

fn failed(class: ErrorClass) -> Outcome {
    Outcome::Failed {
        error: RunError {
            class,
            message: "No.".to_owned(),
        },
        retry_after_ms: None,
    }
}

fn completed(
    message_id: MessageId,
    blocks: Vec<Block>,
    calls: Vec<super::super::super::PlannedCall>,
) -> Outcome {
    Outcome::Completed {
        message_id,
        said: crate::decide::Said {
            blocks,
            ending: protocol::Ending::Complete,
            native: None,
            fill: None,
        },
        usage: Usage::default(),
        calls,
        start: None,
    }
}
