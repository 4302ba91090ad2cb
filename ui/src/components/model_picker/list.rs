//! The list of models: written words filter it, arrows move in it, Enter picks, Escape leaves.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Chosen;
use super::entries::{Entry, Pick, Section, sections};
use crate::actions::{Flaw, Progress, order_of, use_actions, use_store};
use crate::browser;
use crate::components::fault_view::FaultView;
use crate::hooks::use_local_servers::use_local_servers;
use crate::state::{AppStateStoreFields, Panel, model_groups, model_label};
use crate::testid;

const LIST_ID: &str = "model-list";

#[component]
pub(super) fn ModelList(chosen: Memo<Option<Chosen>>, on_close: Callback<()>) -> impl IntoView {
    use_local_servers();
    let filter = RwSignal::new(String::new());
    let active = RwSignal::new(0_usize);
    let input = NodeRef::<html::Input>::new();
    let progress = Progress::new(None);
    let shown = showing(chosen, filter);
    let entries = Memo::new(move |_| {
        let sections = shown.get().into_iter();
        sections
            .flat_map(|section| section.entries)
            .collect::<Vec<_>>()
    });
    // The list opens at what is chosen.
    let at = entries.with_untracked(|all| all.iter().position(|entry| entry.is_chosen));
    active.set(at.unwrap_or(0));
    Effect::new(move || {
        if let Some(input) = input.get() {
            input.focus().ok();
        }
    });
    Effect::new(move || {
        let id = option_id(active.get());
        browser::on_next_frame(move || {
            if let Some(option) = document().get_element_by_id(&id) {
                option.scroll_into_view_with_scroll_into_view_options(&nearest());
            }
        });
    });
    let pick = picking(progress, on_close);
    let step = move |by: isize| {
        let count = entries.with_untracked(Vec::len);
        active.update(|active| {
            *active = active
                .saturating_add_signed(by)
                .min(count.saturating_sub(1));
        });
    };
    let on_keydown = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "ArrowDown" => step(1),
            "ArrowUp" => step(-1),
            "Enter" if !event.is_composing() => {
                let at = active.get_untracked();
                if let Some(entry) = entries.with_untracked(|all| all.get(at).cloned()) {
                    pick.run(entry);
                }
            }
            "Escape" => on_close.run(()),
            _ => return,
        }
        event.stop_propagation();
        event.prevent_default();
    };
    view! {
        <div class="model-list" data-testid=testid::MODEL_LIST on:keydown=on_keydown>
            <input
                class="field"
                role="combobox"
                aria-label="Find a model"
                aria-expanded="true"
                aria-controls=LIST_ID
                aria-activedescendant=move || option_id(active.get())
                placeholder="Find a model"
                autocomplete="off"
                spellcheck="false"
                data-testid=testid::MODEL_FILTER
                node_ref=input
                prop:value=filter
                on:input:target=move |event| {
                    filter.set(event.target().value());
                    active.set(0);
                }
            />
            <div
                class="model-list__options"
                id=LIST_ID
                role="listbox"
                aria-label="Models"
                // The focus stays where words are written.
                on:mousedown=|event| event.prevent_default()
            >
                {move || {
                    let mut first = 0;
                    let shown = shown.get().into_iter().map(|one| {
                        let from = first;
                        first += one.entries.len();
                        section(one, from, active, pick)
                    });
                    shown.collect_view()
                }}
            </div>
            <p class="model-list__stage" role="status">{move || progress.stage.get()}</p>
            {move || match progress.flaw.get() {
                Some(Flaw::Fault(fault)) => Some(view! { <FaultView fault/> }),
                _ => None,
            }}
        </div>
    }
}

/// What fits the written words, as it is now.
fn showing(chosen: Memo<Option<Chosen>>, filter: RwSignal<String>) -> Memo<Vec<Section>> {
    let store = use_store();
    Memo::new(move |_| {
        let (Some(app), Some(chosen)) = (store.app().get(), chosen.get()) else {
            return Vec::new();
        };
        let providers = store.providers().get().unwrap_or_default();
        let groups = model_groups(&app, &providers);
        let inherited = model_label(Some(&app), &chosen.inherited);
        let local = store.local().get().unwrap_or_default();
        sections(&groups, &local, &chosen, &inherited, &filter.read())
    })
}

/// What picking an entry does.
fn picking(progress: Progress, on_close: Callback<()>) -> Callback<Entry> {
    let (store, actions) = (use_store(), use_actions());
    Callback::new(move |entry: Entry| match entry.pick {
        Pick::Inherit => {
            on_close.run(());
            spawn_local(actions.choose_model(None));
        }
        Pick::Model(id) => {
            on_close.run(());
            spawn_local(actions.choose_model(Some(id)));
        }
        Pick::Manage => {
            on_close.run(());
            store.panel().set(Panel::Models);
        }
        Pick::Add(server) => {
            if let Some(order) = order_of(&server) {
                spawn_local(async move {
                    actions.set_up(order, progress, || {}).await;
                    actions.find_local().await;
                });
            }
        }
    })
}

fn section(
    section: Section,
    from: usize,
    active: RwSignal<usize>,
    pick: Callback<Entry>,
) -> impl IntoView {
    let title = section.title;
    let heading = (!title.is_empty()).then(|| {
        let title = title.clone();
        view! { <p class="model-list__title" aria-hidden="true">{title}</p> }
    });
    let options = section.entries.into_iter().enumerate().map(|(at, entry)| {
        let at = from + at;
        let model = match &entry.pick {
            Pick::Model(id) => Some(id.clone()),
            Pick::Inherit | Pick::Add(_) | Pick::Manage => None,
        };
        let (words, about, is_chosen) = (entry.words.clone(), entry.about.clone(), entry.is_chosen);
        view! {
            <div
                class="model-list__option"
                class:model-list__option--active=move || active.get() == at
                id=option_id(at)
                role="option"
                aria-selected=is_chosen.to_string()
                data-testid=testid::MODEL_OPTION
                data-model=model
                on:mousemove=move |_| active.set(at)
                on:click=move |_| pick.run(entry.clone())
            >
                <span class="model-list__words">{words}</span>
                <span class="model-list__about">{about}</span>
            </div>
        }
    });
    view! {
        <div class="model-list__section" role="group" aria-label=title>
            {heading}
            {options.collect_view()}
        </div>
    }
}

fn option_id(at: usize) -> String {
    format!("model-option-{at}")
}

fn nearest() -> web_sys::ScrollIntoViewOptions {
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
    options
}
