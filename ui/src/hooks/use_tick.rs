//! The time, by the second, for as long as a component needs it.

use std::time::Duration;

use leptos::prelude::{ReadSignal, RwSignal, Set, on_cleanup, set_interval_with_handle};

use crate::browser;

const TICK: Duration = Duration::from_secs(1);

/// Milliseconds since 1970, set anew each second.
pub(crate) fn use_tick() -> ReadSignal<u64> {
    let now_ms = RwSignal::new(browser::now_ms());
    let ticking = set_interval_with_handle(move || now_ms.set(browser::now_ms()), TICK);
    on_cleanup(move || {
        if let Ok(ticking) = ticking {
            ticking.clear();
        }
    });
    now_ms.read_only()
}
