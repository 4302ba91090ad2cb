//! The only place where session state changes: what the engine says in, state out.

mod delta;

use leptos::prelude::{GetUntracked, ReadUntracked, Set, Update};
use protocol::{
    Envelope, Event, Message, MessageStatus, Push, Role, RunStatus, SessionId, SessionSnapshot,
    SessionSummary, StepId,
};
use reactive_stores::{Store, Subfield};

use super::live::{LiveHead, texts_of};
use super::session::{Cut, MessageRow, RunState, SessionState, SessionStateStoreFields, SyncState};
use super::{AppState, AppStateStoreFields, list};

/// How many messages stay in the page when the person sends another: the rest can be read again.
const KEPT_MESSAGES: usize = 120;

type Session = Subfield<Store<AppState>, AppState, SessionState>;

/// Takes one thing that a subscription sent.
pub(crate) fn apply(store: Store<AppState>, push: Push) {
    match push {
        Push::Event(envelope) => take_envelope(store.session(), envelope),
        Push::Delta(delta) => delta::take_delta(store.session(), &delta),
        Push::Session(summary) => list::take_summary(store, summary),
        Push::Ended {
            session_id: None, ..
        } => store.list_sync().set(SyncState::Resubscribe),
        Push::Ended {
            session_id: Some(session_id),
            ..
        } => {
            if is_open(store.session(), session_id) {
                store.session().sync().set(SyncState::Resubscribe);
            }
        }
    }
}

/// Takes the whole session list.
pub(crate) fn apply_sessions(store: Store<AppState>, sessions: Vec<SessionSummary>) {
    list::take_all(store, sessions);
}

/// Opens a session that nothing is known of yet; `None` is a new one.
pub(crate) fn clear_session(store: Store<AppState>, session_id: Option<SessionId>) {
    let session = store.session();
    session.session_id().set(session_id);
    session.is_loaded().set(session_id.is_none());
    session.seq().set(0);
    session.messages().set(Vec::new());
    session.has_earlier().set(false);
    session.run().set(None);
    session.sync().set(SyncState::Current);
    end_live(session);
}

/// Takes a snapshot of the open session; one of another session comes too late and is dropped.
pub(crate) fn apply_snapshot(store: Store<AppState>, snapshot: SessionSnapshot) {
    let session = store.session();
    if !is_open(session, snapshot.session.session_id) {
        return;
    }
    let run = snapshot.session.run.clone().map(RunState::from_view);
    let messages = rows(snapshot.messages, run.as_ref());
    session.seq().set(snapshot.seq);
    session.messages().set(messages);
    session.has_earlier().set(snapshot.has_earlier);
    session.run().set(run);
    session
        .live_texts()
        .set(snapshot.live.as_ref().map(texts_of).unwrap_or_default());
    session
        .live()
        .set(snapshot.live.as_ref().map(LiveHead::from_step));
    session.sync().set(SyncState::Current);
    session.is_loaded().set(true);
    list::take_summary(store, snapshot.session);
}

/// Takes a page of older messages.
pub(crate) fn apply_earlier(
    store: Store<AppState>,
    session_id: SessionId,
    messages: Vec<Message>,
    has_earlier: bool,
) {
    let session = store.session();
    if !is_open(session, session_id) {
        return;
    }
    let mut earlier = rows(messages, None);
    session.messages().update(|rows| {
        let first = rows.first().map_or(u64::MAX, |row| row.message.position);
        earlier.retain(|row| row.message.position < first);
        rows.splice(0..0, earlier);
    });
    session.has_earlier().set(has_earlier);
}

/// A run says why it was last cut off; what it left behind before that may have ended otherwise.
fn rows(messages: Vec<Message>, run: Option<&RunState>) -> Vec<MessageRow> {
    let last_partial = messages
        .iter()
        .rposition(|message| message.status == MessageStatus::Partial);
    messages
        .into_iter()
        .enumerate()
        .map(|(index, message)| {
            let run = run.filter(|_| Some(index) == last_partial);
            MessageRow::new(message, run)
        })
        .collect()
}

fn is_open(session: Session, session_id: SessionId) -> bool {
    session.session_id().get_untracked() == Some(session_id)
}

