//! One session in the list.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use protocol::{AttentionKind, RunStatus, SessionId, SessionSummary, limits};

use crate::{testid, time};

/// What a session without a title is called.
pub(crate) const UNTITLED: &str = "New session";

#[component]
pub(crate) fn SessionRow(
    /// Which session.
    session_id: SessionId,
    /// Its row.
    summary: Memo<Option<SessionSummary>>,
    /// Whether it is the one in the middle.
    #[prop(into)]
    is_open: Signal<bool>,
    /// The time, for the time since.
    #[prop(into)]
    now_ms: Signal<u64>,
    /// Shows it.
    on_open: Callback<SessionId>,
    /// Gives it another title.
    on_rename: Callback<(SessionId, String)>,
) -> impl IntoView {
    let is_renaming = RwSignal::new(false);
    let title = Memo::new(move |_| {
        summary
            .with(|row| row.as_ref().and_then(|row| row.title.clone()))
            .unwrap_or_else(|| UNTITLED.to_owned())
    });
    let status = move || {
        summary.with(|row| {
            row.as_ref()
                .and_then(|row| row.run.as_ref())
                .map_or("none", |run| run.status.as_str())
        })
    };
    let mark = Memo::new(move |_| summary.with(|row| row.as_ref().map_or(Mark::None, Mark::of)));
    let age = move || {
        summary.with(|row| {
            row.as_ref()
                .map(|row| time::short_ago(now_ms.get(), row.updated_at_ms))
        })
    };
    let on_keydown = move |event: KeyboardEvent| {
        if event.key() == "F2" {
            event.prevent_default();
            is_renaming.set(true);
        }
    };
    let renamed = Callback::new(move |new_title: Option<String>| {
        is_renaming.set(false);
        if let Some(new_title) = new_title.filter(|new_title| *new_title != title.get_untracked()) {
            on_rename.run((session_id, new_title));
        }
    });

    view! {
        <li
            class="session-row"
            class:session-row--open=is_open
            data-testid=testid::SESSION_ROW
            data-session-id=session_id.to_string()
            data-status=status
        >
            <Show
                when=move || is_renaming.get()
                fallback=move || {
                    view! {
                        <button
                            type="button"
                            class="session-row__button"
                            aria-current=move || is_open.get().then_some("page")
                            title=move || format!("{} (F2 renames)", title.get())
                            on:click=move |_| on_open.run(session_id)
                            on:dblclick=move |_| is_renaming.set(true)
                            on:keydown=on_keydown
                        >
                            <span class=move || mark.get().class() aria-hidden="true"></span>
                            <span class="session-row__title">{title}</span>
                            <span class="visually-hidden">{move || mark.get().words()}</span>
                            <span class="session-row__age">{age}</span>
                        </button>
                    }
                }
            >
                <TitleField title=title.get_untracked() on_done=renamed/>
            </Show>
        </li>
    }
}

#[component]
fn TitleField(title: String, on_done: Callback<Option<String>>) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    // Enter, Escape and leaving the field all end it; only the first counts.
    let is_over = StoredValue::new(false);
    let end = move |value: Option<String>| {
        if !is_over.get_value() {
            is_over.set_value(true);
            on_done.run(
                value
                    .map(|value| value.trim().to_owned())
                    .filter(|value| !value.is_empty()),
            );
        }
    };
    let value = move || input.get_untracked().map(|input| input.value());
    Effect::new(move || {
        if let Some(input) = input.get() {
            input.focus().ok();
            input.select();
        }
    });
    let on_keydown = move |event: KeyboardEvent| {
        event.stop_propagation();
        match event.key().as_str() {
            "Enter" => end(value()),
            "Escape" => end(None),
            _ => {}
        }
    };
    view! {
        <input
            class="session-row__input"
            aria-label="Title"
            maxlength=limits::TITLE_BYTES.to_string()
            value=title
            node_ref=input
            on:keydown=on_keydown
            on:blur=move |_| end(value())
        />
    }
}

/// What the dot in front of a title says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    Running,
    NeedsYou,
    Failed,
}

impl Mark {
    fn of(row: &SessionSummary) -> Self {
        let is_live = row.run.as_ref().is_some_and(|run| run.status.is_live());
        let is_failed = row
            .run
            .as_ref()
            .is_some_and(|run| run.status == RunStatus::Failed);
        match row.attention.as_ref().map(|attention| attention.kind) {
            Some(AttentionKind::Failed) => Self::Failed,
            Some(AttentionKind::Interrupted | AttentionKind::Stopped) => Self::NeedsYou,
            None if is_live => Self::Running,
            None if is_failed => Self::Failed,
            None => Self::None,
        }
    }

    const fn class(self) -> &'static str {
        match self {
            Self::None => "session-row__dot",
            Self::Running => "session-row__dot session-row__dot--running",
            Self::NeedsYou => "session-row__dot session-row__dot--needs-you",
            Self::Failed => "session-row__dot session-row__dot--failed",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Running => "Running",
            Self::NeedsYou => "Needs you",
            Self::Failed => "Failed",
        }
    }
}
