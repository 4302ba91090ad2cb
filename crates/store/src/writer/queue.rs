//! The hand-off to the one writer: what is submitted is gathered, written together, and answered
//! once, in its order, after its commit.
//!
//! It knows nothing of what is written. What it is made of comes from `super`, so that the test that
//! tries out schedules can compile this very file with locks and threads of its own.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use super::Error;
use super::faults::{self, Mutant, Point};
use super::sync::{Builder, JoinHandle, Mutex, Receiver, Sender, channel, current, now};

/// At most so many share a commit.
const BATCH: usize = 256;
/// Gathering what is queued takes at most this long.
const GATHER: Duration = Duration::from_millis(2);

/// Called once, with what became of what was submitted.
pub(super) type Done = Box<dyn FnOnce(Result<(), Error>) + Send>;

enum Job<T> {
    Write(T, Done),
    Close(Done),
}

/// What the writer's thread does with what it is handed.
pub(super) trait Work: Send + 'static {
    /// What is written.
    type Item: Send + 'static;

    /// How long it can wait for the next item; for ever if there is nothing.
    fn patience(&self) -> Option<Duration>;

    /// Nothing came for so long.
    fn rest(&mut self);

    /// Writes all of them in one commit, and says for each whether it is in it. An error is
    /// everybody's: there was no commit.
    fn write(&mut self, items: &[Self::Item]) -> Result<Vec<Result<(), Error>>, Error>;

    /// Everybody was answered: what nobody has to wait for.
    fn tidy(&mut self);

    /// The last thing that was asked for, after everything that was submitted before.
    fn close(self) -> Result<(), Error>;

    /// Every handle is gone, and nobody asked for a close.
    fn give_up(self);
}

/// The handle of those who submit. Dropping it waits until what is queued is written.
pub(super) struct Queue<T: Send + 'static> {
    /// `None` once closed.
    jobs: Mutex<Option<Sender<Job<T>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl<T: Send + 'static> Queue<T> {
    pub(super) fn start(work: impl Work<Item = T>) -> Result<Self, Error> {
        let (sender, receiver) = channel();
        let thread = Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || run(work, &receiver))?;
        Ok(Self {
            jobs: Mutex::new(Some(sender)),
            thread: Mutex::new(Some(thread)),
        })
    }

    pub(super) fn submit(&self, item: T, done: Done) {
        let refused = {
            let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
            match jobs.as_ref() {
                Some(jobs) => jobs.send(Job::Write(item, done)).err().map(|error| error.0),
                None => Some(Job::Write(item, done)),
            }
        };
        if let Some(Job::Write(_, done) | Job::Close(done)) = refused {
            done(Err(Error::Closed));
        }
    }

    /// Waits until everything queued before is written, then ends the thread.
    pub(super) fn close(&self) -> Result<(), Error> {
        let Some(jobs) = self.take_jobs() else {
            return Ok(());
        };
        let (sender, receiver) = channel();
        let done: Done = Box::new(move |result| drop(sender.send(result)));
        let result = match jobs.send(Job::Close(done)) {
            Ok(()) => receiver.recv().unwrap_or(Err(Error::Closed)),
            Err(_) => Err(Error::Closed),
        };
        self.wait_for_thread();
        result
    }

    fn take_jobs(&self) -> Option<Sender<Job<T>>> {
        self.jobs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    fn wait_for_thread(&self) {
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(thread) = thread else {
            return;
        };
        // The last handle may go in an answer, on the very thread that would be waited for.
        if thread.thread().id() == current().id() {
            return;
        }
        if thread.join().is_err() {
            tracing::error!(name: "store.writer.panicked", "the writer thread ended in a panic");
        }
    }
}

/// Without a close, what is queued is still written before the folder is given away.
impl<T: Send + 'static> Drop for Queue<T> {
    fn drop(&mut self) {
        drop(self.take_jobs());
        self.wait_for_thread();
    }
}

impl<T: Send + 'static> fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}

enum Next<T> {
    Batch(Vec<T>, Vec<Done>, Option<Done>),
    /// Nothing came for as long as it can wait.
    Nothing,
    /// Every handle is gone.
    Gone,
}

fn run<W: Work>(mut work: W, jobs: &Receiver<Job<W::Item>>) {
    loop {
        match gather(&work, jobs) {
            Next::Nothing => work.rest(),
            Next::Gone => return work.give_up(),
            Next::Batch(items, answers, close) => {
                if !items.is_empty() {
                    write(&mut work, &items, answers);
                    work.tidy();
                }
                if let Some(done) = close {
                    return done(work.close());
                }
            }
        }
    }
}

fn gather<W: Work>(work: &W, jobs: &Receiver<Job<W::Item>>) -> Next<W::Item> {
    let first = match work.patience() {
        None => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        Some(patience) => jobs.recv_timeout(patience),
    };
    let first = match first {
        Ok(job) => job,
        Err(RecvTimeoutError::Timeout) => return Next::Nothing,
        Err(RecvTimeoutError::Disconnected) => return Next::Gone,
    };
    let started = now();
    let (mut items, mut answers) = (Vec::new(), Vec::new());
    let mut next = Some(first);
    while let Some(job) = next {
        match job {
            Job::Write(item, done) => {
                items.push(item);
                answers.push(done);
            }
            Job::Close(done) => return Next::Batch(items, answers, Some(done)),
        }
        let is_full = items.len() >= BATCH || started.elapsed() >= GATHER;
        next = if is_full { None } else { jobs.try_recv().ok() };
    }
    Next::Batch(items, answers, None)
}

fn write<W: Work>(work: &mut W, items: &[W::Item], mut answers: Vec<Done>) {
    if faults::is_mutant(Mutant::AcknowledgeBeforeCommit) {
        for done in std::mem::take(&mut answers) {
            answer(done, Ok(()));
        }
    }
    match work.write(items) {
        Ok(results) => {
            for (done, result) in answers.into_iter().zip(results) {
                answer(done, result);
            }
            faults::pass(Point::Answered);
        }
        Err(error) => {
            tracing::error!(name: "store.commit.failed", %error, transitions = items.len());
            for done in answers {
                answer(done, Err(error.clone()));
            }
        }
    }
}

/// A caller that panics must not take the writer, and with it everyone else, along.
fn answer(done: Done, result: Result<(), Error>) {
    if catch_unwind(AssertUnwindSafe(|| done(result))).is_err() {
        tracing::error!(name: "store.answer.panicked", "an answer ended in a panic");
    }
}
