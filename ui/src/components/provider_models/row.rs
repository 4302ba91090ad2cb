//! One model of a provider.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{ProviderModel, ProviderView};

use super::price_form::PriceForm;
use crate::actions::{use_actions, use_store};
use crate::components::escaped::Escaped;
use crate::components::icon::{Icon, Shape};
use crate::model_words::{abilities, price};
use crate::state::AppStateStoreFields;
use crate::testid;

#[component]
pub(super) fn ModelRow(
    model: ProviderModel,
    provider: Memo<Option<ProviderView>>,
) -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let is_pricing = RwSignal::new(false);
    let provider_id = provider.with_untracked(|one| one.as_ref().map(|one| one.provider_id));
    let id = provider_id.map_or_else(String::new, |id| format!("{id}/{}", model.name));
    let same = id.clone();
    let is_default = Memo::new(move |_| {
        let default = store.app().get().map(|app| app.model.id);
        default.as_ref() == Some(&same)
    });
    let chosen = id.clone();
    let choose = move |_| {
        let chosen = chosen.clone();
        is_busy.set(true);
        spawn_local(async move {
            if let Err(error) = actions.choose_default(Some(chosen)).await {
                actions.say_problem(&error);
            }
            is_busy.try_set(false);
        });
    };
    let is_same_name = model.label == model.name;
    let name = (!is_same_name).then(|| model.name.clone());
    let about = format!("{} · {}", abilities(&model), price(model.price.as_ref()));
    let (label, priced) = (model.label.clone(), StoredValue::new(model));
    view! {
        <li class="models__row" data-testid=testid::MODEL_ROW data-model=id>
            <div class="models__words">
                <p class="models__name">
                    <Escaped text=label/>
                    {name.map(|name| view! { " "<code class="models__id"><Escaped text=name/></code> })}
                </p>
                <p class="form__note">{about}</p>
            </div>
            <Show
                when=move || is_default.get()
                fallback={
                    move || view! {
                        <button
                            type="button"
                            class="button button--small"
                            data-testid=testid::MODEL_DEFAULT
                            disabled=move || is_busy.get()
                            on:click=choose.clone()
                        >
                            "Use by default"
                        </button>
                    }
                }
            >
                <span class="call__tag">"Default"</span>
            </Show>
            <button
                type="button"
                class="icon-button"
                aria-label="Edit the price"
                title="Edit the price"
                aria-expanded=move || is_pricing.get().to_string()
                data-testid=testid::MODEL_PRICE
                on:click=move |_| is_pricing.update(|is_pricing| *is_pricing = !*is_pricing)
            >
                <Icon shape=Shape::Pencil/>
            </button>
            <Show when=move || is_pricing.get()>
                <PriceForm model=priced.get_value() provider is_pricing/>
            </Show>
        </li>
    }
}
