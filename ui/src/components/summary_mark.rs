//! Where the model is told a summary from: a line between messages that unfolds to what it says.

use leptos::prelude::*;
use protocol::SummaryView;

use super::markdown::Markdown;
use crate::testid;

#[component]
pub(crate) fn SummaryMark(
    /// What stands for the messages above.
    summary: SummaryView,
) -> impl IntoView {
    view! {
        <details class="summary-mark" data-testid=testid::SUMMARY_MARK>
            <summary class="summary-mark__words">
                "Earlier messages are summarised for the model"
            </summary>
            <div class="summary-mark__text">
                <Markdown source=summary.text/>
            </div>
        </details>
    }
}

/// Shown while the model writes one.
#[component]
pub(crate) fn Summarising() -> impl IntoView {
    view! {
        <p class="summarising" role="status" data-testid=testid::SUMMARISING>
            <span class="call__mark call__mark--working" aria-hidden="true"></span>
            "Summarising earlier messages for the model"
        </p>
    }
}
