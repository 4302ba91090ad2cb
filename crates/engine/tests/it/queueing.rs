//! Messages that are sent while a run is going.

use protocol::{Command, ErrorCode, RunStatus, SentOutcome, limits};

use crate::acting::{failed, keyed, send_command, sent};
use crate::fixture::Home;

// RUN-2
#[tokio::test]
async fn messages_sent_meanwhile_wait_in_order_and_are_sent_one_by_one() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("One").await;
    let session_id = one.session_id;
    let call = world.script.call().await;
    let second_start = Command::StartRun {
        session_id: Some(session_id),
        text: "Too early".to_owned(),
        request_key: None,
    };
    assert_eq!(
        world.refused(second_start).await,
        (ErrorCode::AlreadyRunning, Some(one.run_id))
    );
    let two = world.say(session_id, "Two").await;
    let three = world.say(session_id, "Three").await;
    let four = world.say(session_id, "Four").await;
    for message in [two, three, four] {
        assert_eq!(message.outcome, SentOutcome::Queued {});
    }
    assert_eq!(world.queue(session_id).await, ["Two", "Three", "Four"]);
    assert_eq!(world.sessions().await[0].queued, 3);
    world
        .done(Command::EditQueued {
            message_id: three.message_id,
            text: "Three, better".to_owned(),
        })
        .await;
    world
        .done(Command::RemoveQueued {
            message_id: four.message_id,
        })
        .await;
    assert_eq!(world.queue(session_id).await, ["Two", "Three, better"]);
    call.answer("1");
    let call = world.script.call().await;
    assert_eq!(call.told(), ["user: One", "agent: 1 +0", "user: Two"]);
    assert_eq!(world.queue(session_id).await, ["Three, better"]);
    let last = world.snapshot(session_id).await.messages.pop().unwrap();
    assert_eq!(last.message_id, two.message_id, "it keeps its id");
    for command in [
        Command::RemoveQueued {
            message_id: two.message_id,
        },
        Command::EditQueued {
            message_id: four.message_id,
            text: "Again".to_owned(),
        },
    ] {
        assert_eq!(world.code(command).await, ErrorCode::NotFound);
    }
    call.answer("2");
    world.script.call().await.answer("3");
    world.idle().await;
    assert_eq!(
        world.transcript(session_id).await,
        [
            "User Complete: One",
            "Agent Complete: 1",
            "User Complete: Two",
            "Agent Complete: 2",
            "User Complete: Three, better",
            "Agent Complete: 3",
        ]
    );
    assert!(!world.script.has_call().await);
    assert_eq!(world.attention(session_id).await, None);
    world.close().await;
}

// RUN-2, STP-6
#[tokio::test]
async fn what_waits_survives_the_end_of_the_app() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("One").await;
    let _call = world.script.call().await;
    for text in ["Two", "Three"] {
        world.say(one.session_id, text).await;
    }
    let queue = world.snapshot(one.session_id).await.queue;
    let dead = home.copy();
    world.close().await;
    for home in [dead, home] {
        let world = home.open();
        world.settle().await;
        assert_eq!(world.snapshot(one.session_id).await.queue, queue);
        assert_eq!(world.status(one.run_id).await, RunStatus::Interrupted);
        assert!(!world.script.has_call().await, "what waits is held");
        world.resume(one.run_id).await;
        for answer in ["1", "2", "3"] {
            world.script.call().await.answer(answer);
        }
        world.idle().await;
        assert_eq!(world.queue(one.session_id).await, [""; 0]);
        assert_eq!(world.transcript(one.session_id).await.len(), 6);
        world.close().await;
    }
}

