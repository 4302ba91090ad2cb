//! Why nothing is sent to a provider, and what ends that.

use leptos::prelude::*;
use protocol::{ErrorClass, ProviderState};

use crate::components::escaped::Escaped;
use crate::model_words::paused;
use crate::testid;

#[component]
pub(super) fn Paused(
    state: Memo<Option<ProviderState>>,
    /// Ends the pause.
    on_resume: Callback<()>,
    /// Opens the key field.
    on_key: Callback<()>,
    is_busy: RwSignal<bool>,
) -> impl IntoView {
    move || {
        let Some(ProviderState::Paused { class, message }) = state.get() else {
            return None;
        };
        let (words, hint) = paused(class);
        let wants_key = class != ErrorClass::Billing;
        Some(view! {
            <div class="provider__paused" role="alert" data-testid=testid::PROVIDER_PAUSED>
                <p><strong>"Paused: "{words}"."</strong>" "{hint}" Runs that want it wait until then."</p>
                <p class="fault__said"><Escaped text=message/></p>
                <div class="form__actions">
                    {wants_key.then(|| view! {
                        <button
                            type="button"
                            class="button button--primary"
                            data-testid=testid::PROVIDER_NEW_KEY
                            on:click=move |_| on_key.run(())
                        >
                            "Enter another key"
                        </button>
                    })}
                    <button
                        type="button"
                        class=if wants_key { "button" } else { "button button--primary" }
                        data-testid=testid::PROVIDER_RESUME
                        disabled=move || is_busy.get()
                        on:click=move |_| on_resume.run(())
                    >
                        "Resume"
                    </button>
                </div>
            </div>
        })
    }
}
