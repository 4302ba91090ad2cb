//! Going on from an earlier place: fork, edit, regenerate, and back.

use protocol::{
    CallStatus, Command, ErrorClass, ErrorCode, Event, MessageId, Reply, RunStatus, SessionId,
};
use serde_json::json;

use crate::acting::{asks, failed, finished, started, text};
use crate::fixture::{Home, Started, World};
use crate::follower::Follower;

impl World {
    pub(crate) async fn edit(&self, message_id: MessageId, text: &str) -> Started {
        let command = Command::EditMessage {
            message_id,
            text: text.to_owned(),
            request_key: None,
        };
        started(self.done(command).await)
    }

    async fn regenerate(&self, message_id: MessageId) -> Started {
        let command = Command::Regenerate {
            message_id,
            request_key: None,
        };
        started(self.done(command).await)
    }

    pub(crate) async fn select(&self, session_id: SessionId, branch: u32) {
        self.done(Command::SelectBranch { session_id, branch })
            .await;
    }

    pub(crate) async fn fork(&self, session_id: SessionId, message_id: MessageId) -> SessionId {
        let command = Command::ForkSession {
            session_id,
            message_id,
        };
        match self.done(command).await {
            Reply::Session(session) => session.session_id,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn ids(&self, session_id: SessionId) -> Vec<MessageId> {
        let messages = self.snapshot(session_id).await.messages;
        messages.iter().map(|message| message.message_id).collect()
    }

    /// Two exchanges, the first with a tool call: One, (call), 1, Two, 2.
    async fn talked(&self) -> SessionId {
        let one = self.start("One").await;
        let call = self.script.call().await;
        call.say(text("Let me see."));
        call.say(asks(
            "provider-1",
            "prints",
            &json!({"bytes": 3, "unit": "x"}),
        ));
        call.say(finished());
        self.script.call().await.answer("1");
        self.until_run(one.session_id, RunStatus::Completed).await;
        self.say(one.session_id, "Two").await;
        self.script.call().await.answer("2");
        self.until_run(one.session_id, RunStatus::Completed).await;
        one.session_id
    }
}

// RUN-23
#[tokio::test]
async fn a_fork_from_any_message_has_that_history_and_goes_on_by_itself() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.talked().await;
    let (ids, before) = (world.ids(session_id).await, world.events(session_id).await);
    let texts = world.transcript(session_id).await;
    let old_call = world.only_call(session_id).await;
    for (index, message_id) in ids.iter().enumerate() {
        let fork = world.fork(session_id, *message_id).await;
        let snapshot = world.snapshot(fork).await;
        assert_eq!(snapshot.session.forked_from, Some(session_id));
        assert_eq!(snapshot.session.title.as_deref(), Some("One (fork)"));
        assert_eq!(world.transcript(fork).await, texts[..=index]);
        let new_ids = world.ids(fork).await;
        assert!(new_ids.iter().all(|id| !ids.contains(id)), "ids of its own");
        assert_eq!(snapshot.calls.len(), usize::from(index >= 1));
        for call in &snapshot.calls {
            assert_ne!(call.call_id, old_call.call_id);
            assert_eq!(call.message_id, new_ids[1]);
            assert_eq!(call.result, old_call.result);
            assert_eq!(call.session_id, fork);
        }
        assert_eq!(snapshot.session.attention, None);
        world.say(fork, "And now?").await;
        let call = world.script.call().await;
        let told = call.told();
        assert_eq!(told.first().unwrap(), "user: One");
        assert_eq!(told.last().unwrap(), "user: And now?");
        assert_eq!(told.len(), index + 2 + usize::from(index >= 1), "{told:?}");
        call.answer("Now.");
        world.until_run(fork, RunStatus::Completed).await;
    }
    assert_eq!(world.events(session_id).await, before);
    let unknown = Command::ForkSession {
        session_id,
        message_id: MessageId::from_uuid(uuid::Uuid::from_u128(7)),
    };
    assert_eq!(world.code(unknown).await, ErrorCode::NotFound);
    world.close().await;
}

// RUN-23, EFF-3
#[tokio::test]
async fn a_fork_takes_no_open_call_along() {
    let home = Home::new();
    let world = home.open();
    for one in [world.waiting().await, world.doubtful().await] {
        let last = *world.ids(one.session_id).await.last().unwrap();
        let effects = std::fs::read(home.ledger()).unwrap_or_default();
        let fork = world.fork(one.session_id, last).await;
        let call = world.only_call(fork).await;
        assert_eq!(call.status, CallStatus::Cancelled);
        assert_eq!((call.approval, call.doubt), (None, None));
        assert_eq!(world.attention(fork).await, None);
        assert!(world.attention(one.session_id).await.is_some());
        world.say(fork, "Go on").await;
        let asked = world.script.call().await;
        assert!(asked.told()[2].starts_with("error: Not known here"));
        asked.answer("Fine.");
        world.until_run(fork, RunStatus::Completed).await;
        assert_eq!(std::fs::read(home.ledger()).unwrap_or_default(), effects);
    }
    world.close().await;
}

// RUN-23, STR-4
#[tokio::test]
async fn an_edited_message_makes_a_branch_and_the_old_one_stays() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.talked().await;
    let (old_ids, old) = (
        world.ids(session_id).await,
        world.transcript(session_id).await,
    );
    let mut follower = Follower::new(&world, session_id, 0);
    let again = world.edit(old_ids[3], "Two, but better").await;
    let call = world.script.call().await;
    assert_eq!(
        call.told(),
        [
            "user: One",
            "agent: Let me see. +1",
            "result: xxx",
            "agent: 1 +0",
            "user: Two, but better"
        ]
    );
    call.answer("2!");
    world.until_run(session_id, RunStatus::Completed).await;
    let snapshot = world.snapshot(session_id).await;
    assert_eq!(snapshot.branch, 1);
    let branches: Vec<_> = snapshot
        .branches
        .iter()
        .map(|b| (b.branch, b.parent, b.from_position))
        .collect();
    assert_eq!(branches, [(0, None, 1), (1, Some(0), 4)]);
    let new_ids = world.ids(session_id).await;
    assert_eq!(new_ids[..3], old_ids[..3], "what is shared keeps its ids");
    assert_eq!(new_ids[3], again.message_id);
    assert!(!new_ids[3..].iter().any(|id| old_ids.contains(id)));
    assert_eq!(snapshot.messages[4].position, 5);
    assert_eq!(snapshot.messages[4].branch, 1);
    // The window is told to rewind.
    follower.until_event("branch_started").await;
    let rewound = follower.events.iter().find_map(|e| match &e.event {
        Event::BranchStarted { branch } => Some(branch.from_position),
        _ => None,
    });
    assert_eq!(rewound, Some(4));
    // Back, also after a restart; and everything is as it was.
    world.select(session_id, 0).await;
    follower.until_event("branch_selected").await;
    assert_eq!(world.ids(session_id).await, old_ids);
    let dead = home.copy();
    world.close().await;
    let world = dead.open();
    assert_eq!(world.transcript(session_id).await, old);
    assert_eq!(world.recovered.violations, 0);
    world.say(session_id, "Three").await;
    let call = world.script.call().await;
    assert!(!call.told().iter().any(|text| text.contains("better")));
    call.answer("3");
    world.until_run(session_id, RunStatus::Completed).await;
    world.select(session_id, 1).await;
    assert_eq!(world.ids(session_id).await, new_ids);
    world.close().await;
}

