//! The tools that other tests trust.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use engine::{CallInput, Checked, Intent, Output, StateChange, Tool, ToolContext, ToolError};
use protocol::{CallId, EffectClass, ErrorClass, SessionId, Verdict};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{Ledger, Phase, test_tools};

struct Fixture {
    folder: TempDir,
    ledger: Ledger,
}

impl Fixture {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let ledger = Ledger::new(folder.path().join("ledger"));
        Self { folder, ledger }
    }

    fn tool(&self, name: &str) -> Arc<dyn Tool> {
        test_tools(&self.folder.path().join("ledger"))
            .into_iter()
            .find(|tool| tool.spec().name == name)
            .expect(name)
    }

    fn call(&self, arguments: &Value) -> CallInput {
        CallInput {
            session_id: SessionId::from_uuid(Uuid::from_u128(1)),
            call_id: CallId::from_uuid(Uuid::from_u128(2)),
            arguments: arguments.to_string(),
            workspace: self.folder.path().to_owned(),
        }
    }

    async fn run(&self, name: &str, arguments: Value) -> Result<Output, ToolError> {
        let call = self.call(&arguments);
        let context = context();
        self.tool(name)
            .run(&call, &Intent::default(), &context)
            .await
    }

    async fn check(&self, arguments: Value) -> Result<Checked, ToolError> {
        let call = self.call(&arguments);
        let tool = self.tool("checked");
        assert!(tool.can_check());
        tool.check(&call, &Intent::default()).await
    }

    fn phases(&self) -> Vec<Phase> {
        let entries = self.ledger.entries().unwrap();
        entries.iter().map(|entry| entry.phase).collect()
    }
}

fn context() -> ToolContext {
    ToolContext {
        cancel: CancellationToken::new(),
        state: BTreeMap::from([("seen".to_owned(), json!(1))]),
        withheld: engine::Withheld::default(),
    }
}

#[tokio::test]
async fn arguments_say_what_a_call_looks_like() {
    let fixture = Fixture::new();
    let bound = fixture.folder.path().join("bound");
    for tool in test_tools(&bound) {
        let plain = tool.plan(&fixture.call(&json!({}))).await.unwrap();
        assert_eq!(plain.verdict, Verdict::Allow);
        assert_eq!((plain.resources.len(), plain.binding.len()), (0, 0));
        for class in EffectClass::ALL {
            std::fs::write(&bound, class.as_str()).unwrap();
            let arguments = json!({
                "class": class, "ask": true, "resources": ["a", "b"], "subject": "s",
                "bound_to": bound, "whatever": 1,
            });
            let plan = tool.plan(&fixture.call(&arguments)).await.unwrap();
            assert_eq!((plan.effect, plan.verdict), (class, Verdict::Ask));
            assert_eq!(plan.resources, ["a", "b"]);
            assert_eq!(plan.preview.subject.as_deref(), Some("s"));
            assert_eq!(
                plan.binding,
                blake3::hash(class.as_str().as_bytes()).as_bytes()
            );
        }
        let denied = tool.plan(&fixture.call(&json!({"deny": true}))).await;
        assert_eq!(denied.unwrap().verdict, Verdict::Deny);
        assert!(
            tool.plan(&fixture.call(&json!({"class": "twice"})))
                .await
                .is_err()
        );
    }
}

#[tokio::test]
async fn every_effect_is_one_line_in_the_ledger() {
    let fixture = Fixture::new();
    assert!(fixture.ledger.entries().unwrap().is_empty());
    for class in EffectClass::ALL {
        let arguments = json!({"class": class});
        fixture
            .run("ledger_append", arguments.clone())
            .await
            .unwrap();
        let entry = fixture.ledger.entries().unwrap().pop().unwrap();
        let hash = blake3::hash(arguments.to_string().as_bytes());
        assert_eq!(entry.effect_key, fixture.call(&arguments).effect_key());
        assert_eq!(entry.arguments_hash, hash.to_hex().to_string());
        assert_eq!((entry.class, entry.phase), (class, Phase::Effect));
        assert_eq!(entry.pid, std::process::id());
    }
    fixture
        .run("ledger_append", json!({"trace": true}))
        .await
        .unwrap();
    assert_eq!(
        fixture.phases()[3..],
        [Phase::Began, Phase::Effect, Phase::Ended]
    );
    let key = fixture.call(&json!({})).effect_key();
    assert_eq!(fixture.ledger.effects(&key).unwrap(), 4);
    assert_eq!(fixture.ledger.effects("another").unwrap(), 0);
}

#[tokio::test]
async fn a_torn_last_line_is_no_entry() {
    let fixture = Fixture::new();
    fixture.run("ledger_append", json!({})).await.unwrap();
    let path = fixture.folder.path().join("ledger");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(b"{\"effect_key\": \"ca");
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(fixture.phases(), [Phase::Effect]);
}