// RUN-2, STR-1
#[tokio::test]
async fn a_full_queue_takes_no_more_and_what_changes_nothing_writes_nothing() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("One").await;
    let call = world.script.call().await;
    let mut last = None;
    for number in 0..limits::QUEUE {
        last = Some(world.say(one.session_id, &format!("{number}")).await);
    }
    let before = world.events(one.session_id).await;
    let more = send_command(Some(one.session_id), "One too many");
    assert_eq!(world.code(more).await, ErrorCode::TooLarge);
    let same = Command::EditQueued {
        message_id: last.unwrap().message_id,
        text: (limits::QUEUE - 1).to_string(),
    };
    world.done(same).await;
    assert_eq!(world.events(one.session_id).await, before);
    assert_eq!(world.queue(one.session_id).await.len(), limits::QUEUE);
    let empty = Command::EditQueued {
        message_id: last.unwrap().message_id,
        text: String::new(),
    };
    assert_eq!(world.code(empty).await, ErrorCode::InvalidValue);
    // One is sent, and there is room for one.
    call.answer("1");
    let _call = world.script.call().await;
    world.say(one.session_id, "Fits").await;
    assert_eq!(world.queue(one.session_id).await.len(), limits::QUEUE);
    world.close().await;
}

// STP-6
#[tokio::test]
async fn after_a_stop_what_waits_is_held_until_the_run_is_resumed() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("One").await;
    let _call = world.script.call().await;
    world.say(one.session_id, "Two").await;
    assert_eq!(world.stop(one.run_id).await, RunStatus::Stopped);
    world.settle().await;
    assert!(!world.script.has_call().await);
    assert_eq!(world.queue(one.session_id).await, ["Two"]);
    world.resume(one.run_id).await;
    world.script.call().await.answer("1");
    world.script.call().await.answer("2");
    world.idle().await;
    assert_eq!(world.queue(one.session_id).await, [""; 0]);
    assert_eq!(world.status(one.run_id).await, RunStatus::Completed);
    world.close().await;
}

// STP-6
#[tokio::test]
async fn after_a_stop_a_cancel_or_a_failure_the_person_lets_go_what_is_held() {
    for end in ["stop", "cancel", "fail"] {
        let home = Home::new();
        let world = home.open();
        let one = world.start("One").await;
        let session_id = one.session_id;
        let call = world.script.call().await;
        world.say(session_id, "Two").await;
        world.say(session_id, "Three").await;
        let live = Command::SendQueued { session_id };
        assert_eq!(
            world.refused(live).await,
            (ErrorCode::AlreadyRunning, Some(one.run_id))
        );
        match end {
            "stop" => drop(world.stop(one.run_id).await),
            "cancel" => drop(world.cancel(one.run_id).await),
            _ => call.say(failed(protocol::ErrorClass::Auth, "No.")),
        }
        world.settle().await;
        assert!(!world.script.has_call().await, "{end}");
        assert_eq!(world.queue(session_id).await, ["Two", "Three"], "{end}");
        // Held also over a restart.
        let dead = home.copy();
        world.close().await;
        let world = dead.open();
        world.settle().await;
        assert!(!world.script.has_call().await, "{end}");
        world.done(Command::SendQueued { session_id }).await;
        let call = world.script.call().await;
        assert_eq!(call.told().last().unwrap(), "user: Two");
        assert_eq!(world.queue(session_id).await, ["Three"]);
        call.answer("2");
        world.script.call().await.answer("3");
        world.idle().await;
        let run = world.run(one.run_id).await.status;
        let expected = match end {
            "fail" => RunStatus::Failed,
            _ => RunStatus::Cancelled,
        };
        assert_eq!(run, expected, "{end}");
        let before = world.events(session_id).await;
        world.done(Command::SendQueued { session_id }).await;
        assert_eq!(world.events(session_id).await, before, "nothing was held");
        world.close().await;
    }
}

// STP-6
#[tokio::test]
async fn a_new_message_goes_behind_those_that_are_held() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("One").await;
    let _call = world.script.call().await;
    world.say(one.session_id, "Two").await;
    world.stop(one.run_id).await;
    let three = world.say(one.session_id, "Three").await;
    assert_eq!(three.outcome, SentOutcome::Queued {});
    let call = world.script.call().await;
    assert_eq!(call.told(), ["user: One", "user: Two"]);
    assert_eq!(world.status(one.run_id).await, RunStatus::Cancelled);
    call.answer("2");
    let call = world.script.call().await;
    assert_eq!(call.told().last().unwrap(), "user: Three");
    call.answer("3");
    world.idle().await;
    assert_eq!(world.queue(one.session_id).await, [""; 0]);
    world.close().await;
}

