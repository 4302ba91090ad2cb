//! One session that needs a person.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{
    Attention, AttentionAction, AttentionCall, AttentionKind, CommandError, SessionId,
    SessionSummary,
};

use super::confirm_button::ConfirmButton;
use super::escaped::Escaped;
use super::run_bar::why;
use super::session_row::UNTITLED;
use crate::actions::use_actions;
use crate::state::waiting_call;
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
    let kind = move || attention.with(|attention| attention.as_ref().map(|it| it.kind));
    let reason = move || attention.with(|attention| attention.as_ref().map(reason_of));
    let since = move || {
        let since_ms = attention.with(|attention| attention.as_ref().map(|it| it.since_ms));
        since_ms.map(|since_ms| time::ago(now_ms.get(), since_ms))
    };

    view! {
        <li
            class="resume-row"
            data-testid=testid::RESUME_ROW
            data-session-id=session_id.to_string()
            data-kind=move || kind().map(kind_tag)
        >
            <div class="resume-row__head">
                <h3 class="resume-row__title">{title}</h3>
                <span class="resume-row__kind">{move || kind().map(kind_words)}</span>
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
                AttentionAction::Retry => actions.retry(attention.run_id).await,
                AttentionAction::Discard => actions.discard(attention.run_id).await,
                AttentionAction::Decide => {
                    actions.open_at(session_id, waiting_call(&attention));
                    Ok(())
                }
            };
            let goes_on = matches!(action, AttentionAction::Resume | AttentionAction::Retry);
            let is_last = answer.is_ok() && goes_on;
            // The row may be gone by now.
            is_busy.try_set(false);
            error.try_set(answer.err());
            if is_last {
                actions.open_if_last(session_id);
            }
        });
    };
    let primary = move |action, testid, words: &'static str| {
        view! {
            <Show when=move || can(action)>
                <button
                    type="button"
                    class="button button--primary"
                    data-testid=testid
                    disabled=move || is_busy.get()
                    on:click=move |_| act(action)
                >
                    {words}
                </button>
            </Show>
        }
    };

    view! {
        <p class="resume-row__error" role="alert">
            {move || error.get().map(|error| format!("{} {}", error.message, error.hint))}
        </p>
        <div class="resume-row__actions">
            {primary(AttentionAction::Decide, testid::RESUME_ROW_DECIDE, "Decide")}
            {primary(AttentionAction::Resume, testid::RESUME_ROW_RESUME, "Resume")}
            {primary(AttentionAction::Retry, testid::RESUME_ROW_RETRY, "Retry")}
            <button
                type="button"
                class="button"
                data-testid=testid::RESUME_ROW_OPEN
                on:click=move |_| actions.open(session_id)
            >
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

const fn kind_tag(kind: AttentionKind) -> &'static str {
    match kind {
        AttentionKind::Interrupted => "interrupted",
        AttentionKind::Waiting => "waiting",
        AttentionKind::InDoubt => "in_doubt",
        AttentionKind::Stopped => "stopped",
        AttentionKind::Failed => "failed",
    }
}

const fn kind_words(kind: AttentionKind) -> &'static str {
    match kind {
        AttentionKind::Interrupted => "Interrupted",
        AttentionKind::Waiting => "Waiting for you",
        AttentionKind::InDoubt => "Outcome unknown",
        AttentionKind::Stopped => "Stopped",
        AttentionKind::Failed => "Failed",
    }
}

/// Why it needs a person.
fn reason_of(attention: &Attention) -> String {
    match (&attention.error, attention.reason, attention.kind) {
        (Some(error), ..) => error.message.clone(),
        (None, reason @ Some(_), _) => why(reason).to_owned(),
        (None, None, AttentionKind::Waiting) => "The agent asks before it goes on.".to_owned(),
        (None, None, AttentionKind::InDoubt) => {
            "Something was started, and nobody saw how it ended.".to_owned()
        }
        (
            None,
            None,
            AttentionKind::Interrupted | AttentionKind::Stopped | AttentionKind::Failed,
        ) => why(None).to_owned(),
    }
}

/// What is done, what is unknown, what has not started.
fn facts(attention: Attention) -> impl IntoView {
    let done = match attention.steps_completed {
        0 => "No step done yet".to_owned(),
        1 => "1 step done".to_owned(),
        steps => format!("{steps} steps done"),
    };
    let done = match attention.last_done {
        Some(last_done) => format!("{done}, last: {last_done}"),
        None => done,
    };
    let cut_off = (attention.steps_interrupted > 0).then(|| match attention.partial_chars {
        0 => "Reply was cut off before its first word".to_owned(),
        1 => "Reply was cut off; 1 character kept".to_owned(),
        chars => format!("Reply was cut off; {chars} characters kept"),
    });
    let crashes = match attention.crashes {
        0 | 1 => None,
        2 => Some("Ended the app twice".to_owned()),
        crashes => Some(format!("Ended the app {crashes} times")),
    };
    view! {
        <ul class="resume-row__facts">
            <li><Escaped text=done/></li>
            {cut_off.map(|words| view! { <li>{words}</li> })}
            {crashes.map(|words| view! { <li class="resume-row__crashes">{words}</li> })}
        </ul>
        {calls("Unknown whether it happened", attention.unknown)}
        {calls("Not started", attention.not_started)}
    }
}

fn calls(heading: &'static str, calls: Vec<AttentionCall>) -> Option<impl IntoView> {
    let rows = calls
        .iter()
        .map(|call| {
            let waits = call.is_waiting.then_some(" (waits for you)");
            view! { <li><Escaped text=call.summary.clone()/>{waits}</li> }
        })
        .collect_view();
    (!calls.is_empty()).then(|| {
        view! {
            <p class="resume-row__heading">{heading}</p>
            <ul class="resume-row__calls">{rows}</ul>
        }
    })
}
