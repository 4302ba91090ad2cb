//! What is asked of the store: mostly what a decision on the present state would ask for, and a good
//! part of it stale or wrong.

use protocol::{ApprovalStatus, CallStatus, RunStatus, StepStatus};
use testkit::Dice;

use super::act::{Act, Number};
use super::model::Model;

/// A number that nothing has.
const UNKNOWN: Number = 60_000;

/// Up to four changes that belong together, and the event that says that all of them happened.
pub(super) fn transition(model: &Model, dice: &mut Dice, number: u64) -> Vec<Act> {
    let mut scratch = model.clone();
    let mut acts = Vec::new();
    for _ in 0..=dice.below(4) {
        let act = act(&scratch, dice, number);
        let is_fine = scratch.act(&act, number).is_ok();
        acts.push(act);
        if !is_fine {
            break;
        }
    }
    acts.push(Act::Event(format!("transition {number}")));
    acts
}

fn act(model: &Model, dice: &mut Dice, number: u64) -> Act {
    if !dice.is_one_in(8)
        && let Some(act) = what_is_missing(model, dice)
    {
        return act;
    }
    match dice.below(40) {
        0 => Act::CreateSession,
        1 => Act::Rename(format!("title {number}")),
        2..=5 => add_message(model, dice),
        6..=9 => create_run(model, dice),
        10..=13 => move_run(model, dice),
        14 => Act::CountCrash(known(model.runs.keys(), dice)),
        15..=17 => Act::CreateStep {
            id: new(model.steps.keys(), dice),
            run: known(model.runs.keys(), dice),
        },
        18..=20 => move_step(model, dice),
        21..=22 => start_attempt(model, dice),
        23..=26 => append(model, dice, number),
        27..=28 => end_attempt(model, dice),
        29..=30 => add_call(model, dice),
        31..=32 => save_call(model, dice),
        33..=36 => approval(model, dice),
        37..=38 => queue(model, dice, number),
        _ => branch(model, dice),
    }
}

/// Something to work with comes first, mostly: a session, and half of the time what is above a call
/// or a piece of text.
fn what_is_missing(model: &Model, dice: &mut Dice) -> Option<Act> {
    if model.session.is_none() {
        return Some(Act::CreateSession);
    }
    if dice.is_one_in(2) {
        return None;
    }
    if model.messages.is_empty() {
        return Some(add_message(model, dice));
    }
    if model.runs.is_empty() {
        return Some(create_run(model, dice));
    }
    if model.steps.is_empty() {
        let (id, run) = (1, known(model.runs.keys(), dice));
        return Some(Act::CreateStep { id, run });
    }
    if model.calls.is_empty() {
        return Some(add_call(model, dice));
    }
    model
        .attempts
        .is_empty()
        .then(|| start_attempt(model, dice))
}

/// The newest one mostly; an older one, or one that does not exist, now and then.
fn known<'a>(all: impl Iterator<Item = &'a Number>, dice: &mut Dice) -> Number {
    let all: Vec<Number> = all.copied().collect();
    if dice.is_one_in(24) {
        return UNKNOWN;
    }
    match all.last() {
        Some(newest) if !dice.is_one_in(3) => *newest,
        _ => dice.pick(&all).copied().unwrap_or(UNKNOWN),
    }
}

/// A number that is free; now and then one that is taken.
fn new<'a>(all: impl Iterator<Item = &'a Number>, dice: &mut Dice) -> Number {
    let newest = all.max().copied();
    match newest {
        Some(newest) if dice.is_one_in(24) => newest,
        newest => newest.map_or(1, |newest| newest + 1),
    }
}

