//! Agents, rules, settings, queues and requests; and that every change writes only what is its own.

use protocol::{RuleScope, RunStatus, StepStatus, Verdict};
use store::{Change, DEFAULT_AGENT, Error, Store};

use crate::fixture::{Place, barrier, hold_writer, submit};
use crate::raw;
use crate::sample::{
    WORKSPACE, beginning, create_session, end_attempt, message_id, move_run, move_step, new_run,
    run_id, session_id, step_id,
};
use crate::sample_call::rule_id;
use crate::sample_whole::{agent, agent_id, enqueue, fields, queued, retry, rule};

fn is_conflict(result: &Result<(), Error>) -> bool {
    matches!(result, Err(Error::Conflict(_)))
}

/// STO-7: changes of different columns of one row, decided on the same state, all stand.
#[test]
fn updates_of_different_columns_all_stand() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    store
        .apply(barrier(vec![Change::CreateAgent(agent(1, "Scribe"))]))
        .unwrap();
    let (session, run) = (session_id(1), run_id(1));
    let changes = vec![
        vec![Change::RenameSession {
            session_id: session,
            title: "Tides".to_owned(),
            at_ms: 90,
        }],
        vec![Change::ArchiveSession {
            session_id: session,
            is_archived: true,
            at_ms: 91,
        }],
        vec![Change::SetSessionAgent {
            session_id: session,
            agent_id: agent_id(1),
        }],
        vec![Change::SetSessionModel {
            session_id: session,
            model: Some("guide".to_owned()),
        }],
        vec![move_run(run, RunStatus::Running, RunStatus::Stopped)],
        vec![Change::CountCrash { run_id: run }],
        vec![
            end_attempt(step_id(1), 5, StepStatus::Completed),
            move_step(step_id(1), StepStatus::Running, StepStatus::Completed),
        ],
        vec![Change::SetRetry {
            run_id: run,
            retry: Some(retry()),
        }],
    ];
    let held = hold_writer(&store);
    let answers: Vec<_> = changes
        .into_iter()
        .map(|changes| submit(&store, barrier(changes)))
        .collect();
    drop(held);
    for answer in answers {
        answer.recv().unwrap().unwrap();
    }
    let state = store
        .read(|reader| reader.session_state(session))
        .unwrap()
        .unwrap();
    assert_eq!(state.title.as_deref(), Some("Tides"));
    assert!(state.is_archived);
    assert_eq!(state.model.as_deref(), Some("guide"));
    assert_eq!(
        (state.agent_id, state.agent),
        (agent_id(1), fields("Scribe"))
    );
    let run = state.run.unwrap();
    assert_eq!(run.status, RunStatus::Stopped);
    assert_eq!((run.crashes_total, run.used.steps), (1, 1));
    assert_eq!(run.retry, Some(retry()));
    assert_eq!(run.step.unwrap().status, StepStatus::Completed);
}

