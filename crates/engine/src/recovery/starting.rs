//! The rest of a start: overdue questions, what should not be, and what goes on by itself.

use std::collections::HashSet;

use protocol::{CommandError, RecoveryPolicy, RunReason, RunStatus, SessionId};
use store::{Due, SessionState};
use tokio::runtime::Handle;

use super::{Recovered, apply};
use crate::decide::{self, Effect};
use crate::patience::{Patience, is_passing};
use crate::timekeeper::UNDO_MS;
use crate::{Engine, cause, effects};

/// A run that ended the app so often since its last completed step is not resumed by itself.
const CRASH_LOOP: u32 = 2;

/// Questions whose time was over while nobody was there count as denied, before anyone can answer
/// them. What is to be done then is done once everything is up.
pub(super) fn expire_overdue(engine: &Engine, found: &mut Recovered) -> Vec<Effect> {
    let store = &engine.inner.store;
    let now_ms = engine.inner.now_ms();
    let due = match store.read(|reader| reader.due(now_ms, UNDO_MS)) {
        Ok(due) => due,
        Err(error) => {
            tracing::error!(name: "engine.recovery.timers_unread", %error);
            return Vec::new();
        }
    };
    let mut effects = Vec::new();
    for due in due {
        let Due::Approval {
            session_id,
            call_id,
        } = due
        else {
            continue;
        };
        let read =
            store.read(|reader| Ok((reader.session_state(session_id)?, reader.call(call_id)?)));
        let expired = read.and_then(|(state, call)| {
            let (Some(state), Some(call)) = (state, call) else {
                return Ok(Vec::new());
            };
            let decision = decide::expire(&state, &call, &engine.inner.given());
            apply(engine, decision.changes)?;
            Ok(decision.effects)
        });
        match expired {
            Ok(mut more) => {
                found.expired += 1;
                effects.append(&mut more);
            }
            Err(error) => tracing::error!(name: "engine.recovery.not_expired", %session_id, %error),
        }
    }
    effects
}

/// What should not be is said, never mended silently.
pub(super) fn check(engine: &Engine, sessions: &[SessionId], found: &mut Recovered) {
    match engine
        .inner
        .store
        .read(|reader| reader.violations(sessions))
    {
        Ok(violations) => {
            for violation in &violations {
                tracing::error!(
                    name: "engine.recovery.violation",
                    session_id = ?violation.session_id,
                    what = violation.what,
                );
            }
            found.violations = violations.len();
        }
        Err(error) => tracing::error!(name: "engine.recovery.unchecked", %error),
    }
}

/// What an end of the app left to do is done: messages that wait, runs that go on by themselves,
/// folders of sessions that are gone.
pub(super) fn go_on(
    engine: &Engine,
    effects: Vec<Effect>,
    sessions: Vec<SessionId>,
    runtime: &Handle,
) {
    for effect in effects {
        effects::perform(engine, effect, runtime);
    }
    let engine = engine.clone();
    let tasks = engine.inner.tasks.clone();
    let task = async move {
        let mut sessions: HashSet<SessionId> = sessions.into_iter().collect();
        // Runs that a closing app interrupted are halted already and were not swept.
        let halted = || engine.read(|reader| reader.attention_sessions());
        sessions.extend(engine.when_possible(halted).await.unwrap_or_default());
        for session_id in sessions {
            let cause = cause::recovery("go_on");
            let go_on = || cause::because_of(cause.clone(), engine.go_on_with(session_id));
            if let Err(error) = engine.when_possible(go_on).await {
                tracing::warn!(name: "engine.recovery.not_resumed", %session_id, message = error.message);
            }
        }
        engine.remove_orphans().await;
    };
    tasks.spawn_on(task, runtime);
}

impl Engine {
    /// Nobody else would go on with what an end of the app left: while the disk refuses it is tried
    /// again.
    async fn when_possible<T, F: Future<Output = Result<T, CommandError>>>(
        &self,
        work: impl Fn() -> F,
    ) -> Result<T, CommandError> {
        let mut patience = Patience::new();
        loop {
            match work().await {
                Err(error) if is_passing(&error) => {
                    tracing::warn!(name: "engine.recovery.delayed", message = error.message);
                    if !patience.wait(&self.inner.closing).await {
                        return Err(error);
                    }
                }
                done => return done,
            }
        }
    }

    async fn go_on_with(&self, session_id: SessionId) -> Result<(), CommandError> {
        let policy = self.read(|reader| reader.settings()).await?.recovery;
        self.transact(session_id, |state| {
            let decision = match state {
                Some(state) if goes_on(state, policy) => match &state.run {
                    Some(run) => decide::resume_run(state, run.run_id, &self.inner.given())?,
                    None => decide::Decision::nothing(),
                },
                Some(state) => decide::follow_up(state, &self.inner.given()),
                None => decide::Decision::nothing(),
            };
            Ok(((), decision))
        })
        .await
    }

    /// Folders that no session names any more.
    async fn remove_orphans(&self) {
        let workspaces = std::sync::Arc::clone(&self.inner.workspaces);
        let names = tokio::task::spawn_blocking(move || workspaces.names()).await;
        let Ok(Ok(names)) = names else { return };
        if names.is_empty() {
            return;
        }
        // Read after the names: a session that is made meanwhile has its folder later still.
        let Ok(known) = self.read(|reader| reader.workspaces()).await else {
            return;
        };
        let known: HashSet<String> = known;
        for name in names.into_iter().filter(|name| !known.contains(name)) {
            tracing::info!(name: "engine.workspace.orphaned", workspace = name);
            self.remove_workspace(name).await;
        }
    }
}

fn goes_on(state: &SessionState, policy: RecoveryPolicy) -> bool {
    let is_cut_off = state.run.as_ref().is_some_and(|run| {
        run.status == RunStatus::Interrupted
            && matches!(run.reason, Some(RunReason::AppEnded | RunReason::AppClosed))
            && run.crashes < CRASH_LOOP
    });
    policy == RecoveryPolicy::Resume && is_cut_off && state.doubts.is_empty()
}
