//! Applying a transition: one module per lifecycle, every move a compare-and-set.

mod agents;
mod approvals;
mod attachments;
mod attempts;
mod branches;
mod calls;
mod checkpoints;
mod events;
mod messages;
mod notices;
mod providers;
mod purge;
mod queue;
mod requests;
mod rules;
mod runs;
mod sessions;
mod settings;
mod state;
mod statement;
mod steps;
mod summaries;

use rusqlite::Connection;

pub(crate) use self::notices::stored_kind;
use crate::{Change, Error, Transition};

/// Applies all changes of a transition inside the caller's savepoint.
pub(crate) fn apply(connection: &Connection, transition: &Transition) -> Result<(), Error> {
    let mut places = events::Places::of(&transition.changes);
    for change in &transition.changes {
        apply_change(connection, change, &mut places)?;
    }
    // A message may name a run that a later change creates. Whether one did is found out here and
    // not by the commit, where it would be the failure of everyone who shares it.
    for change in &transition.changes {
        if let Change::AddMessage { message, .. } = change {
            messages::check_run(connection, message)?;
        }
    }
    Ok(())
}

#[expect(
    clippy::too_many_lines,
    reason = "one arm for each change, and nothing but a call in it"
)]
fn apply_change(
    connection: &Connection,
    change: &Change,
    places: &mut events::Places<'_>,
) -> Result<(), Error> {
    match change {
        // The audit tells of it; there is no other row.
        Change::NoteCause { .. } => Ok(()),
        Change::CreateSession {
            session_id,
            agent_id,
            title,
            workspace,
            forked_from,
            at_ms,
        } => {
            let session = sessions::New {
                agent_id: *agent_id,
                title: title.as_deref(),
                workspace,
                forked_from: *forked_from,
                at_ms: *at_ms,
            };
            sessions::create(connection, *session_id, &session)
        }
        Change::ArchiveSession {
            session_id,
            is_archived,
            at_ms,
        } => sessions::archive(connection, *session_id, is_archived.then_some(*at_ms)),
        Change::DeleteSession {
            session_id,
            deleted_at_ms,
        } => sessions::delete(connection, *session_id, *deleted_at_ms),
        Change::PurgeSession { session_id } => purge::session(connection, *session_id),
        Change::SetSessionAgent {
            session_id,
            agent_id,
        } => sessions::set_agent(connection, *session_id, *agent_id),
        Change::SetSessionModel { session_id, model } => {
            sessions::set_model(connection, *session_id, model.as_deref())
        }
        Change::StartBranch { session_id, branch } => {
            branches::start(connection, *session_id, branch)
        }
        Change::SelectBranch {
            session_id,
            from,
            to,
        } => branches::select(connection, *session_id, *from, *to),
        Change::NoteRequest {
            request_key,
            session_id,
            message_id,
        } => requests::note(connection, request_key, *session_id, *message_id),
        Change::Enqueue {
            session_id,
            message,
        } => queue::enqueue(connection, *session_id, message),
        Change::EditQueued { message_id, text } => queue::edit(connection, *message_id, text),
        Change::Dequeue { message_id } => queue::dequeue(connection, *message_id),
        Change::RenameSession {
            session_id,
            title,
            at_ms,
        } => sessions::rename(connection, *session_id, title, *at_ms),
        Change::AddMessage {
            session_id,
            message,
            native,
        } => messages::add(connection, *session_id, message, native.as_deref()),
        Change::CreateRun(run) => runs::create(connection, run),
        Change::MoveRun {
            run_id,
            from,
            to,
            reason,
            error,
            at_ms,
        } => {
            let moved = runs::Move {
                from: *from,
                to: *to,
                reason: *reason,
                at_ms: *at_ms,
            };
            runs::move_to(connection, *run_id, &moved, error.as_ref())
        }
        Change::RenewBudget { run_id } => runs::renew_budget(connection, *run_id),
        Change::SetRetry { run_id, retry } => runs::set_retry(connection, *run_id, retry.as_ref()),
        Change::CountCrash { run_id } => runs::count_crash(connection, *run_id),
        Change::DismissRun { run_id, at_ms } => runs::dismiss(connection, *run_id, *at_ms),
        Change::CreateStep {
            step_id,
            run_id,
            kind,
            at_ms,
        } => steps::create(connection, *step_id, *run_id, *kind, *at_ms),
        Change::MoveStep {
            step_id,
            from,
            to,
            at_ms,
        } => steps::move_to(connection, *step_id, *from, *to, *at_ms),
        Change::StartAttempt {
            step_id,
            attempt,
            at_ms,
        } => attempts::start(connection, *step_id, *attempt, *at_ms),
        Change::AppendDeltas {
            session_id: _,
            step_id,
            attempt,
            streamed_bytes,
            pieces,
        } => attempts::append_deltas(connection, *step_id, *attempt, *streamed_bytes, pieces),
        Change::EndAttempt {
            step_id,
            attempt,
            to,
            streamed_bytes,
            usage,
            fill,
            error,
            at_ms,
        } => {
            let end = attempts::End {
                to: *to,
                streamed_bytes: *streamed_bytes,
                usage: *usage,
                fill: *fill,
                error: error.as_ref(),
                at_ms: *at_ms,
            };
            attempts::end(connection, *step_id, *attempt, &end)
        }
        Change::AddSummary {
            session_id,
            summary,
        } => summaries::add(connection, *session_id, summary),
        Change::AddCall(call) => calls::add(connection, call),
        Change::SaveCall {
            call,
            from,
            result_whole,
        } => calls::save(connection, call, *from, result_whole.as_deref()),
        Change::AddApproval { call_id, approval } => approvals::add(connection, *call_id, approval),
        Change::DecideApproval {
            call_id,
            round,
            to,
            decision,
        } => approvals::decide(connection, *call_id, *round, *to, decision.as_ref()),
        Change::ConsumeApproval {
            call_id,
            round,
            at_ms,
        } => approvals::consume(connection, *call_id, *round, *at_ms),
        Change::AddCheckpoint {
            call_id,
            checkpoint,
        } => checkpoints::add(connection, *call_id, checkpoint),
        Change::MarkUndone {
            call_id,
            path,
            at_ms,
        } => checkpoints::mark_undone(connection, *call_id, path, *at_ms),
        Change::StageState { call_id, changes } => state::stage(connection, *call_id, changes),
        Change::MergeState {
            session_id,
            message_id,
        } => state::merge(connection, *session_id, *message_id),
        Change::AddRule(rule) => rules::add(connection, rule),
        Change::RemoveRule { rule_id } => rules::remove(connection, *rule_id),
        Change::CreateAgent(agent) => agents::create(connection, agent),
        Change::UpdateAgent {
            agent_id,
            fields,
            revision,
            at_ms,
        } => agents::update(connection, *agent_id, fields, *revision, *at_ms),
        Change::DeleteAgent { agent_id } => agents::delete(connection, *agent_id),
        Change::CreateProvider(provider) => providers::create(connection, provider),
        Change::UpdateProvider {
            provider_id,
            fields,
            secrets,
            revision,
            at_ms,
        } => providers::update(connection, *provider_id, fields, secrets, *revision, *at_ms),
        Change::SaveProviderSecrets {
            provider_id,
            secrets,
            revision,
            at_ms: _,
        } => providers::save_secrets(connection, *provider_id, secrets, *revision),
        Change::SaveProviderModels {
            provider_id,
            models,
            at_ms,
        } => providers::save_models(connection, *provider_id, models, *at_ms),
        Change::DeleteProvider { provider_id } => providers::delete(connection, *provider_id),
        Change::Attachment(change) => attachments::apply(connection, change),
        Change::SaveSettings(settings) => settings::save(connection, settings),
        Change::NoteNotice {
            run_id,
            kind,
            at_ms,
        } => notices::note(connection, *run_id, *kind, *at_ms),
        Change::AppendEvent {
            session_id,
            at_ms,
            event,
        } => events::append(connection, places, *session_id, *at_ms, event),
    }
}