/// An agent is edited on the state it was seen in; the default one stays; sessions of one that goes
/// go on with it.
#[test]
fn agents_are_listed_edited_and_deleted() {
    let place = Place::new();
    let store = place.open();
    let apply = |change| store.apply(barrier(vec![change]));
    for (number, name) in [(1, "zoe"), (2, "Anna"), (3, "Bert")] {
        apply(Change::CreateAgent(agent(number, name))).unwrap();
    }
    assert!(is_conflict(&apply(Change::CreateAgent(agent(1, "again")))));
    let edit = |revision, name: &str| Change::UpdateAgent {
        agent_id: agent_id(1),
        fields: fields(name),
        revision,
        at_ms: 50,
    };
    apply(edit(1, "Carl")).unwrap();
    assert!(is_conflict(&apply(edit(1, "Dora"))), "edited meanwhile");
    apply(edit(2, "Emil")).unwrap();
    let agents = store.read(|reader| reader.agents()).unwrap();
    let names: Vec<&str> = agents.iter().map(|one| one.fields.name.as_str()).collect();
    assert_eq!(names, ["Holdfast", "Anna", "Bert", "Emil"]);
    assert!(agents[0].is_default && agents[0].agent_id == DEFAULT_AGENT);
    let edited = agents.last().unwrap();
    assert_eq!(
        (edited.revision, edited.created_at_ms, edited.updated_at_ms),
        (3, 5, 50)
    );
    assert_eq!(edited.fields, fields("Emil"));

    let mut bare = fields("Bare");
    bare.instructions = None;
    bare.model = None;
    bare.tools = None;
    bare.limits = protocol::RunLimits::default();
    apply(Change::UpdateAgent {
        agent_id: agent_id(2),
        fields: bare.clone(),
        revision: 1,
        at_ms: 51,
    })
    .unwrap();
    let read = store.read(|reader| reader.agent(agent_id(2))).unwrap();
    assert_eq!(read.unwrap().fields, bare);

    apply(create_session(session_id(1))).unwrap();
    let with = |agent_id| Change::SetSessionAgent {
        session_id: session_id(1),
        agent_id,
    };
    apply(with(agent_id(3))).unwrap();
    assert!(is_conflict(&apply(with(agent_id(404)))));
    let delete = |agent_id| Change::DeleteAgent { agent_id };
    assert!(is_conflict(&apply(delete(DEFAULT_AGENT))));
    apply(delete(agent_id(3))).unwrap();
    assert!(is_conflict(&apply(delete(agent_id(3)))), "gone");
    let row = store
        .read(|reader| reader.session_row(session_id(1)))
        .unwrap();
    assert_eq!(row.unwrap().agent_id, DEFAULT_AGENT);
    assert_eq!(
        store.read(|reader| reader.agent(agent_id(3))).unwrap(),
        None
    );
}

/// The rules that hold in a session are the global ones, its workspace's and its own.
#[test]
fn rules_hold_where_they_say() {
    let place = Place::new();
    let store = place.open();
    for number in [1, 2] {
        store
            .apply(barrier(vec![create_session(session_id(number))]))
            .unwrap();
    }
    let workspace = |name: &str| RuleScope::Workspace {
        workspace: name.to_owned(),
    };
    let session = |number| RuleScope::Session {
        session_id: session_id(number),
    };
    let scopes = [
        RuleScope::Global {},
        workspace(WORKSPACE),
        workspace("elsewhere"),
        session(1),
        session(2),
    ];
    for (number, scope) in (1..).zip(scopes) {
        let mut one = rule(rule_id(number), Verdict::Allow, scope);
        one.created_at_ms = 100 - number;
        store.apply(barrier(vec![Change::AddRule(one)])).unwrap();
    }
    let numbers = |rules: Vec<protocol::RuleView>| -> Vec<_> {
        rules.into_iter().map(|rule| rule.rule_id).collect()
    };
    let held = |number, workspace: &str| {
        numbers(
            store
                .read(|reader| reader.rules_for(session_id(number), workspace))
                .unwrap(),
        )
    };
    assert_eq!(held(1, WORKSPACE), [4, 2, 1].map(rule_id));
    assert_eq!(held(2, "elsewhere"), [5, 3, 1].map(rule_id));
    let all = numbers(store.read(|reader| reader.rules()).unwrap());
    assert_eq!(all, [5, 4, 3, 2, 1].map(rule_id), "the oldest first");
    let remove = || {
        store.apply(barrier(vec![Change::RemoveRule {
            rule_id: rule_id(1),
        }]))
    };
    remove().unwrap();
    assert!(is_conflict(&remove()), "gone");
}

