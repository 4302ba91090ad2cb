//! Rows that cannot be read: each keeps its place and says so, and everything else is as it was.

use protocol::{
    ApprovalStatus, CallStatus, EffectClass, ErrorClass, KeyPlace, MessageStatus, ProxySetting,
    RecoveryPolicy, Role, RuleScope, Settings, Verdict,
};
use store::{Change, Error, Store};

use crate::fixture::{Place, barrier};
use crate::raw;
use crate::sample::{
    add_message, beginning, create_session, message, message_id, run_id, session_id,
};
use crate::sample_call::{call_id, rule_id, with_calls};
use crate::sample_whole::{agent, agent_id, everything, rule};

/// Does what only damage or another program could do.
fn spoil(place: &Place, sql: &str) {
    let connection = raw::connect(&place.database());
    connection
        .execute_batch("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF;")
        .unwrap();
    connection.execute_batch(sql).unwrap();
}

fn opened(changes: Vec<Change>) -> (Place, Store) {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(changes)).unwrap();
    (place, store)
}

/// STO-9, ATT-5: a message that cannot be read keeps its place and says why; the others are there.
#[test]
fn an_unreadable_message_keeps_its_place() {
    let spoiled = [
        "blocks = '{\"kind\": 7}'",
        "blocks = 'no json'",
        "blocks = '[{\"kind\":\"smell\",\"text\":\"x\"}]'",
        "role = 'ghost'",
        "status = 'sideways'",
        "blocks = CAST(x'ff' AS TEXT)",
    ];
    for set in spoiled {
        let mut changes = vec![create_session(session_id(1))];
        changes.extend((1..=3).map(|position| {
            add_message(
                session_id(1),
                message(message_id(position), position, &position.to_string()),
            )
        }));
        let (place, store) = opened(changes);
        spoil(
            &place,
            &format!("UPDATE messages SET {set} WHERE position = 2"),
        );
        let (messages, _) = store
            .read(|reader| reader.messages_before(session_id(1), 10, 10))
            .unwrap();
        let texts: Vec<String> = messages.iter().map(protocol::Message::text).collect();
        assert_eq!(
            (texts.len(), texts[0].as_str(), texts[2].as_str()),
            (3, "1", "3")
        );
        let second = &messages[1];
        assert_eq!(second.status, MessageStatus::Unreadable, "{set}");
        assert_eq!((second.position, second.blocks.len()), (2, 1));
        assert!(texts[1].contains("cannot be read"), "{}", texts[1]);
        let ghost = set.contains("ghost");
        assert_eq!(second.role == Role::Agent, ghost, "{set}");
        let alone = store.read(|reader| reader.message(message_id(2))).unwrap();
        assert_eq!(alone.unwrap().1, *second);
    }
    let (place, store) = opened(with_calls(1, 0));
    spoil(
        &place,
        "UPDATE messages SET attempt = -1, model = CAST(x'ff' AS TEXT), run_id = x'01' WHERE position = 2",
    );
    let (messages, _) = store
        .read(|reader| reader.messages_before(session_id(1), 10, 10))
        .unwrap();
    assert_eq!(messages[1].status, MessageStatus::Complete);
    assert_eq!((messages[1].run_id, messages[1].attempt), (None, None));
}

/// STO-9, ATT-5: a session whose run cannot be read stands in the list, where it stood, with what is
/// wrong with it.
#[test]
fn an_unreadable_run_does_not_hide_its_session_or_any_other() {
    let spoiled = [
        "UPDATE runs SET status = 'sideways' WHERE session_id = (SELECT min(id) FROM sessions)",
        "UPDATE runs SET steps_completed = -1 WHERE session_id = (SELECT min(id) FROM sessions)",
        "UPDATE runs SET agent_id = x'01' WHERE session_id = (SELECT min(id) FROM sessions)",
        "DELETE FROM runs WHERE session_id = (SELECT min(id) FROM sessions)",
        "UPDATE sessions SET agent_id = x'01' WHERE id = (SELECT min(id) FROM sessions)",
        "UPDATE sessions SET title = CAST(x'ff' AS TEXT) WHERE id = (SELECT min(id) FROM sessions)",
    ];
    for sql in spoiled {
        let (place, store) = opened([beginning(1), beginning(2)].concat());
        let before = store.read(|reader| reader.session_rows(10, false)).unwrap();
        spoil(&place, sql);
        let rows = store.read(|reader| reader.session_rows(10, false)).unwrap();
        assert_eq!(rows.len(), 2, "{sql}");
        assert_eq!(rows[0], before[0], "{sql}");
        assert_eq!(rows[1].session_id, session_id(1), "{sql}");
        let problem = rows[1].problem.as_deref().unwrap();
        assert!(problem.contains("cannot be read"), "{sql}: {problem}");
        assert_eq!(rows[1].run.is_none(), sql.contains("runs"), "{sql}");
        let alone = store
            .read(|reader| reader.session_row(session_id(1)))
            .unwrap();
        assert_eq!(alone.as_ref(), Some(&rows[1]));
        store
            .read(|reader| {
                let (messages, _) = reader.messages_before(session_id(1), 10, 10)?;
                assert_eq!(messages.len(), 1, "its history can still be read");
                Ok(())
            })
            .unwrap();
    }
    let (place, store) = opened(beginning(1));
    spoil(
        &place,
        "UPDATE runs SET reason = 'whim', error_class = 'odd', error_message = 'x', retry_of = x'01'",
    );
    let run = store.read(|reader| reader.run(run_id(1))).unwrap().unwrap();
    assert_eq!((run.reason, run.retry_of), (None, None), "dropped");
    assert_eq!(run.error.unwrap().class, ErrorClass::Internal);
    spoil(&place, "UPDATE runs SET status = 'sideways'");
    let state = store.read(|reader| reader.session_state(session_id(1)));
    assert!(matches!(state, Err(Error::Unreadable { .. })), "{state:?}");
}

