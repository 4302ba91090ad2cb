//! Where the run of the open session stands, and what can be done about it.

mod advice;
mod failed;
mod halted;
mod held;
mod live;

use leptos::prelude::*;
use protocol::{CommandError, ProviderId, RunReason, RunStatus};
use reactive_stores::Store;

use crate::state::{
    AppState, AppStateStoreFields, RunState, SessionStateStoreFields, provider_of, summary_of,
};
use failed::FailedBar;
use halted::HaltedBar;
use held::HeldBar;
use live::LiveBar;

#[component]
pub(crate) fn RunBar(
    /// The newest run of the open session.
    run: Memo<Option<RunState>>,
) -> impl IntoView {
    move || {
        let run = run.get()?;
        let bar = match run.status {
            RunStatus::Running if is_held(&run) => view! { <HeldBar run/> }.into_any(),
            RunStatus::Queued | RunStatus::Running | RunStatus::Waiting => {
                view! { <LiveBar run/> }.into_any()
            }
            RunStatus::Stopped | RunStatus::Interrupted => view! { <HaltedBar run/> }.into_any(),
            RunStatus::Failed => view! { <FailedBar run/> }.into_any(),
            RunStatus::Completed | RunStatus::Cancelled => return None,
        };
        Some(bar)
    }
}

/// Whether it waits until its provider is mended: nothing else is waited for without end.
fn is_held(run: &RunState) -> bool {
    let retry = run.retry.as_ref();
    retry.is_some_and(|retry| !retry.error.class.is_transient())
}

/// The provider that the run of the open session asks, and its name; nothing for what is built in.
fn provider_of_run(store: Store<AppState>) -> Option<(ProviderId, String)> {
    let summary = summary_of(store, store.session().session_id().get()?)?;
    let (provider_id, _) = provider_of(&summary.run?.model)?;
    let providers = store.providers().get()?;
    let mut providers = providers.into_iter();
    let found = providers.find(|one| one.provider_id == provider_id)?;
    Some((provider_id, found.fields.name))
}

fn said(error: CommandError) -> String {
    format!("{} {}", error.message, error.hint)
}

/// Why a run is halted, in a sentence.
pub(crate) const fn why(reason: Option<RunReason>) -> &'static str {
    match reason {
        Some(RunReason::StoppedByUser) => "You stopped this run.",
        Some(RunReason::AppClosed) => "Interrupted: the app was closed.",
        Some(RunReason::AppEnded) => "Interrupted: the app ended unexpectedly.",
        Some(RunReason::Superseded) => "A newer message took its place.",
        Some(RunReason::Discarded) => "You discarded this run.",
        Some(RunReason::StepLimit) => "Stopped: it used all the steps that one run may use.",
        Some(RunReason::TimeLimit) => "Stopped: it worked as long as one run may.",
        Some(RunReason::TokenLimit) => "Stopped: it used all the tokens that one run may use.",
        Some(RunReason::CostLimit) => "Stopped: it cost as much as one run may.",
        None => "This run was halted.",
    }
}
