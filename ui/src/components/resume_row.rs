//! One session that needs a person.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{Attention, AttentionAction, CommandError, RunView, SessionId, SessionSummary};

use super::confirm_button::ConfirmButton;
use super::run_bar::why;
use super::session_row::UNTITLED;
use crate::actions::use_actions;
use crate::{testid, time};

#[component]
pub(crate) fn ResumeRow(
    /// Which session.
    session_id: SessionId,
    /// Its row.
    summary: Memo<Option<SessionSummary>>,
    /// The time, for the time since.
    #[prop(into)]
    now_ms: Signal<u64>,
) -> impl IntoView {
    let attention = Memo::new(move |_| summary.with(|row| row.as_ref()?.attention.clone()));
    let title = Memo::new(move |_| {
        let title = summary.with(|row| row.as_ref().and_then(|row| row.title.clone()));
        title.unwrap_or_else(|| UNTITLED.to_owned())
    });
    // A title that was taken from the message says the same twice.
    let asked = move || {
        let asked = attention.with(|attention| attention.as_ref().map(|it| it.asked.clone()));
        asked.filter(|asked| *asked != title.get())
    };
    let reason = move || summary.with(|row| row.as_ref()?.run.as_ref().map(reason_of));
    let since = move || {
        let since_ms = attention.with(|attention| attention.as_ref().map(|it| it.since_ms));
        since_ms.map(|since_ms| time::ago(now_ms.get(), since_ms))
    };

    view! {
        <li class="resume-row" data-testid=testid::RESUME_ROW data-session-id=session_id.to_string()>
            <div class="resume-row__head">
                <h3 class="resume-row__title">{title}</h3>
                <span class="resume-row__since">{since}</span>
            </div>
            <p class="resume-row__asked">{asked}</p>
            <p class="resume-row__why">{reason}</p>
            {move || attention.get().map(facts)}
            <ResumeActions session_id attention/>
        </li>
    }
}

/// Exactly what can be done now.
#[component]
fn ResumeActions(session_id: SessionId, attention: Memo<Option<Attention>>) -> impl IntoView {
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let can = move |action| {
        attention.with(|attention| {
            attention
                .as_ref()
                .is_some_and(|it| it.actions.contains(&action))
        })
    };
    let act = move |action| {
        let Some(attention) = attention.get_untracked() else {
            return;
        };
        is_busy.set(true);
        spawn_local(async move {
            let answer = match action {
                AttentionAction::Resume => actions.resume(attention.run_id).await,
                AttentionAction::Discard => actions.discard(attention.run_id).await,
            };
            let is_resumed = answer.is_ok() && action == AttentionAction::Resume;
            // The row may be gone by now.
            is_busy.try_set(false);
            error.try_set(answer.err());
            if is_resumed {
                actions.open_if_last(session_id);
            }
        });
    };

    view! {
        <p class="resume-row__error" role="alert">
            {move || error.get().map(|error| error.message)}
        </p>
        <div class="resume-row__actions">
            <Show when=move || can(AttentionAction::Resume)>
                <button
                    type="button"
                    class="button button--primary"
                    data-testid=testid::RESUME_ROW_RESUME
                    disabled=move || is_busy.get()
                    on:click=move |_| act(AttentionAction::Resume)
                >
                    "Resume"
                </button>
            </Show>
            <button type="button" class="button" on:click=move |_| actions.open(session_id)>
                "Open"
            </button>
            <Show when=move || can(AttentionAction::Discard)>
                <ConfirmButton
                    label="Discard"
                    question="Discard? The kept text stays."
                    confirm="Discard"
                    decline="Keep"
                    testid=testid::RESUME_ROW_DISCARD
                    disabled=is_busy
                    on_confirm=Callback::new(move |()| act(AttentionAction::Discard))
                />
            </Show>
        </div>
    }
}

/// Why it needs a person.
fn reason_of(run: &RunView) -> String {
    match &run.error {
        Some(error) => error.message.clone(),
        None => why(run.reason).to_owned(),
    }
}

/// What is done, what was kept.
fn facts(attention: Attention) -> impl IntoView {
    let Attention {
        steps_completed,
        steps_interrupted,
        partial_chars,
        ..
    } = attention;
    let done = match steps_completed {
        0 => "No step done yet".to_owned(),
        1 => "1 step done".to_owned(),
        steps => format!("{steps} steps done"),
    };
    let cut_off = (steps_interrupted > 0).then(|| match partial_chars {
        0 => "Reply was cut off before its first word".to_owned(),
        1 => "Reply was cut off; 1 character kept".to_owned(),
        chars => format!("Reply was cut off; {chars} characters kept"),
    });
    view! {
        <ul class="resume-row__facts">
            <li>{done}</li>
            {cut_off.map(|words| view! { <li>{words}</li> })}
        </ul>
    }
}
