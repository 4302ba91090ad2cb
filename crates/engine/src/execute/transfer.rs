//! Forking, exporting and importing sessions.

mod attached;
mod said;

use std::collections::{HashMap, HashSet};

use protocol::{
    AttachmentId, CommandError, ErrorCode, ExportFormat, Message, MessageId, MessageStatus, Reply,
    Role, SessionExport, SessionId, SummaryView, limits,
};
use store::{CallRow, DEFAULT_AGENT, MessageRow, NewAttachment, Reader, SessionState};

use crate::Engine;
use crate::command_error::{closing, not_found};
use crate::decide::{self, Copied};

use crate::{markdown, title};
use attached::{exported, taken_in};
use said::{Said, natives};

/// Messages of one imported session.
const MOST_MESSAGES: usize = 100_000;

/// A session with the history that is shown.
struct Whole {
    state: SessionState,
    messages: Vec<MessageRow>,
    calls: Vec<CallRow>,
    summaries: Vec<SummaryView>,
    created_at_ms: u64,
}

fn whole(reader: &Reader<'_>, session_id: SessionId) -> Result<Option<Whole>, store::Error> {
    let (Some(state), Some(row)) = (
        reader.session_state(session_id)?,
        reader.session_row(session_id)?,
    ) else {
        return Ok(None);
    };
    let messages = reader.messages_after(session_id, 0)?;
    let calls = reader.call_rows_of_path(session_id)?;
    Ok(Some(Whole {
        state,
        messages,
        calls,
        summaries: reader.summaries(session_id)?,
        created_at_ms: row.created_at_ms,
    }))
}

impl Engine {
    async fn whole(&self, session_id: SessionId) -> Result<Whole, CommandError> {
        self.read(move |reader| whole(reader, session_id))
            .await?
            .ok_or_else(|| not_found("session"))
    }

    pub(super) async fn fork_session(
        &self,
        session_id: SessionId,
        message_id: MessageId,
    ) -> Result<Reply, CommandError> {
        let whole = self.whole(session_id).await?;
        let (state, mut messages) = (whole.state, whole.messages);
        let is_last = |row: &MessageRow| row.message.message_id == message_id;
        let Some(last) = messages.iter().position(is_last) else {
            return Err(not_found("message"));
        };
        messages.truncate(last + 1);
        messages.retain(|row| row.message.status != MessageStatus::Unreadable);
        let copied = Copied {
            session_id: SessionId::from_uuid(self.inner.new_id()),
            agent_id: state.agent_id,
            model: state.model,
            title: state.title.map(|title| forked_title(&title)),
            workspace: Some(state.workspace),
            forked_from: Some(session_id),
            messages,
            summaries: whole.summaries,
            calls: whole
                .calls
                .into_iter()
                .map(|call| (call.provider_id, call.view))
                .collect(),
            attachments: Vec::new(),
        };
        self.copy(copied).await
    }

    async fn copy(&self, copied: Copied) -> Result<Reply, CommandError> {
        self.transact_on(
            |_: &Reader<'_>| Ok(()),
            |()| Ok(((), decide::copy_session(&copied, &self.inner.given()))),
        )
        .await?;
        self.session(copied.session_id).await
    }

    pub(super) async fn export_session(
        &self,
        session_id: SessionId,
        format: ExportFormat,
    ) -> Result<Reply, CommandError> {
        let read = move |reader: &Reader<'_>| {
            let Some(whole) = whole(reader, session_id)? else {
                return Ok(None);
            };
            // Only what can be imported again is worth its size.
            let attachments = match format {
                ExportFormat::Json => exported(reader, &whole.messages)?,
                ExportFormat::Markdown => Vec::new(),
            };
            Ok(Some((whole, attachments)))
        };
        let found = self.read(read).await?;
        let (whole, attachments) = found.ok_or_else(|| not_found("session"))?;
        let Whole {
            state,
            messages,
            calls,
            summaries,
            created_at_ms,
        } = whole;
        let export = SessionExport {
            kind: SessionExport::KIND.to_owned(),
            version: SessionExport::VERSION,
            title: state.title,
            agent: state.agent,
            created_at_ms,
            natives: natives(&messages, &calls),
            summaries,
            messages: messages.into_iter().map(|row| row.message).collect(),
            calls: calls.into_iter().map(|call| call.view).collect(),
            attachments,
        };
        let name = title::file_name(export.title.as_deref().unwrap_or("session"));
        let (text, ending) = match format {
            ExportFormat::Json => (serde_json::to_string_pretty(&export), "json"),
            ExportFormat::Markdown => (Ok(markdown::of(&export)), "md"),
        };
        let text = text.map_err(|error| CommandError::internal(error.to_string()))?;
        Ok(Reply::Exported {
            file_name: format!("{name}.{ending}"),
            text,
        })
    }

    pub(super) async fn import_session(&self, json: &str) -> Result<Reply, CommandError> {
        let mut export: SessionExport =
            serde_json::from_str(json).map_err(|error| not_an_export(&error.to_string()))?;
        check(&export)?;
        let attachments = self.take_in(&mut export).await?;
        let name = export.agent.name.clone();
        let agents = self.read(|reader| reader.agents()).await?;
        let agent = agents.into_iter().find(|agent| agent.fields.name == name);
        let mut said = Said::of(export.natives);
        let calls = export.calls.into_iter();
        let calls = calls.map(|call| (said.provider_id(&call), call)).collect();
        let messages = export.messages.into_iter();
        let messages = messages.map(|message| said.row(message)).collect();
        let copied = Copied {
            session_id: SessionId::from_uuid(self.inner.new_id()),
            agent_id: agent.map_or(DEFAULT_AGENT, |agent| agent.agent_id),
            model: None,
            title: export.title,
            workspace: None,
            forked_from: None,
            messages,
            calls,
            summaries: export.summaries,
            attachments,
        };
        self.copy(copied).await
    }

    /// On a thread that may wait: files are looked at.
    async fn take_in(
        &self,
        export: &mut SessionExport,
    ) -> Result<Vec<NewAttachment>, CommandError> {
        let mut messages = std::mem::take(&mut export.messages);
        let files = std::mem::take(&mut export.attachments);
        let inner = std::sync::Arc::clone(&self.inner);
        let looked = tokio::task::spawn_blocking(move || {
            let new_id = || AttachmentId::from_uuid(inner.new_id());
            taken_in(files, &mut messages, new_id).map(|added| (added, messages))
        });
        let (added, messages) = looked.await.map_err(|_| closing())??;
        export.messages = messages;
        Ok(added)
    }
}

