//! Settings: what a person can set for the whole app.

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, ProxySetting, RecoveryPolicy, Settings};

use super::settings_network::Network;
use super::settings_rules::Rules;
use crate::actions::{use_actions, use_store};
use crate::components::copy_button::CopyButton;
use crate::components::icon::{Icon, Shape};
use crate::state::AppStateStoreFields;
use crate::testid;

#[component]
pub(crate) fn SettingsView() -> impl IntoView {
    let actions = use_actions();
    let settings = RwSignal::new(None::<Settings>);
    let error = RwSignal::new(None::<CommandError>);
    spawn_local(async move {
        if let Some(read) = actions.settings().await {
            settings.try_set(Some(read));
        }
    });
    // What is shown is what is kept: a refused change goes back.
    let save = Callback::new(move |changed: Settings| {
        let before = settings.get_untracked();
        settings.set(Some(changed.clone()));
        spawn_local(async move {
            match actions.save_settings(changed).await {
                Ok(Some(kept)) => {
                    settings.try_set(Some(kept));
                    error.try_set(None);
                }
                Ok(None) => {}
                Err(refused) => {
                    settings.try_set(before);
                    error.try_set(Some(refused));
                }
            }
        });
    });
    view! {
        <section class="panel" aria-labelledby="settings-title" data-testid=testid::SETTINGS_VIEW>
            <div class="panel__column">
                <div class="panel__head">
                    <div>
                        <h2 class="panel__title" id="settings-title">"Settings"</h2>
                        <p class="panel__words">"A change is kept at once."</p>
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
                <p class="call__problem" role="alert">
                    {move || error.get().map(|error| format!("{} {}", error.message, error.hint))}
                </p>
                {move || settings.get().map(|settings| view! { <Fields settings save/> })}
                <Rules/>
                <DataFolder/>
            </div>
        </section>
    }
}

#[component]
fn Fields(settings: Settings, save: Callback<Settings>) -> impl IntoView {
    let settings = StoredValue::new(settings);
    let change = move |edit: &dyn Fn(&mut Settings)| {
        let mut changed = settings.get_value();
        edit(&mut changed);
        save.run(changed);
    };
    let minutes = settings.with_value(|settings| settings.approval_minutes);
    let set_minutes = move |written: String| {
        // What is no number stays as it is: it is not a wish for "never".
        let minutes = match written.trim() {
            "" => None,
            written => match written.parse() {
                Ok(minutes) => Some(minutes),
                Err(_) => return,
            },
        };
        change(&|settings| settings.approval_minutes = minutes);
    };
    let proxy = settings.with_value(|settings| settings.proxy.clone());
    let set_proxy = Callback::new(move |proxy: ProxySetting| {
        change(&|settings| settings.proxy = proxy.clone());
    });
    let is_resume = settings.with_value(|settings| settings.recovery == RecoveryPolicy::Resume);
    let set_recovery = move |value: &str| {
        let recovery = match value {
            "resume" => RecoveryPolicy::Resume,
            _ => RecoveryPolicy::Ask,
        };
        change(&|settings| settings.recovery = recovery);
    };
    view! {
        <div class="form">
            <h3 class="form__title">"Runs and approvals"</h3>
            <label class="form__field">
                <span>"Runs that the end of the app cut off"</span>
                <select
                    class="field"
                    data-testid=testid::SETTING_RECOVERY
                    on:change:target=move |event| set_recovery(&event.target().value())
                >
                    <option value="ask" selected=!is_resume>"Ask me"</option>
                    <option value="resume" selected=is_resume>"Resume by themselves, when nothing is unknown"</option>
                </select>
            </label>
            <label class="form__check">
                <input
                    type="checkbox"
                    data-testid=testid::SETTING_KEEP_APPROVALS
                    prop:checked=settings.with_value(|settings| settings.keep_approvals)
                    on:change:target=move |event| {
                        let is_on = event.target().checked();
                        change(&|settings| settings.keep_approvals = is_on);
                    }
                />
                <span>"Open questions stay open over a restart"</span>
            </label>
            <label class="form__field">
                <span>"Minutes until a question that nobody answers counts as denied"</span>
                <input
                    class="field form__short"
                    inputmode="numeric"
                    placeholder="Never"
                    autocomplete="off"
                    data-testid=testid::SETTING_APPROVAL_MINUTES
                    prop:value=minutes.map(|minutes| minutes.to_string()).unwrap_or_default()
                    on:change:target=move |event| set_minutes(event.target().value())
                />
            </label>
            <label class="form__check">
                <input
                    type="checkbox"
                    data-testid=testid::SETTING_NOTIFICATIONS
                    prop:checked=settings.with_value(|settings| settings.notifications)
                    on:change:target=move |event| {
                        let is_on = event.target().checked();
                        change(&|settings| settings.notifications = is_on);
                    }
                />
                <span>"Tell me through the system when a session needs me"</span>
            </label>
        </div>
        <Network proxy on_change=set_proxy/>
    }
}

#[component]
fn DataFolder() -> impl IntoView {
    let store = use_store();
    move || {
        store.app().get().map(|app| {
            let folder = app.data_dir.clone();
            view! {
                <div class="form">
                    <h3 class="form__title">"Data folder"</h3>
                    <p class="form__note">"Everything is in this folder, on this machine."</p>
                    <p class="call__label">
                        <code class="call__path" data-testid=testid::DATA_FOLDER>{app.data_dir}</code>
                        <CopyButton text=move || folder.clone() label="Copy the path"/>
                    </p>
                    <p class="form__note">{format!("Holdfast {}", app.version)}</p>
                </div>
            }
        })
    }
}
