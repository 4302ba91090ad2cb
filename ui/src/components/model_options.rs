//! Every model, by provider, as the options of a list.

use leptos::prelude::*;

use crate::actions::use_store;
use crate::state::{AppStateStoreFields, ModelChoice, ModelGroup, model_groups, model_label};

#[component]
pub(crate) fn ModelOptions(
    /// The id of the one that is chosen.
    chosen: Memo<Option<String>>,
) -> impl IntoView {
    let store = use_store();
    let groups = Memo::new(move |_| {
        let app = store.app().get()?;
        let providers = store.providers().get().unwrap_or_default();
        Some(model_groups(&app, &providers))
    });
    // One that is gone is still what is chosen, and is said to be gone.
    let gone = move || {
        let id = chosen.get()?;
        let groups = groups.get()?;
        let mut known = groups.iter().flat_map(|group| &group.models);
        if known.any(|choice| choice.id == id) {
            return None;
        }
        let label = store.app().with(|app| model_label(app.as_ref(), &id));
        Some(view! { <option value=id selected=true>{format!("{label} (not listed)")}</option> })
    };
    let option = move |choice: ModelChoice| {
        let id = choice.id.clone();
        let is_chosen = move || chosen.with(|chosen| chosen.as_ref() == Some(&id));
        view! { <option value=choice.id selected=is_chosen>{choice.label}</option> }
    };
    let group = move |group: ModelGroup| {
        let name = group.provider_id.map(|_| group.name.clone());
        // A list that is closed shows one line: whose model it is stands in it.
        let named = group.models.into_iter().map(|choice| match &name {
            Some(name) => ModelChoice {
                label: format!("{} ({name})", choice.label),
                ..choice
            },
            None => choice,
        });
        let options = named.map(option).collect_view();
        view! { <optgroup label=group.name>{options}</optgroup> }
    };
    move || {
        let groups = groups.get().unwrap_or_default();
        let listed = groups.into_iter().filter(|group| !group.models.is_empty());
        (gone(), listed.map(group).collect_view())
    }
}
