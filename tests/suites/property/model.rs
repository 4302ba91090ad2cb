//! The reference model of one session: what the store promises, in maps and nothing else.
//!
//! Every rule here is written from what is promised, none is taken from the store's statements.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{ApprovalStatus, CallStatus, RunStatus, StepStatus};

use super::act::{Act, Number};

/// Why the store must refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The rows are not as the decision saw them.
    Conflict,
    /// No decision may ask for that.
    Illegal,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Session {
    pub(super) title: Option<String>,
    pub(super) branch: u32,
    pub(super) messages: u64,
    pub(super) newest_run: Option<Number>,
}

#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) branch: u32,
    pub(super) message: Number,
    pub(super) key: Option<Number>,
    pub(super) status: RunStatus,
    pub(super) steps_completed: u64,
    pub(super) crashes: u64,
    pub(super) crashes_total: u64,
    /// Which transition created it: the newest one counts.
    pub(super) created: u64,
}

#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) run: Number,
    pub(super) position: u64,
    pub(super) status: StepStatus,
}

#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) status: StepStatus,
    pub(super) streamed: u64,
}

#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) run: Number,
    pub(super) message: Number,
    pub(super) ordinal: u32,
    pub(super) status: CallStatus,
    pub(super) revision: u32,
}

#[derive(Debug, Clone)]
pub(super) struct Approval {
    pub(super) status: ApprovalStatus,
    pub(super) is_used: bool,
}

/// A message: where it stands, and the run it belongs to.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) branch: u32,
    pub(super) position: u64,
    pub(super) run: Option<Number>,
}

/// All rows of one session.
#[derive(Debug, Clone, Default)]
pub(super) struct Model {
    pub(super) session: Option<Session>,
    pub(super) branches: BTreeMap<u32, (Option<u32>, u64)>,
    pub(super) messages: BTreeMap<Number, Message>,
    pub(super) runs: BTreeMap<Number, Run>,
    pub(super) steps: BTreeMap<Number, Step>,
    pub(super) attempts: BTreeMap<(Number, u32), Attempt>,
    pub(super) deltas: BTreeMap<(Number, u32, u32, u64), String>,
    pub(super) calls: BTreeMap<Number, Call>,
    pub(super) approvals: BTreeMap<(Number, u32), Approval>,
    pub(super) queue: BTreeMap<Number, (u64, String)>,
    pub(super) requests: BTreeMap<Number, Number>,
    pub(super) events: Vec<String>,
}

type Outcome = Result<(), Refusal>;

fn must(holds: bool) -> Outcome {
    if holds {
        Ok(())
    } else {
        Err(Refusal::Conflict)
    }
}

fn legal(holds: bool) -> Outcome {
    if holds { Ok(()) } else { Err(Refusal::Illegal) }
}

