//! One who follows a session, and notices every gap, repetition and mix-up on the way.

use std::collections::{BTreeMap, HashMap};

use engine::Subscription;
use protocol::{
    Delta, Envelope, Event, LiveStep, Message, Push, SessionId, SessionSnapshot, StepId,
};

use crate::fixture::{Started, World, kind, soon};
use crate::scripted::Call;

/// What a window would hold of a session.
#[derive(Debug)]
pub(crate) struct Follower {
    subscription: Subscription,
    session_id: SessionId,
    last_seq: u64,
    /// The events that came, in order.
    pub(crate) events: Vec<Envelope>,
    counts: HashMap<String, usize>,
    /// The text that came, by attempt and block.
    pub(crate) texts: BTreeMap<(StepId, u32, u32), String>,
    /// The attempts that are known to have begun.
    begun: Vec<(StepId, u32)>,
    /// The sizes of the batches that came, in pushes.
    pub(crate) batches: Vec<usize>,
}

impl Follower {
    pub(crate) fn new(world: &World, session_id: SessionId, after_seq: u64) -> Self {
        Self {
            subscription: world.engine.subscribe(session_id, after_seq).unwrap(),
            session_id,
            last_seq: after_seq,
            events: Vec::new(),
            counts: HashMap::new(),
            texts: BTreeMap::new(),
            begun: Vec::new(),
            batches: Vec::new(),
        }
    }

    /// As a window does it: first what the snapshot says, then what follows.
    pub(crate) fn after_snapshot(world: &World, snapshot: &SessionSnapshot) -> Self {
        let session_id = snapshot.session.session_id;
        let mut follower = Self::new(world, session_id, snapshot.seq);
        if let Some(LiveStep {
            step_id,
            attempt,
            blocks,
            ..
        }) = &snapshot.live
        {
            follower.begun.push((*step_id, *attempt));
            for block in blocks {
                let key = (*step_id, *attempt, block.block);
                follower.texts.insert(key, block.text.clone());
            }
        }
        follower
    }

    /// Follows until something is true of what came.
    pub(crate) async fn until(&mut self, is_there: impl Fn(&Self) -> bool) {
        while !is_there(self) {
            let batch = soon(self.subscription.next()).await.unwrap();
            self.take(batch);
        }
    }

    /// Follows until an event of this kind came.
    pub(crate) async fn until_event(&mut self, wanted: &str) {
        self.until(|follower| follower.count(wanted) > 0).await;
    }

    /// Follows until the newest attempt's text says this.
    pub(crate) async fn until_text(&mut self, wanted: &str) {
        self.until(|follower| follower.texts.values().any(|text| text == wanted))
            .await;
    }

    fn take(&mut self, batch: Vec<Push>) {
        self.batches.push(batch.len());
        for push in batch {
            match push {
                Push::Event(envelope) => self.take_event(envelope),
                Push::Delta(delta) => self.take_delta(&delta),
                Push::Session(_) | Push::Gone { .. } | Push::Show { .. } | Push::Ended { .. } => {
                    panic!("{push:?}")
                }
            }
        }
    }

    fn take_event(&mut self, envelope: Envelope) {
        assert_eq!(envelope.session_id, self.session_id);
        assert_eq!(envelope.seq, self.last_seq + 1, "a gap or a repetition");
        self.last_seq = envelope.seq;
        if let Event::StepStarted {
            step_id, attempt, ..
        } = envelope.event
        {
            self.begun.push((step_id, attempt));
        }
        self.check_text(&envelope.event);
        *self.counts.entry(kind(&envelope)).or_default() += 1;
        self.events.push(envelope);
    }

    /// A piece may repeat what the snapshot had, but never leaves anything out.
    fn take_delta(&mut self, delta: &Delta) {
        assert_eq!(delta.session_id, self.session_id);
        let attempt = (delta.step_id, delta.attempt);
        assert!(self.begun.contains(&attempt), "text before its beginning");
        let key = (delta.step_id, delta.attempt, delta.block);
        let known = self.texts.entry(key).or_default();
        let offset = usize::try_from(delta.offset).unwrap();
        let repeated = known.get(offset..).expect("a gap in the text");
        match delta.text.strip_prefix(repeated) {
            Some(new) => known.push_str(new),
            None => assert!(
                repeated.starts_with(&delta.text),
                "another text than before"
            ),
        }
    }

    /// Whatever was shown while it streamed is the beginning of what is kept.
    fn check_text(&self, event: &Event) {
        let (Event::StepCompleted { message, .. }
        | Event::StepInterrupted {
            message: Some(message),
            ..
        }
        | Event::StepFailed {
            message: Some(message),
            ..
        }) = event
        else {
            return;
        };
        let shown = self.shown(message);
        for (number, text) in shown {
            let block = &message.blocks[usize::try_from(number).unwrap()];
            assert!(block.text.starts_with(text), "{text:?} of {:?}", block.text);
        }
    }

    fn shown<'a>(&'a self, message: &Message) -> Vec<(u32, &'a str)> {
        let (step_id, attempt) = (message.step_id.unwrap(), message.attempt.unwrap());
        self.texts
            .range((step_id, attempt, 0)..=(step_id, attempt, u32::MAX))
            .map(|((_, _, number), text)| (*number, text.as_str()))
            .collect()
    }

    /// How many events of this kind came.
    pub(crate) fn count(&self, wanted: &str) -> usize {
        self.counts.get(wanted).copied().unwrap_or_default()
    }

    /// The message that the newest event with one brought.
    pub(crate) fn message(&self) -> &Message {
        let message = self
            .events
            .iter()
            .rev()
            .find_map(|envelope| match &envelope.event {
                Event::StepCompleted { message, .. } => Some(message),
                Event::StepInterrupted { message, .. } | Event::StepFailed { message, .. } => {
                    message.as_ref()
                }
                _ => None,
            });
        message.expect("no message came")
    }
}

/// A run that has streamed `text`, all of it committed.
pub(crate) async fn streaming(world: &World, text: &str) -> (Started, Call) {
    let started = world.start("Go").await;
    let call = world.script.call().await;
    call.text(text);
    let mut follower = Follower::new(world, started.session_id, 0);
    follower.until_text(text).await;
    (started, call)
}
