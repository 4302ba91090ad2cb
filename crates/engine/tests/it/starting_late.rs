//! A call that is about to start when its run is halted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use engine::{CallInput, Intent, Output, Plan, Tool, ToolContext, ToolFuture, ToolSpec};
use protocol::{CallStatus, EffectClass};
use serde_json::json;
use tokio::sync::Notify;

use crate::calls::one_call;
use crate::fixture::{Home, soon};
use crate::follower::Follower;

/// A tool that can be held right before its body.
#[derive(Debug, Default)]
struct Gated {
    entered: Notify,
    go: Notify,
    bodies: AtomicU32,
}

impl Tool for Gated {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "gated".to_owned(),
            description: "Waits right before its body.".to_owned(),
            parameters: json!({"type": "object"}),
        }
    }

    fn plan<'a>(&'a self, _: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async {
            Ok(Plan {
                effect: EffectClass::Once,
                verdict: protocol::Verdict::Allow,
                preview: protocol::CallPreview {
                    summary: "Gated".to_owned(),
                    subject: None,
                    parts: Vec::new(),
                },
                resources: Vec::new(),
                binding: Vec::new(),
            })
        })
    }

    fn prepare<'a>(&'a self, _: &'a CallInput) -> ToolFuture<'a, Intent> {
        Box::pin(async {
            self.entered.notify_one();
            self.go.notified().await;
            Ok(Intent::default())
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a CallInput,
        _: &'a Intent,
        _: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        self.bodies.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(Output::text("Done.")) })
    }
}

// EFF-8, RUN-18
#[tokio::test]
async fn a_call_that_is_about_to_start_when_its_run_is_halted_never_does() {
    for is_close in [false, true] {
        let home = Home::new();
        let gated = Arc::new(Gated::default());
        let replies = vec![one_call("a", "gated", &json!({}))];
        let (world, player) = home.play_with(replies, vec![gated.clone()], 1_000_000);
        let started = world.start("Go").await;
        soon(gated.entered.notified()).await;
        let status = if is_close {
            let mut follower = Follower::new(&world, started.session_id, 0);
            let engine = world.engine.clone();
            let halted = tokio::spawn(async move { engine.halt().await });
            follower.until_event("run_interrupted").await;
            gated.go.notify_one();
            soon(halted).await.unwrap();
            CallStatus::Ready
        } else {
            world.stop(started.run_id).await;
            gated.go.notify_one();
            CallStatus::Cancelled
        };
        world.idle().await;
        world.close().await;
        assert_eq!(gated.bodies.load(Ordering::SeqCst), 0);
        assert_eq!(player.asked().len(), 1);
        let (world, _) = home.play(Vec::new());
        let call = world.calls(started.session_id).await.remove(0);
        assert_eq!((call.status, call.bodies), (status, 0));
        world.close().await;
    }
}