impl Model {
    /// A whole transition: all of it, or nothing and the reason.
    pub(super) fn transition(&mut self, acts: &[Act], number: u64) -> Outcome {
        let mut after = self.clone();
        for act in acts {
            after.act(act, number)?;
        }
        for act in acts {
            if let Act::AddMessage { run: Some(run), .. } = act {
                must(after.runs.contains_key(run))?;
            }
        }
        *self = after;
        Ok(())
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one arm for each act, short where its rule is"
    )]
    /// One change of a transition that the store is asked for as number `number`.
    pub(super) fn act(&mut self, act: &Act, number: u64) -> Outcome {
        match act {
            Act::CreateSession => {
                must(self.session.is_none())?;
                self.session = Some(Session::default());
                self.branches.insert(0, (None, 1));
                Ok(())
            }
            Act::Rename(title) => {
                self.there()?.title = Some(title.clone());
                Ok(())
            }
            Act::AddMessage {
                id,
                branch,
                position,
                run,
            } => self.add_message(*id, *branch, *position, *run),
            Act::CreateRun {
                id,
                branch,
                message,
                key,
            } => self.create_run(*id, *branch, *message, *key, number),
            Act::MoveRun(id, from, to) => self.move_run(*id, *from, *to),
            Act::CountCrash(id) => {
                let run = self.runs.get_mut(id).ok_or(Refusal::Conflict)?;
                run.crashes += 1;
                run.crashes_total += 1;
                Ok(())
            }
            Act::CreateStep { id, run } => self.create_step(*id, *run),
            Act::MoveStep(id, from, to) => self.move_step(*id, *from, *to),
            Act::StartAttempt(step, attempt) => {
                must(self.steps.contains_key(step))?;
                must(!self.attempts.contains_key(&(*step, *attempt)))?;
                let new = Attempt {
                    status: StepStatus::Running,
                    streamed: 0,
                };
                self.attempts.insert((*step, *attempt), new);
                Ok(())
            }
            Act::Append {
                step,
                attempt,
                streamed,
                pieces,
            } => self.append(*step, *attempt, *streamed, pieces),
            Act::EndAttempt {
                step,
                attempt,
                to,
                streamed,
            } => self.end_attempt(*step, *attempt, *to, *streamed),
            Act::AddCall {
                id,
                run,
                message,
                ordinal,
            } => self.add_call(*id, *run, *message, *ordinal),
            Act::SaveCall {
                id,
                revision,
                from,
                to,
            } => self.save_call(*id, *revision, *from, *to),
            Act::AddApproval(call, round) => self.add_approval(*call, *round),
            Act::Decide(call, round, to) => {
                legal(*to != ApprovalStatus::Pending)?;
                let approval = self.approvals.get_mut(&(*call, *round));
                let approval = approval.ok_or(Refusal::Conflict)?;
                must(approval.status == ApprovalStatus::Pending)?;
                approval.status = *to;
                Ok(())
            }
            Act::Consume(call, round) => {
                let approval = self.approvals.get_mut(&(*call, *round));
                let approval = approval.ok_or(Refusal::Conflict)?;
                must(approval.status == ApprovalStatus::Allowed && !approval.is_used)?;
                approval.is_used = true;
                Ok(())
            }
            Act::Enqueue(id, text) => {
                self.there()?;
                must(!self.queue.contains_key(id))?;
                let last = self.queue.values().map(|one| one.0).max().unwrap_or(0);
                self.queue.insert(*id, (last + 1, text.clone()));
                Ok(())
            }
            Act::EditQueued(id, text) => {
                self.queue.get_mut(id).ok_or(Refusal::Conflict)?.1 = text.clone();
                Ok(())
            }
            Act::Dequeue(id) => self.queue.remove(id).map(drop).ok_or(Refusal::Conflict),
            Act::StartBranch {
                branch,
                parent,
                from_position,
            } => self.start_branch(*branch, *parent, *from_position),
            Act::SelectBranch(from, to) => self.select_branch(*from, *to),
            Act::NoteRequest(key, message) => {
                self.there()?;
                must(!self.known_keys().contains(key))?;
                self.requests.insert(*key, *message);
                Ok(())
            }
            Act::Event(title) => {
                self.there()?;
                self.events.push(title.clone());
                Ok(())
            }
        }
    }

    fn there(&mut self) -> Result<&mut Session, Refusal> {
        self.session.as_mut().ok_or(Refusal::Conflict)
    }

    /// One key has one answer: a run, or something noted.
    pub(super) fn known_keys(&self) -> BTreeSet<Number> {
        let runs = self.runs.values().filter_map(|run| run.key);
        runs.chain(self.requests.keys().copied()).collect()
    }

    fn add_message(
        &mut self,
        id: Number,
        branch: u32,
        position: u64,
        run: Option<Number>,
    ) -> Outcome {
        let is_new = !self.messages.contains_key(&id);
        let session = self.there()?;
        must(session.branch == branch && session.messages + 1 == position && is_new)?;
        session.messages += 1;
        let message = Message {
            branch,
            position,
            run,
        };
        self.messages.insert(id, message);
        Ok(())
    }

    fn create_run(
        &mut self,
        id: Number,
        branch: u32,
        message: Number,
        key: Option<Number>,
        number: u64,
    ) -> Outcome {
        must(!self.runs.contains_key(&id) && self.messages.contains_key(&message))?;
        must(!self.runs.values().any(|run| run.status.is_live()))?;
        must(key.is_none_or(|key| !self.known_keys().contains(&key)))?;
        let session = self.there()?;
        must(session.branch == branch)?;
        session.newest_run = Some(id);
        let run = Run {
            branch,
            message,
            key,
            status: RunStatus::Running,
            steps_completed: 0,
            crashes: 0,
            crashes_total: 0,
            created: number,
        };
        self.runs.insert(id, run);
        Ok(())
    }

    fn move_run(&mut self, id: Number, from: RunStatus, to: RunStatus) -> Outcome {
        legal(from.may_become(to))?;
        let is_live = |(other, run): (&Number, &Run)| *other != id && run.status.is_live();
        let another_is_live = self.runs.iter().any(is_live);
        let run = self.runs.get_mut(&id).ok_or(Refusal::Conflict)?;
        must(run.status == from && !(to.is_live() && another_is_live))?;
        run.status = to;
        Ok(())
    }

    fn create_step(&mut self, id: Number, run: Number) -> Outcome {
        must(self.runs.contains_key(&run) && !self.steps.contains_key(&id))?;
        let of_run = self.steps.values().filter(|step| step.run == run);
        let position = of_run.map(|step| step.position).max().unwrap_or(0) + 1;
        let status = StepStatus::Planned;
        let step = Step {
            run,
            position,
            status,
        };
        self.steps.insert(id, step);
        Ok(())
    }

    fn move_step(&mut self, id: Number, from: StepStatus, to: StepStatus) -> Outcome {
        legal(from.may_become(to))?;
        let step = self.steps.get_mut(&id).ok_or(Refusal::Conflict)?;
        must(step.status == from)?;
        step.status = to;
        if to == StepStatus::Completed
            && let Some(run) = self.runs.get_mut(&step.run)
        {
            run.steps_completed += 1;
            run.crashes = 0;
        }
        Ok(())
    }

    /// The attempt, if it runs and has streamed so much.
    fn attempt(
        &mut self,
        step: Number,
        attempt: u32,
        streamed: u64,
    ) -> Result<&mut Attempt, Refusal> {
        let found = self.attempts.get_mut(&(step, attempt));
        found
            .filter(|found| found.status == StepStatus::Running && found.streamed == streamed)
            .ok_or(Refusal::Conflict)
    }

    fn append(
        &mut self,
        step: Number,
        attempt: u32,
        streamed: u64,
        pieces: &[(u32, u64, String)],
    ) -> Outcome {
        let added: u64 = pieces.iter().map(|piece| piece.2.len() as u64).sum();
        self.attempt(step, attempt, streamed)?.streamed += added;
        for (block, offset, text) in pieces {
            let key = (step, attempt, *block, *offset);
            must(self.deltas.insert(key, text.clone()).is_none())?;
        }
        Ok(())
    }

    fn end_attempt(
        &mut self,
        step: Number,
        attempt: u32,
        to: StepStatus,
        streamed: u64,
    ) -> Outcome {
        legal(StepStatus::Running.may_become(to))?;
        self.attempt(step, attempt, streamed)?.status = to;
        self.deltas
            .retain(|key, _| (key.0, key.1) != (step, attempt));
        Ok(())
    }

    fn add_call(&mut self, id: Number, run: Number, message: Number, ordinal: u32) -> Outcome {
        let is_there = self.runs.contains_key(&run) && self.messages.contains_key(&message);
        let is_taken = |call: &Call| (call.message, call.ordinal) == (message, ordinal);
        must(is_there && !self.calls.contains_key(&id))?;
        must(!self.calls.values().any(is_taken))?;
        let call = Call {
            run,
            message,
            ordinal,
            status: CallStatus::Proposed,
            revision: 1,
        };
        self.calls.insert(id, call);
        Ok(())
    }

    fn save_call(
        &mut self,
        id: Number,
        revision: u32,
        from: CallStatus,
        to: CallStatus,
    ) -> Outcome {
        legal(from == to || from.may_become(to))?;
        let call = self.calls.get_mut(&id).ok_or(Refusal::Conflict)?;
        must(call.status == from && call.revision == revision)?;
        call.status = to;
        call.revision += 1;
        Ok(())
    }

    fn add_approval(&mut self, call: Number, round: u32) -> Outcome {
        let of_call = || {
            let all = self.approvals.iter();
            all.filter(|(key, _)| key.0 == call)
        };
        let is_asked = of_call().any(|(_, one)| one.status == ApprovalStatus::Pending);
        let last = of_call().map(|(key, _)| key.1).max().unwrap_or(0);
        must(self.calls.contains_key(&call) && !is_asked && round == last + 1)?;
        let approval = Approval {
            status: ApprovalStatus::Pending,
            is_used: false,
        };
        self.approvals.insert((call, round), approval);
        Ok(())
    }

    fn start_branch(&mut self, branch: u32, parent: u32, from_position: u64) -> Outcome {
        let next = self.branches.keys().max().map_or(0, |last| last + 1);
        let session = self.there()?;
        must(session.branch == parent && branch == next)?;
        must(from_position <= session.messages + 1)?;
        session.branch = branch;
        session.messages = from_position - 1;
        session.newest_run = None;
        self.branches.insert(branch, (Some(parent), from_position));
        Ok(())
    }

    fn select_branch(&mut self, from: u32, to: u32) -> Outcome {
        let (_, begins) = *self.branches.get(&to).ok_or(Refusal::Conflict)?;
        let own = self.messages.values().filter(|one| one.branch == to);
        let last = own.map(|one| one.position).max().unwrap_or(begins - 1);
        let runs = self.runs.iter().filter(|(_, run)| run.branch == to);
        let newest = runs.max_by_key(|(id, run)| (run.created, **id));
        let newest = newest.map(|(id, _)| *id);
        let session = self.there()?;
        must(session.branch == from)?;
        session.branch = to;
        session.messages = last;
        session.newest_run = newest;
        Ok(())
    }
}
