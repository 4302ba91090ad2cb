//! Everything that is asked.

use protocol::{
    AgentFields, CallDecision, Command, ExportFormat, KeyPlace, ProxySetting, RecoveryPolicy,
    RuleScope, RunLimits, Settings, Verdict,
};

use super::provider::about_providers;
use super::{
    AGENT, ATTACHMENT, CALL, DIGEST, MESSAGE, RULE, RUN, SESSION, bare_agent, decisions,
    resolutions,
};

fn text() -> String {
    "hello".to_owned()
}

fn key() -> Option<String> {
    Some("key".to_owned())
}

pub(crate) fn scopes() -> Vec<RuleScope> {
    vec![
        RuleScope::Global {},
        RuleScope::Workspace {
            workspace: "/home/user/notes".to_owned(),
        },
        RuleScope::Session {
            session_id: SESSION,
        },
    ]
}

pub(crate) fn settings() -> Vec<Settings> {
    vec![
        Settings::default(),
        Settings {
            recovery: RecoveryPolicy::Resume,
            keep_approvals: false,
            approval_minutes: Some(30),
            notifications: false,
            default_model: Some("guide".to_owned()),
            key_store: KeyPlace::File,
            local_ports: vec![9_000, 65_535],
            served_file: Some("/models/small.gguf".to_owned()),
            proxy: ProxySetting::Url {
                url: "http://127.0.0.1:3128".to_owned(),
            },
        },
        Settings {
            proxy: ProxySetting::None {},
            ..Settings::default()
        },
    ]
}

pub(crate) fn agent_fields() -> Vec<AgentFields> {
    let full = AgentFields {
        instructions: Some("Write\nwell.".to_owned()),
        model: Some("guide".to_owned()),
        tools: Some(vec!["read_file".to_owned(), "write_file".to_owned()]),
        limits: RunLimits {
            steps: Some(10),
            seconds: Some(600),
            tokens: Some(100_000),
            cost_microusd: Some(2_000_000),
        },
        ..bare_agent()
    };
    let none = AgentFields {
        tools: Some(Vec::new()),
        ..bare_agent()
    };
    vec![bare_agent(), full, none]
}

pub(crate) fn commands() -> Vec<Command> {
    let mut commands = about_sessions();
    commands.extend(about_messages());
    commands.extend(about_runs());
    commands.extend(about_calls());
    commands.extend(about_rules());
    commands.extend(about_agents());
    commands.extend(about_providers());
    commands
}

fn about_sessions() -> Vec<Command> {
    let session_id = SESSION;
    vec![
        Command::GetApp {},
        Command::ListSessions {
            limit: None,
            after: None,
            archived: false,
        },
        Command::ListSessions {
            limit: Some(1_000),
            after: Some(SESSION),
            archived: true,
        },
        Command::ListAttention {},
        Command::CreateSession {
            session_id: None,
            title: None,
            agent_id: None,
        },
        Command::CreateSession {
            session_id: Some(SESSION),
            title: Some("Title".to_owned()),
            agent_id: Some(AGENT),
        },
        Command::RenameSession {
            session_id,
            title: "Title".to_owned(),
        },
        Command::ArchiveSession {
            session_id,
            is_archived: false,
        },
        Command::DeleteSession { session_id },
        Command::RestoreSession { session_id },
        Command::SetSessionAgent {
            session_id,
            agent_id: AGENT,
        },
        Command::SetSessionModel {
            session_id,
            model: Some("guide".to_owned()),
        },
        Command::SetSessionModel {
            session_id,
            model: None,
        },
        Command::ForkSession {
            session_id,
            message_id: MESSAGE,
        },
        Command::SelectBranch {
            session_id,
            branch: 1,
        },
        Command::ExportSession {
            session_id,
            format: ExportFormat::Json,
        },
        Command::ExportSession {
            session_id,
            format: ExportFormat::Markdown,
        },
        Command::ImportSession {
            json: "{}".to_owned(),
        },
        Command::GetSession {
            session_id,
            limit: None,
        },
        Command::GetSession {
            session_id,
            limit: Some(1),
        },
        Command::ListMessages {
            session_id,
            before: 7,
            limit: None,
        },
        Command::ListMessages {
            session_id,
            before: 7,
            limit: Some(3),
        },
        Command::Subscribe {
            session_id,
            after_seq: 0,
        },
        Command::Unsubscribe { session_id },
        Command::WatchSessions {},
    ]
}

