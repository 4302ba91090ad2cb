//! Taking up what a dead process left, and leaving things resumable when this one closes.

mod starting;

use protocol::{CallStatus, ErrorCode, RunReason, SessionId, Settings};
use store::faults::{self, Point};
use store::{CallRow, Change, Opened, Reader, SessionState, Sync, Transition};
use tokio::runtime::Handle;

use crate::transact::{log_moves, moved_runs};
use crate::{Engine, cause, decide};

/// What recovery found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Runs that were going when the process before this one ended, now interrupted.
    pub interrupted: usize,
    /// Tool calls whose outcome is unknown.
    pub in_doubt: usize,
    /// Questions that nobody answered in time.
    pub expired: usize,
    /// Sessions that could not be read.
    pub unreadable: usize,
    /// Things that should not be: they are logged, never mended silently.
    pub violations: usize,
}

/// In this order: runs of the dead process, overdue questions, what should not be; then what goes
/// on by itself. Doing it twice changes nothing the second time. One part that fails, or one
/// session that cannot be taken up, keeps neither the others nor the app from going on.
pub(crate) fn recover(
    engine: &Engine,
    opened: Opened,
    runtime: &Handle,
) -> Result<Recovered, store::Error> {
    let mut found = Recovered::default();
    let sweeps = decide_sweeps(engine, &mut found)?;
    let touched: Vec<SessionId> = sweeps.iter().map(|sweep| sweep.session_id).collect();
    let counted = |sweeps: &[Sweep], found: &mut Recovered| {
        found.interrupted += sweeps.iter().filter(|s| s.is_interrupted()).count();
        found.in_doubt += sweeps.iter().map(Sweep::doubts).sum::<usize>();
    };
    let whole = sweeps.iter().flat_map(|s| s.changes.clone()).collect();
    faults::reach(Point::SweepDecided)?;
    match apply(engine, whole) {
        Ok(()) => counted(&sweeps, &mut found),
        Err(error) if is_of_one_session(&error) => {
            for sweep in decide_sweeps(engine, &mut found)? {
                if apply_one(engine, &sweep).is_some() {
                    counted(std::slice::from_ref(&sweep), &mut found);
                }
            }
        }
        Err(error) => return Err(error),
    }
    faults::reach(Point::SweepWritten)?;
    let effects = starting::expire_overdue(engine, &mut found);
    starting::check(engine, &touched, &mut found);
    tracing::info!(
        name: "engine.recovery.done",
        epoch = opened.epoch,
        was_clean = opened.was_clean,
        interrupted = found.interrupted,
        in_doubt = found.in_doubt,
        expired = found.expired,
        unreadable = found.unreadable,
        violations = found.violations,
    );
    starting::go_on(engine, effects, touched, runtime);
    Ok(found)
}

/// What takes up the run of one session.
struct Sweep {
    session_id: SessionId,
    changes: Vec<Change>,
}

impl Sweep {
    fn is_interrupted(&self) -> bool {
        self.changes
            .iter()
            .any(|change| matches!(change, Change::CountCrash { .. }))
    }

    fn doubts(&self) -> usize {
        let in_doubt = |change: &&Change| matches!(change, Change::SaveCall { call, .. } if call.view.status == CallStatus::InDoubt);
        self.changes.iter().filter(in_doubt).count()
    }
}

fn decide_sweeps(engine: &Engine, found: &mut Recovered) -> Result<Vec<Sweep>, store::Error> {
    let store = &engine.inner.store;
    let can_check = engine.inner.checkable();
    let settings = store.read(|reader| reader.settings())?;
    let mut sweeps = Vec::new();
    found.unreadable = 0;
    for session_id in store.read(|reader| reader.live_sessions())? {
        let left = match store.read(|reader| left_behind(reader, session_id)) {
            Ok(Some(left)) => left,
            Ok(None) => continue,
            Err(error) if is_of_one_session(&error) => {
                tracing::error!(name: "engine.recovery.unreadable", %session_id, %error);
                found.unreadable += 1;
                continue;
            }
            Err(error) => return Err(error),
        };
        let changes = sweep(engine, &left, &settings, &can_check);
        sweeps.push(Sweep {
            session_id,
            changes,
        });
    }
    Ok(sweeps)
}

