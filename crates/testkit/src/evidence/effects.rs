//! I2 to I5: what really happened against what the rows say of it.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result, ensure};
use protocol::{CallId, EffectClass};

use super::Fact;
use super::check::{Loss, Must};
use super::rows::{CallRow, Id, Rows};
use crate::{LedgerEntry, Phase};

/// The tools that do nothing but leave a line.
const WITH_LEDGER: [&str; 3] = ["ledger_append", "ledger_at_once", "checked"];

/// What happened for one call.
#[derive(Debug)]
struct Done<'a> {
    entry: &'a LedgerEntry,
    times: u64,
    /// Where it was noted last.
    index: usize,
}

/// How many effects there were that must not be repeated.
pub(super) fn check(rows: &Rows, facts: &[Fact], must: &Must) -> Result<u64> {
    let (mut done, mut again): (HashMap<Id, Done<'_>>, HashMap<Id, u64>) = Default::default();
    let mut settled = HashSet::new();
    for (index, fact) in facts.iter().enumerate() {
        match fact {
            Fact::Did(entry) if entry.phase == Phase::Effect => {
                let call: CallId = entry.effect_key.parse().context("an effect of no call")?;
                let times = done
                    .get(&call.uuid().into_bytes())
                    .map_or(0, |one| one.times);
                let one = Done {
                    entry,
                    times: times + 1,
                    index,
                };
                done.insert(call.uuid().into_bytes(), one);
            }
            Fact::Again { call_id } => {
                *again.entry(call_id.uuid().into_bytes()).or_default() += 1;
            }
            Fact::Settling { call_id } => {
                settled.insert(call_id.uuid().into_bytes());
            }
            _ => {}
        }
    }
    let mut once = 0;
    for (id, one) in &done {
        let more = again.get(id).copied().unwrap_or(0);
        once += happened(rows, *id, one, more, must)
            .with_context(|| format!("the effect of {}", one.entry.effect_key))?;
    }
    for (id, call) in &rows.calls {
        let is_ours = WITH_LEDGER.contains(&call.tool.as_str()) && !settled.contains(id);
        if call.status == "completed" && is_ours && !call.is_copy {
            ensure!(
                done.contains_key(id),
                "I3: a {} call is completed and never happened",
                call.effect
            );
        }
    }
    Ok(once)
}

fn happened(rows: &Rows, id: Id, done: &Done<'_>, again: u64, must: &Must) -> Result<u64> {
    let is_once = done.entry.class == EffectClass::Once;
    if is_once {
        ensure!(
            done.times <= 1 + again,
            "I2: it must not be repeated and happened {} times",
            done.times
        );
    }
    // What only reads has its intent in a relaxed commit.
    let is_sure = must.loss == Loss::Process
        || done.entry.class != EffectClass::Read
        || done.index < must.secured;
    match rows.calls.get(&id) {
        Some(call) => with_intent(rows, id, call, done, is_sure)?,
        None => ensure!(!is_sure, "I5: it happened and there is no such call"),
    }
    Ok(if is_once { done.times } else { 0 })
}

fn with_intent(rows: &Rows, id: Id, call: &CallRow, done: &Done<'_>, is_sure: bool) -> Result<()> {
    ensure!(
        call.argument_hash == done.entry.arguments_hash,
        "I4: it happened with other arguments"
    );
    if !is_sure {
        return Ok(());
    }
    ensure!(
        done.times <= call.bodies,
        "I5: it happened {} times of {} intents",
        done.times,
        call.bodies
    );
    if call.verdict.as_deref() == Some("ask") {
        let approval = rows.newest_approval(id);
        let is_used = approval.is_some_and(|(_, one)| one.status == "allowed" && one.is_consumed);
        ensure!(is_used, "I4: it happened with the approval {approval:?}");
    }
    ensure!(
        !matches!(call.status.as_str(), "denied" | "waiting" | "proposed"),
        "I4: it happened and is {}",
        call.status
    );
    Ok(())
}
