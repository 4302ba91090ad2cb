//! Who is to answer: asked at the first start, and never again after a choice.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::ProviderView;

use crate::actions::{use_actions, use_store};
use crate::components::brand_mark::BrandMark;
use crate::components::first_key::FirstKey;
use crate::components::first_model::FirstModel;
use crate::components::icon::{Icon, Shape};
use crate::components::local_servers::LocalServers;
use crate::state::AppStateStoreFields;
use crate::testid;

#[component]
pub(crate) fn FirstRunView() -> impl IntoView {
    let actions = use_actions();
    let panel = NodeRef::<html::Section>::new();
    // Who was set up, and has models to choose from.
    let ready = RwSignal::new(None::<ProviderView>);
    Effect::new(move || {
        if let Some(panel) = panel.get() {
            panel.focus().ok();
        }
    });
    let on_ready = Callback::new(move |provider| {
        ready.try_set(Some(provider));
    });
    let on_back = Callback::new(move |()| ready.set(None));
    let choices = move || view! { <Choices on_ready/> };
    view! {
        <section
            class="panel"
            aria-labelledby="first-run-title"
            tabindex="-1"
            data-testid=testid::FIRST_RUN
            node_ref=panel
        >
            <div class="panel__column first-run">
                <div class="panel__head">
                    <div class="first-run__head">
                        <BrandMark/>
                        <div>
                            <h2 class="panel__title" id="first-run-title">"Who should answer?"</h2>
                            <p class="panel__words">"Choose one to begin. You can change it at any time, for every session."</p>
                        </div>
                    </div>
                    <button
                        type="button"
                        class="icon-button"
                        aria-label="Not now"
                        title="Not now (Esc)"
                        on:click=move |_| actions.close_panel()
                    >
                        <Icon shape=Shape::Close/>
                    </button>
                </div>
                {move || match ready.get() {
                    Some(provider) => view! { <FirstModel provider on_back/> }.into_any(),
                    None => choices().into_any(),
                }}
            </div>
        </section>
    }
}

#[component]
fn Choices(on_ready: Callback<ProviderView>) -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let use_guide = move |_| {
        let guide = store.app().get_untracked().and_then(|app| {
            let mut models = app.models.into_iter();
            models.find(|model| model.is_scripted)
        });
        is_busy.set(true);
        spawn_local(async move {
            let chosen = actions.choose_default(guide.map(|guide| guide.id)).await;
            is_busy.try_set(false);
            match chosen {
                Ok(()) => actions.close_panel(),
                Err(error) => actions.say_problem(&error),
            }
        });
    };
    view! {
        <section class="form" aria-labelledby="first-local">
            <h3 class="form__title" id="first-local">"A model on this computer"</h3>
            <LocalServers verb="Use" shows_added=true on_pick=on_ready/>
        </section>
        <FirstKey on_ready/>
        <section class="form first-run__guide" aria-labelledby="first-guide">
            <div>
                <h3 class="form__title" id="first-guide">"The guide"</h3>
                <p class="form__note">"Scripted replies that show what Holdfast can do. No key, no network."</p>
            </div>
            <button
                type="button"
                class="button"
                data-testid=testid::FIRST_RUN_GUIDE
                disabled=move || is_busy.get()
                on:click=use_guide
            >
                "Use the guide"
            </button>
        </section>
    }
}
