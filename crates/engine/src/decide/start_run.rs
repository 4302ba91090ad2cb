//! A message is sent: it is written, a run begins, its first step begins.

use protocol::{
    AgentFields, AgentId, ApprovalStatus, AttachmentView, Block, BlockKind, CallStatus,
    CommandError, Ending, ErrorCode, Event, Message, MessageId, MessageStatus, Role, RunId,
    RunReason, RunStatus, SessionId, StepId, StepStatus,
};
use store::{Change, NewRun, RunState, SessionState, StepKind, StepState, Used};

use super::draft::Draft;
use super::halt::{end_open_calls, give_up};
use super::{Asking, Decision, Effect, Given};
use crate::pin::Pin;
use crate::title::first_line;

/// Long enough to recognise a session by, short enough for the list.
const TITLE_CHARS: usize = 48;

/// Everything that is needed to start.
#[derive(Debug, Clone)]
pub(crate) struct StartRun {
    pub(crate) session_id: SessionId,
    pub(crate) message_id: MessageId,
    pub(crate) run_id: RunId,
    /// The agent of a session that is created with it.
    pub(crate) agent: (AgentId, AgentFields),
    pub(crate) text: String,
    pub(crate) attachments: Vec<AttachmentView>,
    pub(crate) request_key: Option<String>,
}

/// `state` is absent when the session is to be created with its first message.
pub(crate) fn start_run(
    state: Option<&SessionState>,
    input: &StartRun,
    given: &Given<'_>,
) -> Result<Decision, CommandError> {
    let mut decision = Decision::nothing();
    let mut state = match state {
        None => open_session(&mut decision, input, given),
        Some(state) => {
            refuse_live(state)?;
            refuse_doubt(state)?;
            refuse_ending(state)?;
            make_room(&mut decision, state, given)
        }
    };
    send(&mut decision, &mut state, input, given);
    Ok(decision)
}

/// Writes the message and begins its run.
pub(super) fn send(
    decision: &mut Decision,
    state: &mut SessionState,
    input: &StartRun,
    given: &Given<'_>,
) {
    give_title(decision, state, &input.text, given);
    let said = Written {
        text: &input.text,
        attachments: &input.attachments,
    };
    let message = user_message(state, input.message_id, input.run_id, said, given);
    add_user_message(decision, state, message, given);
    let trigger = Trigger {
        run_id: input.run_id,
        message_id: input.message_id,
        request_key: input.request_key.clone(),
        retry_of: None,
    };
    begin_run(decision, state, trigger, given);
}

pub(super) fn refuse_live(state: &SessionState) -> Result<(), CommandError> {
    match &state.run {
        Some(run) if run.status.is_live() => Err(CommandError::new(
            ErrorCode::AlreadyRunning,
            "This session has a run that is still going.",
            "Wait for it to end, or stop it first.",
        )
        .about_run(run.run_id)),
        Some(_) | None => Ok(()),
    }
}

/// Nothing goes on past a call whose outcome is unknown.
pub(super) fn refuse_doubt(state: &SessionState) -> Result<(), CommandError> {
    let Some(call_id) = state.doubts.first() else {
        return Ok(());
    };
    let error = CommandError::new(
        ErrorCode::NotActionable,
        format!("The outcome of the tool call {call_id} is unknown."),
        "Settle it first: say whether it happened, run it again, or skip it.",
    );
    Err(match &state.run {
        Some(run) => error.about_run(run.run_id),
        None => error,
    })
}

/// Nothing is asked while a call is still ending: it has no result that a model could be told.
pub(super) fn refuse_ending(state: &SessionState) -> Result<(), CommandError> {
    match state.run.as_ref().filter(|_| has_running_call(state)) {
        Some(run) => Err(CommandError::new(
            ErrorCode::AlreadyRunning,
            "A tool call of this session is still ending.",
            "Try again in a moment.",
        )
        .about_run(run.run_id)),
        None => Ok(()),
    }
}

pub(super) fn has_running_call(state: &SessionState) -> bool {
    let calls = state.run.iter().flat_map(|run| &run.calls);
    calls
        .into_iter()
        .any(|call| call.view.status == CallStatus::Running)
}

