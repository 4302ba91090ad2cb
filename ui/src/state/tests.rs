//! What the engine says in, state out.

mod branch;
mod calls;
mod list;
mod models;
mod run;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use leptos::prelude::*;
use protocol::{
    AgentId, Block, BlockKind, CommandError, Delta, Envelope, ErrorClass, ErrorCode, Event,
    LiveBlock, LiveStep, Message, MessageId, MessageStatus, Push, Role, RunError, RunId, RunReason,
    RunStatus, RunView, SessionId, SessionSnapshot, SessionSummary, StepId, Usage, UsageTotal,
};
use reactive_stores::Store;
use uuid::Uuid;

use super::*;

const SESSION: SessionId = SessionId::from_uuid(Uuid::from_u128(1));
const OTHER: SessionId = SessionId::from_uuid(Uuid::from_u128(2));
const AGENT: AgentId = AgentId::from_uuid(Uuid::from_u128(3));
const RUN: RunId = RunId::from_uuid(Uuid::from_u128(4));
const STEP: StepId = StepId::from_uuid(Uuid::from_u128(5));

/// The state as a person would describe it.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    seq: u64,
    sync: SyncState,
    /// Role, text, why it ends where it ends.
    messages: Vec<(Role, String, Cut)>,
    run: Option<(RunStatus, Option<RunReason>)>,
    /// Attempt and the text of each block.
    live: Option<(u32, Vec<String>)>,
}

/// A window on one session.
struct Window {
    store: Store<AppState>,
    _owner: Owner,
}

impl Window {
    /// A window that has just taken this snapshot.
    fn on(snapshot: SessionSnapshot) -> Self {
        let owner = Owner::new();
        let store = owner.with(|| Store::new(AppState::default()));
        clear_session(store, Some(SESSION));
        apply_snapshot(store, snapshot);
        Self {
            store,
            _owner: owner,
        }
    }

    fn events(&self, events: impl IntoIterator<Item = (u64, Event)>) -> &Self {
        for (seq, event) in events {
            apply(self.store, envelope(SESSION, seq, event));
        }
        self
    }

    fn deltas(&self, deltas: impl IntoIterator<Item = Delta>) -> &Self {
        for delta in deltas {
            apply(self.store, Push::Delta(delta));
        }
        self
    }

    fn seen(&self) -> Seen {
        let session = self.store.session();
        let text_of = |(key, _): &(LiveKey, BlockKind)| {
            let text = session.live_texts().at_key(*key).text();
            text.try_get_untracked().unwrap_or_default()
        };
        Seen {
            seq: session.seq().get_untracked(),
            sync: session.sync().get_untracked(),
            messages: session
                .messages()
                .get_untracked()
                .iter()
                .map(|row| (row.message.role, row.message.text(), row.cut))
                .collect(),
            run: session
                .run()
                .get_untracked()
                .map(|run| (run.status, run.reason)),
            live: session
                .live()
                .get_untracked()
                .map(|live| (live.attempt, live.blocks.iter().map(text_of).collect())),
        }
    }
}

fn envelope(session_id: SessionId, seq: u64, event: Event) -> Push {
    Push::Event(Envelope {
        session_id,
        seq,
        at_ms: seq * 1_000,
        event,
    })
}

fn summary(session_id: SessionId, updated_at_ms: u64) -> SessionSummary {
    SessionSummary {
        session_id,
        title: Some(format!("at {updated_at_ms}")),
        agent_id: AGENT,
        model: None,
        is_archived: false,
        problem: None,
        forked_from: None,
        queued: 0,
        run: None,
        attention: None,
        created_at_ms: 1,
        updated_at_ms,
    }
}

fn snapshot(seq: u64, messages: Vec<Message>) -> SessionSnapshot {
    SessionSnapshot {
        session: summary(SESSION, 1),
        seq,
        messages,
        has_earlier: false,
        calls: Vec::new(),
        queue: Vec::new(),
        branch: 0,
        branches: Vec::new(),
        workspace: "/work".to_owned(),
        usage: UsageTotal::default(),
        fill: None,
        summaries: Vec::new(),
        live: None,
    }
}

