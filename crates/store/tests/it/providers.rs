//! Providers: compared, listed, never with a key; and who uses them or waits for them.

use protocol::{ErrorClass, RunError};
use store::{Change, Error, Retry};

use crate::fixture::{Place, barrier};
use crate::raw;
use crate::sample::{beginning, run_id, session_id};
use crate::sample_provider::{provider, provider_fields, provider_id, provider_model, secrets};
use crate::sample_whole::agent;

fn is_conflict(result: &Result<(), Error>) -> bool {
    matches!(result, Err(Error::Conflict(_)))
}

/// An edit is made on the state it was seen in; what is kept for a provider is no edit, but is kept
/// for what the provider is.
#[test]
fn providers_are_listed_edited_and_deleted() {
    let place = Place::new();
    let store = place.open();
    let apply = |change| store.apply(barrier(vec![change]));
    for (number, name) in [(1, "zoe"), (2, "Anna"), (3, "bert")] {
        apply(Change::CreateProvider(Box::new(provider(number, name)))).unwrap();
    }
    let again = Change::CreateProvider(Box::new(provider(1, "again")));
    assert!(is_conflict(&apply(again)));
    let edit = |revision, name: &str| Change::UpdateProvider {
        provider_id: provider_id(1),
        fields: provider_fields(name),
        secrets: secrets(),
        revision,
        at_ms: 50,
    };
    apply(edit(1, "Carl")).unwrap();
    assert!(is_conflict(&apply(edit(1, "Dora"))), "edited meanwhile");
    let keep = |revision| Change::SaveProviderSecrets {
        provider_id: provider_id(1),
        secrets: Vec::new(),
        revision,
        at_ms: 51,
    };
    assert!(is_conflict(&apply(keep(1))), "kept for something else");
    let rows = store.read(|reader| reader.providers()).unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row.fields.name.as_str()).collect();
    assert_eq!(names, ["Anna", "bert", "Carl"]);
    let mut expected = provider(1, "Carl");
    expected.secrets = secrets();
    expected.revision = 2;
    expected.updated_at_ms = 50;
    assert_eq!(rows[2], expected);
    apply(keep(2)).unwrap();
    let list = |number| Change::SaveProviderModels {
        provider_id: provider_id(number),
        models: vec![provider_model("large"), provider_model("small")],
        at_ms: 60,
    };
    apply(list(1)).unwrap();
    assert!(is_conflict(&apply(list(404))));
    let row = store.read(|reader| reader.provider(provider_id(1)));
    let row = row.unwrap().unwrap();
    assert_eq!(
        (row.revision, row.secrets.len(), row.models.len()),
        (2, 0, 2)
    );
    assert_eq!(row.listed_at_ms, Some(60));
    let delete = Change::DeleteProvider {
        provider_id: provider_id(1),
    };
    apply(delete.clone()).unwrap();
    assert!(is_conflict(&apply(delete)), "gone");
    assert_eq!(
        store
            .read(|reader| reader.provider(provider_id(1)))
            .unwrap(),
        None
    );
}

/// STO-9: one that cannot be read takes no other along, and gets no secret that it had not.
#[test]
fn a_provider_that_cannot_be_read_is_left_out_and_lists_can_be_lost() {
    let place = Place::new();
    let store = place.open();
    for number in 1..=3 {
        let mut row = provider(number, &format!("p{number}"));
        row.secrets = secrets();
        let create = Change::CreateProvider(Box::new(row));
        store.apply(barrier(vec![create])).unwrap();
    }
    raw::execute(
        &place.database(),
        "UPDATE providers SET dialect = 'esperanto' WHERE name = 'p1';
         UPDATE providers SET models = '{}', secrets = '{\"all\":true}' WHERE name = 'p2'",
    );
    let rows = store.read(|reader| reader.providers()).unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row.fields.name.as_str()).collect();
    assert_eq!(names, ["p2", "p3"]);
    assert!(rows[0].models.is_empty() && rows[0].secrets.is_empty());
    assert_eq!(rows[1].secrets, secrets());
}

#[test]
fn whoever_uses_a_model_or_waits_for_it_is_found() {
    let place = Place::new();
    let store = place.open();
    let apply = |changes| store.apply(barrier(changes)).unwrap();
    apply(beginning(1));
    apply(beginning(2));
    let beginning_of = |number| format!("{}/", provider_id(number));
    let mut clerk = agent(1, "Clerk");
    clerk.fields.model = Some(format!("{}/large", provider_id(1)));
    apply(vec![Change::CreateAgent(clerk)]);
    let choose = |model: Option<&str>| Change::SetSessionModel {
        session_id: session_id(1),
        model: model.map(str::to_owned),
    };
    let users = |number| {
        let beginning = beginning_of(number);
        store
            .read(|reader| reader.users_of_models(&beginning))
            .unwrap()
    };
    assert_eq!(users(1), (vec!["Clerk".to_owned()], 0));
    assert_eq!(users(2), (Vec::new(), 0));
    let chosen = format!("{}/a/b", provider_id(2));
    apply(vec![choose(Some(&chosen))]);
    assert_eq!(users(2), (Vec::new(), 1));
    let state = store.read(|reader| reader.session_state(session_id(1)));
    assert_eq!(state.unwrap().unwrap().model.as_deref(), Some(&*chosen));
    let row = store.read(|reader| reader.session_row(session_id(1)));
    assert_eq!(row.unwrap().unwrap().model.as_deref(), Some(&*chosen));
    apply(vec![choose(None)]);
    assert_eq!(users(2), (Vec::new(), 0));
    let wait = |number, class| Change::SetRetry {
        run_id: run_id(number),
        retry: Some(Retry {
            at_ms: 100 - number,
            failed: 0,
            error: RunError {
                class,
                message: "Paused.".to_owned(),
            },
        }),
    };
    let held = || {
        let held = store.read(|reader| reader.held_runs()).unwrap();
        held.into_iter().map(|held| held.run_id).collect::<Vec<_>>()
    };
    apply(vec![wait(1, ErrorClass::Overloaded)]);
    assert!(held().is_empty());
    apply(vec![
        wait(1, ErrorClass::Billing),
        wait(2, ErrorClass::Auth),
    ]);
    assert_eq!(held(), [run_id(2), run_id(1)]);
}
