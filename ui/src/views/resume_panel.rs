//! Everything that needs a person, in one place.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::AttentionKind;

use crate::actions::{use_actions, use_store};
use crate::components::icon::{Icon, Shape};
use crate::components::resume_row::ResumeRow;
use crate::state::{AppStateStoreFields, attention_ids, summary_of};
use crate::testid;

#[component]
pub(crate) fn ResumePanel() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let panel = NodeRef::<html::Section>::new();
    let is_busy = RwSignal::new(false);
    let ids = Memo::new(move |_| attention_ids(store));
    let interrupted = Memo::new(move |_| {
        let sessions = store.sessions().read();
        sessions
            .iter()
            .filter_map(|row| row.attention.as_ref())
            .filter(|attention| attention.kind == AttentionKind::Interrupted)
            .count()
    });
    // The keyboard goes where the eye goes.
    Effect::new(move || {
        if let Some(panel) = panel.get() {
            panel.focus().ok();
        }
    });
    let resume_all = move |_| {
        is_busy.set(true);
        spawn_local(async move {
            actions.resume_all().await;
            is_busy.try_set(false);
        });
    };

    view! {
        <section
            class="resume-panel"
            aria-labelledby="resume-panel-title"
            tabindex="-1"
            data-testid=testid::RESUME_PANEL
            node_ref=panel
        >
            <div class="resume-panel__column">
                <div class="resume-panel__head">
                    <div class="resume-panel__intro">
                        <h2 class="resume-panel__title" id="resume-panel-title">
                            {move || if ids.with(Vec::is_empty) { "Nothing needs you" } else { "Pick up where you were" }}
                        </h2>
                        <p class="resume-panel__words">
                            {move || if ids.with(Vec::is_empty) {
                                "Every session is finished or running."
                            } else {
                                "Everything up to here is kept. Nothing is done twice."
                            }}
                        </p>
                    </div>
                    <Show when=move || { interrupted.get() > 1 }>
                        <button
                            type="button"
                            class="button resume-panel__all"
                            disabled=move || is_busy.get()
                            on:click=resume_all
                        >
                            "Resume all"
                        </button>
                    </Show>
                    <button
                        type="button"
                        class="icon-button resume-panel__close"
                        aria-label="Close"
                        title="Close (Esc)"
                        on:click=move |_| actions.close_panel()
                    >
                        <Icon shape=Shape::Close/>
                    </button>
                </div>
                <ul class="resume-panel__rows">
                    <For
                        each=move || ids.get()
                        key=|id| *id
                        children=move |session_id| {
                            let summary = Memo::new(move |_| summary_of(store, session_id));
                            let now_ms = Signal::derive(move || store.now_ms().get());
                            view! { <ResumeRow session_id summary now_ms/> }
                        }
                    />
                </ul>
            </div>
        </section>
    }
}
