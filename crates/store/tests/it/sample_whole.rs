//! One session that went through everything: every change there is, and a row in every table.

use protocol::{
    AgentFields, AgentId, AgentView, ApprovalStatus, AttentionKind, BranchView, CallStatus,
    ErrorClass, MessageId, QueuedMessage, RuleId, RuleScope, RuleView, RunError, RunLimits,
    RunStatus, SessionId, Settings, StepStatus, ToolResult, Usage, Verdict,
};
use store::{CallRow, Cause, CauseKind, Change, Checkpoint, Retry, StateChange};
use uuid::Uuid;

use crate::sample::{
    add_message, add_native, append, beginning, create_session, create_step, end_attempt, message,
    message_id, move_run, move_step, new_run, piece, run_id, session_id, start_attempt, step_id,
};
use crate::sample_attachment::attached;
use crate::sample_call::{
    add_call, ask, call, call_id, decide, full_call, rule_id, save_call, start_body,
};
use crate::sample_provider::{provider, provider_fields, provider_id, provider_model, secrets};

pub(crate) fn agent_id(number: u64) -> AgentId {
    AgentId::from_uuid(Uuid::from_u128(
        (0x0192_0000_0000_7000_8000_u128 << 48) | (7 << 40) | u128::from(number),
    ))
}

pub(crate) fn fields(name: &str) -> AgentFields {
    AgentFields {
        name: name.to_owned(),
        instructions: Some("Be brief.".to_owned()),
        model: Some("guide".to_owned()),
        tools: Some(vec!["read_file".to_owned()]),
        limits: RunLimits {
            steps: Some(10),
            seconds: Some(20),
            tokens: Some(30),
            cost_microusd: Some(40),
        },
    }
}

pub(crate) fn agent(number: u64, name: &str) -> AgentView {
    AgentView {
        agent_id: agent_id(number),
        fields: fields(name),
        is_default: false,
        revision: 1,
        created_at_ms: 5,
        updated_at_ms: 5,
    }
}

pub(crate) fn rule(id: RuleId, verdict: Verdict, scope: RuleScope) -> RuleView {
    RuleView {
        rule_id: id,
        verdict,
        tool: "write_file".to_owned(),
        pattern: Some("notes/*".to_owned()),
        scope,
        made_by: None,
        created_at_ms: 6,
    }
}

pub(crate) fn queued(id: MessageId, text: &str) -> QueuedMessage {
    QueuedMessage {
        message_id: id,
        text: text.to_owned(),
        attachments: Vec::new(),
        created_at_ms: 7,
    }
}

pub(crate) fn enqueue(session: SessionId, id: MessageId, text: &str) -> Change {
    Change::Enqueue {
        session_id: session,
        message: queued(id, text),
    }
}

pub(crate) fn checkpoint(path: &str, before: Option<&[u8]>) -> Checkpoint {
    Checkpoint {
        path: path.to_owned(),
        before: before.map(<[u8]>::to_vec),
        after: [4; 32],
        undone_at_ms: None,
    }
}

pub(crate) fn retry() -> Retry {
    Retry {
        at_ms: 80,
        failed: 2,
        error: RunError {
            class: ErrorClass::Overloaded,
            message: "No capacity.".to_owned(),
        },
    }
}

pub(crate) fn start_branch(session: SessionId, branch: u32, parent: u32, from: u64) -> Change {
    Change::StartBranch {
        session_id: session,
        branch: BranchView {
            branch,
            parent: Some(parent),
            from_position: from,
            created_at_ms: 8,
        },
    }
}

pub(crate) fn delete_session(session: SessionId, deleted_at_ms: Option<u64>) -> Change {
    Change::DeleteSession {
        session_id: session,
        deleted_at_ms,
    }
}

/// A call on its way, as the row is after `revision` changes.
pub(crate) fn at(mut call: CallRow, revision: u32, status: CallStatus) -> CallRow {
    call.revision = revision;
    call.view.status = status;
    if status.is_terminal() {
        call.view.result = Some(ToolResult {
            text: "done".to_owned(),
            is_error: false,
            class: None,
            total_bytes: 4,
        });
    }
    call
}

