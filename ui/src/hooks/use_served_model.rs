//! Keeps looking how the served model file stands, for as long as a component shows it.

use leptos::prelude::{GetValue, RwSignal, Set, SetValue, StoredValue, WithUntracked, on_cleanup};
use leptos::task::spawn_local;

use crate::actions::{Serving, use_actions};
use crate::browser;

/// Soon enough to see a model that has just been loaded, and seldom enough to cost nothing.
const PAUSE_MS: i32 = 1_500;

/// Nothing until it was asked for the first time.
pub(crate) fn use_served_model() -> RwSignal<Option<Serving>> {
    let actions = use_actions();
    let served = RwSignal::new(None);
    let is_over = StoredValue::new(false);
    on_cleanup(move || {
        is_over.try_set_value(true);
    });
    spawn_local(async move {
        while is_over.try_get_value() == Some(false) {
            // What is the same is not shown again: whoever writes a path must not lose it.
            if let Ok(Some(now)) = actions.served_model().await
                && served.try_with_untracked(|shown| shown.as_ref() != Some(&now)) == Some(true)
            {
                served.try_set(Some(now));
            }
            browser::sleep(PAUSE_MS, |_| {}).await;
        }
    });
    served
}
