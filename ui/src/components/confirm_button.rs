//! A button that asks once more, in its own place.

use leptos::html;
use leptos::prelude::*;

#[component]
pub(crate) fn ConfirmButton(
    /// What the button says.
    #[prop(into)]
    label: Signal<String>,
    /// What is asked after the first click.
    question: &'static str,
    /// What the second click says.
    confirm: &'static str,
    /// What the way back says.
    decline: &'static str,
    /// The value of `data-testid`, on the first button and on the one that confirms.
    testid: &'static str,
    /// Whether it can be used now.
    #[prop(into)]
    disabled: Signal<bool>,
    /// How the button that confirms looks.
    #[prop(default = "button button--danger")]
    confirm_class: &'static str,
    /// How the first button looks.
    #[prop(default = "button button--quiet")]
    class: &'static str,
    /// Called after the second click.
    on_confirm: Callback<()>,
) -> impl IntoView {
    let is_asking = RwSignal::new(false);
    let yes = NodeRef::<html::Button>::new();
    let first = NodeRef::<html::Button>::new();
    Effect::new(move |was_asking: Option<bool>| {
        let is_asking = is_asking.get();
        let target = if is_asking { yes.get() } else { first.get() };
        // Not on the first run: nothing was clicked.
        if let (Some(was_asking), Some(target)) = (was_asking, target)
            && was_asking != is_asking
        {
            target.focus().ok();
        }
        is_asking
    });
    let confirmed = move |_| {
        is_asking.set(false);
        on_confirm.run(());
    };
    let on_keydown = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && is_asking.get_untracked() {
            event.stop_propagation();
            is_asking.set(false);
        }
    };

    view! {
        <span class="confirm-button" on:keydown=on_keydown>
            <Show
                when=move || is_asking.get()
                fallback=move || {
                    view! {
                        <button
                            type="button"
                            class=class
                            data-testid=testid
                            node_ref=first
                            disabled=disabled
                            on:click=move |_| is_asking.set(true)
                        >
                            {label}
                        </button>
                    }
                }
            >
                <span class="confirm-button__question">{question}</span>
                <span class="confirm-button__answers">
                <button
                    type="button"
                    class=confirm_class
                    data-testid=testid
                    data-confirm="true"
                    node_ref=yes
                    disabled=disabled
                    on:click=confirmed
                >
                    {confirm}
                </button>
                <button
                    type="button"
                    class="button button--quiet"
                    on:click=move |_| is_asking.set(false)
                >
                    {decline}
                </button>
                </span>
            </Show>
        </span>
    }
}
