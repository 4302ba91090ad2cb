//! Summing up what model calls cost. What nobody said is unknown, never 0.

use protocol::{RunId, SessionId, Usage, UsageTotal};

use super::Reader;
use super::row::{Row, get};
use crate::Error;

/// From the runs to their attempts, in this order. A sum over nothing but NULLs is NULL.
/// A call that was too long for its model was not made.
pub(super) fn usage_sql(condition: &str) -> String {
    format!(
        "SELECT sum(attempts.input_tokens) AS input_tokens,
                sum(attempts.output_tokens) AS output_tokens,
                sum(attempts.cached_tokens) AS cached_tokens,
                sum(attempts.cache_write_tokens) AS cache_write_tokens,
                sum(attempts.cost_microusd) AS cost_microusd,
                count(*) AS calls,
                count(*) FILTER (WHERE attempts.input_tokens IS NULL
                                   AND attempts.output_tokens IS NULL) AS calls_unknown,
                count(*) FILTER (WHERE attempts.cost_microusd IS NULL) AS calls_without_cost
         FROM runs
         CROSS JOIN steps ON steps.run_id = runs.id AND steps.kind <> 'tool_call'
         CROSS JOIN attempts ON attempts.step_id = steps.id AND attempts.status <> 'running'
              AND attempts.error_class IS NOT 'context_length'
         WHERE {condition}"
    )
}

pub(super) const OF_RUN: &str = "runs.id = ?1";
pub(super) const OF_SESSION: &str = "runs.session_id = ?1";

impl Reader<'_> {
    /// What the model calls of a session cost, over all its branches.
    pub fn usage_of_session(&self, session_id: SessionId) -> Result<UsageTotal, Error> {
        let values = [session_id.uuid().into_bytes()];
        let found = self.one(&usage_sql(OF_SESSION), values, usage)?;
        Ok(found.unwrap_or_default())
    }

    /// What the model calls of a run cost.
    pub(super) fn usage_of_run(&self, run_id: RunId) -> Result<UsageTotal, Error> {
        let values = [run_id.uuid().into_bytes()];
        let found = self.one(&usage_sql(OF_RUN), values, usage)?;
        Ok(found.unwrap_or_default())
    }
}

fn usage(row: &Row<'_>) -> Result<UsageTotal, Error> {
    Ok(UsageTotal {
        sum: Usage {
            input_tokens: get(row, "input_tokens")?,
            output_tokens: get(row, "output_tokens")?,
            cached_tokens: get(row, "cached_tokens")?,
            cache_write_tokens: get(row, "cache_write_tokens")?,
            cost_microusd: get(row, "cost_microusd")?,
        },
        calls: get(row, "calls")?,
        calls_unknown: get(row, "calls_unknown")?,
        calls_without_cost: get(row, "calls_without_cost")?,
    })
}