// RUN-23
#[tokio::test]
async fn branches_of_branches_hold_only_their_own_way() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.talked().await;
    let ids = world.ids(session_id).await;
    // Branch 1 from Two; branch 2 from before branch 1 began; branch 3 within branch 2.
    world.edit(ids[3], "Two b").await;
    world.script.call().await.answer("2 b");
    world.until_run(session_id, RunStatus::Completed).await;
    world.edit(ids[0], "One c").await;
    let call = world.script.call().await;
    assert_eq!(call.told(), ["user: One c"], "no call of another branch");
    call.answer("1 c");
    world.until_run(session_id, RunStatus::Completed).await;
    assert_eq!(world.calls(session_id).await, []);
    let newest = *world.ids(session_id).await.last().unwrap();
    world.regenerate(newest).await;
    let call = world.script.call().await;
    assert_eq!(call.told(), ["user: One c"]);
    call.answer("1 d");
    world.until_run(session_id, RunStatus::Completed).await;
    let expected: [&[&str]; 4] = [
        &["One", "Let me see.", "1", "Two", "2"],
        &["One", "Let me see.", "1", "Two b", "2 b"],
        &["One c", "1 c"],
        &["One c", "1 d"],
    ];
    for (branch, expected) in (0..).zip(expected) {
        world.select(session_id, branch).await;
        let snapshot = world.snapshot(session_id).await;
        let texts: Vec<_> = snapshot.messages.iter().map(|m| m.text()).collect();
        assert_eq!(texts, expected);
        let positions: Vec<_> = snapshot.messages.iter().map(|m| m.position).collect();
        assert_eq!(positions, (1..=expected.len() as u64).collect::<Vec<_>>());
        assert_eq!(snapshot.session.run.unwrap().status, RunStatus::Completed);
    }
    let gone = Command::SelectBranch {
        session_id,
        branch: 4,
    };
    assert_eq!(world.code(gone).await, ErrorCode::NotFound);
    let before = world.events(session_id).await;
    world.select(session_id, 3).await;
    assert_eq!(
        world.events(session_id).await,
        before,
        "it is shown already"
    );
    // What is in another branch is not edited from here.
    for message_id in [ids[3], ids[0]] {
        let edit = Command::EditMessage {
            message_id,
            text: "Elsewhere".to_owned(),
            request_key: None,
        };
        assert_eq!(world.code(edit).await, ErrorCode::NotActionable);
    }
    world.close().await;
}