fn take_envelope(session: Session, envelope: Envelope) {
    if !is_open(session, envelope.session_id) {
        return;
    }
    let seq = session.seq().get_untracked();
    if envelope.seq <= seq {
        return;
    }
    if envelope.seq > seq + 1 {
        session.sync().set(SyncState::Resubscribe);
        return;
    }
    session.seq().set(envelope.seq);
    take_event(session, envelope.event, envelope.at_ms);
}

fn take_event(session: Session, event: Event, at_ms: u64) {
    match event {
        Event::MessageAdded { message } => take_message(session, message),
        Event::RunStarted { run_id, .. } | Event::RunResumed { run_id } => {
            set_run(session, RunState::new(run_id, RunStatus::Running, at_ms));
        }
        Event::StepStarted {
            run_id,
            step_id,
            attempt,
            model,
        } => begin_live(
            session,
            LiveHead {
                run_id,
                step_id,
                attempt,
                model,
                blocks: Vec::new(),
            },
        ),
        Event::StepCompleted {
            step_id,
            attempt,
            message,
            ..
        } => take_outcome(session, step_id, attempt, Some(message)),
        Event::StepInterrupted {
            step_id,
            attempt,
            message,
            ..
        }
        | Event::StepFailed {
            step_id,
            attempt,
            message,
            ..
        } => take_outcome(session, step_id, attempt, message),
        Event::RunStopped { run_id, reason } => {
            let run = RunState::new(run_id, RunStatus::Stopped, at_ms);
            end_run(
                session,
                RunState {
                    reason: Some(reason),
                    ..run
                },
            );
        }
        Event::RunInterrupted { run_id, reason } => {
            let run = RunState::new(run_id, RunStatus::Interrupted, at_ms);
            end_run(
                session,
                RunState {
                    reason: Some(reason),
                    ..run
                },
            );
        }
        Event::RunCancelled { run_id, reason } => {
            let run = RunState::new(run_id, RunStatus::Cancelled, at_ms);
            end_run(
                session,
                RunState {
                    reason: Some(reason),
                    ..run
                },
            );
        }
        Event::RunFailed { run_id, error } => {
            let run = RunState::new(run_id, RunStatus::Failed, at_ms);
            end_run(
                session,
                RunState {
                    error: Some(error),
                    ..run
                },
            );
        }
        Event::RunCompleted { run_id } => {
            end_run(session, RunState::new(run_id, RunStatus::Completed, at_ms));
        }
        // The list says what these change, and what is not known is not shown.
        Event::SessionCreated { .. }
        | Event::SessionRenamed { .. }
        | Event::StepCancelled { .. }
        | Event::Unrecognised { .. } => {}
    }
}

fn set_run(session: Session, run: RunState) {
    session.run().set(Some(run));
}

/// A run left its live status: nothing streams any more, and what it cut off is told why.
fn end_run(session: Session, run: RunState) {
    end_live(session);
    let is_cutting = session
        .messages()
        .read_untracked()
        .last()
        .is_some_and(|row| row.cut == Cut::Unknown && row.message.run_id == Some(run.run_id));
    if is_cutting {
        let cut = run.cut();
        session.messages().update(|rows| {
            if let Some(row) = rows.last_mut() {
                row.cut = cut;
            }
        });
    }
    set_run(session, run);
}

fn take_message(session: Session, message: Message) {
    let run = session.run().get_untracked();
    let is_sent = message.role == Role::User;
    let row = MessageRow::new(message, run.as_ref());
    let mut is_trimmed = false;
    session.messages().update(|rows| {
        rows.push(row);
        if is_sent && rows.len() > KEPT_MESSAGES {
            rows.drain(..rows.len() - KEPT_MESSAGES);
            is_trimmed = true;
        }
    });
    if is_trimmed {
        session.has_earlier().set(true);
    }
}

fn begin_live(session: Session, head: LiveHead) {
    session.live_texts().set(Vec::new());
    session.live().set(Some(head));
}

fn end_live(session: Session) {
    if session.live().read_untracked().is_some() {
        session.live().set(None);
        session.live_texts().set(Vec::new());
    }
}

/// An attempt ended: what it left replaces what was streamed.
fn take_outcome(session: Session, step_id: StepId, attempt: u32, message: Option<Message>) {
    let is_live = session
        .live()
        .read_untracked()
        .as_ref()
        .is_some_and(|live| live.is_attempt(step_id, attempt));
    if let Some(message) = message {
        take_message(session, message);
    }
    if is_live {
        end_live(session);
    }
}
