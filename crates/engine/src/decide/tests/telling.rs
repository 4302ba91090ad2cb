//! A decision in short: its changes in order, then its effects.

use store::{Change, StepKind};
use uuid::Uuid;

use super::super::{Decision, Effect};

pub(crate) fn told(decision: &Decision) -> Vec<String> {
    let changes = decision.changes.iter().map(change_told);
    changes
        .chain(decision.effects.iter().map(effect_told))
        .collect()
}

/// The events of a decision, in order.
pub(crate) fn events(decision: &Decision) -> Vec<&protocol::Event> {
    let events = decision.changes.iter().filter_map(|change| match change {
        Change::AppendEvent { event, .. } => Some(event),
        _ => None,
    });
    events.collect()
}

#[expect(clippy::too_many_lines, reason = "a line for every change")]
fn change_told(change: &Change) -> String {
    match change {
        Change::CreateSession { title, .. } => format!("create session {title:?}"),
        Change::RenameSession { title, .. } => format!("rename session {title:?}"),
        Change::ArchiveSession { is_archived, .. } => format!("archive session {is_archived}"),
        Change::DeleteSession { deleted_at_ms, .. } => format!("delete session {deleted_at_ms:?}"),
        Change::SetSessionAgent { agent_id, .. } => format!("agent {}", short(agent_id.uuid())),
        Change::SetSessionModel { model, .. } => format!("model {model:?}"),
        Change::StartBranch { branch, .. } => format!(
            "branch {} of {:?} from {}",
            branch.branch, branch.parent, branch.from_position
        ),
        Change::SelectBranch { from, to, .. } => format!("select branch {from} -> {to}"),
        Change::NoteRequest { request_key, .. } => format!("note request {request_key}"),
        Change::Enqueue { message, .. } => format!("enqueue {:?}", message.text),
        Change::EditQueued { text, .. } => format!("edit queued {text:?}"),
        Change::Dequeue { message_id } => format!("dequeue {}", short(message_id.uuid())),
        Change::AddMessage { message, .. } => format!(
            "add {:?} {:?} message {} {:?}",
            message.status,
            message.role,
            message.position,
            message.text()
        ),
        Change::CreateRun(run) => format!("create run {}", short(run.run_id.uuid())),
        Change::MoveRun {
            run_id,
            from,
            to,
            reason,
            ..
        } => {
            let reason = reason.map_or("-", protocol::RunReason::as_str);
            let (from, to) = (from.as_str(), to.as_str());
            format!("run {} {from} -> {to} {reason}", short(run_id.uuid()))
        }
        Change::RenewBudget { .. } => "renew budget".to_owned(),
        Change::SetRetry { retry, .. } => match retry {
            Some(retry) => format!("retry at {} after {} failed", retry.at_ms, retry.failed),
            None => "no retry".to_owned(),
        },
        Change::CountCrash { .. } => "count crash".to_owned(),
        Change::DismissRun { run_id, .. } => format!("dismiss run {}", short(run_id.uuid())),
        Change::CreateStep { step_id, kind, .. } => {
            let kind = match kind {
                StepKind::ModelCall => "model",
                StepKind::ToolCall => "tool",
                StepKind::Compaction => "compaction",
            };
            format!("create {kind} step {}", short(step_id.uuid()))
        }
        Change::MoveStep {
            step_id, from, to, ..
        } => {
            let (from, to) = (from.as_str(), to.as_str());
            format!("step {} {from} -> {to}", short(step_id.uuid()))
        }
        Change::StartAttempt { attempt, .. } => format!("start attempt {attempt}"),
        Change::EndAttempt {
            attempt,
            to,
            streamed_bytes,
            ..
        } => format!(
            "end attempt {attempt} {} at {streamed_bytes} bytes",
            to.as_str()
        ),
        Change::AddCall(call) => format!(
            "add call {} {}",
            short(call.view.call_id.uuid()),
            call.view.status.as_str()
        ),
        Change::SaveCall { call, from, .. } => {
            let (from, to) = (from.as_str(), call.view.status.as_str());
            format!("call {} {from} -> {to}", short(call.view.call_id.uuid()))
        }
        Change::AddApproval { call_id, approval } => {
            format!("ask {} round {}", short(call_id.uuid()), approval.round)
        }
        Change::DecideApproval {
            call_id, round, to, ..
        } => format!(
            "answer {} round {round} {}",
            short(call_id.uuid()),
            to.as_str()
        ),
        Change::ConsumeApproval { call_id, round, .. } => {
            format!("use {} round {round}", short(call_id.uuid()))
        }
        Change::AddCheckpoint { checkpoint, .. } => format!("checkpoint {}", checkpoint.path),
        Change::StageState { changes, .. } => format!("stage {}", changes.len()),
        Change::MergeState { .. } => "merge state".to_owned(),
        Change::AddRule(rule) => format!(
            "rule {} {} {:?} {:?}",
            rule.verdict.as_str(),
            rule.tool,
            rule.pattern,
            rule.scope
        ),
        Change::AppendEvent { event, .. } => format!("event {}", kind(event)),
        other => format!("{other:?}"),
    }
}

/// The wire's own name of an event.
fn kind(event: &protocol::Event) -> String {
    let name = format!("{event:?}");
    let name = name.split([' ', '{']).next().unwrap_or_default();
    let mut kind = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !kind.is_empty() {
            kind.push('_');
        }
        kind.extend(letter.to_lowercase());
    }
    kind
}

fn effect_told(effect: &Effect) -> String {
    match effect {
        Effect::CallModel {
            run_id,
            step_id,
            attempt,
            ..
        } => format!(
            "call model for run {} step {} attempt {attempt}",
            short(run_id.uuid()),
            short(step_id.uuid())
        ),
        Effect::HaltModel { run_id, .. } => format!("halt model of run {}", short(run_id.uuid())),
        Effect::StartCall { call_id, .. } => format!("start call {}", short(call_id.uuid())),
        Effect::RunCall {
            call_id, attempt, ..
        } => format!("run call {} attempt {attempt}", short(call_id.uuid())),
        Effect::HaltCalls { run_id } => format!("halt calls of run {}", short(run_id.uuid())),
    }
}

fn short(uuid: Uuid) -> String {
    format!("{:x}", uuid.as_u128())
}
