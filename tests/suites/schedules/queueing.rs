//! The writer's queue: whatever is submitted is answered once, in order, and never before its commit.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use shuttle::thread;

use super::Error;
use super::queue::{Queue, Work};

/// An item of a batch that cannot be written: nobody's is.
const SPOILS_ITS_BATCH: u32 = 12;
const SUBMITTERS: u32 = 2;
const ITEMS: u32 = 4;

/// What was committed and answered, outside of what is scheduled.
#[derive(Debug, Default)]
struct Seen {
    committed: Vec<u32>,
    answers: Vec<(u32, Result<(), Error>)>,
    closed: u32,
    given_up: u32,
}

type Shared = Arc<Mutex<Seen>>;

/// A writer that notes what it commits. Item 11 is refused by itself.
struct Notes(Shared);

impl Work for Notes {
    type Item = u32;

    fn patience(&self) -> Option<Duration> {
        None
    }

    fn rest(&mut self) {}

    fn write(&mut self, items: &[u32]) -> Result<Vec<Result<(), Error>>, Error> {
        thread::yield_now();
        if items.contains(&SPOILS_ITS_BATCH) {
            return Err(Error::DiskFull);
        }
        let write = |item: &u32| {
            if *item == 11 {
                return Err(Error::Conflict("it is eleven"));
            }
            lock(&self.0).committed.push(*item);
            Ok(())
        };
        let results = items.iter().map(write).collect();
        thread::yield_now();
        Ok(results)
    }

    fn tidy(&mut self) {
        thread::yield_now();
    }

    fn close(self) -> Result<(), Error> {
        lock(&self.0).closed += 1;
        Ok(())
    }

    fn give_up(self) {
        lock(&self.0).given_up += 1;
    }
}

fn lock(seen: &Shared) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap()
}

/// Submits the items of one submitter, one after the other. `kept` goes with the last answer.
fn submit_all(queue: &Arc<Queue<u32>>, seen: &Shared, first: u32, keeps: bool) {
    for item in first..first + ITEMS {
        let (noted, kept) = (Arc::clone(seen), keeps.then(|| Arc::clone(queue)));
        queue.submit(
            item,
            Box::new(move |result| {
                if result.is_ok() {
                    let is_committed = lock(&noted).committed.contains(&item);
                    assert!(is_committed, "{item} was acknowledged before its commit");
                }
                lock(&noted).answers.push((item, result));
                drop(kept);
            }),
        );
    }
}

/// Every item was answered once; those that were let in, in their order; and what was said of each
/// is so.
fn check(seen: &Seen, refusals: bool) {
    for submitter in 1..=SUBMITTERS {
        let items = submitter * 10..submitter * 10 + ITEMS;
        let of = |(item, _): &&(u32, Result<(), Error>)| items.contains(item);
        let mut answered: Vec<u32> = seen.answers.iter().filter(of).map(|one| one.0).collect();
        let let_in = seen.answers.iter().filter(of);
        let let_in = let_in.filter(|(_, result)| !matches!(result, Err(Error::Closed)));
        let order: Vec<u32> = let_in.map(|one| one.0).collect();
        assert!(order.is_sorted(), "answered out of order: {order:?}");
        answered.sort_unstable();
        assert_eq!(answered, items.collect::<Vec<u32>>(), "not answered once");
    }
    for (item, result) in &seen.answers {
        let is_committed = seen.committed.contains(item);
        assert_eq!(result.is_ok(), is_committed, "{item}: {result:?}");
        let is_closed = matches!(result, Err(Error::Closed));
        assert!(refusals || !is_closed, "{item} was refused for no reason");
    }
    let mut once = seen.committed.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), seen.committed.len(), "written twice");
}

/// Two submit while a third closes. What comes too late is refused; what was let in before is written
/// and answered when `close` is over.
pub(super) fn submitting_races_with_closing() {
    let seen = Shared::default();
    let queue = Arc::new(Queue::start(Notes(Arc::clone(&seen))).unwrap());
    let submitters = (1..=SUBMITTERS).map(|submitter| {
        let (queue, seen) = (Arc::clone(&queue), Arc::clone(&seen));
        thread::spawn(move || submit_all(&queue, &seen, submitter * 10, false))
    });
    let submitters: Vec<_> = submitters.collect();
    let closers = [0, 1].map(|_| {
        let (queue, seen) = (Arc::clone(&queue), Arc::clone(&seen));
        thread::spawn(move || {
            let result = queue.close();
            let seen = lock(&seen);
            assert!(result.is_ok());
            seen.answers.len()
        })
    });
    for submitter in submitters {
        submitter.join().unwrap();
    }
    for closer in closers {
        closer.join().unwrap();
    }
    let seen = lock(&seen);
    check(&seen, true);
    assert_eq!((seen.closed, seen.given_up), (1, 0));
}

/// Nobody closes: handles just go, the last one wherever it happens to be, be it in an answer on the
/// writer's own thread. Everything that was submitted is written all the same.
pub(super) fn the_last_handle_goes_anywhere() {
    let seen = Shared::default();
    let queue = Arc::new(Queue::start(Notes(Arc::clone(&seen))).unwrap());
    let submitters = (1..=SUBMITTERS).map(|submitter| {
        let (queue, seen) = (Arc::clone(&queue), Arc::clone(&seen));
        thread::spawn(move || submit_all(&queue, &seen, submitter * 10, submitter == 1))
    });
    let submitters: Vec<_> = submitters.collect();
    drop(queue);
    for submitter in submitters {
        submitter.join().unwrap();
    }
    // The writer may still be at it if the last handle went on its own thread.
    while lock(&seen).given_up == 0 {
        thread::yield_now();
    }
    let seen = lock(&seen);
    check(&seen, false);
    assert_eq!((seen.closed, seen.given_up), (0, 1));
}
