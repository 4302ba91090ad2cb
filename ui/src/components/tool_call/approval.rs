//! The question about one tool call: what will really run, and the answers.

use std::time::Duration;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CallId, CommandError, Decision, ToolCallView};
use wasm_bindgen::JsCast;

use super::approval_choices::Choices;
use super::approval_forms::{AlwaysForm, EditForm};
use super::body::{Arguments, Preview, is_long};
use super::{Summary, keep_focus, mark, words};
use crate::actions::{DecisionProblem, use_actions};
use crate::browser;
use crate::hooks::use_tick::use_tick;
use crate::time;

/// As long as a card that has just appeared does not act.
const FRESH: Duration = Duration::from_millis(400);

/// What the lower part of the card shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Choices,
    /// Asks for the pattern of a rule.
    Always,
    /// Asks for other arguments.
    Edit,
}

/// What the answers of a card share.
#[derive(Clone, Copy)]
pub(super) struct Answering {
    pub(super) card: NodeRef<html::Article>,
    pub(super) call: Memo<ToolCallView>,
    pub(super) mode: RwSignal<Mode>,
    /// Why the person denies, as far as it is written.
    pub(super) reason: RwSignal<String>,
    /// Whether a click counts: the card stands still, and no answer is on its way.
    pub(super) is_ready: Memo<bool>,
    /// Whether everything that would run has been shown.
    pub(super) is_whole: Memo<bool>,
    pub(super) decide: Callback<Decision>,
}

impl Answering {
    pub(super) fn allow(self, decision: Decision) {
        if self.is_ready.get_untracked() && self.is_whole.get_untracked() {
            self.decide.run(decision);
        }
    }

    pub(super) fn deny(self) {
        if self.is_ready.get_untracked() {
            let reason = self
                .reason
                .with_untracked(|reason| reason.trim().to_owned());
            let reason = Some(reason).filter(|reason| !reason.is_empty());
            self.decide.run(Decision::Deny { reason });
        }
    }

    /// Leaves what was opened below; the keyboard stays at the card.
    pub(super) fn leave(self) {
        keep_focus(self.card);
        self.mode.set(Mode::Choices);
    }

    pub(super) fn go(self, mode: Mode) {
        if self.is_ready.get_untracked() {
            self.mode.set(mode);
        }
    }
}

#[component]
pub(super) fn ApprovalCard(
    /// The call.
    call: Memo<ToolCallView>,
    /// The card itself.
    card: NodeRef<html::Article>,
    /// What a key does while the card has the focus.
    on_key: StoredValue<Option<Callback<KeyboardEvent>>>,
    /// Whether the card stands still.
    is_steady: ReadSignal<bool>,
    /// The calls of which not everything was shown.
    unread: RwSignal<Vec<CallId>>,
) -> impl IntoView {
    let actions = use_actions();
    let call_id = call.with_untracked(|call| call.call_id);
    let shows_all = RwSignal::new(false);
    let mode = RwSignal::new(Mode::Choices);
    let is_fresh = RwSignal::new(true);
    let is_busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<DecisionProblem>);
    let digest = Memo::new(move |_| {
        call.with(|call| {
            call.approval
                .as_ref()
                .map(|approval| approval.digest.clone())
        })
    });
    let is_whole = Memo::new(move |_| shows_all.get() || !call.with(is_long));
    let is_ready = Memo::new(move |_| is_steady.get() && !is_fresh.get() && !is_busy.get());
    // Another digest is another question: it is read anew before it can be answered.
    Effect::new(move || {
        digest.track();
        shows_all.set(false);
        mode.set(Mode::Choices);
        is_fresh.set(true);
        set_timeout(
            move || {
                is_fresh.try_set(false);
            },
            FRESH,
        );
    });
    Effect::new(move || mark(unread, call_id, !is_whole.get()));

    let decide = Callback::new(move |decision| {
        let Some(digest) = digest.get_untracked() else {
            return;
        };
        keep_focus(card);
        is_busy.set(true);
        problem.set(None);
        spawn_local(async move {
            let answer = actions.decide(call_id, digest, decision).await;
            // By now the card has usually become another one.
            is_busy.try_set(false);
            problem.try_set(answer.err());
        });
    });
    let answering = Answering {
        card,
        call,
        mode,
        reason: RwSignal::new(String::new()),
        is_ready,
        is_whole,
        decide,
    };
    on_key.set_value(Some(Callback::new(move |event| {
        take_key(answering, &event)
    })));
    on_cleanup(move || {
        on_key.try_set_value(None);
    });

    let has_parts = call.with_untracked(|call| {
        call.preview
            .as_ref()
            .is_some_and(|preview| !preview.parts.is_empty())
    });
    let form = move || match mode.get() {
        Mode::Choices => view! { <Choices answering/> }.into_any(),
        Mode::Always => view! { <AlwaysForm answering/> }.into_any(),
        Mode::Edit => view! { <EditForm answering/> }.into_any(),
    };
    view! {
        <div class="call__head">
            <span class="call__mark call__mark--asking" aria-hidden="true"></span>
            <h3 class="call__summary"><Summary call/></h3>
            <span class="call__status"><TimeLeft call/></span>
        </div>
        <div class="call__body">
            <Preview call shows_all/>
            <Arguments call shows_all is_open=!has_parts/>
            <p class="call__note">{move || call.with(|call| words::effect(call.effect))}</p>
            {move || problem.get().map(problem_view)}
            {form}
        </div>
    }
}

/// Until when the question can be answered, if that ends.
#[component]
fn TimeLeft(call: Memo<ToolCallView>) -> impl IntoView {
    let now_ms = use_tick();
    move || {
        let until_ms = call.with(|call| call.approval.as_ref()?.expires_at_ms);
        match until_ms {
            None => "Waiting for you".to_owned(),
            Some(until_ms) if until_ms <= now_ms.get() => "Time is over".to_owned(),
            Some(until_ms) => format!("{} left to answer", time::left(now_ms.get(), until_ms)),
        }
    }
}

fn problem_view(problem: DecisionProblem) -> impl IntoView {
    let stands = problem
        .stands
        .map(|approval| words::stands(&approval, browser::clock_text));
    let CommandError { message, hint, .. } = *problem.error;
    view! {
        <p class="call__problem" role="alert">
            {message}" "{hint}
            {stands.map(|stands| format!(" {stands}"))}
        </p>
    }
}

/// Keys count while the card has the focus, and never while something is written in it.
fn take_key(answering: Answering, event: &KeyboardEvent) {
    let is_plain = !(event.ctrl_key() || event.meta_key() || event.alt_key() || event.repeat());
    let is_choosing = answering.mode.get_untracked() == Mode::Choices;
    if !is_plain || !is_choosing || is_field(event) {
        return;
    }
    match event.key().as_str() {
        "a" | "A" => answering.allow(Decision::AllowOnce {}),
        "s" | "S" => answering.allow(Decision::AllowInSession { pattern: None }),
        "e" | "E" => answering.go(Mode::Edit),
        "d" | "D" => answering.deny(),
        _ => return,
    }
    event.prevent_default();
}

fn is_field(event: &KeyboardEvent) -> bool {
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target
        .is_some_and(|target| matches!(target.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"))
}
