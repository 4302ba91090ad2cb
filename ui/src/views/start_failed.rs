//! The engine could not start: why, and what can be done.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{BackupInfo, CommandError};

use crate::actions::use_actions;
use crate::browser;
use crate::components::brand_mark::BrandMark;
use crate::components::confirm_button::ConfirmButton;
use crate::testid;

#[component]
pub(crate) fn StartFailed(
    /// Why, and what to do.
    error: CommandError,
    /// The newest backup, if one would help.
    backup: Option<BackupInfo>,
) -> impl IntoView {
    view! {
        <main class="start-failed" data-testid=testid::START_FAILED>
            <div class="start-failed__inner">
                <BrandMark/>
                <h1 class="start-failed__title">"Holdfast could not start"</h1>
                <p class="start-failed__message" role="alert">{error.message}</p>
                <p class="start-failed__hint">{error.hint}</p>
                {backup.map(|backup| view! { <Restore backup/> })}
                <p class="start-failed__note">
                    "Your data was not touched: nothing was overwritten or removed."
                </p>
            </div>
        </main>
    }
}

#[component]
fn Restore(backup: BackupInfo) -> impl IntoView {
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let problem = RwSignal::new(None::<CommandError>);
    let restore = Callback::new(move |()| {
        is_busy.set(true);
        spawn_local(async move {
            let answer = actions.restore_backup().await;
            is_busy.try_set(false);
            problem.try_set(answer.err());
        });
    });
    let made = browser::date_text(backup.created_at_ms);
    let label = Signal::derive(move || {
        if is_busy.get() {
            "Restoring…".to_owned()
        } else {
            format!("Restore backup from {made}")
        }
    });
    view! {
        <div class="start-failed__restore">
            <ConfirmButton
                label
                question="Start with this backup? The damaged file is kept beside it."
                confirm="Restore"
                decline="Not now"
                testid=testid::RESTORE_BACKUP
                class="button button--primary"
                confirm_class="button button--primary"
                disabled=is_busy
                on_confirm=restore
            />
            <p class="start-failed__size">{size(backup.bytes)}</p>
            {move || problem.get().map(|error| view! {
                <p class="start-failed__problem" role="alert">{error.message}" "{error.hint}</p>
            })}
        </div>
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        ..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