/// STO-9: a call that cannot be read is never one that may start; what is only said about it is
/// dropped; what is not known is the careful one.
#[test]
fn an_unreadable_call_counts_as_over_and_says_so() {
    for set in [
        "status = 'sideways'",
        "arguments = CAST(x'ff' AS TEXT)",
        "tool = CAST(x'ff' AS TEXT)",
    ] {
        let (place, store) = opened(with_calls(1, 3));
        spoil(
            &place,
            &format!("UPDATE tool_calls SET {set} WHERE ordinal = 1"),
        );
        let calls = store
            .read(|reader| reader.call_rows_of_path(session_id(1)))
            .unwrap();
        let statuses: Vec<CallStatus> = calls.iter().map(|call| call.view.status).collect();
        let proposed = CallStatus::Proposed;
        assert_eq!(statuses, [proposed, CallStatus::Failed, proposed], "{set}");
        let result = calls[1].view.result.as_ref().unwrap();
        assert!(result.is_error && result.text.contains("cannot be read"));
        assert_eq!(result.class, Some(ErrorClass::InDoubt));
        let state = store
            .read(|reader| reader.session_state(session_id(1)))
            .unwrap()
            .unwrap();
        assert_eq!(state.run.unwrap().calls, calls);
    }
    let (place, store) = opened(everything(1));
    spoil(
        &place,
        "UPDATE tool_calls
         SET effect = 'harmless', verdict = 'sure', preview = '7', resources = '{}',
             detail = 'no json', result_class = 'odd', verdict_rule = x'01';
         UPDATE approvals SET status = 'fine', decision = '{\"type\":\"wave\"}'",
    );
    let call = store
        .read(|reader| reader.call(call_id(100)))
        .unwrap()
        .unwrap();
    assert_eq!(call.view.status, CallStatus::Completed);
    assert_eq!(call.view.effect, EffectClass::Once);
    let verdict = call.view.verdict.unwrap();
    assert_eq!((verdict.verdict, verdict.rule_id), (Verdict::Ask, None));
    assert_eq!((call.view.preview, call.detail), (None, None));
    let approval = call.view.approval.unwrap();
    assert_eq!(approval.status, ApprovalStatus::Closed, "never allowed");
    assert_eq!(approval.decision, None);
}

/// STO-9: a rule that cannot be read whole asks, or denies where it did, and never allows; where it
/// holds cannot be known, so it holds everywhere.
#[test]
fn an_unreadable_rule_never_allows() {
    let allow = |number| rule(rule_id(number), Verdict::Allow, RuleScope::Global {});
    let mut deny = allow(3);
    deny.verdict = Verdict::Deny;
    let spoiled = [
        "verdict = 'sure'",
        "verdict = CAST(x'ff' AS TEXT)",
        "scope = 'moon'",
        "scope = 'workspace'",
        "pattern = CAST(x'ff' AS TEXT)",
        "tool = CAST(x'ff' AS TEXT)",
    ];
    for set in spoiled {
        let rules = vec![Change::AddRule(allow(1)), Change::AddRule(allow(2))];
        let (place, store) = opened([rules, vec![Change::AddRule(deny.clone())]].concat());
        let hex = rule_id(2).uuid().simple().to_string();
        spoil(
            &place,
            &format!("UPDATE rules SET {set} WHERE id = x'{hex}'"),
        );
        let verdicts = |rules: Vec<protocol::RuleView>| -> Vec<Verdict> {
            rules.into_iter().map(|rule| rule.verdict).collect()
        };
        let (all, here) = store
            .read(|reader| {
                Ok((
                    reader.rules()?,
                    reader.rules_for(session_id(1), "elsewhere")?,
                ))
            })
            .unwrap();
        assert_eq!(all, here, "{set}");
        assert_eq!(
            verdicts(all),
            [Verdict::Allow, Verdict::Ask, Verdict::Deny],
            "{set}"
        );
    }
}

