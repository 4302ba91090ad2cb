//! Deletes a provider, after asking; and once more where its models are used.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, ErrorCode, ProviderView};

use crate::actions::use_actions;
use crate::components::confirm_button::ConfirmButton;
use crate::testid;

#[component]
pub(super) fn DeleteProvider(
    provider: Memo<Option<ProviderView>>,
    is_busy: RwSignal<bool>,
) -> impl IntoView {
    let actions = use_actions();
    let refusal = RwSignal::new(None::<CommandError>);
    let delete = move |anyway: bool| {
        let Some(provider) = provider.get_untracked() else {
            return;
        };
        is_busy.set(true);
        spawn_local(async move {
            let answer = actions.delete_provider(provider.provider_id, anyway).await;
            is_busy.try_set(false);
            refusal.try_set(answer.err());
        });
    };
    let may_insist = move || {
        refusal.with(|refusal| {
            let code = refusal.as_ref().map(|error| error.code);
            code == Some(ErrorCode::NotActionable)
        })
    };
    view! {
        <ConfirmButton
            label="Delete"
            question="Delete it with its key?"
            confirm="Delete"
            decline="Keep"
            testid=testid::PROVIDER_DELETE
            disabled=is_busy
            on_confirm=Callback::new(move |()| delete(false))
        />
        <div class="provider__refusal" role="alert">
            {move || refusal.get().map(|error| view! {
                <p class="call__problem">{format!("{} {}", error.message, error.hint)}</p>
            })}
            <Show when=may_insist>
                <button
                    type="button"
                    class="button button--refuse"
                    data-testid=testid::PROVIDER_DELETE_ANYWAY
                    disabled=move || is_busy.get()
                    on:click=move |_| delete(true)
                >
                    "Delete anyway"
                </button>
                <button type="button" class="button button--quiet" on:click=move |_| refusal.set(None)>
                    "Keep"
                </button>
            </Show>
        </div>
    }
}
