//! What of a transition is told: one match over every change there is, so that a new one cannot be
//! forgotten.

use protocol::{CallStatus, DecisionView, Message, MessageStatus, RuleView, StepId};
use serde::Serialize;
use uuid::Uuid;

use super::CauseKind;
use crate::{AttachmentChange, CallRow, Change, Error, Transition};

/// One row to be.
#[derive(Debug, Clone, Default)]
pub(super) struct Entry<'a> {
    pub(super) at_ms: Option<u64>,
    pub(super) kind: &'static str,
    pub(super) name: &'a str,
    pub(super) session_id: Option<[u8; 16]>,
    pub(super) run_id: Option<[u8; 16]>,
    pub(super) call_id: Option<[u8; 16]>,
    pub(super) subject_id: Option<[u8; 16]>,
    pub(super) status: Option<&'static str>,
    pub(super) content: Option<[u8; 32]>,
}

impl<'a> Entry<'a> {
    pub(super) fn new(kind: &'static str, name: &'a str) -> Self {
        Self {
            kind,
            name,
            ..Self::default()
        }
    }

    fn at(mut self, at_ms: impl Into<Option<u64>>) -> Self {
        self.at_ms = at_ms.into();
        self
    }

    fn run(mut self, id: Uuid) -> Self {
        self.run_id = Some(id.into_bytes());
        self
    }

    fn call(mut self, id: Uuid) -> Self {
        self.call_id = Some(id.into_bytes());
        self
    }

    fn about(mut self, id: Uuid) -> Self {
        self.subject_id = Some(id.into_bytes());
        self
    }

    fn status(mut self, status: &'static str) -> Self {
        self.status = Some(status);
        self
    }

    fn text(mut self, text: &str) -> Self {
        self.content = Some(blake3::hash(text.as_bytes()).into());
        self
    }

    fn json(self, value: &impl Serialize) -> Result<Self, Error> {
        let text = serde_json::to_string(value).map_err(|error| Error::Unreadable {
            what: "change",
            detail: error.to_string(),
        })?;
        Ok(self.text(&text))
    }
}

/// All rows of a transition, and when it happened, as far as it says.
pub(super) struct Told<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    pub(super) at_ms: Option<u64>,
}

pub(super) fn entries(transition: &Transition) -> Result<Told<'_>, Error> {
    let mut entries = Vec::new();
    for change in &transition.changes {
        if let Some(mut entry) = entry(change, transition)? {
            entry.session_id = change.session_id().map(|id| id.uuid().into_bytes());
            entries.push(entry);
        }
    }
    // Most changes name the thing and not its session; where there is only one, it is that.
    if let [only] = transition.sessions()[..] {
        for entry in &mut entries {
            entry.session_id.get_or_insert(only.uuid().into_bytes());
        }
    }
    let at_ms = entries.iter().find_map(|entry| entry.at_ms);
    Ok(Told { entries, at_ms })
}

