//! What a model costs, as the person knows it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{ModelPrice, ProviderModel, ProviderView};

use crate::actions::use_actions;
use crate::model_words::{dollars, microusd};
use crate::testid;

#[component]
pub(super) fn PriceForm(
    model: ProviderModel,
    provider: Memo<Option<ProviderView>>,
    is_pricing: RwSignal<bool>,
) -> impl IntoView {
    let actions = use_actions();
    let known = |of: fn(&ModelPrice) -> u64| {
        let price = model.price.as_ref();
        RwSignal::new(price.map(|price| dollars(of(price))).unwrap_or_default())
    };
    let (input, output) = (known(|price| price.input), known(|price| price.output));
    let is_busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let name = StoredValue::new(model.name);
    let save = move |price: Option<ModelPrice>| {
        let Some(provider) = provider.get_untracked() else {
            return;
        };
        let mut fields = provider.fields;
        let prices = &mut fields.options.prices;
        match price {
            Some(price) => prices.insert(name.get_value(), price),
            None => prices.remove(&name.get_value()),
        };
        let edited = Some((provider.provider_id, provider.revision));
        is_busy.set(true);
        spawn_local(async move {
            let answer = actions.save_provider(edited, fields).await;
            is_busy.try_set(false);
            match answer {
                Ok(_) => is_pricing.try_set(false),
                Err(error) => {
                    problem.try_set(Some(format!("{} {}", error.message, error.hint)));
                    None
                }
            };
        });
    };
    let submit = move || {
        let read = (
            microusd(&input.get_untracked()),
            microusd(&output.get_untracked()),
        );
        match read {
            (Ok(Some(input)), Ok(Some(output))) => save(Some(ModelPrice {
                input,
                output,
                cache_read: None,
                cache_write: None,
                up_to_input_tokens: None,
            })),
            (Ok(None), Ok(None)) => save(None),
            (Err(words), _) | (_, Err(words)) => problem.set(Some(words.to_owned())),
            (Ok(_), Ok(_)) => problem.set(Some("Write both, or neither.".to_owned())),
        }
    };
    let field = move |words, testid, value: RwSignal<String>| {
        view! {
            <label class="form__field">
                <span>{words}</span>
                <input
                    class="field"
                    inputmode="decimal"
                    autocomplete="off"
                    placeholder="Unknown"
                    data-testid=testid
                    prop:value=value
                    on:input:target=move |event| value.set(event.target().value())
                />
            </label>
        }
    };
    view! {
        <form
            class="models__price"
            on:submit=move |event| {
                event.prevent_default();
                submit();
            }
        >
            {field("Dollars per million tokens read", testid::PRICE_INPUT, input)}
            {field("Dollars per million tokens written", testid::PRICE_OUTPUT, output)}
            <div class="form__actions">
                <button
                    type="submit"
                    class="button button--small button--primary"
                    data-testid=testid::PRICE_SAVE
                    disabled=move || is_busy.get()
                >
                    "Save"
                </button>
                <button
                    type="button"
                    class="button button--small button--quiet"
                    on:click=move |_| is_pricing.set(false)
                >
                    "Cancel"
                </button>
            </div>
            <p class="form__note">"Leave both empty for what the provider or the app knows."</p>
            <p class="call__problem" role="alert">{move || problem.get()}</p>
        </form>
    }
}
