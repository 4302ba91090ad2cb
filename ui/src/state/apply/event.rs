//! Events: each durable fact, as the window keeps it.

use leptos::prelude::{GetUntracked, ReadUntracked, Set, Update};
use protocol::{
    Event, Message, Role, RunError, RunId, RunReason, RunStatus, StepId, Usage, UsageTotal,
};

use super::super::live::LiveHead;
use super::super::session::{Cut, MessageRow, RunState, SessionStateStoreFields, SyncState};
use super::{Session, branch, calls};

/// How many messages stay in the page when the person sends another: the rest can be read again.
const KEPT_MESSAGES: usize = 120;

pub(super) fn take_event(session: Session, event: Event, at_ms: u64) {
    match event {
        Event::MessageAdded { message } => take_message(session, message),
        Event::StepStarted {
            run_id,
            step_id,
            attempt,
            model,
            is_compaction,
        } => {
            let blocks = Vec::new();
            let head = LiveHead {
                run_id,
                step_id,
                attempt,
                model,
                is_compaction,
                blocks,
            };
            begin_live(session, head);
        }
        Event::StepCompleted {
            step_id,
            attempt,
            message,
            calls: asked,
            usage,
            fill,
            ..
        } => {
            take_outcome(session, step_id, attempt, Some(message));
            for call in asked {
                calls::take_call(session, call);
            }
            session.usage().update(|total| add(total, usage));
            session.fill().set(fill);
        }
        Event::HistorySummarised {
            step_id,
            attempt,
            summary,
            usage,
            ..
        } => {
            if let Some((step_id, attempt)) = step_id.zip(attempt) {
                take_outcome(session, step_id, attempt, None);
            }
            if let Some(usage) = usage {
                session.usage().update(|total| add(total, usage));
            }
            session
                .summaries()
                .update(|summaries| summaries.push(summary));
            // What the window holds now is known after the next reply.
            session.fill().set(None);
        }
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
        Event::ToolCallChanged { call } => calls::take_call(session, *call),
        Event::QueueChanged { queue } => session.queue().set(queue),
        Event::BranchStarted { branch } => branch::start(session, branch),
        // The messages of the other branch are not here.
        Event::BranchSelected { .. } => session.sync().set(SyncState::Snapshot),
        Event::AgentChanged { agent_id } => session.agent_id().set(Some(agent_id)),
        Event::RunStarted { .. }
        | Event::RunResumed { .. }
        | Event::RunContinued { .. }
        | Event::RunWaiting { .. }
        | Event::RetryScheduled { .. }
        | Event::RunStopped { .. }
        | Event::RunInterrupted { .. }
        | Event::RunCancelled { .. }
        | Event::RunFailed { .. }
        | Event::RunCompleted { .. } => take_run_event(session, event, at_ms),
        // The list says what these change, and what is not known is not shown.
        Event::SessionCreated { .. }
        | Event::SessionRenamed { .. }
        | Event::SessionArchived { .. }
        | Event::ModelChanged { .. }
        | Event::StepCancelled { .. }
        | Event::Unrecognised { .. } => {}
    }
}

/// The events that move the newest run.
fn take_run_event(session: Session, event: Event, at_ms: u64) {
    let moved = |run_id, status| RunState::new(run_id, status, at_ms);
    let halted = |run_id: RunId, status, reason: RunReason| RunState {
        reason: Some(reason),
        ..moved(run_id, status)
    };
    let failed = |run_id, error: RunError| RunState {
        error: Some(error),
        ..moved(run_id, RunStatus::Failed)
    };
    match event {
        Event::RunStarted { run_id, .. }
        | Event::RunResumed { run_id }
        | Event::RunContinued { run_id } => set_run(session, moved(run_id, RunStatus::Running)),
        Event::RunWaiting { run_id } => set_run(session, moved(run_id, RunStatus::Waiting)),
        Event::RetryScheduled { run_id, retry } => {
            let retry = Some(retry);
            let run = moved(run_id, RunStatus::Running);
            set_run(session, RunState { retry, ..run });
        }
        Event::RunStopped { run_id, reason } => {
            end_run(session, halted(run_id, RunStatus::Stopped, reason));
        }
        Event::RunInterrupted { run_id, reason } => {
            end_run(session, halted(run_id, RunStatus::Interrupted, reason));
        }
        Event::RunCancelled { run_id, reason } => {
            end_run(session, halted(run_id, RunStatus::Cancelled, reason));
        }
        Event::RunFailed { run_id, error } => end_run(session, failed(run_id, error)),
        Event::RunCompleted { run_id } => end_run(session, moved(run_id, RunStatus::Completed)),
        Event::SessionCreated { .. }
        | Event::SessionRenamed { .. }
        | Event::MessageAdded { .. }
        | Event::StepStarted { .. }
        | Event::StepCompleted { .. }
        | Event::HistorySummarised { .. }
        | Event::ToolCallChanged { .. }
        | Event::StepInterrupted { .. }
        | Event::StepFailed { .. }
        | Event::StepCancelled { .. }
        | Event::QueueChanged { .. }
        | Event::BranchStarted { .. }
        | Event::BranchSelected { .. }
        | Event::SessionArchived { .. }
        | Event::AgentChanged { .. }
        | Event::ModelChanged { .. }
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
        calls::keep_shown(session);
    }
}

fn begin_live(session: Session, head: LiveHead) {
    // The wait for the next try is over.
    if let Some(run) = session
        .run()
        .get_untracked()
        .filter(|run| run.retry.is_some())
    {
        set_run(session, RunState { retry: None, ..run });
    }
    session.live_texts().set(Vec::new());
    session.live().set(Some(head));
}

pub(super) fn end_live(session: Session) {
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

/// What was not said stays unknown: it is never counted as nothing.
fn add(total: &mut UsageTotal, usage: Usage) {
    let sum = |known: &mut Option<u64>, more: Option<u64>| {
        if let Some(more) = more {
            *known = Some(known.unwrap_or(0).saturating_add(more));
        }
    };
    sum(&mut total.sum.input_tokens, usage.input_tokens);
    sum(&mut total.sum.output_tokens, usage.output_tokens);
    sum(&mut total.sum.cached_tokens, usage.cached_tokens);
    sum(&mut total.sum.cache_write_tokens, usage.cache_write_tokens);
    sum(&mut total.sum.cost_microusd, usage.cost_microusd);
    total.calls += 1;
    if usage.input_tokens.is_none() && usage.output_tokens.is_none() {
        total.calls_unknown += 1;
    }
    if usage.cost_microusd.is_none() {
        total.calls_without_cost += 1;
    }
}
