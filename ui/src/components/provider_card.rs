//! One provider: how it stands, what can be done with it, its models.

mod delete;
mod paused;

use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{CommandError, KeyPlace, ProviderState, ProviderTest, ProviderView};

use super::fault_view::FaultView;
use super::provider_models::ProviderModels;
use crate::actions::use_actions;
use crate::model_words::{Fault, model_count};
use crate::testid;
use delete::DeleteProvider;
use paused::Paused;

/// What came of the last thing that was asked of it.
#[derive(Clone, PartialEq, Eq)]
enum Outcome {
    Works(u32),
    Fault(Fault),
    Refused(CommandError),
}

#[component]
pub(crate) fn ProviderCard(
    /// The provider; nothing once it is gone.
    provider: Memo<Option<ProviderView>>,
    /// Opens its form.
    on_edit: Callback<()>,
) -> impl IntoView {
    let actions = use_actions();
    let is_busy = RwSignal::new(false);
    let is_testing = RwSignal::new(false);
    let outcome = RwSignal::new(None::<Outcome>);
    let id = move || provider.with_untracked(|one| one.as_ref().map(|one| one.provider_id));
    let take = move |answer: Result<(), CommandError>| {
        is_busy.try_set(false);
        outcome.try_set(answer.err().map(Outcome::Refused));
    };
    let test = Callback::new(move |()| {
        let Some(provider_id) = id() else { return };
        is_busy.set(true);
        is_testing.set(true);
        outcome.set(None);
        spawn_local(async move {
            let came = match actions.test_provider(provider_id).await {
                Ok(test) => test.as_ref().map(outcome_of),
                Err(error) => Some(Outcome::Refused(error)),
            };
            is_busy.try_set(false);
            is_testing.try_set(false);
            outcome.try_set(came);
        });
    });
    let resume = Callback::new(move |()| {
        let Some(provider_id) = id() else { return };
        is_busy.set(true);
        spawn_local(async move { take(actions.resume_provider(provider_id).await.map(drop)) });
    });
    let is_enabled = Memo::new(move |_| {
        provider.with(|one| one.as_ref().is_some_and(|one| one.fields.is_enabled))
    });
    let switch = move |_| {
        let Some(provider) = provider.get_untracked() else {
            return;
        };
        let mut fields = provider.fields;
        fields.is_enabled = !fields.is_enabled;
        let edited = Some((provider.provider_id, provider.revision));
        is_busy.set(true);
        spawn_local(async move { take(actions.save_provider(edited, fields).await.map(drop)) });
    };
    let name = move || provider.with(|one| one.as_ref().map(|one| one.fields.name.clone()));
    let facts = move || provider.with(|one| one.as_ref().map(facts));
    let state = Memo::new(move |_| provider.with(|one| one.as_ref().map(|one| one.state.clone())));
    view! {
        <li
            class="panel__row provider"
            data-testid=testid::PROVIDER_CARD
            data-provider-id=move || id().map(|id| id.to_string())
            data-state=move || state.with(|state| state.as_ref().map(state_tag))
        >
            <div class="panel__row-head">
                <span class="provider__dot" aria-hidden="true"></span>
                <h3 class="panel__row-title">{name}</h3>
                <span class="call__tag">{move || state.with(|state| state.as_ref().map(state_words))}</span>
            </div>
            <p class="panel__row-words">{facts}</p>
            <Paused state on_resume=resume on_key=on_edit is_busy/>
            <div class="form__actions">
                <button
                    type="button"
                    class="button"
                    data-testid=testid::PROVIDER_TEST
                    disabled=move || is_busy.get()
                    on:click=move |_| test.run(())
                >
                    {move || if is_testing.get() { "Testing…" } else { "Test" }}
                </button>
                <button
                    type="button"
                    class="button"
                    data-testid=testid::PROVIDER_EDIT
                    on:click=move |_| on_edit.run(())
                >
                    "Edit"
                </button>
                <button
                    type="button"
                    class="button"
                    data-testid=testid::PROVIDER_SWITCH
                    disabled=move || is_busy.get()
                    on:click=switch
                >
                    {move || if is_enabled.get() { "Turn off" } else { "Turn on" }}
                </button>
                <DeleteProvider provider is_busy/>
            </div>
            {move || outcome.get().map(came)}
            <ProviderModels provider/>
        </li>
    }
}

fn outcome_of(test: &ProviderTest) -> Outcome {
    match (test, Fault::of_test(test)) {
        (_, Some(fault)) => Outcome::Fault(fault),
        (ProviderTest::Works { models }, None) => Outcome::Works(*models),
        (_, None) => Outcome::Works(0),
    }
}

fn came(outcome: Outcome) -> AnyView {
    match outcome {
        Outcome::Works(models) => view! {
            <p class="provider__works" role="status" data-testid=testid::PROVIDER_TESTED data-result="works">
                {format!("It works: {}.", model_count(models as usize))}
            </p>
        }
        .into_any(),
        Outcome::Fault(fault) => view! {
            <div data-testid=testid::PROVIDER_TESTED data-result="fault"><FaultView fault/></div>
        }
        .into_any(),
        Outcome::Refused(error) => view! {
            <p class="call__problem" role="alert">{format!("{} {}", error.message, error.hint)}</p>
        }
        .into_any(),
    }
}

const fn state_tag(state: &ProviderState) -> &'static str {
    match state {
        ProviderState::Ok {} => "ok",
        ProviderState::Disabled {} => "disabled",
        ProviderState::Paused { .. } => "paused",
    }
}

const fn state_words(state: &ProviderState) -> &'static str {
    match state {
        ProviderState::Ok {} => "On",
        ProviderState::Disabled {} => "Off",
        ProviderState::Paused { .. } => "Paused",
    }
}

/// Its address, and where its key is.
fn facts(provider: &ProviderView) -> String {
    let key = provider.secrets.iter().find(|one| one.header.is_none());
    let key = match key.map(|key| key.place) {
        Some(place) => kept(place),
        None => "no key",
    };
    format!("{} · {key}", provider.fields.base_url)
}

/// Where a key is, in words.
pub(crate) const fn kept(place: KeyPlace) -> &'static str {
    match place {
        KeyPlace::Keychain => "key kept in the keychain",
        KeyPlace::File => "key kept in an encrypted file",
    }
}
