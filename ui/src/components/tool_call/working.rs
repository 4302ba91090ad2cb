//! A call on its way.

use leptos::prelude::*;
use protocol::{CallStatus, ToolCallView};

use super::super::escaped::Escaped;
use super::body::{Arguments, Preview};
use super::fold::Fold;
use super::{Summary, words};
use crate::hooks::use_tick::use_tick;
use crate::time;

#[component]
pub(super) fn WorkingCard(
    /// The call.
    call: Memo<ToolCallView>,
) -> impl IntoView {
    let now_ms = use_tick();
    let shows_all = RwSignal::new(false);
    let running_for = move || {
        let started_at_ms = call.with(|call| {
            call.started_at_ms
                .filter(|_| call.status == CallStatus::Running)
        });
        started_at_ms.map(|from_ms| time::elapsed(now_ms.get().saturating_sub(from_ms)))
    };
    let head = view! {
        <span class="call__mark call__mark--working" aria-hidden="true"></span>
        <span class="call__summary"><Summary call/></span>
        <span class="call__time">{running_for}</span>
        <span class="call__status" role="status">{move || call.with(words::status)}</span>
    }
    .into_any();
    let why = move || call.with(words::why_allowed);
    view! {
        <Fold starts_open=false head>
            <Preview call shows_all/>
            <Arguments call shows_all is_open=false/>
            {move || why().map(|why| view! { <p class="call__note"><Escaped text=why/></p> })}
        </Fold>
    }
}
