//! Keeps the coarse time of the state going.

use std::time::Duration;

use leptos::prelude::{Set, on_cleanup, set_interval_with_handle};
use reactive_stores::Store;

use crate::browser;
use crate::state::{AppState, AppStateStoreFields};

/// Minutes are the finest that is shown; a third of one is late enough for nobody to notice.
const TICK: Duration = Duration::from_secs(20);

pub(crate) fn use_now(store: Store<AppState>) {
    let tick = move || store.now_ms().set(browser::now_ms());
    tick();
    let ticking = set_interval_with_handle(tick, TICK);
    on_cleanup(move || {
        if let Ok(ticking) = ticking {
            ticking.clear();
        }
    });
}