/// Nothing for what only repeats or counts: events, streamed text, steps, retries, notices.
#[expect(
    clippy::too_many_lines,
    reason = "one arm for each change, and nothing but its row in it"
)]
fn entry<'a>(change: &'a Change, all: &Transition) -> Result<Option<Entry<'a>>, Error> {
    let record = |name| Entry::new("record", name);
    let decision = |name| Entry::new("decision", name);
    let effect = |name| Entry::new("effect", name);
    let entry = match change {
        Change::NoteCause { cause, at_ms } => Entry {
            content: cause.content,
            ..Entry::new(kind_of(cause.kind), &cause.name).at(*at_ms)
        },
        Change::CreateSession { title, at_ms, .. } => {
            let created = record("session_created").at(*at_ms);
            match title {
                Some(title) => created.text(title),
                None => created,
            }
        }
        Change::ArchiveSession {
            is_archived, at_ms, ..
        } => {
            let status = if *is_archived {
                "archived"
            } else {
                "taken_back"
            };
            record("session_archived").at(*at_ms).status(status)
        }
        Change::DeleteSession { deleted_at_ms, .. } => {
            let status = deleted_at_ms.map_or("taken_back", |_| "deleted");
            record("session_deleted").at(*deleted_at_ms).status(status)
        }
        Change::PurgeSession { .. } => record("session_purged"),
        Change::SetSessionAgent { agent_id, .. } => {
            record("session_agent_set").about(agent_id.uuid())
        }
        Change::SetSessionModel { model, .. } => {
            let set = record("session_model_set");
            match model {
                Some(model) => set.status("set").text(model),
                None => set.status("taken_back"),
            }
        }
        Change::StartBranch { branch, .. } => record("branch_started").at(branch.created_at_ms),
        Change::SelectBranch { .. } => record("branch_selected"),
        Change::Enqueue { message, .. } => record("message_queued")
            .at(message.created_at_ms)
            .about(message.message_id.uuid())
            .text(&message.text),
        Change::EditQueued { message_id, text } => {
            record("message_edited").about(message_id.uuid()).text(text)
        }
        Change::Dequeue { message_id } => record("message_dequeued").about(message_id.uuid()),
        Change::RenameSession { title, at_ms, .. } => {
            record("session_renamed").at(*at_ms).text(title)
        }
        Change::AddMessage { message, .. } => added(message)?,
        Change::CreateRun(run) => record("run_started").at(run.at_ms).run(run.run_id.uuid()),
        Change::MoveRun {
            run_id, to, at_ms, ..
        } => {
            let name = if to.is_terminal() {
                "run_ended"
            } else {
                "run_moved"
            };
            let moved = record(name).at(*at_ms).run(run_id.uuid());
            moved.status(to.as_str())
        }
        Change::RenewBudget { run_id } => record("run_budget_renewed").run(run_id.uuid()),
        Change::DismissRun { run_id, at_ms } => {
            record("run_dismissed").at(*at_ms).run(run_id.uuid())
        }
        Change::StartAttempt { step_id, at_ms, .. } if !is_of_call(*step_id, all) => {
            effect("attempt_started").at(*at_ms).about(step_id.uuid())
        }
        Change::EndAttempt {
            step_id, to, at_ms, ..
        } if !is_of_call(*step_id, all) => effect("attempt_ended")
            .at(*at_ms)
            .about(step_id.uuid())
            .status(to.as_str()),
        Change::AddSummary { summary, .. } => record("history_summarised")
            .at(summary.created_at_ms)
            .text(&summary.text),
        Change::AddCall(call) => planned(call),
        Change::SaveCall { call, from, .. } => saved(call, *from),
        Change::AddApproval { call_id, approval } => Entry {
            content: digest(&approval.digest),
            ..decision("approval_asked")
                .at(approval.asked_at_ms)
                .call(call_id.uuid())
        },
        Change::DecideApproval {
            call_id,
            to,
            decision: answer,
            ..
        } => {
            let decided = decision("approval_decided")
                .call(call_id.uuid())
                .status(to.as_str());
            answered(decided, answer.as_ref())?
        }
        Change::ConsumeApproval { call_id, at_ms, .. } => {
            decision("approval_used").at(*at_ms).call(call_id.uuid())
        }
        Change::AddCheckpoint {
            call_id,
            checkpoint,
        } => Entry {
            content: Some(checkpoint.after),
            ..effect("file_change_planned").call(call_id.uuid())
        },
        Change::MarkUndone {
            call_id,
            path,
            at_ms,
        } => effect("file_change_undone")
            .at(*at_ms)
            .call(call_id.uuid())
            .text(path),
        Change::StageState { call_id, changes } => {
            effect("state_staged").call(call_id.uuid()).json(changes)?
        }
        Change::AddRule(rule) => added_rule(rule)?,
        Change::RemoveRule { rule_id } => decision("rule_removed").about(rule_id.uuid()),
        Change::CreateAgent(agent) => record("agent_created")
            .at(agent.created_at_ms)
            .about(agent.agent_id.uuid())
            .json(&agent.fields)?,
        Change::UpdateAgent {
            agent_id,
            fields,
            at_ms,
            ..
        } => record("agent_updated")
            .at(*at_ms)
            .about(agent_id.uuid())
            .json(fields)?,
        Change::DeleteAgent { agent_id } => record("agent_deleted").about(agent_id.uuid()),
        Change::CreateProvider(provider) => record("provider_created")
            .at(provider.created_at_ms)
            .about(provider.provider_id.uuid())
            .json(&provider.fields)?,
        Change::UpdateProvider {
            provider_id,
            fields,
            at_ms,
            ..
        } => record("provider_updated")
            .at(*at_ms)
            .about(provider_id.uuid())
            .json(fields)?,
        Change::SaveProviderSecrets {
            provider_id,
            secrets,
            at_ms,
            ..
        } => record("provider_secrets_saved")
            .at(*at_ms)
            .about(provider_id.uuid())
            .json(secrets)?,
        Change::SaveProviderModels {
            provider_id,
            models,
            at_ms,
        } => record("provider_models_saved")
            .at(*at_ms)
            .about(provider_id.uuid())
            .json(models)?,
        Change::DeleteProvider { provider_id } => {
            record("provider_deleted").about(provider_id.uuid())
        }
        Change::Attachment(change) => of_attachment(change),
        Change::SaveSettings(settings) => record("settings_saved").json(settings)?,
        Change::NoteRequest { .. }
        | Change::SetRetry { .. }
        | Change::CountCrash { .. }
        | Change::CreateStep { .. }
        | Change::MoveStep { .. }
        | Change::StartAttempt { .. }
        | Change::AppendDeltas { .. }
        | Change::EndAttempt { .. }
        | Change::MergeState { .. }
        | Change::NoteNotice { .. }
        | Change::AppendEvent { .. } => return Ok(None),
    };
    Ok(Some(entry))
}

