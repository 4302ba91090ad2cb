//! A call on its way.

use leptos::prelude::*;
use protocol::{CallStatus, ToolCallView};

use super::body::{Arguments, Preview};
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
    view! {
        <details class="call__details">
            <summary class="call__head">
                <span class="call__mark call__mark--working" aria-hidden="true"></span>
                <span class="call__summary"><Summary call/></span>
                <span class="call__time">{running_for}</span>
                <span class="call__status" role="status">{move || call.with(words::status)}</span>
            </summary>
            <div class="call__body">
                <Preview call shows_all/>
                <Arguments call shows_all is_open=false/>
                {move || call.with(words::why_allowed).map(|why| view! { <p class="call__note">{why}</p> })}
            </div>
        </details>
    }
}