/// A count as it is; now and then off by one.
fn count(count: u64, dice: &mut Dice) -> u64 {
    match dice.below(24) {
        0 => count + 1,
        1 => count.saturating_sub(1),
        _ => count,
    }
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn shown_branch(model: &Model, dice: &mut Dice) -> u32 {
    let branch = model.session.as_ref().map_or(0, |session| session.branch);
    if dice.is_one_in(24) {
        branch + 1
    } else {
        branch
    }
}

fn add_message(model: &Model, dice: &mut Dice) -> Act {
    let next = model.session.as_ref().map_or(0, |one| one.messages) + 1;
    let run = match dice.below(4) {
        0 => Some(known(model.runs.keys(), dice)),
        // One that a later change of the transition may create.
        1 => Some(new(model.runs.keys(), dice)),
        _ => None,
    };
    Act::AddMessage {
        id: new(model.messages.keys(), dice),
        branch: shown_branch(model, dice),
        position: count(next, dice).max(1),
        run,
    }
}

fn create_run(model: &Model, dice: &mut Dice) -> Act {
    let keys: Vec<Number> = model.known_keys().into_iter().collect();
    let key = match dice.below(4) {
        0 => dice.pick(&keys).copied(),
        1 | 2 => Some(keys.last().map_or(1, |newest| newest + 1)),
        _ => None,
    };
    Act::CreateRun {
        id: new(model.runs.keys(), dice),
        branch: shown_branch(model, dice),
        message: known(model.messages.keys(), dice),
        key,
    }
}

/// A legal next status mostly, and any one otherwise.
fn next<T: Copy>(all: &[T], is_legal: impl Fn(&T) -> bool, dice: &mut Dice) -> Option<T> {
    let legal: Vec<T> = all.iter().copied().filter(is_legal).collect();
    if dice.is_one_in(8) {
        return dice.pick(all).copied();
    }
    dice.pick(&legal)
        .copied()
        .or_else(|| dice.pick(all).copied())
}

fn move_run(model: &Model, dice: &mut Dice) -> Act {
    let id = known(model.runs.keys(), dice);
    let all = RunStatus::ALL;
    let found = model.runs.get(&id).map(|run| run.status);
    let stale = if dice.is_one_in(6) {
        dice.pick(&all).copied()
    } else {
        None
    };
    let from = stale.or(found).unwrap_or(RunStatus::Running);
    let to = next(&all, |to| from.may_become(*to), dice).unwrap_or(RunStatus::Failed);
    Act::MoveRun(id, from, to)
}

fn move_step(model: &Model, dice: &mut Dice) -> Act {
    let id = known(model.steps.keys(), dice);
    let all = StepStatus::ALL;
    let found = model.steps.get(&id).map(|step| step.status);
    let stale = if dice.is_one_in(6) {
        dice.pick(&all).copied()
    } else {
        None
    };
    let from = stale.or(found).unwrap_or(StepStatus::Planned);
    let to = next(&all, |to| from.may_become(*to), dice).unwrap_or(StepStatus::Running);
    Act::MoveStep(id, from, to)
}

fn start_attempt(model: &Model, dice: &mut Dice) -> Act {
    let step = known(model.steps.keys(), dice);
    let tried = model.attempts.keys().filter(|key| key.0 == step);
    let last = tried.map(|key| key.1).max().unwrap_or(0);
    Act::StartAttempt(step, small(count(u64::from(last) + 1, dice)).max(1))
}

/// An attempt, the newest mostly, and what it has streamed.
fn attempt(model: &Model, dice: &mut Dice) -> (Number, u32, u64) {
    let all: Vec<(Number, u32)> = model.attempts.keys().copied().collect();
    let newest = all.last().copied();
    let key = if dice.is_one_in(3) {
        dice.pick(&all).copied()
    } else {
        newest
    };
    let (step, attempt) = key.unwrap_or((UNKNOWN, 1));
    let streamed = model.attempts.get(&(step, attempt));
    let streamed = count(streamed.map_or(0, |found| found.streamed), dice);
    (step, attempt, streamed)
}

fn append(model: &Model, dice: &mut Dice, number: u64) -> Act {
    let (step, attempt, streamed) = attempt(model, dice);
    let mut pieces: Vec<(u32, u64, String)> = Vec::new();
    for piece in 0..=dice.below(3) {
        let block = small(dice.below(2));
        let kept = model.deltas.iter();
        let kept = kept.filter(|(key, _)| (key.0, key.1, key.2) == (step, attempt, block));
        let kept: u64 = kept.map(|(_, text)| text.len() as u64).sum();
        let added = pieces.iter().filter(|one| one.0 == block);
        let added: u64 = added.map(|one| one.2.len() as u64).sum();
        let text = format!("text {number}.{piece} \u{2603} ");
        // One that is taken already now and then: the end of the block, less a piece.
        let offset = if dice.is_one_in(16) { 0 } else { kept + added };
        pieces.push((block, offset, text));
    }
    Act::Append {
        step,
        attempt,
        streamed,
        pieces,
    }
}

fn end_attempt(model: &Model, dice: &mut Dice) -> Act {
    let (step, attempt, streamed) = attempt(model, dice);
    let is_legal = |to: &StepStatus| StepStatus::Running.may_become(*to);
    let to = next(&StepStatus::ALL, is_legal, dice).unwrap_or(StepStatus::Completed);
    Act::EndAttempt {
        step,
        attempt,
        to,
        streamed,
    }
}

fn add_call(model: &Model, dice: &mut Dice) -> Act {
    let message = known(model.messages.keys(), dice);
    let calls = model.calls.values().filter(|call| call.message == message);
    let next = calls.map(|call| u64::from(call.ordinal) + 1).max();
    Act::AddCall {
        id: new(model.calls.keys(), dice),
        run: known(model.runs.keys(), dice),
        message,
        ordinal: small(count(next.unwrap_or(0), dice)),
    }
}

fn save_call(model: &Model, dice: &mut Dice) -> Act {
    let id = known(model.calls.keys(), dice);
    let found = model.calls.get(&id);
    let all = CallStatus::ALL;
    let stale = if dice.is_one_in(6) {
        dice.pick(&all).copied()
    } else {
        None
    };
    let from = stale.or(found.map(|call| call.status));
    let from = from.unwrap_or(CallStatus::Proposed);
    let is_next = |to: &CallStatus| *to == from || from.may_become(*to);
    let revision = found.map_or(1, |call| u64::from(call.revision));
    Act::SaveCall {
        id,
        revision: small(count(revision, dice)),
        from,
        to: next(&all, is_next, dice).unwrap_or(from),
    }
}

/// Asks, answers, answers again, uses, uses again.
fn approval(model: &Model, dice: &mut Dice) -> Act {
    let call = known(model.calls.keys(), dice);
    let rounds = model.approvals.keys().filter(|key| key.0 == call);
    let last = u64::from(rounds.map(|key| key.1).max().unwrap_or(0));
    let found = model.approvals.get(&(call, small(last)));
    let is_pending = found.is_some_and(|one| one.status == ApprovalStatus::Pending);
    let is_allowed = found.is_some_and(|one| one.status == ApprovalStatus::Allowed);
    match dice.below(10) {
        0 => Act::AddApproval(call, small(count(last + 1, dice)).max(1)),
        1 => Act::Consume(call, small(count(last, dice)).max(1)),
        2 => decide(call, small(count(last, dice)).max(1), dice),
        _ if is_pending => decide(call, small(last), dice),
        _ if is_allowed => Act::Consume(call, small(last)),
        _ => Act::AddApproval(call, small(last + 1)),
    }
}

fn decide(call: Number, round: u32, dice: &mut Dice) -> Act {
    let all = ApprovalStatus::ALL;
    let any = dice.pick(&all).copied().unwrap_or(ApprovalStatus::Denied);
    let to = if dice.is_one_in(2) {
        ApprovalStatus::Allowed
    } else {
        any
    };
    Act::Decide(call, round, to)
}

fn queue(model: &Model, dice: &mut Dice, number: u64) -> Act {
    let keys: Vec<Number> = model.known_keys().into_iter().collect();
    let text = format!("waiting {number}");
    match dice.below(5) {
        0 => Act::EditQueued(known(model.queue.keys(), dice), text),
        1 => Act::Dequeue(known(model.queue.keys(), dice)),
        2 => {
            let next = keys.last().map_or(1, |newest| newest + 1);
            let key = dice.pick(&keys).copied().filter(|_| dice.is_one_in(2));
            Act::NoteRequest(key.unwrap_or(next), known(model.messages.keys(), dice))
        }
        _ => Act::Enqueue(new(model.queue.keys(), dice), text),
    }
}

fn branch(model: &Model, dice: &mut Dice) -> Act {
    let (shown, messages) = match &model.session {
        Some(session) => (session.branch, session.messages),
        None => (0, 0),
    };
    let next = model.branches.keys().max().map_or(0, |last| last + 1);
    if dice.is_one_in(2) {
        let others: Vec<u32> = model.branches.keys().copied().collect();
        let to = dice.pick(&others).copied().unwrap_or(0);
        return Act::SelectBranch(small(count(u64::from(shown), dice)), to);
    }
    let from_position = 1 + dice.below(messages + 2);
    Act::StartBranch {
        branch: small(count(u64::from(next), dice)).max(1),
        parent: small(count(u64::from(shown), dice)),
        from_position,
    }
}