/// A new session, called after its first message.
pub(super) fn open_session(
    decision: &mut Decision,
    input: &StartRun,
    given: &Given<'_>,
) -> SessionState {
    let (agent_id, agent) = input.agent.clone();
    let title = Some(first_line(&input.text, TITLE_CHARS));
    new_session(decision, input.session_id, agent_id, agent, title, given)
}

/// A new session, and the state it has then.
pub(super) fn new_session(
    decision: &mut Decision,
    session_id: SessionId,
    agent_id: AgentId,
    agent: AgentFields,
    title: Option<String>,
    given: &Given<'_>,
) -> SessionState {
    let workspace = session_id.uuid().simple().to_string();
    decision.change(Change::CreateSession {
        session_id,
        agent_id,
        title: title.clone(),
        workspace: workspace.clone(),
        forked_from: None,
        at_ms: given.at_ms,
    });
    let event = Event::SessionCreated {
        agent_id,
        title: title.clone(),
    };
    decision.event(session_id, given.at_ms, event);
    SessionState {
        session_id,
        agent_id,
        agent,
        model: None,
        title,
        workspace,
        branch: 0,
        branches: 1,
        message_count: 0,
        is_archived: false,
        deleted_at_ms: None,
        queue: Vec::new(),
        doubts: Vec::new(),
        run: None,
    }
}

/// A new run takes the place of a halted one, which is given up: the state afterwards. One that is
/// over can have a call that was cut off while its branch was not shown: it gets its result now.
pub(super) fn make_room(
    decision: &mut Decision,
    state: &SessionState,
    given: &Given<'_>,
) -> SessionState {
    let is_halted = state
        .run
        .as_ref()
        .is_some_and(|run| run.status.is_resumable() || run.status.is_live());
    match Draft::of(state, given) {
        Some(mut draft) => {
            if is_halted {
                give_up(&mut draft, RunReason::Superseded);
            } else {
                end_open_calls(
                    &mut draft,
                    ApprovalStatus::Closed,
                    "Not run: its run is over.",
                );
            }
            decision.changes.append(&mut draft.decision.changes);
            decision.effects.append(&mut draft.decision.effects);
            let mut state = draft.state;
            state.run = Some(draft.run);
            state
        }
        None => state.clone(),
    }
}

/// A session without a title is called after its first message.
fn give_title(decision: &mut Decision, state: &mut SessionState, text: &str, given: &Given<'_>) {
    if state.title.is_some() {
        return;
    }
    let title = first_line(text, TITLE_CHARS);
    state.title = Some(title.clone());
    decision.change(Change::RenameSession {
        session_id: state.session_id,
        title: title.clone(),
        at_ms: given.at_ms,
    });
    decision.event(
        state.session_id,
        given.at_ms,
        Event::SessionRenamed { title },
    );
}

/// What a person wrote, and what they gave along with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) text: &'a str,
    pub(super) attachments: &'a [AttachmentView],
}

/// A message by the person, at the end of the branch that is shown.
pub(super) fn user_message(
    state: &SessionState,
    message_id: MessageId,
    run_id: RunId,
    written: Written<'_>,
    given: &Given<'_>,
) -> Message {
    Message {
        message_id,
        position: state.message_count + 1,
        branch: state.branch,
        role: Role::User,
        status: MessageStatus::Complete,
        blocks: vec![Block {
            kind: BlockKind::Text,
            text: written.text.to_owned(),
        }],
        attachments: written.attachments.to_vec(),
        run_id: Some(run_id),
        step_id: None,
        attempt: None,
        model: None,
        ending: Ending::Complete,
        created_at_ms: given.at_ms,
    }
}

pub(super) fn add_user_message(
    decision: &mut Decision,
    state: &mut SessionState,
    message: Message,
    given: &Given<'_>,
) {
    state.message_count = message.position;
    decision.change(Change::AddMessage {
        session_id: state.session_id,
        message: message.clone(),
        native: None,
    });
    decision.event(
        state.session_id,
        given.at_ms,
        Event::MessageAdded { message },
    );
}

/// What makes a run begin.
pub(super) struct Trigger {
    pub(super) run_id: RunId,
    pub(super) message_id: MessageId,
    pub(super) request_key: Option<String>,
    pub(super) retry_of: Option<RunId>,
}

