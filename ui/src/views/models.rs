//! Providers and their models: who can answer, with which key, and who does by default.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{ProviderId, ProviderView};

use crate::actions::{use_actions, use_store};
use crate::components::default_model::DefaultModel;
use crate::components::icon::{Icon, Shape};
use crate::components::local_port::LocalPort;
use crate::components::local_servers::LocalServers;
use crate::components::model_file::ModelFile;
use crate::components::preset_grid::PresetGrid;
use crate::components::provider_card::ProviderCard;
use crate::components::provider_form::ProviderForm;
use crate::preset::Preset;
use crate::state::AppStateStoreFields;
use crate::testid;

/// What is being written.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Editing {
    Nothing,
    New(&'static Preset),
    Provider(ProviderId),
}

#[component]
pub(crate) fn ModelsView() -> impl IntoView {
    let store = use_store();
    let actions = use_actions();
    let editing = RwSignal::new(Editing::Nothing);
    let panel = NodeRef::<html::Section>::new();
    let providers = Memo::new(move |_| store.providers().get());
    spawn_local(async move {
        actions.load_providers().await;
        actions.load_app().await;
    });
    // Somebody was sent here to give a key.
    Effect::new(move || {
        let wanted = store.wanted_provider().get();
        let is_known = providers.with(Option::is_some);
        if let Some(wanted) = wanted.filter(|_| is_known) {
            store.wanted_provider().set(None);
            // One that is gone has no key to give.
            if providers.with_untracked(|all| find(all.as_ref(), wanted).is_some()) {
                editing.set(Editing::Provider(wanted));
            }
        }
    });
    // The keyboard goes where the eye goes.
    Effect::new(move || {
        if editing.get() == Editing::Nothing
            && let Some(panel) = panel.get()
        {
            panel.focus().ok();
        }
    });
    let on_done = Callback::new(move |()| {
        editing.try_set(Editing::Nothing);
    });
    let form = move || match editing.get() {
        Editing::Nothing => None,
        Editing::New(preset) => {
            Some(view! { <ProviderForm provider=None preset=Some(preset) on_done/> }.into_any())
        }
        Editing::Provider(id) => {
            let found = providers.with_untracked(|all| find(all.as_ref(), id));
            found.map(|found| {
                view! { <ProviderForm provider=Some(found) preset=None on_done/> }.into_any()
            })
        }
    };
    let list = move || view! { <Listed providers editing/> };
    view! {
        <section
            class="panel"
            aria-labelledby="models-title"
            tabindex="-1"
            data-testid=testid::MODELS_VIEW
            node_ref=panel
        >
            <div class="panel__column">
                <div class="panel__head">
                    <div>
                        <h2 class="panel__title" id="models-title">"Models"</h2>
                        <p class="panel__words">"Who can answer: services with your key, and servers on this computer."</p>
                    </div>
                    <button
                        type="button"
                        class="icon-button"
                        aria-label="Close"
                        title="Close (Esc)"
                        on:click=move |_| actions.close_panel()
                    >
                        <Icon shape=Shape::Close/>
                    </button>
                </div>
                <Show when=move || editing.read() == Editing::Nothing fallback=form>{list()}</Show>
            </div>
        </section>
    }
}

fn find(providers: Option<&Vec<ProviderView>>, id: ProviderId) -> Option<ProviderView> {
    let mut providers = providers?.iter();
    providers.find(|one| one.provider_id == id).cloned()
}

#[component]
fn Listed(providers: Memo<Option<Vec<ProviderView>>>, editing: RwSignal<Editing>) -> impl IntoView {
    let ids = Memo::new(move |_| {
        let listed = providers.get().unwrap_or_default();
        listed.iter().map(|one| one.provider_id).collect::<Vec<_>>()
    });
    let card = move |id: ProviderId| {
        let provider = Memo::new(move |_| providers.with(|all| find(all.as_ref(), id)));
        view! {
            <ProviderCard
                provider
                on_edit=Callback::new(move |()| editing.set(Editing::Provider(id)))
            />
        }
    };
    view! {
        <DefaultModel/>
        <ul class="panel__rows">
            <For each=move || ids.get() key=|id| *id children=card/>
        </ul>
        <section class="form" aria-labelledby="local-title">
            <h3 class="form__title" id="local-title">"On this computer"</h3>
            <LocalServers verb="Add" shows_added=false on_pick=Callback::new(|_| {})/>
            <LocalPort/>
            <ModelFile/>
        </section>
        <PresetGrid on_pick=Callback::new(move |preset| editing.set(Editing::New(preset)))/>
    }
}