// RUN-23, RUN-15
#[tokio::test]
async fn a_reply_in_the_middle_of_tool_calls_is_written_anew_after_their_results() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.talked().await;
    let ids = world.ids(session_id).await;
    let first_run = world.snapshot(session_id).await.messages[2].run_id;
    // The reply after the results.
    let again = world.regenerate(ids[2]).await;
    assert_eq!(again.message_id, ids[0], "the message that it answers");
    let call = world.script.call().await;
    assert_eq!(call.told().len(), 3);
    call.answer("1 again");
    world.until_run(session_id, RunStatus::Completed).await;
    assert_eq!(world.run(again.run_id).await.retry_of, first_run);
    // The reply with the calls.
    world.regenerate(ids[1]).await;
    let call = world.script.call().await;
    assert_eq!(call.told(), ["user: One"]);
    // A provider that repeats its ids over branches confuses nobody.
    call.say(asks(
        "provider-1",
        "prints",
        &json!({"bytes": 1, "unit": "y"}),
    ));
    call.say(finished());
    let call = world.script.call().await;
    assert_eq!(call.told(), ["user: One", "agent:  +1", "result: y"]);
    call.answer("Anew.");
    world.until_run(session_id, RunStatus::Completed).await;
    // The person's own message, answered anew.
    world.regenerate(ids[0]).await;
    assert_eq!(world.script.call().await.told(), ["user: One"]);
    let own = Command::EditMessage {
        message_id: ids[1],
        text: "Not mine".to_owned(),
        request_key: None,
    };
    let code = world.code(own).await;
    assert!(matches!(
        code,
        ErrorCode::NotActionable | ErrorCode::AlreadyRunning
    ));
    world.close().await;
}

// RUN-23, RUN-3
#[tokio::test]
async fn an_edit_gives_a_halted_run_up_but_neither_a_live_one_nor_a_doubt() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("One").await;
    let _call = world.script.call().await;
    let edit = |key: &str| Command::EditMessage {
        message_id: one.message_id,
        text: "One b".to_owned(),
        request_key: Some(key.to_owned()),
    };
    assert_eq!(
        world.refused(edit("early")).await,
        (ErrorCode::AlreadyRunning, Some(one.run_id))
    );
    world.stop(one.run_id).await;
    let (a, b) = tokio::join!(world.done(edit("key")), world.done(edit("key")));
    let again = started(a);
    assert_eq!(started(b), again);
    assert_eq!(world.status(one.run_id).await, RunStatus::Cancelled);
    let call = world.script.call().await;
    assert_eq!(call.told(), ["user: One b"]);
    assert!(!world.script.has_call().await);
    call.say(failed(ErrorClass::Auth, "No."));
    world.until_run(one.session_id, RunStatus::Failed).await;
    assert_eq!(started(world.done(edit("key")).await), again);
    assert_eq!(world.snapshot(one.session_id).await.branches.len(), 2);
    let doubtful = world.doubtful().await;
    world.stop(doubtful.run_id).await;
    let before = world.events(doubtful.session_id).await;
    let edit = Command::EditMessage {
        message_id: doubtful.message_id,
        text: "Other".to_owned(),
        request_key: None,
    };
    assert_eq!(world.code(edit).await, ErrorCode::NotActionable);
    assert_eq!(world.events(doubtful.session_id).await, before);
    world.close().await;
}