/// Who answers: the session's own choice goes before its agent's.
pub(crate) fn chosen_model(
    state: Option<&SessionState>,
    agent: &AgentFields,
    given: &Given<'_>,
) -> String {
    let chosen = state.and_then(|state| state.model.clone());
    chosen
        .or_else(|| agent.model.clone())
        .unwrap_or_else(|| given.default_model.to_string())
}

/// Begins a run with what its agent is now, and its first model call.
pub(super) fn begin_run(
    decision: &mut Decision,
    state: &SessionState,
    trigger: Trigger,
    given: &Given<'_>,
) {
    let pin = Pin::of(&state.agent, given.tools).to_text();
    let model = chosen_model(Some(state), &state.agent, given);
    let (run_id, message_id, retry_of) = (trigger.run_id, trigger.message_id, trigger.retry_of);
    decision.change(Change::CreateRun(NewRun {
        run_id,
        session_id: state.session_id,
        agent_id: state.agent_id,
        branch: state.branch,
        message_id,
        retry_of,
        request_key: trigger.request_key,
        model: model.clone(),
        pin: pin.clone(),
        at_ms: given.at_ms,
    }));
    let event = Event::RunStarted {
        run_id,
        message_id,
        agent_id: state.agent_id,
        model: model.clone(),
        retry_of,
    };
    decision.event(state.session_id, given.at_ms, event);
    let run = RunState {
        run_id,
        status: RunStatus::Running,
        reason: None,
        model,
        agent_id: state.agent_id,
        message_id,
        pin,
        used: Used::default(),
        retry: None,
        retry_failed: 0,
        crashes: 0,
        crashes_total: 0,
        updated_at_ms: given.at_ms,
        is_dismissed: false,
        step: None,
        calls: Vec::new(),
        same_round: None,
    };
    let mut draft = Draft {
        given,
        state: state.clone(),
        run,
        decision: std::mem::take(decision),
    };
    draft.start_model_step();
    *decision = draft.decision;
}

impl Draft<'_> {
    /// A new model call at the end of the run.
    pub(super) fn start_model_step(&mut self) {
        self.start_step(StepKind::ModelCall);
    }

    /// A new step that calls the model.
    pub(super) fn start_step(&mut self, kind: StepKind) {
        let step_id = StepId::from_uuid(self.given.new_id());
        let at_ms = self.given.at_ms;
        self.change(Change::CreateStep {
            step_id,
            run_id: self.run.run_id,
            kind,
            at_ms,
        });
        let before = self.run.step.as_ref();
        let position = before.map_or(1, |step| step.position + 1);
        // Nothing comes between a compaction and the step after it.
        let follows_compaction = before.is_some_and(|step| step.is_compaction);
        self.run.step = Some(StepState {
            step_id,
            position,
            is_compaction: kind == StepKind::Compaction,
            follows_compaction,
            status: StepStatus::Planned,
            attempt: 0,
            streamed_bytes: 0,
            blocks: Vec::new(),
        });
        self.start_model_attempt();
    }

    /// Another attempt at the run's model call.
    pub(super) fn start_model_attempt(&mut self) {
        let Some(mut step) = self.run.step.take() else {
            return;
        };
        let (step_id, at_ms) = (step.step_id, self.given.at_ms);
        let attempt = step.attempt + 1;
        self.change(Change::MoveStep {
            step_id,
            from: step.status,
            to: StepStatus::Running,
            at_ms,
        });
        self.change(Change::StartAttempt {
            step_id,
            attempt,
            at_ms,
        });
        step.status = StepStatus::Running;
        step.attempt = attempt;
        step.streamed_bytes = 0;
        step.blocks.clear();
        let is_compaction = step.is_compaction;
        let asking = match (is_compaction, step.follows_compaction) {
            (true, _) => Asking::Summary,
            (false, true) => Asking::AnswerAtLast,
            (false, false) => Asking::Answer,
        };
        self.run.step = Some(step);
        let (session_id, run_id) = (self.session_id(), self.run.run_id);
        self.event(Event::StepStarted {
            run_id,
            step_id,
            attempt,
            model: self.run.model.clone(),
            is_compaction,
        });
        self.effect(Effect::CallModel {
            session_id,
            run_id,
            step_id,
            attempt,
            asking,
        });
    }
}
