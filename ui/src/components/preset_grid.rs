//! What can be added: providers that many people have, and any other.

use leptos::prelude::*;

use crate::preset::{PRESETS, Preset};
use crate::testid;

#[component]
pub(crate) fn PresetGrid(
    /// Called with what is to be added.
    on_pick: Callback<&'static Preset>,
) -> impl IntoView {
    let presets = PRESETS.iter().map(|preset| {
        view! {
            <li>
                <button
                    type="button"
                    class="preset"
                    data-testid=testid::PRESET
                    data-preset=preset.name
                    on:click=move |_| on_pick.run(preset)
                >
                    <span class="preset__name">{preset.name}</span>
                    <span class="preset__about">{preset.about}</span>
                </button>
            </li>
        }
    });
    view! {
        <section class="presets" aria-labelledby="presets-title">
            <h3 class="form__title" id="presets-title">"Add a provider"</h3>
            <ul class="presets__grid">{presets.collect_view()}</ul>
        </section>
    }
}