/// STO-9: a setting that is missing, not known or not valid has its default; the others stand.
#[test]
fn a_bad_setting_has_its_default() {
    let settings = Settings {
        recovery: RecoveryPolicy::Resume,
        keep_approvals: false,
        approval_minutes: Some(9),
        notifications: false,
        default_model: Some("guide".to_owned()),
        key_store: KeyPlace::File,
        local_ports: vec![9_000],
        served_file: Some("/models/small.gguf".to_owned()),
        proxy: ProxySetting::None {},
    };
    let (place, store) = opened(vec![Change::SaveSettings(settings.clone())]);
    let read = || store.read(|reader| reader.settings()).unwrap();
    assert_eq!(read(), settings);
    spoil(
        &place,
        "UPDATE settings SET value = '\"whenever\"' WHERE key = 'recovery';
         UPDATE settings SET value = 'no json' WHERE key = 'keep_approvals';
         UPDATE settings SET value = '-1' WHERE key = 'approval_minutes';
         UPDATE settings SET value = '[]' WHERE key = 'default_model';
         UPDATE settings SET value = '\"pocket\"' WHERE key = 'key_store';
         UPDATE settings SET value = '[9000, 65536]' WHERE key = 'local_ports';
         UPDATE settings SET value = '7' WHERE key = 'served_file';
         UPDATE settings SET value = '\"direct\"' WHERE key = 'proxy';
         INSERT INTO settings VALUES ('from_the_future', 'true')",
    );
    let expected = Settings {
        notifications: false,
        ..Settings::default()
    };
    assert_eq!(read(), expected);
    store
        .apply(barrier(vec![Change::SaveSettings(settings.clone())]))
        .unwrap();
    assert_eq!(read(), settings, "saving mends it");
    // What is taken back is not there any more, and what somebody else wrote still is.
    store
        .apply(barrier(vec![Change::SaveSettings(Settings::default())]))
        .unwrap();
    assert_eq!(read(), Settings::default());
    let rest = raw::number(
        &place.database(),
        "SELECT count(*) FROM settings WHERE key = 'from_the_future'",
        [],
    );
    assert_eq!(rest, 1);
    raw::execute(&place.database(), "DELETE FROM settings");
    assert_eq!(read(), Settings::default());
}

/// STO-9: tools that cannot be read are none, because absent would be all; a file whose before-image
/// is gone is not a file that did not exist; a value of the state that cannot be read is left out.
#[test]
fn what_cannot_be_read_is_never_more_than_it_was() {
    let (place, store) = opened(everything(1));
    store
        .apply(barrier(vec![Change::CreateAgent(agent(5, "Other"))]))
        .unwrap();
    spoil(
        &place,
        "UPDATE agents SET tools = '{\"all\":true}' WHERE name = 'Other';
         DELETE FROM blobs;
         UPDATE state SET value = 'no json' WHERE key = 'plan'",
    );
    store
        .read(|reader| {
            let tools = reader.agent(agent_id(5))?.unwrap().fields.tools;
            assert_eq!(tools, Some(Vec::new()));
            let found = reader.checkpoints_of_call(call_id(100));
            assert!(matches!(found, Err(Error::Unreadable { .. })), "{found:?}");
            let state: Vec<String> = reader.state(session_id(1))?.into_keys().collect();
            assert_eq!(state, ["count"]);
            Ok(())
        })
        .unwrap();
}

/// STO-9: also after the end of a process that closed nothing, when every page is checked.
#[test]
fn a_row_that_breaks_a_rule_is_no_damage_of_the_file() {
    let (place, store) = opened(beginning(1));
    let image = place.crash_image();
    store.close().unwrap();
    spoil(&image, "UPDATE messages SET role = 'ghost'");
    let (store, opened) = image.try_open().unwrap();
    assert!(!opened.was_clean, "everything was checked");
    let (messages, _) = store
        .read(|reader| reader.messages_before(session_id(1), 100, 100))
        .unwrap();
    assert!(!messages.is_empty());
    for message in messages {
        assert_eq!(message.status, MessageStatus::Unreadable);
    }
    store.close().unwrap();
}
