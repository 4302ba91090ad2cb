//! A call that did not run: what happened, and nothing to do.

use leptos::prelude::*;
use protocol::{ApprovalStatus, ToolCallView};

use super::super::escaped::Escaped;
use super::body::{Arguments, Preview};
use super::fold::Fold;
use super::{Summary, words};

#[component]
pub(super) fn NotRunCard(
    /// The call.
    call: Memo<ToolCallView>,
) -> impl IntoView {
    let shows_all = RwSignal::new(false);
    let why = Memo::new(move |_| call.with(words::why_not_run));
    let head = view! {
        <span class="call__mark call__mark--quiet" aria-hidden="true"></span>
        <span class="call__summary"><Summary call/></span>
        <span class="call__status">{move || call.with(status)}</span>
    }
    .into_any();
    view! {
        <Fold starts_open=false head>
            <Preview call shows_all/>
            <Arguments call shows_all is_open=false/>
        </Fold>
        <p class="call__why">{move || view! { <Escaped text=why.get()/> }}</p>
    }
}

/// A question that nobody can answer any more does not wait.
fn status(call: &ToolCallView) -> &'static str {
    let approval = call.approval.as_ref().map(|approval| approval.status);
    if call.status.is_terminal() && approval != Some(ApprovalStatus::Expired) {
        words::status(call)
    } else {
        "Expired"
    }
}