fn about_messages() -> Vec<Command> {
    let message_id = MESSAGE;
    vec![
        Command::SendMessage {
            session_id: None,
            text: text(),
            request_key: None,
            stop_first: false,
            attachments: Vec::new(),
            agent_id: None,
        },
        Command::SendMessage {
            session_id: Some(SESSION),
            text: text(),
            request_key: key(),
            stop_first: true,
            attachments: vec![ATTACHMENT],
            agent_id: Some(AGENT),
        },
        Command::AddAttachment {
            attachment_id: None,
            name: "tides.txt".to_owned(),
            data: "SGlnaCB3YXRlcg==".to_owned(),
        },
        Command::AddAttachment {
            attachment_id: Some(ATTACHMENT),
            name: "tides.txt".to_owned(),
            data: "SGlnaCB3YXRlcg==".to_owned(),
        },
        Command::GetAttachment {
            attachment_id: ATTACHMENT,
            offset: None,
            as_text: false,
        },
        Command::GetAttachment {
            attachment_id: ATTACHMENT,
            offset: Some(786_432),
            as_text: true,
        },
        Command::RemoveAttachment {
            attachment_id: ATTACHMENT,
        },
        Command::EditQueued {
            message_id,
            text: text(),
        },
        Command::RemoveQueued { message_id },
        Command::SendQueued {
            session_id: SESSION,
        },
        Command::EditMessage {
            message_id,
            text: text(),
            request_key: None,
        },
        Command::EditMessage {
            message_id,
            text: text(),
            request_key: key(),
        },
        Command::Regenerate {
            message_id,
            request_key: None,
        },
        Command::Regenerate {
            message_id,
            request_key: key(),
        },
    ]
}

fn about_runs() -> Vec<Command> {
    let run_id = RUN;
    vec![
        Command::RetryRun {
            run_id,
            request_key: None,
        },
        Command::RetryRun {
            run_id,
            request_key: key(),
        },
        Command::StartRun {
            session_id: None,
            text: text(),
            request_key: None,
        },
        Command::StartRun {
            session_id: Some(SESSION),
            text: text(),
            request_key: key(),
        },
        Command::GetRun { run_id },
        Command::StopRun { run_id },
        Command::ResumeRun { run_id },
        Command::CancelRun { run_id },
        Command::UndoRun { run_id },
    ]
}

fn about_calls() -> Vec<Command> {
    let call_id = CALL;
    let digest = || DIGEST.to_owned();
    let mut commands = vec![
        Command::ListApprovals { session_id: None },
        Command::ListApprovals {
            session_id: Some(SESSION),
        },
        Command::GetCall { call_id },
        Command::GetResult {
            call_id,
            offset: 65_536,
        },
        Command::UndoCall { call_id },
    ];
    for (place, decision) in decisions().into_iter().enumerate() {
        commands.push(Command::DecideCall {
            call_id,
            digest: digest(),
            decision,
            from: (place % 2 == 1).then(|| "main".to_owned()),
        });
    }
    let batch = |decisions: Vec<_>| {
        let one = |decision| CallDecision {
            call_id,
            digest: digest(),
            decision,
        };
        decisions.into_iter().map(one).collect()
    };
    commands.push(Command::DecideCalls {
        decisions: batch(decisions()),
        from: Some("main".to_owned()),
    });
    commands.push(Command::DecideCalls {
        decisions: batch(vec![protocol::Decision::AllowOnce {}]),
        from: None,
    });
    commands.extend(
        resolutions()
            .into_iter()
            .map(|resolution| Command::ResolveCall {
                call_id,
                resolution,
            }),
    );
    commands
}

fn about_rules() -> Vec<Command> {
    let mut commands = vec![
        Command::ListRules {},
        Command::RevokeRule { rule_id: RULE },
        Command::GetSettings {},
    ];
    for (verdict, scope) in Verdict::ALL.into_iter().zip(scopes()) {
        commands.push(Command::AddRule {
            verdict,
            tool: "write_file".to_owned(),
            pattern: (verdict != Verdict::Deny).then(|| "notes/*".to_owned()),
            scope,
        });
    }
    commands.extend(
        settings()
            .into_iter()
            .map(|settings| Command::UpdateSettings { settings }),
    );
    commands
}

fn about_agents() -> Vec<Command> {
    let agent_id = AGENT;
    let mut commands = vec![
        Command::ListAgents {},
        Command::DuplicateAgent { agent_id },
        Command::DeleteAgent { agent_id },
    ];
    for fields in agent_fields() {
        commands.push(Command::CreateAgent {
            fields: fields.clone(),
        });
        commands.push(Command::UpdateAgent {
            agent_id,
            fields,
            revision: 3,
        });
    }
    commands
}