#[tokio::test]
async fn an_effect_can_be_stopped_before_it_happens() {
    let fixture = Fixture::new();
    let call = fixture.call(&json!({"before_ms": 60_000}));
    let (tool, context) = (fixture.tool("ledger_append"), context());
    let intent = Intent::default();
    let body = tool.run(&call, &intent, &context);
    let stop = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        context.cancel.cancel();
    };
    let (ended, ()) = tokio::join!(body, stop);
    let error = ended.unwrap_err();
    assert_eq!(
        (error.class, error.is_definite),
        (ErrorClass::Cancelled, true)
    );
    assert!(fixture.phases().is_empty());
}

#[tokio::test]
async fn a_check_looks_and_does_nothing() {
    let fixture = Fixture::new();
    assert_eq!(fixture.check(json!({})).await, Ok(Checked::DidNotHappen));
    let lost = fixture
        .run("checked", json!({"lost": true}))
        .await
        .unwrap_err();
    assert!(!lost.is_definite);
    let output = fixture.run("ledger_append", json!({})).await.unwrap();
    assert_eq!(
        fixture.check(json!({})).await,
        Ok(Checked::Happened(output.text))
    );
    let unknown = fixture.check(json!({"check": "unknown"})).await;
    assert_eq!(unknown, Ok(Checked::Unknown));
    assert!(fixture.check(json!({"check": "fails"})).await.is_err());
    let hanging = fixture.check(json!({"check": "hangs"}));
    assert!(
        tokio::time::timeout(Duration::from_millis(20), hanging)
            .await
            .is_err()
    );
    let effects = fixture.phases();
    let effects = effects.iter().filter(|phase| **phase == Phase::Effect);
    assert_eq!(effects.count(), 2, "those of the two bodies");
}

#[tokio::test(start_paused = true)]
async fn slow_ends_in_time_or_when_it_is_stopped_unless_it_does_not_hear() {
    let fixture = Fixture::new();
    assert!(fixture.run("slow", json!({"ms": 3_600_000})).await.is_ok());
    let tool = fixture.tool("slow");
    let context = context();
    context.cancel.cancel();
    for (arguments, is_ok) in [
        (json!({}), false),
        (json!({"ms": 1_000}), false),
        (json!({"ms": 1_000, "ignore_cancel": true}), true),
    ] {
        let call = fixture.call(&arguments);
        let ended = tool.run(&call, &Intent::default(), &context).await;
        assert_eq!(ended.is_ok(), is_ok, "{arguments}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_breaks_breaks_where_it_was_asked_to() {
    let fixture = Arc::new(Fixture::new());
    for (at, breaks) in [
        ("plan", [true, false, false]),
        ("prepare", [false, true, false]),
        ("run", [false, false, true]),
    ] {
        for name in ["panics", "hangs", "fails"] {
            let mut broken = [false; 3];
            for (stage, broken) in broken.iter_mut().enumerate() {
                let fixture = Arc::clone(&fixture);
                let call = fixture.call(&json!({"at": at}));
                let body = tokio::spawn(async move {
                    let tool = fixture.tool(name);
                    match stage {
                        0 => tool.plan(&call).await.is_ok(),
                        1 => tool.prepare(&call).await.is_ok(),
                        _ => tool
                            .run(&call, &Intent::default(), &context())
                            .await
                            .is_ok(),
                    }
                });
                let ended = tokio::time::timeout(Duration::from_millis(200), body).await;
                *broken = !matches!(ended, Ok(Ok(true)));
            }
            assert_eq!(broken, breaks, "{name} at {at}");
        }
    }
}

#[tokio::test]
async fn fails_says_whether_its_end_was_seen() {
    let fixture = Fixture::new();
    let error = fixture.run("fails", json!({})).await.unwrap_err();
    assert_eq!((error.class, error.is_definite), (ErrorClass::Tool, true));
    let arguments = json!({
        "unobserved": true, "effect": true, "message": "gone", "error_class": "timeout",
    });
    let error = fixture.run("fails", arguments).await.unwrap_err();
    assert_eq!(
        (error.class, error.is_definite, error.message.as_str()),
        (ErrorClass::Timeout, false, "gone")
    );
    assert_eq!(fixture.phases(), [Phase::Effect]);
}

#[tokio::test]
async fn prints_exactly_that_much() {
    let fixture = Fixture::new();
    for (arguments, bytes) in [
        (json!({}), 0),
        (json!({"bytes": 1_000_000}), 1_000_000),
        (json!({"bytes": 10, "unit": "→"}), 9),
        (json!({"bytes": 10, "unit": ""}), 0),
    ] {
        let output = fixture.run("prints", arguments.clone()).await.unwrap();
        assert_eq!(output.text.len(), bytes, "{arguments}");
    }
}

#[tokio::test]
async fn counts_changes_state_and_says_what_it_saw() {
    let fixture = Fixture::new();
    let changes = vec![
        StateChange::Add {
            key: "n".to_owned(),
            by: 2,
        },
        StateChange::Replace {
            values: BTreeMap::new(),
        },
    ];
    let output = fixture
        .run("counts", json!({"changes": changes}))
        .await
        .unwrap();
    assert_eq!(
        output,
        Output {
            text: r#"{"seen":1}"#.to_owned(),
            state: changes,
        }
    );
}
