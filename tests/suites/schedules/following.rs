//! Following: whoever reads, then waits, misses nothing that is committed meanwhile, and sees nothing
//! twice.

use std::collections::HashSet;
use std::sync::Arc;

use protocol::SessionId;
use shuttle::future::block_on;
use shuttle::sync::Mutex;
use shuttle::thread;
use uuid::Uuid;

use super::bus::{Bus, Look};

const COMMITS: u32 = 4;

/// A session's events, as a store would keep them.
pub(super) type Events = Arc<Mutex<Vec<u32>>>;

pub(super) fn session(number: u128) -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(number))
}

/// A follower: what it has read, and up to where.
pub(super) struct Follower {
    pub(super) events: Events,
    pub(super) read: Vec<u32>,
}

impl Look for Follower {
    type Found = ();
    type Error = ();

    async fn look(&mut self) -> Result<Option<()>, ()> {
        let new = self.events.lock().unwrap()[self.read.len()..].to_vec();
        // Between the read and the wait anything may happen.
        shuttle::future::yield_now().await;
        self.read.extend(&new);
        Ok((!new.is_empty()).then_some(()))
    }
}

/// Commits one after the other, each published after it is there.
pub(super) fn commit_all(bus: &Bus, events: &Events) {
    for event in 1..=COMMITS {
        events.lock().unwrap().push(event);
        thread::yield_now();
        bus.publish(&[session(1)], event % 2 == 0);
    }
}

/// One commits, two follow from wherever they begin; then it is closed.
pub(super) fn followers_miss_nothing_and_see_nothing_twice() {
    let (bus, events) = (Arc::new(Bus::default()), Events::default());
    let followers = [0, 1].map(|_| {
        let (bus, events) = (Arc::clone(&bus), Arc::clone(&events));
        thread::spawn(move || {
            block_on(async {
                let mut listener = bus.listen(session(1)).unwrap();
                let read = Vec::new();
                let mut follower = Follower { events, read };
                while follower.read.len() < COMMITS as usize {
                    assert_eq!(listener.until(&mut follower).await, Ok(Some(())));
                }
                assert_eq!(follower.read, (1..=COMMITS).collect::<Vec<u32>>());
            });
        })
    });
    let late = {
        let (bus, events) = (Arc::clone(&bus), Arc::clone(&events));
        thread::spawn(move || {
            block_on(async {
                // May come before, between or after the commits and the close.
                let Some(mut listener) = bus.listen(session(1)) else {
                    return;
                };
                let read = Vec::new();
                let mut follower = Follower { events, read };
                while listener.until(&mut follower).await == Ok(Some(())) {}
                let expected: Vec<u32> = (1..=COMMITS).collect();
                assert!(expected.starts_with(&follower.read));
            });
        })
    };
    commit_all(&bus, &events);
    for follower in followers {
        follower.join().unwrap();
    }
    bus.close();
    late.join().unwrap();
    assert!(bus.listen(session(1)).is_none());
    assert_eq!(bus.counts(), (0, 0), "nothing is left behind");
}

/// Whoever follows the list hears of every session that changed, and of its end.
pub(super) fn the_list_hears_of_every_session() {
    let bus = Arc::new(Bus::default());
    let watch = bus.watch().unwrap();
    let watcher = thread::spawn(move || {
        block_on(async {
            let mut heard = HashSet::new();
            while let Some(sessions) = watch.take().await {
                assert!(!sessions.is_empty());
                heard.extend(sessions);
                heard.extend(watch.take_now());
            }
            heard
        })
    });
    let writers = [1, 2].map(|writer| {
        let bus = Arc::clone(&bus);
        thread::spawn(move || {
            for number in 0..3 {
                bus.publish(&[session(writer * 10 + number)], false);
            }
            bus.publish(&[session(99)], true);
        })
    });
    for writer in writers {
        writer.join().unwrap();
    }
    bus.close();
    let heard = watcher.join().unwrap();
    let expected = [10, 11, 12, 20, 21, 22].map(session);
    assert_eq!(heard, HashSet::from(expected));
}