fn message(position: u64, role: Role, text: &str) -> Message {
    let is_agent = role == Role::Agent;
    Message {
        message_id: MessageId::from_uuid(Uuid::from_u128(u128::from(position))),
        position,
        branch: 0,
        role,
        status: MessageStatus::Complete,
        blocks: vec![Block {
            kind: BlockKind::Text,
            text: text.to_owned(),
        }],
        attachments: Vec::new(),
        run_id: Some(RUN),
        step_id: is_agent.then_some(STEP),
        attempt: is_agent.then_some(1),
        model: is_agent.then(|| "guide".to_owned()),
        ending: protocol::Ending::Complete,
        created_at_ms: position,
    }
}

fn partial(position: u64, text: &str) -> Message {
    Message {
        status: MessageStatus::Partial,
        ..message(position, Role::Agent, text)
    }
}

fn delta(attempt: u32, block: u32, offset: u64, text: &str) -> Delta {
    Delta {
        session_id: SESSION,
        step_id: STEP,
        attempt,
        block,
        kind: BlockKind::Text,
        offset,
        text: text.to_owned(),
    }
}

fn asked() -> Event {
    Event::MessageAdded {
        message: message(1, Role::User, "Hello"),
    }
}

fn run_started() -> Event {
    Event::RunStarted {
        run_id: RUN,
        message_id: MessageId::from_uuid(Uuid::from_u128(1)),
        agent_id: AGENT,
        model: "guide".to_owned(),
        retry_of: None,
    }
}

fn step_started(attempt: u32) -> Event {
    Event::StepStarted {
        run_id: RUN,
        step_id: STEP,
        attempt,
        model: "guide".to_owned(),
        is_compaction: false,
    }
}

fn step_completed(attempt: u32, message: Message) -> Event {
    Event::StepCompleted {
        run_id: RUN,
        step_id: STEP,
        attempt,
        message,
        calls: Vec::new(),
        usage: Usage::default(),
        fill: None,
    }
}

fn step_interrupted(attempt: u32, message: Option<Message>) -> Event {
    Event::StepInterrupted {
        run_id: RUN,
        step_id: STEP,
        attempt,
        message,
    }
}

/// A window on a run whose first step streams.
fn streaming() -> Window {
    let window = Window::on(snapshot(0, vec![]));
    window.events([(1, asked()), (2, run_started()), (3, step_started(1))]);
    window
}

#[test]
fn a_run_from_message_to_end() {
    let window = streaming();
    window.deltas([delta(1, 0, 0, "Good "), delta(1, 0, 5, "day")]);
    let hello = (Role::User, "Hello".to_owned(), Cut::Whole);
    assert_eq!(
        window.seen(),
        Seen {
            seq: 3,
            sync: SyncState::Current,
            messages: vec![hello.clone()],
            run: Some((RunStatus::Running, None)),
            live: Some((1, vec!["Good day".to_owned()])),
        }
    );
    window.events([
        (4, step_completed(1, message(2, Role::Agent, "Good day."))),
        (5, Event::RunCompleted { run_id: RUN }),
    ]);
    assert_eq!(
        window.seen(),
        Seen {
            seq: 5,
            sync: SyncState::Current,
            messages: vec![hello, (Role::Agent, "Good day.".to_owned(), Cut::Whole)],
            run: Some((RunStatus::Completed, None)),
            live: None,
        }
    );
}