const fn kind_of(kind: CauseKind) -> &'static str {
    match kind {
        CauseKind::Command => "command",
        CauseKind::App => "app",
        CauseKind::Recovery => "recovery",
    }
}

/// The attempt of a tool call is told with the call.
fn is_of_call(step_id: StepId, all: &Transition) -> bool {
    all.changes.iter().any(|change| {
        matches!(change, Change::AddCall(call) | Change::SaveCall { call, .. }
                 if call.step_id == Some(step_id))
    })
}

fn added(message: &Message) -> Result<Entry<'static>, Error> {
    let mut added = Entry::new("record", "message_added")
        .at(message.created_at_ms)
        .about(message.message_id.uuid())
        .status(match message.status {
            MessageStatus::Complete => "complete",
            MessageStatus::Partial => "partial",
            MessageStatus::Unreadable => "unreadable",
        });
    added.run_id = message.run_id.map(|id| id.uuid().into_bytes());
    if message.attachments.is_empty() {
        return added.json(&message.blocks);
    }
    added.json(&(&message.blocks, &message.attachments))
}

/// What it holds is told by its hash, as everything is.
fn of_attachment(change: &AttachmentChange) -> Entry<'static> {
    match change {
        AttachmentChange::Add(added) => {
            let mut entry = Entry::new("record", "attachment_added")
                .at(added.at_ms)
                .about(added.view.attachment_id.uuid());
            entry.content = Some(blake3::hash(&added.body).into());
            entry
        }
        AttachmentChange::Remove {
            attachment_id,
            at_ms,
        } => Entry::new("record", "attachment_removed")
            .at(*at_ms)
            .about(attachment_id.uuid()),
        AttachmentChange::Purge { at_ms } => Entry::new("record", "attachments_purged").at(*at_ms),
    }
}

fn of_call(name: &'static str, call: &CallRow) -> Entry<'static> {
    let view = &call.view;
    Entry::new("effect", name)
        .at(view.created_at_ms)
        .run(view.run_id.uuid())
        .call(view.call_id.uuid())
        .status(view.status.as_str())
}

/// One that starts together with the reply that asks for it is told of once.
fn planned(call: &CallRow) -> Entry<'static> {
    let name = if call.view.status == CallStatus::Running {
        "call_started"
    } else {
        "call_planned"
    };
    of_call(name, call).text(&call.view.arguments)
}

/// The arguments that run or are asked about; what came back, once something did.
fn saved(call: &CallRow, from: CallStatus) -> Entry<'static> {
    let view = &call.view;
    let name = match view.status {
        CallStatus::Running if from != CallStatus::Running => "call_started",
        CallStatus::InDoubt if from != CallStatus::InDoubt => "call_in_doubt",
        CallStatus::Completed
        | CallStatus::Failed
        | CallStatus::Denied
        | CallStatus::Skipped
        | CallStatus::Cancelled => "call_ended",
        CallStatus::Proposed
        | CallStatus::Waiting
        | CallStatus::Ready
        | CallStatus::Running
        | CallStatus::InDoubt => "call_changed",
    };
    let at_ms = match name {
        "call_started" => view.started_at_ms,
        "call_ended" => view.ended_at_ms,
        _ => None,
    };
    let saved = of_call(name, call).at(at_ms);
    match &view.result {
        Some(result) => saved.text(&result.text),
        None => saved.text(&view.arguments),
    }
}

fn answered<'a>(decided: Entry<'a>, answer: Option<&DecisionView>) -> Result<Entry<'a>, Error> {
    match answer {
        Some(answer) => decided.at(answer.at_ms).json(answer),
        None => Ok(decided),
    }
}

fn added_rule(rule: &RuleView) -> Result<Entry<'static>, Error> {
    let mut added = Entry::new("decision", "rule_added")
        .at(rule.created_at_ms)
        .about(rule.rule_id.uuid())
        .status(rule.verdict.as_str());
    added.call_id = rule.made_by.map(|id| id.uuid().into_bytes());
    added.json(rule)
}

fn digest(text: &str) -> Option<[u8; 32]> {
    blake3::Hash::from_hex(text).ok().map(Into::into)
}