/// A file that came from anywhere: everything that would be taken for granted is checked.
fn check(export: &SessionExport) -> Result<(), CommandError> {
    if export.kind != SessionExport::KIND {
        return Err(not_an_export("it is something else"));
    }
    if export.version > SessionExport::VERSION {
        return Err(CommandError::new(
            ErrorCode::InvalidValue,
            "This session was exported by a newer version.",
            "Update Holdfast first.",
        ));
    }
    if export.messages.len() > MOST_MESSAGES {
        return Err(CommandError::new(
            ErrorCode::TooLarge,
            format!("A session of more than {MOST_MESSAGES} messages cannot be imported."),
            "Split the file.",
        ));
    }
    let is_title = |title: &String| {
        title.len() <= limits::TITLE_BYTES
            && !title.trim().is_empty()
            && !title.chars().any(char::is_control)
    };
    if !export.title.iter().all(is_title) {
        return Err(not_an_export("its title cannot be used"));
    }
    let ids: HashSet<MessageId> = export.messages.iter().map(|m| m.message_id).collect();
    if ids.len() != export.messages.len() {
        return Err(not_an_export("two messages have the same id"));
    }
    let is_odd = |message: &Message| {
        message.status == MessageStatus::Unreadable
            || message.created_at_ms > limits::INTEGER
            || (message.role == Role::Agent && !message.attachments.is_empty())
            || message.model.as_deref().is_some_and(str::is_empty)
    };
    if export.messages.iter().any(is_odd) {
        return Err(not_an_export("a message in it cannot be used"));
    }
    check_calls(export)?;
    check_summaries(export)
}

/// Every summary stands for messages that are there, each for more than the one before.
fn check_summaries(export: &SessionExport) -> Result<(), CommandError> {
    let roles: HashMap<u64, Role> = export
        .messages
        .iter()
        .map(|message| (message.position, message.role))
        .collect();
    let mut before = 0;
    for summary in &export.summaries {
        let by_person =
            |kept: u64| kept <= summary.position && roles.get(&kept) == Some(&Role::User);
        let fits = summary.position > before
            && roles.contains_key(&summary.position)
            && summary.kept.is_none_or(by_person)
            && !summary.text.trim().is_empty()
            && summary.text.len() <= limits::SUMMARY_BYTES
            && !summary.model.is_empty()
            && summary.created_at_ms <= limits::INTEGER;
        if !fits {
            return Err(not_an_export("a summary does not fit its messages"));
        }
        before = summary.position;
    }
    Ok(())
}

/// Every call is one of a message by the agent, in a place of its own, with an id of its own.
fn check_calls(export: &SessionExport) -> Result<(), CommandError> {
    let by_agent = |message: &&Message| message.role == Role::Agent;
    let agent: HashSet<MessageId> = export
        .messages
        .iter()
        .filter(by_agent)
        .map(|message| message.message_id)
        .collect();
    let (mut ids, mut places) = (HashSet::new(), HashSet::new());
    for call in &export.calls {
        let times = [
            Some(call.created_at_ms),
            call.started_at_ms,
            call.ended_at_ms,
        ];
        let bytes = call.result.as_ref().map(|result| result.total_bytes);
        let mut numbers = times.into_iter().chain([bytes]).flatten();
        let fits = agent.contains(&call.message_id)
            && ids.insert(call.call_id)
            && places.insert((call.message_id, call.ordinal))
            && !call.tool.is_empty()
            && numbers.all(|number| number <= limits::INTEGER);
        if !fits {
            return Err(not_an_export("a tool call does not fit its message"));
        }
    }
    Ok(())
}

fn not_an_export(why: &str) -> CommandError {
    CommandError::new(
        ErrorCode::InvalidValue,
        format!("This is not an exported session: {why}."),
        "Choose a JSON file that Holdfast exported.",
    )
}

fn forked_title(title: &str) -> String {
    let cap = limits::TITLE_BYTES - " (fork)".len();
    format!("{} (fork)", &title[..title.floor_char_boundary(cap)])
}
