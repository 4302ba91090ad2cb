//! Growth: what one more event, one more step and opening cost in a session with a long history.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use engine::{Clock, Ids, RandomIds, SystemClock};
use protocol::{
    Block, BlockKind, Command, Event, Message, MessageId, MessageStatus, Role, SessionId,
};
use serde_json::{Value, json};
use store::{Change, Sync, Transition};

use crate::actors::{Answer, Asking};
use crate::meter::{Lane, Next, percentile_us, timed};
use crate::scene::Scene;

/// How often each thing is done; the median counts.
const TIMES: usize = 51;
/// One event in so many comes with a message: a session of 100,000 events has 10,000 messages.
const PER_MESSAGE: u32 = 10;
/// Events that are written together while the history is made.
const AT_ONCE: u32 = 1_000;

pub(crate) async fn measure(folder: &Path, events: u32) -> Result<Value> {
    let lanes: Arc<[Lane]> = Arc::from([Lane::default()]);
    let model = Arc::new(Asking {
        lanes: Arc::clone(&lanes),
        calls: TIMES,
    });
    let tool = Arc::new(Answer {
        lanes: Arc::clone(&lanes),
    });
    let scene = Scene::open(folder, model, vec![tool])?;
    let agent_id = scene.tireless_agent().await?;
    let session_id = scene.create_session(Some(agent_id)).await?;
    write_history(&scene, session_id, events)?;

    let mut appended = Vec::new();
    for number in 0..TIMES {
        let command = Command::RenameSession {
            session_id,
            title: format!("Title {number}"),
        };
        appended.push(took(&scene, command).await?);
    }
    let mut opened = Vec::new();
    for _ in 0..TIMES {
        let command = Command::GetSession {
            session_id,
            limit: None,
        };
        opened.push(took(&scene, command).await?);
    }
    let run_id = scene.start_run(session_id, "Go on.").await?;
    scene.engine.idle().await;
    scene.steps_of(run_id).await?;
    scene.close().await?;
    let lane = lanes.first();
    let median = |next| percentile_us(&mut lane.map(|l| l.waits_for(next)).unwrap_or_default(), 50);
    Ok(json!({
        "events": events,
        "append_us": percentile_us(&mut appended, 50),
        "open_us": percentile_us(&mut opened, 50),
        "reply_to_tool_us": median(Next::ToolCall),
        "result_to_model_us": median(Next::ModelCall),
    }))
}

async fn took(scene: &Scene, command: Command) -> Result<Duration> {
    let (reply, took) = timed(scene.execute(command)).await;
    reply.map(|_| took)
}

/// Written as the engine would write it, only many at once: through the engine it would take hours.
fn write_history(scene: &Scene, session_id: SessionId, events: u32) -> Result<()> {
    let ids = RandomIds::default();
    let mut changes = Vec::new();
    let mut position = 0;
    for number in 0..events {
        let at_ms = SystemClock.now_ms();
        let event = if number % PER_MESSAGE == 0 {
            position += 1;
            let message = message(&ids, position, at_ms);
            changes.push(Change::AddMessage {
                session_id,
                message: message.clone(),
                native: None,
            });
            Event::MessageAdded { message }
        } else {
            Event::SessionRenamed {
                title: format!("Title {number}"),
            }
        };
        changes.push(Change::AppendEvent {
            session_id,
            at_ms,
            event,
        });
        if number % AT_ONCE == AT_ONCE - 1 || number == events - 1 {
            scene.store.apply(Transition {
                sync: Sync::Barrier,
                changes: std::mem::take(&mut changes),
            })?;
        }
    }
    Ok(())
}

/// The first one is the number of the lane.
fn message(ids: &RandomIds, position: u64, at_ms: u64) -> Message {
    let text = if position == 1 {
        "0".to_owned()
    } else {
        "What a person writes, a line or two of it, as in most messages there are.".to_owned()
    };
    Message {
        message_id: MessageId::from_uuid(ids.next(at_ms)),
        position,
        branch: 0,
        role: Role::User,
        status: MessageStatus::Complete,
        blocks: vec![Block {
            kind: BlockKind::Text,
            text,
        }],
        attachments: Vec::new(),
        run_id: None,
        step_id: None,
        attempt: None,
        model: None,
        ending: protocol::Ending::Complete,
        created_at_ms: at_ms,
    }
}
