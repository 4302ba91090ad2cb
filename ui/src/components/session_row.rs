//! One session in the list.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{AttentionKind, ExportFormat, RunStatus, SessionId, SessionSummary};

use super::menu::{Menu, MenuItem};
use super::title_field::TitleField;
use crate::actions::{Actions, use_actions};
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
    /// Whether its title is being written.
    is_renaming: Memo<bool>,
    /// The time, for the time since.
    #[prop(into)]
    now_ms: Signal<u64>,
    /// Shows it.
    on_open: Callback<SessionId>,
    /// Begins to write its title, or ends without one.
    on_renaming: Callback<Option<SessionId>>,
    /// Gives it another title.
    on_rename: Callback<(SessionId, String)>,
) -> impl IntoView {
    let button = NodeRef::<html::Button>::new();
    let title = Memo::new(move |_| {
        let title = summary.with(|row| row.as_ref().and_then(|row| row.title.clone()));
        title.unwrap_or_else(|| UNTITLED.to_owned())
    });
    let mark = Memo::new(move |_| summary.with(|row| row.as_ref().map_or(Mark::None, Mark::of)));
    let status = move || summary.with(|row| row.as_ref().map_or("none", status_of));
    let age = move || {
        let updated_at_ms = summary.with(|row| row.as_ref().map(|row| row.updated_at_ms));
        updated_at_ms.map(|updated_at_ms| time::short_ago(now_ms.get(), updated_at_ms))
    };
    let begin = move || on_renaming.run(Some(session_id));
    let actions = use_actions();
    let is_archived =
        move || summary.with_untracked(|row| row.as_ref().is_some_and(|row| row.is_archived));
    let items =
        Callback::new(move |()| menu_items(actions, session_id, is_archived(), on_renaming));
    let on_keydown = move |event: KeyboardEvent| {
        if event.key() == "F2" {
            event.prevent_default();
            begin();
        }
    };
    let renamed = Callback::new(move |new_title: Option<String>| {
        on_renaming.run(None);
        if let Some(new_title) = new_title.filter(|new_title| *new_title != title.get_untracked()) {
            on_rename.run((session_id, new_title));
        }
    });
    // The keyboard stays where it was when the field goes away.
    Effect::new(move |was_renaming: Option<bool>| {
        if was_renaming == Some(true)
            && !is_renaming.get()
            && let Some(button) = button.get()
        {
            button.focus().ok();
        }
        is_renaming.get()
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
                            node_ref=button
                            on:click=move |_| on_open.run(session_id)
                            on:dblclick=move |_| begin()
                            on:keydown=on_keydown
                        >
                            <span class=move || mark.get().class() aria-hidden="true"></span>
                            <span class="session-row__title">{title}</span>
                            <span class="visually-hidden">{move || mark.get().words()}</span>
                            <span class="session-row__age">{age}</span>
                        </button>
                        <Menu label="What to do with this session" testid=testid::SESSION_MENU items/>
                    }
                }
            >
                <TitleField title=title.get_untracked() on_done=renamed/>
            </Show>
        </li>
    }
}

fn menu_items(
    actions: Actions,
    session_id: SessionId,
    is_archived: bool,
    on_renaming: Callback<Option<SessionId>>,
) -> Vec<MenuItem> {
    let item = |words, testid, on_pick| MenuItem {
        words,
        testid,
        on_pick,
    };
    let copy =
        move |format| Callback::new(move |()| spawn_local(actions.copy_export(session_id, format)));
    let save =
        move |format| Callback::new(move |()| spawn_local(actions.save_export(session_id, format)));
    let archive = Callback::new(move |()| spawn_local(actions.archive(session_id, !is_archived)));
    let away = if is_archived { "Unarchive" } else { "Archive" };
    let (markdown, json) = (ExportFormat::Markdown, ExportFormat::Json);
    vec![
        item(
            "Rename",
            testid::SESSION_RENAME,
            Callback::new(move |()| on_renaming.run(Some(session_id))),
        ),
        item(away, testid::SESSION_ARCHIVE, archive),
        item(
            "Copy as Markdown",
            testid::SESSION_COPY_MARKDOWN,
            copy(markdown),
        ),
        item("Copy as JSON", testid::SESSION_COPY_JSON, copy(json)),
        item(
            "Save as Markdown…",
            testid::SESSION_SAVE_MARKDOWN,
            save(markdown),
        ),
        item("Save as JSON…", testid::SESSION_SAVE_JSON, save(json)),
        item(
            "Delete",
            testid::SESSION_DELETE,
            Callback::new(move |()| spawn_local(actions.delete(session_id))),
        ),
    ]
}

/// Where its newest run stands.
fn status_of(row: &SessionSummary) -> &'static str {
    row.run.as_ref().map_or("none", |run| run.status.as_str())
}

/// What the dot in front of a title says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    Running,
    NeedsYou,
    Failed,
    /// Some of it cannot be read.
    Problem,
}

impl Mark {
    fn of(row: &SessionSummary) -> Self {
        let is_live = row.run.as_ref().is_some_and(|run| run.status.is_live());
        let is_failed = row
            .run
            .as_ref()
            .is_some_and(|run| run.status == RunStatus::Failed);
        if row.problem.is_some() {
            return Self::Problem;
        }
        match row.attention.as_ref().map(|attention| attention.kind) {
            Some(AttentionKind::Failed) => Self::Failed,
            Some(
                AttentionKind::Interrupted
                | AttentionKind::Stopped
                | AttentionKind::Waiting
                | AttentionKind::InDoubt,
            ) => Self::NeedsYou,
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
            Self::Failed | Self::Problem => "session-row__dot session-row__dot--failed",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Running => "Running",
            Self::NeedsYou => "Needs you",
            Self::Failed => "Failed",
            Self::Problem => "Cannot be read in full",
        }
    }
}
