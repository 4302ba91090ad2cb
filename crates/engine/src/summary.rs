//! From stored rows to what a person reads.

use protocol::{
    Fill, Message, MessageId, MessageStatus, Role, RunStatus, SessionId, SessionSnapshot,
    SessionSummary, limits,
};
use store::{AttentionFacts, Error, Reader, SessionRow};

use crate::attention::{attention, attention_kind};
use crate::execute::say_tries;
use crate::workspaces::Workspaces;

/// One answer holds at least one message and stops after this much text: the rest is asked for
/// with `list_messages`.
const PAGE_BYTES: usize = 8 * 1024 * 1024;
/// The first look is a short one: a few messages may already be as large as a page.
const FIRST_LOOK: u32 = 4;

pub(crate) fn summary(reader: &Reader<'_>, mut row: SessionRow) -> Result<SessionSummary, Error> {
    if let Some(run) = &mut row.run {
        say_tries(run);
    }
    let is_dismissed = match &row.run {
        Some(run) if run.status == RunStatus::Failed => reader.is_dismissed(run.run_id)?,
        Some(_) | None => false,
    };
    let needed = attention_kind(&row, is_dismissed).zip(row.run.as_ref());
    let attention = match needed {
        Some((kind, run)) => {
            let facts = readable(reader.attention_facts(run.run_id), row.session_id)?;
            Some(attention(kind, run, facts))
        }
        None => None,
    };
    Ok(SessionSummary {
        session_id: row.session_id,
        title: row.title,
        agent_id: row.agent_id,
        model: row.model,
        is_archived: row.is_archived,
        problem: row.problem,
        forked_from: row.forked_from,
        queued: row.queued,
        run: row.run,
        attention,
        created_at_ms: row.created_at_ms,
        updated_at_ms: row.updated_at_ms,
    })
}

/// A message that cannot be read must not hide its session, nor the other sessions of the list.
fn readable(
    facts: Result<AttentionFacts, Error>,
    session_id: SessionId,
) -> Result<AttentionFacts, Error> {
    match facts {
        Err(error @ Error::Unreadable { .. }) => {
            tracing::error!(name: "engine.summary.unreadable", %session_id, %error);
            Ok(AttentionFacts::default())
        }
        other => other,
    }
}

/// Everything from one state of the database: the seq, the messages and the live text agree.
pub(crate) fn snapshot(
    reader: &Reader<'_>,
    workspaces: &dyn Workspaces,
    session_id: SessionId,
    limit: Option<u32>,
) -> Result<Option<SessionSnapshot>, Error> {
    let (Some(row), Some(seq), Some((branch, workspace))) = (
        reader.session_row(session_id)?,
        reader.head_seq(session_id)?,
        reader.branch_and_workspace(session_id)?,
    ) else {
        return Ok(None);
    };
    let (messages, has_earlier) = messages_page(reader, session_id, limits::INTEGER, limit)?;
    let fill = fill(reader, &messages)?;
    let ids: Vec<MessageId> = messages.iter().map(|message| message.message_id).collect();
    let mut branches = reader.branches(session_id)?;
    if branches.len() < 2 {
        branches.clear();
    }
    Ok(Some(SessionSnapshot {
        session: summary(reader, row)?,
        seq,
        messages,
        has_earlier,
        calls: reader.calls_of(session_id, &ids)?,
        queue: reader.queue(session_id)?,
        branch,
        branches,
        workspace: workspaces.folder(&workspace).display().to_string(),
        usage: reader.usage_of_session(session_id)?,
        fill,
        summaries: reader.summaries(session_id)?,
        live: reader.live_step(session_id)?,
    }))
}

/// How full the window was after the newest reply, if that is among these messages.
fn fill(reader: &Reader<'_>, messages: &[Message]) -> Result<Option<Fill>, Error> {
    let is_reply = |message: &&Message| {
        message.role == Role::Agent && message.status == MessageStatus::Complete
    };
    let newest = messages.iter().rev().find(is_reply);
    let Some((step_id, attempt)) = newest.and_then(|reply| reply.step_id.zip(reply.attempt)) else {
        return Ok(None);
    };
    let used = reader.attempt_use(step_id, attempt)?;
    Ok(used.and_then(|used| used.fill))
}

/// The newest messages before a position, oldest first, and whether older ones exist.
pub(crate) fn messages_page(
    reader: &Reader<'_>,
    session_id: SessionId,
    before: u64,
    limit: Option<u32>,
) -> Result<(Vec<Message>, bool), Error> {
    let mut wanted = limit.unwrap_or(limits::SNAPSHOT_MESSAGES);
    let (mut before, mut look, mut bytes) = (before, FIRST_LOOK, 0);
    let mut newest_first: Vec<Message> = Vec::new();
    while wanted > 0 && bytes < PAGE_BYTES {
        let (found, _) = reader.messages_before(session_id, before, wanted.min(look))?;
        let Some(oldest) = found.first() else { break };
        before = oldest.position;
        for message in found.into_iter().rev() {
            if bytes >= PAGE_BYTES {
                break;
            }
            wanted -= 1;
            bytes += message.blocks.iter().map(|b| b.text.len()).sum::<usize>();
            newest_first.push(message);
        }
        look = look.saturating_mul(2);
    }
    newest_first.reverse();
    let has_earlier = newest_first
        .first()
        .is_some_and(|oldest| oldest.position > 1);
    Ok((newest_first, has_earlier))
}