#[test]
fn a_snapshot_goes_on_where_it_was_made() {
    let live = LiveStep {
        run_id: RUN,
        step_id: STEP,
        attempt: 1,
        model: "guide".to_owned(),
        started_at_ms: 1,
        is_compaction: false,
        blocks: vec![LiveBlock {
            block: 0,
            kind: BlockKind::Text,
            text: "Good ".to_owned(),
        }],
    };
    let hello = message(1, Role::User, "Hello");
    let window = Window::on(SessionSnapshot {
        live: Some(live),
        ..snapshot(3, vec![hello])
    });
    // What the snapshot holds comes again, then what follows.
    window.events([(1, asked()), (2, run_started()), (3, step_started(1))]);
    window.deltas([delta(1, 0, 0, "Good d"), delta(1, 0, 6, "ay")]);
    assert_eq!(window.seen().live, Some((1, vec!["Good day".to_owned()])));
    assert_eq!(window.seen().messages.len(), 1);
    assert_eq!(window.seen().seq, 3);
}

#[test]
fn an_event_that_was_taken_is_ignored() {
    let window = streaming();
    window.events([(1, asked()), (3, step_started(1))]);
    assert_eq!(window.seen().messages.len(), 1);
    assert_eq!(window.seen().sync, SyncState::Current);
}

#[test]
fn a_gap_in_events_asks_to_subscribe_again() {
    let window = streaming();
    window.events([(5, Event::RunCompleted { run_id: RUN })]);
    let seen = window.seen();
    assert_eq!((seen.seq, seen.sync), (3, SyncState::Resubscribe));
    assert_eq!(seen.run, Some((RunStatus::Running, None)));
}

#[test]
fn a_gap_in_text_asks_for_a_snapshot() {
    let window = streaming();
    window.deltas([delta(1, 0, 0, "Good"), delta(1, 0, 5, "day")]);
    assert_eq!(window.seen().live, Some((1, vec!["Good".to_owned()])));
    assert_eq!(window.seen().sync, SyncState::Snapshot);
}

#[test]
fn text_of_an_unknown_step_asks_for_a_snapshot() {
    let window = Window::on(snapshot(0, vec![]));
    window.deltas([delta(1, 0, 0, "Good")]);
    assert_eq!(window.seen().sync, SyncState::Snapshot);
    assert_eq!(window.seen().live, None);
}

#[test]
fn overlapping_text_is_taken_once() {
    let window = streaming();
    window.deltas([
        delta(1, 0, 0, "Süß"),
        delta(1, 0, 0, "Süß"),
        delta(1, 0, 1, "üße "),
        delta(1, 0, 7, "See"),
    ]);
    assert_eq!(window.seen().live, Some((1, vec!["Süße See".to_owned()])));
    assert_eq!(window.seen().sync, SyncState::Current);
}

#[test]
fn text_that_ends_inside_a_character_is_a_gap() {
    let window = streaming();
    window.deltas([delta(1, 0, 0, "Sü"), delta(1, 0, 2, "ü!")]);
    assert_eq!(window.seen().live, Some((1, vec!["Sü".to_owned()])));
    assert_eq!(window.seen().sync, SyncState::Snapshot);
}

#[test]
fn blocks_do_not_mix() {
    let window = streaming();
    window.deltas([
        delta(1, 1, 0, "reply"),
        delta(1, 0, 0, "thought"),
        delta(1, 1, 5, "!"),
    ]);
    let texts = vec!["thought".to_owned(), "reply!".to_owned()];
    assert_eq!(window.seen().live, Some((1, texts)));
}

#[test]
fn a_second_attempt_starts_fresh() {
    let window = streaming();
    window.deltas([delta(1, 0, 0, "First")]);
    window.events([(4, step_interrupted(1, None)), (5, step_started(2))]);
    // A straggler of the first attempt belongs to nothing any more.
    window.deltas([delta(1, 0, 5, " try"), delta(2, 0, 0, "Second")]);
    assert_eq!(window.seen().live, Some((2, vec!["Second".to_owned()])));
    assert_eq!(window.seen().sync, SyncState::Current);
}

#[test]
fn an_attempt_that_follows_without_an_end_starts_fresh_too() {
    let window = streaming();
    window.deltas([delta(1, 0, 0, "First")]);
    window.events([(4, step_started(2))]);
    window.deltas([delta(2, 0, 0, "Second")]);
    assert_eq!(window.seen().live, Some((2, vec!["Second".to_owned()])));
}

