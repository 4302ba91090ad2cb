//! A key could not be kept in the keychain: the person may choose an encrypted file, and nobody else does.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::KeyPlace;

use crate::actions::{Flaw, use_actions};
use crate::testid;

#[component]
pub(crate) fn KeyStoreQuestion(
    /// What went wrong; nothing is asked unless a key could not be kept.
    flaw: RwSignal<Option<Flaw>>,
    /// Called when it can be tried again.
    on_chosen: Callback<()>,
) -> impl IntoView {
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let use_file = move |_| {
        is_busy.set(true);
        spawn_local(async move {
            let chosen = actions.choose_key_store(KeyPlace::File).await;
            is_busy.try_set(false);
            match chosen {
                Ok(()) => on_chosen.run(()),
                Err(error) => actions.say_problem(&error),
            }
        });
    };
    move || {
        let Some(Flaw::NotKept(error)) = flaw.get() else {
            return None;
        };
        Some(view! {
            <div class="fault" role="alert" data-testid=testid::KEY_STORE_QUESTION>
                <p><strong>{error.message}</strong></p>
                <p>"Holdfast can keep keys in an encrypted file in its data folder instead. Whoever can read your files as you can open it: programs of yours, an administrator, a backup that takes the whole folder."</p>
                <div class="form__actions">
                    <button
                        type="button"
                        class="button"
                        data-testid=testid::KEY_STORE_FILE
                        disabled=move || is_busy.get()
                        on:click=use_file
                    >
                        "Keep keys in an encrypted file"
                    </button>
                    <button
                        type="button"
                        class="button button--quiet"
                        data-testid=testid::KEY_STORE_AGAIN
                        disabled=move || is_busy.get()
                        on:click=move |_| on_chosen.run(())
                    >
                        "Try the keychain again"
                    </button>
                </div>
            </div>
        })
    }
}
