//! That the suite can fail: the same scene with a follower that listens too late is caught.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use shuttle::future::block_on;
use shuttle::thread;

use super::bus::{Bus, Look};
use super::explore;
use super::following::{Events, Follower, commit_all, session};

/// Looks first and listens then: what is committed in between wakes nobody.
fn a_follower_that_listens_too_late() {
    let (bus, events) = (Arc::new(Bus::default()), Events::default());
    let follower = {
        let (bus, events) = (Arc::clone(&bus), Arc::clone(&events));
        thread::spawn(move || {
            block_on(async {
                let read = Vec::new();
                let mut follower = Follower { events, read };
                while follower.read.is_empty() {
                    assert!(follower.look().await.is_ok());
                    let mut listener = bus.listen(session(1)).unwrap();
                    assert!(listener.until(&mut Wait::default()).await.is_ok());
                }
            });
        })
    };
    commit_all(&bus, &events);
    follower.join().unwrap();
}

/// Finds something when it is woken, whatever there is.
#[derive(Default)]
struct Wait {
    is_woken: bool,
}

impl Look for Wait {
    type Found = ();
    type Error = ();

    async fn look(&mut self) -> Result<Option<()>, ()> {
        Ok(std::mem::replace(&mut self.is_woken, true).then_some(()))
    }
}

#[test]
fn a_lost_wake_up_is_found() {
    let found = catch_unwind(AssertUnwindSafe(|| {
        explore(a_follower_that_listens_too_late, 2_000)
    }));
    let said = found.expect_err("the lost wake-up was not found");
    let said = said.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(said.contains("deadlock"), "{said}");
}