#[test]
fn what_a_stop_cut_off_is_kept_and_says_so() {
    let window = streaming();
    window.deltas([delta(1, 0, 0, "Good d")]);
    window.events([
        (4, step_interrupted(1, Some(partial(2, "Good d")))),
        (
            5,
            Event::RunStopped {
                run_id: RUN,
                reason: RunReason::StoppedByUser,
            },
        ),
    ]);
    let seen = window.seen();
    assert_eq!(
        seen.messages.last(),
        Some(&(Role::Agent, "Good d".to_owned(), Cut::Stopped))
    );
    assert_eq!(seen.live, None);
    assert_eq!(
        seen.run,
        Some((RunStatus::Stopped, Some(RunReason::StoppedByUser)))
    );
    // Resuming does not change why the text ends there.
    window.events([(6, Event::RunResumed { run_id: RUN }), (7, step_started(2))]);
    let seen = window.seen();
    assert_eq!(seen.messages.last().map(|row| row.2), Some(Cut::Stopped));
    assert_eq!(seen.run, Some((RunStatus::Running, None)));
}

#[test]
fn what_a_failure_cut_off_is_kept_and_says_so() {
    let window = streaming();
    let error = RunError {
        class: ErrorClass::Network,
        message: "The connection broke.".to_owned(),
    };
    window.events([
        (
            4,
            Event::StepFailed {
                run_id: RUN,
                step_id: STEP,
                attempt: 1,
                error: error.clone(),
                message: Some(partial(2, "Good")),
            },
        ),
        (5, Event::RunFailed { run_id: RUN, error }),
    ]);
    let seen = window.seen();
    assert_eq!(
        seen.messages.last(),
        Some(&(Role::Agent, "Good".to_owned(), Cut::Failed))
    );
    assert_eq!(seen.run, Some((RunStatus::Failed, None)));
}

#[test]
fn a_snapshot_tells_why_its_last_partial_message_ends() {
    let run = RunView {
        run_id: RUN,
        session_id: SESSION,
        agent_id: AGENT,
        model: "guide".to_owned(),
        status: RunStatus::Interrupted,
        reason: Some(RunReason::AppEnded),
        error: None,
        steps_completed: 0,
        retry_of: None,
        retry: None,
        crashes: 1,
        usage: UsageTotal::default(),
        created_at_ms: 1,
        updated_at_ms: 2,
    };
    let mut taken = snapshot(4, vec![partial(1, "Go"), partial(2, "Good")]);
    taken.session.run = Some(run);
    let window = Window::on(taken);
    // The run knows why it was cut off last, not why before that.
    assert_eq!(
        window.seen().messages,
        [
            (Role::Agent, "Go".to_owned(), Cut::Unknown),
            (Role::Agent, "Good".to_owned(), Cut::Interrupted),
        ]
    );
}

#[test]
fn an_unknown_event_is_skipped_and_counted() {
    let window = streaming();
    let kind = "tide_turned".to_owned();
    window.events([(4, Event::Unrecognised { kind })]);
    assert_eq!(
        (window.seen().seq, window.seen().sync),
        (4, SyncState::Current)
    );
}

#[test]
fn another_session_changes_nothing() {
    let window = streaming();
    let before = window.seen();
    apply(
        window.store,
        envelope(OTHER, 4, Event::RunCompleted { run_id: RUN }),
    );
    window.deltas([Delta {
        session_id: OTHER,
        ..delta(1, 0, 0, "x")
    }]);
    let mut late = snapshot(9, vec![]);
    late.session.session_id = OTHER;
    apply_snapshot(window.store, late);
    assert_eq!(window.seen(), before);
}

