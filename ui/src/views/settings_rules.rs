//! Rules: what was allowed, denied or is to be asked about for good, and the way back.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, RuleView, Verdict, limits};

use crate::actions::{use_actions, use_store};
use crate::browser;
use crate::components::escaped::Escaped;
use crate::components::tool_call::rule_words;
use crate::state::AppStateStoreFields;
use crate::testid;

#[component]
pub(crate) fn Rules() -> impl IntoView {
    let actions = use_actions();
    let rules = RwSignal::new(None::<Vec<RuleView>>);
    spawn_local(async move {
        if let Some(read) = actions.rules().await {
            rules.try_set(Some(read));
        }
    });
    let listed = move || rules.get().unwrap_or_default();
    view! {
        <div class="form">
            <h3 class="form__title">"Rules"</h3>
            <p class="form__note">"Rules decide which tool calls run without asking. Denying wins over asking, asking over allowing."</p>
            <Show when=move || rules.with(|rules| rules.as_ref().is_some_and(Vec::is_empty))>
                <p class="form__note">"There are none yet. “Always…” on an approval makes one."</p>
            </Show>
            <ul class="rules">
                <For each=listed key=|rule| rule.rule_id children=move |rule| view! { <RuleRow rule rules/> }/>
            </ul>
            <AddRule rules/>
        </div>
    }
}

#[component]
fn RuleRow(rule: RuleView, rules: RwSignal<Option<Vec<RuleView>>>) -> impl IntoView {
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let rule_id = rule.rule_id;
    let revoke = move |_| {
        is_busy.set(true);
        spawn_local(async move {
            if let Some(left) = actions.revoke_rule(rule_id).await {
                rules.try_set(Some(left));
            }
            is_busy.try_set(false);
        });
    };
    let origin = if rule.made_by.is_some() {
        "From an approval"
    } else {
        "Added here"
    };
    let made = format!("{origin}, {}", browser::date_text(rule.created_at_ms));
    view! {
        <li class="rules__row" data-testid=testid::RULE_ROW>
            <div class="rules__words">
                <p><Escaped text=rule_words(&rule)/></p>
                <p class="form__note">{made}</p>
            </div>
            <button
                type="button"
                class="button button--small"
                data-testid=testid::RULE_REVOKE
                disabled=move || is_busy.get()
                on:click=revoke
            >
                "Revoke"
            </button>
        </li>
    }
}

#[component]
fn AddRule(rules: RwSignal<Option<Vec<RuleView>>>) -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let verdict = RwSignal::new(Verdict::Ask);
    let tool = RwSignal::new("*".to_owned());
    let pattern = RwSignal::new(String::new());
    let is_busy = RwSignal::new(false);
    let error = RwSignal::new(None::<CommandError>);
    let add = move || {
        let (verdict, tool) = (verdict.get_untracked(), tool.get_untracked());
        let written = pattern.get_untracked().trim().to_owned();
        let written = Some(written).filter(|written| !written.is_empty());
        is_busy.set(true);
        spawn_local(async move {
            match actions.add_rule(verdict, tool, written).await {
                Ok(Some(all)) => {
                    rules.try_set(Some(all));
                    pattern.try_set(String::new());
                    error.try_set(None);
                }
                Ok(None) => {}
                Err(refused) => {
                    error.try_set(Some(refused));
                }
            }
            is_busy.try_set(false);
        });
    };
    let verdicts = Verdict::ALL.map(|one| {
        let words = match one {
            Verdict::Allow => "Allow",
            Verdict::Ask => "Ask about",
            Verdict::Deny => "Deny",
        };
        view! { <option value=one.as_str() selected=move || verdict.get() == one>{words}</option> }
    });
    let tools = move || {
        let tools = store.app().get().map(|app| app.tools).unwrap_or_default();
        tools
            .into_iter()
            .map(|tool| view! { <option value=tool.name>{tool.name.clone()}</option> })
            .collect_view()
    };
    view! {
        <form
            class="rules__add"
            on:submit=move |event| {
                event.prevent_default();
                add();
            }
        >
            <select
                class="field"
                aria-label="Verdict"
                data-testid=testid::RULE_VERDICT
                on:change:target=move |event| verdict.set(Verdict::parse(&event.target().value()))
            >
                {verdicts.into_iter().collect_view()}
            </select>
            <select
                class="field"
                aria-label="Tool"
                data-testid=testid::RULE_TOOL
                on:change:target=move |event| tool.set(event.target().value())
            >
                <option value="*">"every tool"</option>
                {tools}
            </select>
            <input
                class="field field--code"
                aria-label="Pattern"
                placeholder="anything, or notes/*"
                maxlength=limits::PATTERN_BYTES.to_string()
                autocomplete="off"
                spellcheck="false"
                data-testid=testid::RULE_PATTERN
                prop:value=pattern
                on:input:target=move |event| pattern.set(event.target().value())
            />
            <button
                type="submit"
                class="button"
                data-testid=testid::RULE_ADD
                disabled=move || is_busy.get()
            >
                "Add a rule"
            </button>
        </form>
        <p class="call__problem" role="alert">
            {move || error.get().map(|error| format!("{} {}", error.message, error.hint))}
        </p>
    }
}