/// Every change, in an order in which each can be applied. Ids are made of `number`, so two numbers
/// below 20 never meet.
pub(crate) fn everything(number: u64) -> Vec<Change> {
    let session = session_id(number);
    let mut changes = vec![
        note_command("send_message"),
        Change::CreateAgent(agent(number, "Scribe")),
    ];
    changes.extend(beginning(number).into_iter().map(with_pin));
    changes.extend(before_the_call(number, session));
    changes.extend(one_call(number, session));
    changes.extend(around(number, session));
    changes.extend(attached(number, session));
    changes.extend(second_branch(number, session));
    changes.extend(another_that_goes(number));
    changes
}

pub(crate) fn note_command(name: &str) -> Change {
    Change::NoteCause {
        cause: Cause {
            kind: CauseKind::Command,
            name: name.to_owned(),
            content: Some([7; 32]),
        },
        at_ms: 5,
    }
}

fn with_pin(mut change: Change) -> Change {
    if let Change::CreateRun(run) = &mut change {
        run.pin = Some(r#"{"tools":[]}"#.to_owned());
        run.request_key = Some(format!("key of {}", run.run_id));
    }
    change
}

fn before_the_call(number: u64, session: SessionId) -> Vec<Change> {
    let (run_id, waiting) = (run_id(number), message_id(number * 100 + 50));
    vec![
        Change::SetSessionAgent {
            session_id: session,
            agent_id: agent_id(number),
        },
        Change::RenameSession {
            session_id: session,
            title: "Tides".to_owned(),
            at_ms: 9,
        },
        Change::NoteRequest {
            request_key: format!("key of {waiting}"),
            session_id: session,
            message_id: waiting,
        },
        enqueue(session, waiting, "and then?"),
        enqueue(session, message_id(number * 100 + 51), "never mind"),
        Change::EditQueued {
            message_id: waiting,
            text: "and after that?".to_owned(),
        },
        Change::Dequeue {
            message_id: message_id(number * 100 + 51),
        },
        Change::SetRetry {
            run_id,
            retry: Some(retry()),
        },
        Change::CountCrash { run_id },
        Change::EndAttempt {
            step_id: step_id(number),
            attempt: 1,
            to: StepStatus::Completed,
            streamed_bytes: 5,
            usage: Usage {
                input_tokens: Some(100),
                output_tokens: Some(20),
                cached_tokens: None,
                cache_write_tokens: Some(9),
                cost_microusd: Some(3),
            },
            fill: Some(protocol::Fill {
                tokens: 120,
                of: Some(8_192),
                is_estimated: false,
            }),
            error: None,
            at_ms: 26,
        },
        Change::AddSummary {
            session_id: session_id(number),
            summary: protocol::SummaryView {
                position: 1,
                branch: 0,
                kept: Some(1),
                text: "They wanted a plan.".to_owned(),
                model: "guide".to_owned(),
                created_at_ms: 27,
            },
        },
        move_step(step_id(number), StepStatus::Running, StepStatus::Completed),
        Change::RenewBudget { run_id },
    ]
}

fn one_call(number: u64, session: SessionId) -> Vec<Change> {
    let mut written = message(message_id(number * 100), 2, "let me");
    written.run_id = Some(run_id(number));
    let (id, body) = (call_id(number * 100), step_id(number * 100));
    let first = call(number, 0);
    let running = CallRow {
        step_id: Some(body),
        ..at(full_call(number, 0), 3, CallStatus::Running)
    };
    let mut changes = vec![
        add_native(session, written),
        add_call(first.clone()),
        save_call(
            at(first.clone(), 1, CallStatus::Waiting),
            CallStatus::Proposed,
        ),
        ask(id, 1),
        decide(id, 1, ApprovalStatus::Allowed),
        save_call(at(first, 2, CallStatus::Ready), CallStatus::Waiting),
        Change::ConsumeApproval {
            call_id: id,
            round: 1,
            at_ms: 23,
        },
    ];
    changes.extend(start_body(number));
    changes.extend([
        save_call(running.clone(), CallStatus::Ready),
        Change::AddCheckpoint {
            call_id: id,
            checkpoint: checkpoint("notes.md", Some(b"before")),
        },
        Change::AddCheckpoint {
            call_id: id,
            checkpoint: checkpoint("new.md", None),
        },
        Change::StageState {
            call_id: id,
            changes: vec![
                StateChange::Set {
                    key: "plan".to_owned(),
                    value: serde_json::json!(["look", "write"]),
                },
                StateChange::Add {
                    key: "count".to_owned(),
                    by: 1,
                },
            ],
        },
        end_attempt(body, 0, StepStatus::Completed),
        move_step(body, StepStatus::Running, StepStatus::Completed),
        Change::SaveCall {
            call: Box::new(at(running, 4, CallStatus::Completed)),
            from: CallStatus::Running,
            result_whole: Some("done, and much more".to_owned()),
        },
        Change::MergeState {
            session_id: session,
            message_id: message_id(number * 100),
        },
        Change::MarkUndone {
            call_id: id,
            path: "new.md".to_owned(),
            at_ms: 31,
        },
    ]);
    changes
}

fn around(number: u64, session: SessionId) -> Vec<Change> {
    let mut everywhere = rule(rule_id(number), Verdict::Allow, RuleScope::Global {});
    everywhere.made_by = Some(call_id(number * 100));
    let here = RuleScope::Session {
        session_id: session,
    };
    let run_id = run_id(number);
    vec![
        Change::AddRule(everywhere),
        Change::AddRule(rule(rule_id(number + 20), Verdict::Deny, here.clone())),
        Change::AddRule(rule(rule_id(number + 40), Verdict::Ask, here)),
        Change::RemoveRule {
            rule_id: rule_id(number + 40),
        },
        Change::UpdateAgent {
            agent_id: agent_id(number),
            fields: fields("Clerk"),
            revision: 1,
            at_ms: 32,
        },
        Change::CreateProvider(Box::new(provider(number, "Mine"))),
        Change::SaveProviderSecrets {
            provider_id: provider_id(number),
            secrets: secrets(),
            revision: 1,
            at_ms: 33,
        },
        Change::UpdateProvider {
            provider_id: provider_id(number),
            fields: provider_fields("Ours"),
            secrets: secrets(),
            revision: 1,
            at_ms: 33,
        },
        Change::SaveProviderModels {
            provider_id: provider_id(number),
            models: vec![provider_model("large")],
            at_ms: 33,
        },
        Change::CreateProvider(Box::new(provider(number + 20, "Gone"))),
        Change::DeleteProvider {
            provider_id: provider_id(number + 20),
        },
        Change::SetSessionModel {
            session_id: session,
            model: Some(format!("{}/large", provider_id(number))),
        },
        Change::SaveSettings(Settings {
            approval_minutes: Some(5),
            ..Settings::default()
        }),
        Change::NoteNotice {
            run_id,
            kind: AttentionKind::Waiting,
            at_ms: 33,
        },
        move_run(run_id, RunStatus::Running, RunStatus::Failed),
        Change::DismissRun { run_id, at_ms: 34 },
        Change::ArchiveSession {
            session_id: session,
            is_archived: true,
            at_ms: 35,
        },
        Change::ArchiveSession {
            session_id: session,
            is_archived: false,
            at_ms: 36,
        },
    ]
}

/// Written anew from the agent's message on, with a call that has staged something.
fn second_branch(number: u64, session: SessionId) -> Vec<Change> {
    let (run, step) = (run_id(number + 20), step_id(number + 20));
    let id = message_id(number * 100 + 1);
    let mut anew = message(id, 2, "let me see");
    anew.branch = 1;
    anew.run_id = Some(run);
    let mut new_run = new_run(run, session, message_id(number));
    new_run.branch = 1;
    new_run.retry_of = Some(run_id(number));
    let mut asked = full_call(number, 1);
    asked.view.message_id = id;
    asked.view.run_id = run;
    vec![
        start_branch(session, 1, 0, 2),
        add_message(session, anew),
        Change::CreateRun(new_run),
        Change::SelectBranch {
            session_id: session,
            from: 1,
            to: 0,
        },
        Change::SelectBranch {
            session_id: session,
            from: 0,
            to: 1,
        },
        create_step(step, run),
        move_step(step, StepStatus::Planned, StepStatus::Running),
        start_attempt(step, 1),
        append(session, step, 0, vec![piece(0, 0, "I see")]),
        add_call(asked.clone()),
        Change::StageState {
            call_id: asked.view.call_id,
            changes: vec![StateChange::Append {
                key: "seen".to_owned(),
                value: serde_json::json!("tide"),
            }],
        },
    ]
}

/// A session that is deleted, taken back, and deleted for good; and an agent that goes.
fn another_that_goes(number: u64) -> Vec<Change> {
    let other = session_id(number + 20);
    vec![
        Change::CreateAgent(agent(number + 20, "Extra")),
        create_session(other),
        enqueue(other, message_id(number * 100 + 52), "hello?"),
        delete_session(other, Some(40)),
        delete_session(other, None),
        delete_session(other, Some(41)),
        Change::PurgeSession { session_id: other },
        Change::DeleteAgent {
            agent_id: agent_id(number + 20),
        },
    ]
}

/// The compiler asks for a new change here; the test below then asks for it in the list above.
fn kind(change: &Change) -> usize {
    match change {
        Change::CreateSession { .. } => 0,
        Change::ArchiveSession { .. } => 1,
        Change::DeleteSession { .. } => 2,
        Change::PurgeSession { .. } => 3,
        Change::SetSessionAgent { .. } => 4,
        Change::StartBranch { .. } => 5,
        Change::SelectBranch { .. } => 6,
        Change::NoteRequest { .. } => 7,
        Change::Enqueue { .. } => 8,
        Change::EditQueued { .. } => 9,
        Change::Dequeue { .. } => 10,
        Change::RenameSession { .. } => 11,
        Change::AddMessage { .. } => 12,
        Change::CreateRun(_) => 13,
        Change::MoveRun { .. } => 14,
        Change::RenewBudget { .. } => 15,
        Change::SetRetry { .. } => 16,
        Change::CountCrash { .. } => 17,
        Change::DismissRun { .. } => 18,
        Change::CreateStep { .. } => 19,
        Change::MoveStep { .. } => 20,
        Change::StartAttempt { .. } => 21,
        Change::AppendDeltas { .. } => 22,
        Change::EndAttempt { .. } => 23,
        Change::AddCall(_) => 24,
        Change::SaveCall { .. } => 25,
        Change::AddApproval { .. } => 26,
        Change::DecideApproval { .. } => 27,
        Change::ConsumeApproval { .. } => 28,
        Change::AddCheckpoint { .. } => 29,
        Change::MarkUndone { .. } => 30,
        Change::StageState { .. } => 31,
        Change::MergeState { .. } => 32,
        Change::AddRule(_) => 33,
        Change::RemoveRule { .. } => 34,
        Change::CreateAgent(_) => 35,
        Change::UpdateAgent { .. } => 36,
        Change::DeleteAgent { .. } => 37,
        Change::SaveSettings(_) => 38,
        Change::NoteNotice { .. } => 39,
        Change::AppendEvent { .. } => 40,
        Change::NoteCause { .. } => 41,
        Change::SetSessionModel { .. } => 42,
        Change::CreateProvider(_) => 43,
        Change::UpdateProvider { .. } => 44,
        Change::SaveProviderSecrets { .. } => 45,
        Change::SaveProviderModels { .. } => 46,
        Change::DeleteProvider { .. } => 47,
        Change::AddSummary { .. } => 48,
        Change::Attachment(_) => 49,
    }
}

/// How many kinds of change there are.
pub(crate) const KINDS: usize = 50;

/// Those kinds of which there is none.
pub(crate) fn missing_kinds(changes: &[Change]) -> Vec<usize> {
    (0..KINDS)
        .filter(|wanted| !changes.iter().any(|change| kind(change) == *wanted))
        .collect()
}

/// The sample holds every change there is, so that the tests that use it try every change.
#[test]
fn the_sample_holds_every_change() {
    assert_eq!(missing_kinds(&everything(1)), Vec::<usize>::new());
}