#[test]
fn an_ended_subscription_is_taken_up_again() {
    let ended = |session_id| Push::Ended {
        session_id,
        error: CommandError::new(ErrorCode::Internal, "It ended.", "Again."),
    };
    let window = streaming();
    apply(window.store, ended(Some(OTHER)));
    assert_eq!(window.seen().sync, SyncState::Current);
    apply(window.store, ended(Some(SESSION)));
    assert_eq!(window.seen().sync, SyncState::Resubscribe);
    // STR-4: a cursor that the engine does not know takes a new snapshot; what is shown stays.
    let before = window.seen().messages;
    apply(
        window.store,
        Push::Ended {
            session_id: Some(SESSION),
            error: CommandError::new(ErrorCode::InvalidCursor, "Truncated.", "Again."),
        },
    );
    assert_eq!(window.seen().sync, SyncState::Snapshot);
    assert_eq!(window.seen().messages, before);
    apply(window.store, ended(None));
    let list_sync = window.store.list_sync().get_untracked();
    assert_eq!(list_sync, SyncState::Resubscribe);
}

#[test]
fn earlier_messages_go_before_and_none_twice() {
    let window = Window::on(snapshot(1, vec![message(3, Role::User, "three")]));
    let page = vec![
        message(1, Role::User, "one"),
        message(2, Role::User, "two"),
        message(3, Role::User, "three"),
    ];
    apply_earlier(window.store, SESSION, page, Vec::new(), true);
    let texts: Vec<String> = window
        .seen()
        .messages
        .into_iter()
        .map(|row| row.1)
        .collect();
    assert_eq!(texts, ["one", "two", "three"]);
    assert!(window.store.session().has_earlier().get_untracked());
}

#[test]
fn the_list_takes_new_rows_and_never_goes_back() {
    let window = Window::on(snapshot(0, vec![]));
    let updated = || {
        let mut rows: Vec<(SessionId, u64)> = window
            .store
            .sessions()
            .get_untracked()
            .iter()
            .map(|row| (row.session_id, row.updated_at_ms))
            .collect();
        rows.sort_unstable();
        rows
    };
    apply(window.store, Push::Session(Box::new(summary(OTHER, 5))));
    apply(window.store, Push::Session(Box::new(summary(OTHER, 4))));
    apply(window.store, Push::Session(Box::new(summary(SESSION, 7))));
    assert_eq!(updated(), [(SESSION, 7), (OTHER, 5)]);
    apply_sessions(window.store, vec![summary(SESSION, 6), summary(OTHER, 8)]);
    assert_eq!(updated(), [(SESSION, 7), (OTHER, 8)]);
}

#[test]
fn a_delta_wakes_its_block_and_nothing_else() {
    let window = streaming();
    window.deltas([delta(1, 0, 0, "a"), delta(1, 1, 0, "b")]);
    let session = window.store.session();
    let keys: Vec<LiveKey> = session
        .live()
        .get_untracked()
        .map(|live| live.blocks.iter().map(|(key, _)| *key).collect())
        .unwrap_or_default();
    let text = |block: usize| session.live_texts().at_key(keys[block]).text();
    let (first, second) = (text(0), text(1));
    let list = counted(move || session.messages().track());
    let head = counted(move || session.live().track());
    let store = window.store;
    let sessions = counted(move || store.sessions().track());
    let own = counted(move || first.track());
    let sibling = counted(move || second.track());
    let woken = || [list(), head(), sessions(), sibling(), own()];
    assert_eq!(woken(), [1, 1, 1, 1, 1]);
    window.deltas([delta(1, 0, 1, "more")]);
    assert_eq!(woken(), [1, 1, 1, 1, 2]);
}

/// How often something that reads this would have been woken, asked again each time.
fn counted(read: impl Fn() + Send + Sync + 'static) -> impl Fn() -> usize {
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let memo = Memo::new(move |_| {
        read();
        counter.fetch_add(1, Ordering::Relaxed)
    });
    move || {
        memo.get_untracked();
        runs.load(Ordering::Relaxed)
    }
}
