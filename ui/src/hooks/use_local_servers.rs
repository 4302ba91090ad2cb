//! Keeps looking for model servers on this computer, for as long as a component shows them.

use leptos::prelude::{GetValue, SetValue, StoredValue, on_cleanup};
use leptos::task::spawn_local;

use crate::actions::use_actions;
use crate::browser;

/// Soon enough to see a server that was just started, and seldom enough to cost nothing.
const PAUSE_MS: i32 = 3_000;

pub(crate) fn use_local_servers() {
    let actions = use_actions();
    let is_over = StoredValue::new(false);
    on_cleanup(move || {
        is_over.try_set_value(true);
    });
    spawn_local(async move {
        // Answered before it is asked again.
        while is_over.try_get_value() == Some(false) {
            actions.find_local().await;
            browser::sleep(PAUSE_MS, |_| {}).await;
        }
    });
}
