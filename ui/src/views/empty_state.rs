//! What a session without messages shows: what this is, and four ways to begin.

use leptos::prelude::*;

use crate::components::brand_mark::BrandMark;
use crate::testid;

const EXAMPLES: [(&str, &str); 4] = [
    ("What can you do?", "A short tour"),
    ("What happens if I pull the plug?", "Why nothing gets lost"),
    ("Where is my data kept?", "One folder, on this machine"),
    (
        "Tell me a long story about the sea",
        "Try Stop and Resume on it",
    ),
];

#[component]
pub(crate) fn EmptyState(
    /// Sends an example.
    on_example: Callback<&'static str>,
) -> impl IntoView {
    let examples = EXAMPLES.map(|(prompt, about)| {
        view! {
            <li>
                <button
                    type="button"
                    class="empty-state__example"
                    data-testid=testid::EXAMPLE_PROMPT
                    on:click=move |_| on_example.run(prompt)
                >
                    <span class="empty-state__prompt">{prompt}</span>
                    <span class="empty-state__about">{about}</span>
                </button>
            </li>
        }
    });
    view! {
        <div class="empty-state" data-testid=testid::EMPTY_STATE>
            <div class="empty-state__inner">
                <BrandMark/>
                <h2 class="empty-state__title">"Start a session"</h2>
                <p class="empty-state__words">
                    "Holdfast runs agents on this machine and writes every step to disk first: pull the plug at any moment, open it again, and go on where you were."
                </p>
                <ul class="empty-state__examples">{examples.into_iter().collect_view()}</ul>
                <p class="empty-state__keys">
                    <span><kbd>"Enter"</kbd>" sends"</span>
                    <span><kbd>"Shift Enter"</kbd>" new line"</span>
                    <span><kbd>"Esc"</kbd>" stops"</span>
                    <span><kbd>"Ctrl N"</kbd>" new session"</span>
                    <span><kbd>"Ctrl K"</kbd>" find a session"</span>
                </p>
            </div>
        </div>
    }
}
