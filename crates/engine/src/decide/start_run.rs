//! A message is sent: it is written, a run begins, its first step begins.

use protocol::{
    AgentId, Block, BlockKind, CommandError, ErrorCode, Event, Message, MessageId, MessageStatus,
    Role, RunId, RunReason, SessionId, StepId, StepStatus,
};
use store::{Change, NewRun, RunState, SessionState};

use super::halt::{HaltedRun, cancel_interrupted_step, halt_run};
use super::{Decision, Effect};
use crate::title::first_line;

/// Long enough to recognise a session by, short enough for the list.
const TITLE_CHARS: usize = 48;

/// Everything that is needed to start, ids included.
#[derive(Debug, Clone)]
pub(crate) struct StartRun {
    pub(crate) session_id: SessionId,
    pub(crate) message_id: MessageId,
    pub(crate) run_id: RunId,
    pub(crate) step_id: StepId,
    pub(crate) agent_id: AgentId,
    pub(crate) text: String,
    pub(crate) request_key: Option<String>,
    pub(crate) model: String,
    pub(crate) at_ms: u64,
}

/// `state` is absent when the session is to be created with its first message.
pub(crate) fn start_run(
    state: Option<&SessionState>,
    input: &StartRun,
) -> Result<Decision, CommandError> {
    let mut decision = Decision::nothing();
    if let Some((state, run)) = state.and_then(|state| state.run.as_ref().map(|run| (state, run))) {
        refuse_live(run)?;
        supersede(&mut decision, state, run, input.at_ms);
    }
    give_title(&mut decision, state, input);
    let agent_id = state.map_or(input.agent_id, |state| state.agent_id);
    add_message(&mut decision, state, input);
    add_run(&mut decision, state, agent_id, input);
    add_first_step(&mut decision, input);
    Ok(decision)
}

fn refuse_live(run: &RunState) -> Result<(), CommandError> {
    if !run.status.is_live() {
        return Ok(());
    }
    let error = CommandError::new(
        ErrorCode::AlreadyRunning,
        "This session has a run that is still going.",
        "Wait for it to end, or stop it first.",
    );
    Err(error.about_run(run.run_id))
}

/// A new message instead of a resume gives the halted run up.
fn supersede(decision: &mut Decision, state: &SessionState, run: &RunState, at_ms: u64) {
    if !run.status.is_resumable() {
        return;
    }
    cancel_interrupted_step(decision, state, run, at_ms);
    halt_run(
        decision,
        state,
        run,
        HaltedRun::Cancelled,
        RunReason::Superseded,
        at_ms,
    );
}

/// A new session, or one without a title, is called after its first message.
fn give_title(decision: &mut Decision, state: Option<&SessionState>, input: &StartRun) {
    let (session_id, at_ms) = (input.session_id, input.at_ms);
    let title = first_line(&input.text, TITLE_CHARS);
    match state {
        None => {
            let agent_id = input.agent_id;
            let title = Some(title);
            decision.change(Change::CreateSession {
                session_id,
                agent_id,
                title: title.clone(),
                at_ms,
            });
            decision.event(session_id, at_ms, Event::SessionCreated { agent_id, title });
        }
        Some(state) if state.title.is_none() => {
            decision.change(Change::RenameSession {
                session_id,
                title: title.clone(),
                at_ms,
            });
            decision.event(session_id, at_ms, Event::SessionRenamed { title });
        }
        Some(_) => {}
    }
}

fn add_message(decision: &mut Decision, state: Option<&SessionState>, input: &StartRun) {
    let message = Message {
        message_id: input.message_id,
        branch: 0,
        position: state.map_or(0, |state| state.message_count) + 1,
        role: Role::User,
        status: MessageStatus::Complete,
        blocks: vec![Block {
            kind: BlockKind::Text,
            text: input.text.clone(),
        }],
        run_id: Some(input.run_id),
        step_id: None,
        attempt: None,
        model: None,
        created_at_ms: input.at_ms,
    };
    decision.change(Change::AddMessage {
        session_id: input.session_id,
        message: message.clone(),
    });
    decision.event(
        input.session_id,
        input.at_ms,
        Event::MessageAdded { message },
    );
}

fn add_run(
    decision: &mut Decision,
    state: Option<&SessionState>,
    agent_id: AgentId,
    input: &StartRun,
) {
    decision.change(Change::CreateRun(NewRun {
        run_id: input.run_id,
        session_id: input.session_id,
        agent_id,
        message_id: input.message_id,
        request_key: input.request_key.clone(),
        model: input.model.clone(),
        instructions: state.and_then(|state| state.instructions.clone()),
        at_ms: input.at_ms,
    }));
    let event = Event::RunStarted {
        run_id: input.run_id,
        message_id: input.message_id,
        agent_id,
        model: input.model.clone(),
        retry_of: None,
    };
    decision.event(input.session_id, input.at_ms, event);
}

fn add_first_step(decision: &mut Decision, input: &StartRun) {
    let (step_id, at_ms, attempt) = (input.step_id, input.at_ms, 1);
    decision.change(Change::CreateStep {
        step_id,
        run_id: input.run_id,
        position: 1,
        at_ms,
    });
    decision.change(Change::MoveStep {
        step_id,
        from: StepStatus::Planned,
        to: StepStatus::Running,
        at_ms,
    });
    decision.change(Change::StartAttempt {
        step_id,
        attempt,
        at_ms,
    });
    let event = Event::StepStarted {
        run_id: input.run_id,
        step_id,
        attempt,
        model: input.model.clone(),
    };
    decision.event(input.session_id, at_ms, event);
    decision.effects.push(Effect::CallModel {
        session_id: input.session_id,
        run_id: input.run_id,
        step_id,
        attempt,
    });
}
