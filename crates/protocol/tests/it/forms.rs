//! STR-8: every form on the wire is pinned by a snapshot, and reads back as what it was.

use std::fmt::Debug;

use protocol::{Command, Envelope, LocalFound};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cases::assert_all;
use crate::sample;

/// The forms of all values, each of which was read back from its text and from its value.
fn forms<T>(values: &[T]) -> Vec<Value>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    values
        .iter()
        .map(|value| {
            let text = serde_json::to_string(value).unwrap();
            assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
            let form = serde_json::to_value(value).unwrap();
            assert_eq!(
                &serde_json::from_value::<T>(form.clone()).unwrap(),
                value,
                "{text}"
            );
            form
        })
        .collect()
}

/// The order of keys depends on who else is compiled; the snapshot does not.
macro_rules! assert_pinned {
    ($forms:expr) => {
        insta::with_settings!({ sort_maps => true }, { insta::assert_json_snapshot!($forms) })
    };
}

#[test]
fn commands_are_pinned() {
    let commands = sample::commands();
    assert_all(&commands);
    for command in &commands {
        let text = serde_json::to_string(command).unwrap();
        assert_eq!(Command::from_json(&text).as_ref(), Ok(command));
        let value = serde_json::to_value(command).unwrap();
        assert_eq!(Command::from_value(value).as_ref(), Ok(command));
    }
    assert_pinned!(forms(&commands));
}

#[test]
fn events_are_pinned() {
    let events = sample::events();
    assert_all(&events);
    let envelopes: Vec<Envelope> = events.into_iter().map(sample::envelope).collect();
    assert_pinned!(forms(&envelopes));
}

#[test]
fn replies_are_pinned() {
    let replies = sample::replies();
    assert_all(&replies);
    assert_pinned!(forms(&replies));
}

#[test]
fn errors_are_pinned() {
    let errors = sample::errors();
    assert_all(&errors);
    assert_pinned!(forms(&errors));
}

#[test]
fn pushes_are_pinned() {
    let pushes = sample::pushes();
    assert_all(&pushes);
    assert_pinned!(forms(&pushes));
}

#[test]
fn session_snapshots_are_pinned() {
    assert_pinned!(forms(&sample::snapshots()));
}

#[test]
fn start_states_are_pinned() {
    let starts = sample::starts();
    assert_all(&starts);
    assert_pinned!(forms(&starts));
}

#[test]
fn approvals_are_pinned() {
    assert_pinned!(forms(&sample::approvals()));
}

#[test]
fn exported_sessions_are_pinned() {
    assert_pinned!(forms(&sample::exports()));
}

/// What stands inside of others is all there too.
#[test]
fn the_samples_hold_every_inner_variant() {
    assert_all(&sample::decisions());
    assert_all(&sample::resolutions());
    assert_all(&sample::scopes());
    assert_all(&sample::parts());
    assert_all(&sample::outcomes());
    assert_all(&sample::states());
    assert_all(&sample::tests());
    assert_all(sample::settings().iter().map(|settings| &settings.proxy));
    assert_all(&sample::served_states());
    let found = sample::found();
    assert_all(&found);
    assert_all(found.iter().filter_map(|found| match found {
        LocalFound::Server { kind, .. } => Some(kind),
        LocalFound::Starting {} | LocalFound::Stranger {} | LocalFound::Nobody {} => None,
    }));
    let calls = sample::calls();
    assert_all(calls.iter().map(|call| &call.status));
    assert_all(calls.iter().map(|call| &call.effect));
    assert_all(sample::approvals().iter().map(|approval| &approval.status));
    assert_all(sample::settings().iter().map(|settings| &settings.recovery));
}

/// What an earlier version wrote, without what was added since, is read as before.
#[test]
fn events_of_the_first_version_are_read() {
    for text in [
        r#"{"session_id":"ses_01920000000070008000000000000002","seq":7,"at_ms":1,"type":"run_started","run_id":"run_01920000000070008000000000000004","message_id":"msg_01920000000070008000000000000003","agent_id":"agt_01920000000070008000000000000001","model":"guide"}"#,
        r#"{"session_id":"ses_01920000000070008000000000000002","seq":7,"at_ms":1,"type":"step_completed","run_id":"run_01920000000070008000000000000004","step_id":"stp_01920000000070008000000000000005","attempt":2,"message":{"message_id":"msg_01920000000070008000000000000003","position":2,"role":"agent","status":"complete","blocks":[{"kind":"text","text":"a"}],"created_at_ms":1},"usage":{"input_tokens":7}}"#,
    ] {
        let envelope: Envelope = serde_json::from_str(text).expect(text);
        let written = serde_json::to_value(&envelope).unwrap();
        assert_eq!(written, serde_json::from_str::<Value>(text).unwrap());
    }
}
