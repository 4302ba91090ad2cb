//! Whether a run asks for the same again: the calls of its newest message beside those of the ones before.

use protocol::{CallStatus, MessageId, RunId, ToolResult};

use super::Reader;
use super::calls::result;
use super::row::get_or_drop;
use crate::{CallRow, Error};

/// So many messages are looked back at.
const LOOKED_BACK: u32 = 3;

/// The message with calls right before the newest one, where it asked for exactly the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameRound {
    /// What its calls gave back, in order.
    pub results: Vec<Option<ToolResult>>,
    /// How often in a row that was so, with the same results every time; at most 3.
    pub times: u32,
}

/// The message with calls before this one.
pub(super) const PREVIOUS_MESSAGE_WITH_CALLS: &str = "
    SELECT id FROM messages
    WHERE run_id = ?1
      AND position < (SELECT newer.position FROM messages AS newer WHERE newer.id = ?2)
      AND EXISTS (SELECT 1 FROM tool_calls WHERE tool_calls.message_id = messages.id)
    ORDER BY position DESC
    LIMIT 1";

pub(super) const ASKED_BY_MESSAGE: &str =
    "SELECT tool, arguments, status FROM tool_calls WHERE message_id = ?1 ORDER BY ordinal";

pub(super) const RESULTS_OF_MESSAGE: &str = "
    SELECT result, result_is_error, result_class, result_bytes
    FROM tool_calls WHERE message_id = ?1 ORDER BY ordinal";

impl Reader<'_> {
    /// Most runs never do that, so results are read only once it is known that the same was asked.
    pub(super) fn same_round(
        &self,
        run_id: RunId,
        calls: &[CallRow],
    ) -> Result<Option<SameRound>, Error> {
        let Some(newest) = calls.first() else {
            return Ok(None);
        };
        let mut message_id = newest.view.message_id;
        let mut same: Option<SameRound> = None;
        for _ in 0..LOOKED_BACK {
            let Some(before) = self.round_before(run_id, message_id)? else {
                break;
            };
            if !self.asked_same(before, calls)? {
                break;
            }
            let results = self.results_of(before)?;
            match &mut same {
                None => same = Some(SameRound { results, times: 1 }),
                Some(same) if same.results == results => same.times += 1,
                Some(_) => break,
            }
            message_id = before;
        }
        Ok(same)
    }

    fn round_before(
        &self,
        run_id: RunId,
        message_id: MessageId,
    ) -> Result<Option<MessageId>, Error> {
        let values = [run_id.uuid().into_bytes(), message_id.uuid().into_bytes()];
        self.one(PREVIOUS_MESSAGE_WITH_CALLS, values, |row| {
            super::row::message_id(row, "id")
        })
    }

    /// One that a person cut short is none: then they have said something in between.
    fn asked_same(&self, message_id: MessageId, calls: &[CallRow]) -> Result<bool, Error> {
        let values = [message_id.uuid().into_bytes()];
        let asked = self.all(ASKED_BY_MESSAGE, values, |row| {
            let text = |column| get_or_drop::<String>(row, column);
            Ok((text("tool"), text("arguments"), text("status")))
        })?;
        type Asked = (Option<String>, Option<String>, Option<String>);
        let is_same = |((tool, arguments, status), call): (&Asked, &CallRow)| {
            tool.as_ref() == Some(&call.view.tool)
                && arguments.as_ref() == Some(&call.view.arguments)
                && status.as_deref() != Some(CallStatus::Cancelled.as_str())
        };
        Ok(asked.len() == calls.len() && asked.iter().zip(calls).all(is_same))
    }

    fn results_of(&self, message_id: MessageId) -> Result<Vec<Option<ToolResult>>, Error> {
        let values = [message_id.uuid().into_bytes()];
        self.all(RESULTS_OF_MESSAGE, values, result)
    }
}