/// What was going ended when it was last heard of, not now: the time in which nobody was there is
/// no time that it worked.
fn sweep(
    engine: &Engine,
    left: &LeftBehind,
    settings: &Settings,
    can_check: &decide::Checkable,
) -> Vec<Change> {
    let mut given = engine.inner.given();
    given.at_ms = given.at_ms.min(left.last_at_ms.unwrap_or(given.at_ms));
    decide::sweep(&left.state, &left.stray, settings, can_check, &given).changes
}

struct LeftBehind {
    state: SessionState,
    /// Calls that run although they are not among those of its newest run.
    stray: Vec<CallRow>,
    /// When something last happened in it.
    last_at_ms: Option<u64>,
}

fn left_behind(
    reader: &Reader<'_>,
    session_id: SessionId,
) -> Result<Option<LeftBehind>, store::Error> {
    let Some(state) = reader.session_state(session_id)? else {
        return Ok(None);
    };
    let known = |call: &CallRow| {
        state.run.as_ref().is_some_and(|run| {
            let mut calls = run.calls.iter();
            calls.any(|one| one.view.call_id == call.view.call_id)
        })
    };
    let mut stray = reader.running_calls(session_id)?;
    stray.retain(|call| !known(call));
    let head_seq = reader.head_seq(session_id)?.unwrap_or(0);
    let last = reader.events_after(session_id, head_seq.saturating_sub(1), 1)?;
    Ok(Some(LeftBehind {
        state,
        stray,
        last_at_ms: last.last().map(|event| event.at_ms),
    }))
}

/// Errors that say something about the rows of a session and nothing about the database.
const fn is_of_one_session(error: &store::Error) -> bool {
    matches!(
        error,
        store::Error::Unreadable { .. }
            | store::Error::Conflict(_)
            | store::Error::IllegalMove(_)
            | store::Error::TooLarge { .. }
    )
}

fn apply(engine: &Engine, changes: Vec<Change>) -> Result<(), store::Error> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut transition = Transition {
        sync: Sync::Barrier,
        changes,
    };
    if let Some(cause) = cause::recovery("sweep") {
        cause::put(&mut transition, cause, engine.inner.now_ms());
    }
    let moved = moved_runs(&transition);
    engine.inner.store.apply(transition)?;
    log_moves(&moved);
    Ok(())
}

fn apply_one(engine: &Engine, sweep: &Sweep) -> Option<()> {
    let session_id = sweep.session_id;
    apply(engine, sweep.changes.clone())
        .inspect_err(|error| tracing::error!(name: "engine.recovery.refused", %session_id, %error))
        .ok()
}

/// Interrupts every run that is going, because the app closes.
pub(crate) async fn interrupt_all(engine: &Engine) {
    let sessions = match engine.read(|reader| reader.live_sessions()).await {
        Ok(sessions) => sessions,
        // It is closed already.
        Err(error) if error.code == ErrorCode::Unavailable => return,
        Err(error) => {
            tracing::error!(name: "engine.close.unread", message = error.message);
            return;
        }
    };
    for session_id in sessions {
        cause::because_of(cause::app("close"), interrupt_one(engine, session_id)).await;
    }
}

async fn interrupt_one(engine: &Engine, session_id: SessionId) {
    let result = engine
        .transact_attempt(session_id, |state| {
            let decision = state.map_or_else(decide::Decision::nothing, |state| {
                decide::interrupt(state, RunReason::AppClosed, &engine.inner.given())
            });
            Ok(((), decision))
        })
        .await;
    if let Err(error) = result {
        // The next start finds it running and interrupts it then.
        tracing::warn!(name: "engine.close.not_interrupted", %session_id, message = error.message);
    }
}