/// Messages wait in the order they came, each once, and are found by their id.
#[test]
fn a_queue_keeps_its_order() {
    let place = Place::new();
    let store = place.open();
    let session = session_id(1);
    store.apply(barrier(vec![create_session(session)])).unwrap();
    let apply = |change| store.apply(barrier(vec![change]));
    let waiting = |store: &Store| -> Vec<_> {
        let (queue, row) = store
            .read(|reader| Ok((reader.queue(session)?, reader.session_row(session)?)))
            .unwrap();
        assert_eq!(row.unwrap().queued as usize, queue.len());
        queue
    };
    for number in 1..=3 {
        apply(enqueue(session, message_id(number), &number.to_string())).unwrap();
    }
    assert!(is_conflict(&apply(enqueue(
        session,
        message_id(1),
        "twice"
    ))));
    let take = |number| Change::Dequeue {
        message_id: message_id(number),
    };
    apply(take(2)).unwrap();
    assert!(is_conflict(&apply(take(2))), "taken once");
    let edit = |number, text: &str| Change::EditQueued {
        message_id: message_id(number),
        text: text.to_owned(),
    };
    apply(edit(1, "one")).unwrap();
    assert!(is_conflict(&apply(edit(2, "gone"))));
    apply(enqueue(session, message_id(2), "again")).unwrap();
    let expected = [
        queued(message_id(1), "one"),
        queued(message_id(3), "3"),
        queued(message_id(2), "again"),
    ];
    assert_eq!(waiting(&store), expected);
    store
        .read(|reader| {
            assert_eq!(reader.queued_message(message_id(3))?, Some(session));
            assert_eq!(reader.queued_message(message_id(404))?, None);
            assert_eq!(reader.session_state(session)?.unwrap().queue, expected);
            Ok(())
        })
        .unwrap();
}

/// STO-4: one request key has one answer, a run or a message, whoever came first.
#[test]
fn a_request_key_has_one_answer() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    store
        .apply(barrier(vec![move_run(
            run_id(1),
            RunStatus::Running,
            RunStatus::Stopped,
        )]))
        .unwrap();
    let note = |key: &str| {
        store.apply(barrier(vec![Change::NoteRequest {
            request_key: key.to_owned(),
            session_id: session_id(1),
            message_id: message_id(5),
        }]))
    };
    let start = |key: &str| {
        let mut run = new_run(run_id(2), session_id(1), message_id(1));
        run.request_key = Some(key.to_owned());
        store.apply(barrier(vec![Change::CreateRun(run)]))
    };
    note("a").unwrap();
    assert!(is_conflict(&note("a")));
    assert!(is_conflict(&start("a")), "answered with a message");
    start("b").unwrap();
    assert!(is_conflict(&note("b")), "answered with a run");
    store
        .read(|reader| {
            let answer = (session_id(1), message_id(5));
            assert_eq!(reader.request("a")?, Some(answer));
            assert_eq!(reader.request("b")?, None);
            let run = reader.run_of_request_key("b")?.unwrap();
            assert_eq!((run.run_id, run.pin), (run_id(2), None));
            Ok(())
        })
        .unwrap();
}

/// What a run began with is kept with it, once for all runs that began with the same.
#[test]
fn pins_are_shared_and_read_with_their_run() {
    let place = Place::new();
    let store = place.open();
    for number in 1..=3_u64 {
        let mut changes = beginning(number);
        for change in &mut changes {
            if let Change::CreateRun(run) = change {
                run.pin = Some(format!("{{\"half\": {}}}", number / 2));
            }
        }
        store.apply(barrier(changes)).unwrap();
    }
    let pins = raw::number(&place.database(), "SELECT count(*) FROM pins", []);
    assert_eq!(pins, 2);
    store
        .read(|reader| {
            let pin = reader.run_facts(run_id(3))?.unwrap().pin;
            assert_eq!(pin.as_deref(), Some("{\"half\": 1}"));
            let state = reader.session_state(session_id(3))?.unwrap();
            assert_eq!(state.run.unwrap().pin, pin);
            Ok(())
        })
        .unwrap();
}
