//! A button that copies a text and says that it did.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::icon::{Icon, Shape};
use crate::actions;

const SAID_FOR: Duration = Duration::from_millis(1600);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    None,
    Copied,
    Failed,
}

#[component]
pub(crate) fn CopyButton(
    /// Gives the text at the moment of the click.
    #[prop(into)]
    text: Callback<(), String>,
    /// What the button does, for those who do not see it.
    label: &'static str,
) -> impl IntoView {
    let outcome = RwSignal::new(Outcome::None);
    let copy = move |_| {
        spawn_local(async move {
            let copied = actions::copy(text.run(())).await;
            // The button may be gone by now.
            outcome.try_set(if copied {
                Outcome::Copied
            } else {
                Outcome::Failed
            });
            set_timeout(
                move || {
                    outcome.try_set(Outcome::None);
                },
                SAID_FOR,
            );
        });
    };
    let shape = move || match outcome.get() {
        Outcome::Copied => Shape::Check,
        Outcome::None | Outcome::Failed => Shape::Copy,
    };
    let words = move || match outcome.get() {
        Outcome::None => "Copy",
        Outcome::Copied => "Copied",
        Outcome::Failed => "Not copied",
    };

    view! {
        <button type="button" class="copy-button" aria-label=label on:click=copy>
            {move || view! { <Icon shape=shape()/> }}
            <span class="copy-button__words" aria-live="polite">{words}</span>
        </button>
    }
}