// RUN-3
#[tokio::test]
async fn the_same_key_sends_one_message_that_starts_a_run() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    let command = || keyed(session_id, "Go", "key", false);
    let (a, b, c) = tokio::join!(
        world.done(command()),
        world.done(command()),
        world.done(command())
    );
    let first = sent(a);
    assert_eq!((sent(b), sent(c)), (first, first));
    world.script.call().await.answer("1");
    world.idle().await;
    assert_eq!(sent(world.done(command()).await), first);
    let dead = home.copy();
    world.close().await;
    let world = dead.open();
    assert_eq!(sent(world.done(command()).await), first);
    assert_eq!(world.transcript(session_id).await.len(), 2);
    assert!(!world.script.has_call().await);
    world.close().await;
}

// RUN-3
#[tokio::test]
async fn the_same_key_queues_one_message() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("One").await;
    let session_id = one.session_id;
    let call = world.script.call().await;
    let command = || keyed(session_id, "Two", "key", false);
    let (a, b, c) = tokio::join!(
        world.done(command()),
        world.done(command()),
        world.done(command())
    );
    let first = sent(a);
    assert_eq!(first.outcome, SentOutcome::Queued {});
    assert_eq!((sent(b), sent(c)), (first, first));
    assert_eq!(world.queue(session_id).await, ["Two"]);
    let dead = home.copy();
    call.answer("1");
    let call = world.script.call().await;
    // It has started a run since: that is what became of it.
    let later = sent(world.done(command()).await);
    assert_eq!(later.message_id, first.message_id);
    let run_id = world.newest(session_id).await.run_id;
    assert_eq!(later.outcome, SentOutcome::Started { run_id });
    call.answer("2");
    world.idle().await;
    assert_eq!(sent(world.done(command()).await), later);
    assert_eq!(world.transcript(session_id).await.len(), 4);
    world.close().await;
    let world = dead.open();
    assert_eq!(sent(world.done(command()).await), first);
    assert_eq!(world.queue(session_id).await, ["Two"]);
    world.close().await;
}

// RUN-3
#[tokio::test]
async fn the_same_key_joins_one_message() {
    let home = Home::new();
    let world = home.open();
    let started = world.waiting().await;
    let session_id = started.session_id;
    let command = || keyed(session_id, "Rather not", "key", false);
    let (a, b) = tokio::join!(world.done(command()), world.done(command()));
    let first = sent(a);
    let run_id = started.run_id;
    assert_eq!(first.outcome, SentOutcome::Joined { run_id });
    assert_eq!(sent(b), first);
    let call = world.script.call().await;
    let dead = home.copy();
    assert_eq!(sent(world.done(command()).await), first);
    call.answer("Fine.");
    world.idle().await;
    assert_eq!(sent(world.done(command()).await), first);
    world.close().await;
    let world = dead.open();
    assert_eq!(sent(world.done(command()).await), first);
    let texts = world.transcript(session_id).await;
    assert_eq!(
        texts.iter().filter(|t| t.ends_with("Rather not")).count(),
        1
    );
    world.close().await;
}

// RUN-3
#[tokio::test]
async fn a_second_click_on_stop_and_send_does_not_stop_what_the_first_one_sent() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("One").await;
    let session_id = one.session_id;
    let _call = world.script.call().await;
    let command = || keyed(session_id, "Two", "key", true);
    let first = sent(world.done(command()).await);
    let call = world.script.call().await;
    assert_eq!(sent(world.done(command()).await), first);
    assert_eq!(world.status(first.run_id()).await, RunStatus::Running);
    call.answer("2");
    world.idle().await;
    assert_eq!(world.status(first.run_id()).await, RunStatus::Completed);
    assert_eq!(world.status(one.run_id).await, RunStatus::Cancelled);
    world.close().await;
}
