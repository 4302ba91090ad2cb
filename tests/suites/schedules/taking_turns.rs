//! Turns: one decision about a session at a time, in the order they were asked for, and whoever waits
//! no longer leaves nothing behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::FutureExt;
use shuttle::future::block_on;
use shuttle::thread;

use super::following::session;
use super::turns::Turns;

const DECISIONS: u32 = 3;

/// Three decide about one session, one of them also about another, and one is impatient.
pub(super) fn one_at_a_time_and_nothing_is_left() {
    let turns = Turns::default();
    let deciding = Arc::new(AtomicU32::new(0));
    let deciders = [1, 2, 3].map(|decider| {
        let (turns, deciding) = (turns.clone(), Arc::clone(&deciding));
        thread::spawn(move || {
            block_on(async {
                for _ in 0..DECISIONS {
                    if decider == 1 {
                        drop(turns.take(session(2)).await);
                    }
                    let turn = turns.take(session(1)).await;
                    assert_eq!(deciding.fetch_add(1, Ordering::SeqCst), 0, "two at once");
                    shuttle::future::yield_now().await;
                    assert_eq!(deciding.fetch_sub(1, Ordering::SeqCst), 1);
                    drop(turn);
                }
            });
        })
    });
    let impatient = {
        let turns = turns.clone();
        thread::spawn(move || {
            for _ in 0..DECISIONS {
                // Asks, and waits no longer than a moment.
                drop(turns.take(session(1)).now_or_never());
                thread::yield_now();
            }
        })
    };
    for decider in deciders {
        decider.join().unwrap();
    }
    impatient.join().unwrap();
    assert_eq!(turns.count(), 0, "a session that nobody decides about");
}
