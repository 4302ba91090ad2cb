//! A run with tool calls: what is written before what, what it keeps from its start, and tools that
//! misbehave.

use engine::{Held, RequestMessage};
use protocol::{
    AgentFields, AgentView, CallStatus, Command, Decision, ErrorClass, Reply, RunLimits, RunStatus,
};
use serde_json::json;

use crate::calls::{call, many_calls, one_call, outcome, results};
use crate::fixture::{Home, World};
use crate::hand::Hand;
use crate::scripted::said;

// RUN-5, EFF-2
#[tokio::test]
async fn a_reply_with_all_its_calls_is_written_before_any_body_starts() {
    let home = Home::new();
    let (hand, mut bodies) = Hand::tool();
    let world = home.open_tools(vec![hand]);
    let started = world.start("Go").await;
    let model = world.script.call().await;
    model.text("Let me see.");
    model.ask("a", "hand", &json!({"n": 1}));
    model.ask("b", "hand", &json!({"n": 2, "ask": true}));
    assert!(bodies.is_empty(), "a call that is whole is not yet a reply");
    model.finish();
    let body = bodies.next().await;
    // What a process that ended at this instant would leave behind.
    let dead = home.copy();
    let (store, _) = dead.store();
    let (messages, calls) = store
        .read(|reader| {
            let (messages, _) = reader.messages_before(started.session_id, 100, 100)?;
            Ok((messages, reader.call_rows_of_path(started.session_id)?))
        })
        .unwrap();
    store.close().unwrap();
    assert_eq!(messages[1].text(), "Let me see.");
    let written: Vec<_> = calls
        .iter()
        .map(|call| (call.view.arguments.as_str(), call.view.status))
        .collect();
    assert_eq!(
        written,
        [
            (r#"{"n":1}"#, CallStatus::Running),
            (r#"{"ask":true,"n":2}"#, CallStatus::Waiting),
        ]
    );
    body.end("One.");
    world.idle().await;
    world.close().await;
}

async fn default_agent(world: &World) -> AgentView {
    match world.execute(Command::ListAgents {}).await.unwrap() {
        Reply::Agents { agents } => agents.into_iter().find(|agent| agent.is_default).unwrap(),
        other => panic!("{other:?}"),
    }
}

async fn edit_agent(world: &World, change: impl FnOnce(&mut AgentFields)) {
    let mut agent = default_agent(world).await;
    change(&mut agent.fields);
    let command = Command::UpdateAgent {
        agent_id: agent.agent_id,
        fields: agent.fields,
        revision: agent.revision,
    };
    world.execute(command).await.unwrap();
}

// RUN-6
#[tokio::test]
async fn a_run_keeps_what_it_began_with_whatever_becomes_of_its_agent() {
    let home = Home::new();
    let replies = || vec![one_call("a", "counts", &json!({"ask": true}))];
    let (world, player) = home.play(replies());
    edit_agent(&world, |agent| {
        agent.instructions = Some("Speak of tides.".to_owned());
        agent.tools = Some(vec!["counts".to_owned(), "slow".to_owned()]);
    })
    .await;
    let started = world.start("Go").await;
    world.idle().await;
    let first = player.asked().remove(0);
    assert_eq!(first.instructions.as_deref(), Some("Speak of tides."));
    let names: Vec<&str> = first.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["counts", "slow"]);
    assert_eq!(said(&first.messages[0]), "Go");
    edit_agent(&world, |agent| {
        agent.instructions = Some("Speak of nothing.".to_owned());
        agent.tools = Some(Vec::new());
        agent.limits = RunLimits {
            steps: Some(1),
            ..RunLimits::default()
        };
    })
    .await;
    world.close().await;

    let (world, player) = home.play(replies());
    world.allow().await;
    world.idle().await;
    let run = world.run(started.run_id).await;
    assert_eq!(run.status, RunStatus::Completed, "its own limits hold");
    let then = player.asked().remove(0);
    assert_eq!(then.instructions, first.instructions);
    assert_eq!(then.tools, first.tools, "byte for byte");
    assert_eq!(then.messages[0], first.messages[0]);

    let next = world.send(started.session_id, "And now?").await;
    world.idle().await;
    let asked = player.asked().remove(1);
    assert_eq!(asked.instructions.as_deref(), Some("Speak of nothing."));
    assert_eq!(asked.tools, []);
    assert_eq!(world.run(next.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

// RUN-6
#[tokio::test]
async fn a_tool_that_is_gone_when_a_run_goes_on_is_an_error_for_the_model() {
    let home = Home::new();
    let (hand, mut bodies) = Hand::tool();
    let replies = || {
        let waiting = call("a", "hand", &json!({"ask": true}));
        let cut_off = call("b", "hand", &json!({"class": "read"}));
        vec![many_calls([waiting, cut_off])]
    };
    let (world, _) = home.play_with(replies(), vec![hand], 1_000_000);
    let started = world.start("Go").await;
    let _body = bodies.next().await;
    let dead = home.remains();
    world.close().await;
    home.put_back(&dead);

    let (world, player) = home.play(replies());
    world.allow().await;
    world.resume(started.run_id).await;
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    for call in world.calls(started.session_id).await {
        assert_eq!(call.status, CallStatus::Failed);
        let (text, class) = outcome(&call);
        assert_eq!(class, Some(ErrorClass::Tool));
        assert!(text.starts_with("There is no tool hand."), "{text}");
    }
    let told = results(&player.asked()[0]);
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|(_, is_error, _)| *is_error));
    world.close().await;
}

// RUN-20
#[tokio::test]
async fn repeated_and_missing_ids_are_made_unique_and_every_call_has_its_result() {
    let home = Home::new();
    let same = |n: u32| call("same", "counts", &json!({ "n": n }));
    let none = |n: u32| call("", "counts", &json!({ "n": n }));
    let replies = || {
        vec![
            many_calls([same(1), same(2), none(3), none(4)]),
            many_calls([same(5)]),
        ]
    };
    let (world, player) = home.play(replies());
    let started = world.start("Go").await;
    world.idle().await;
    let asked = player.asked();
    assert_eq!(asked.len(), 3);
    let last = asked.last().unwrap();
    let mut ids = std::collections::BTreeSet::new();
    let mut open = Vec::new();
    for message in last.messages.iter() {
        match message {
            RequestMessage::Agent { calls, .. } => {
                assert!(open.is_empty(), "an unpaired call");
                for one in calls {
                    assert!(ids.insert(one.id.clone()), "an id twice: {}", one.id);
                    open.push(one.id.clone());
                }
            }
            RequestMessage::Result { call_id, .. } => {
                assert_eq!(open.remove(0), *call_id, "in order");
            }
            RequestMessage::User { .. } => assert!(open.is_empty()),
        }
    }
    assert!(open.is_empty());
    assert_eq!(ids.len(), 5);
    assert!(
        ids.contains("same"),
        "the first keeps what the provider sent"
    );
    // The same state gives the same request, whoever builds it: what is asked after a restart
    // begins with exactly what was asked before it.
    world.close().await;
    let (world, again) = home.play(replies());
    world.send(started.session_id, "More").await;
    world.idle().await;
    let then = again.asked().remove(0);
    assert_eq!(then.messages[..last.messages.len()], last.messages[..]);
    assert_eq!(
        (then.instructions, then.tools),
        (last.instructions.clone(), last.tools.clone())
    );
    world.close().await;
}

// RUN-20: what is no object never reaches a provider again, and what a model wrote is kept.
#[tokio::test]
async fn arguments_are_kept_as_they_came_and_bad_ones_are_told() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let model = world.script.call().await;
    let arguments = "{ \"b\" : 1,  \"a\":\"\u{e9}\" }";
    let asked = |arguments: &str| {
        Ok(engine::ModelEvent::Call {
            id: String::new(),
            tool: "counts".to_owned(),
            arguments: arguments.to_owned(),
        })
    };
    model.say(asked(arguments));
    model.say(asked("not json"));
    model.say(asked("[1]"));
    model.finish();
    let model = world.script.call().await;
    let calls = world.calls(started.session_id).await;
    assert_eq!(calls[0].arguments, arguments);
    assert_eq!(calls[1].arguments, "not json");
    let RequestMessage::Agent { calls: told, .. } = &model.request.messages[1] else {
        panic!("{:?}", model.request);
    };
    let told: Vec<&str> = told.iter().map(|one| one.arguments.as_str()).collect();
    assert_eq!(told, [arguments, "{}", "{}"]);
    for call in &calls[1..] {
        assert_eq!(call.status, CallStatus::Failed);
        assert_eq!(outcome(call).1, Some(ErrorClass::InvalidRequest));
    }
    model.answer("Sorry.");
    world.idle().await;
    world.close().await;
}

// RUN-21
#[tokio::test]
async fn usage_is_counted_once_per_call_and_what_was_not_said_is_unknown() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let model = world.script.call().await;
    model.ask("a", "counts", &json!({}));
    model.say(Ok(engine::ModelEvent::finished(crate::calls::COST)));
    let model = world.script.call().await;
    let (sum, calls, unknown) = world.usage(started.run_id).await;
    assert_eq!((sum, calls, unknown), (crate::calls::COST, 1, 0));
    let dead = home.remains();
    drop(model);
    world.close().await;
    home.put_back(&dead);
    let world = home.open();
    world.resume(started.run_id).await;
    world.script.call().await.answer("Done.");
    world.idle().await;
    let (sum, calls, unknown) = world.usage(started.run_id).await;
    assert_eq!(sum, crate::calls::COST, "what is unknown is not nothing");
    assert_eq!((calls, unknown), (3, 2), "one was cut off, one did not say");
    assert_eq!(world.snapshot(started.session_id).await.usage.sum, sum);
    world.close().await;
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

// RUN-19
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_thousands_of_calls_everything_is_back_where_it_began() {
    const CALLS: u32 = 16;
    const SESSIONS: u32 = 8;
    const ROUNDS: u32 = 16;
    let home = Home::new();
    let reply = || many_calls((0..CALLS).map(|n| call("", "counts", &json!({ "n": n }))));
    let (world, player) = home.play(vec![reply()]);
    let metrics = tokio::runtime::Handle::current().metrics();
    let warm_up = world.start("Warm up").await;
    world.idle().await;
    assert_eq!(world.run(warm_up.run_id).await.status, RunStatus::Completed);
    let (tasks, files) = (metrics.num_alive_tasks(), open_files());
    for _ in 0..ROUNDS {
        let mut runs = Vec::new();
        for _ in 0..SESSIONS {
            runs.push(world.start("Go").await.run_id);
        }
        world.idle().await;
        for run_id in runs {
            let run = world.run(run_id).await;
            assert_eq!(run.status, RunStatus::Completed);
            assert_eq!(run.steps_completed, CALLS + 2);
        }
    }
    let asked = player.asked().len();
    assert_eq!(asked, 2 + 2 * (ROUNDS * SESSIONS) as usize);
    assert_eq!(world.engine.held(), Held::default());
    // Other tests run beside this one: files are counted when they let go of theirs.
    testkit::eventually("tasks and files to be let go of", async || {
        (metrics.num_alive_tasks() <= tasks && open_files() <= files + 64).then_some(())
    })
    .await
    .unwrap();
    world.close().await;
}

// RUN-6
#[tokio::test]
async fn a_tool_whose_definition_changed_is_asked_about_again() {
    let home = Home::new();
    let (hand, _bodies) = Hand::tool();
    let replies = || vec![one_call("a", "hand", &json!({"ask": true}))];
    let (world, _) = home.play_with(replies(), vec![hand], 1_000_000);
    let started = world.start("Go").await;
    world.idle().await;
    let shown = world.open_call().await;
    world.close().await;
    let (renewed, mut bodies) = Hand::renewed();
    let (world, _) = home.play_with(replies(), vec![renewed], 1_000_000);
    world.decide(&shown, Decision::AllowOnce {}).await;
    world.idle().await;
    assert!(
        bodies.is_empty(),
        "another tool than the one that was allowed"
    );
    let again = world.open_call().await;
    let (before, now) = (shown.approval.unwrap(), again.approval.clone().unwrap());
    assert_eq!((now.round, before.round), (2, 1));
    assert_ne!(now.digest, before.digest);
    world.decide(&again, Decision::AllowOnce {}).await;
    bodies.next().await.end("Done.");
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    world.close().await;
}
