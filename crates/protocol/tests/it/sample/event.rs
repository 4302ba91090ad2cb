//! Everything that happens.

use protocol::{
    AttachmentKind, AttachmentView, Block, BlockKind, BranchView, Envelope, ErrorClass, Event,
    Fill, Message, MessageStatus, QueuedMessage, RetryView, Role, RunError, RunReason, SummaryView,
    Usage,
};

use super::call::{call, calls};
use super::{AGENT, AT, ATTACHMENT, MESSAGE, RUN, SESSION, STEP};

fn block(kind: BlockKind, text: &str) -> Block {
    Block {
        kind,
        text: text.to_owned(),
    }
}

pub(super) fn asked() -> Message {
    Message {
        message_id: MESSAGE,
        position: 1,
        branch: 0,
        role: Role::User,
        status: MessageStatus::Complete,
        blocks: vec![block(BlockKind::Text, "hello")],
        attachments: Vec::new(),
        run_id: None,
        step_id: None,
        attempt: None,
        model: None,
        ending: protocol::Ending::Complete,
        created_at_ms: AT,
    }
}

/// A message with everything that can be given along with one.
pub(super) fn illustrated() -> Message {
    Message {
        attachments: attachments(),
        ..asked()
    }
}

pub(crate) fn attachments() -> Vec<AttachmentView> {
    let text = AttachmentView {
        attachment_id: ATTACHMENT,
        name: "tides.txt".to_owned(),
        kind: AttachmentKind::Text,
        media_type: "text/plain".to_owned(),
        bytes: 10,
        width: None,
        height: None,
        pages: None,
        text_bytes: Some(10),
    };
    let image = AttachmentView {
        name: "tide.png".to_owned(),
        kind: AttachmentKind::Image,
        media_type: "image/png".to_owned(),
        width: Some(800),
        height: Some(600),
        text_bytes: None,
        ..text
    };
    let pdf = AttachmentView {
        name: "tides.pdf".to_owned(),
        kind: AttachmentKind::Pdf,
        media_type: "application/pdf".to_owned(),
        pages: Some(3),
        ..text
    };
    vec![image, text, pdf]
}

pub(super) fn written() -> Message {
    Message {
        role: Role::Agent,
        status: MessageStatus::Partial,
        blocks: vec![
            block(BlockKind::Reasoning, "hm"),
            block(BlockKind::Text, "a \"reply\"\n"),
            block(BlockKind::Arguments, "{\"path\":"),
        ],
        run_id: Some(RUN),
        step_id: Some(STEP),
        attempt: Some(2),
        model: Some("guide".to_owned()),
        position: 2,
        branch: 1,
        ..asked()
    }
}

pub(super) fn unreadable() -> Message {
    Message {
        status: MessageStatus::Unreadable,
        ..asked()
    }
}

pub(super) fn run_error() -> RunError {
    RunError {
        class: ErrorClass::RateLimit,
        message: "Too many calls.".to_owned(),
    }
}

pub(super) fn retry() -> RetryView {
    RetryView {
        error: run_error(),
        failed: 2,
        of: 5,
        at_ms: AT + 30_000,
    }
}

pub(super) const fn usage() -> Usage {
    Usage {
        input_tokens: Some(7),
        output_tokens: Some(8),
        cached_tokens: Some(3),
        cache_write_tokens: Some(2),
        cost_microusd: Some(120),
    }
}

pub(super) const fn fill() -> Fill {
    Fill {
        tokens: 1_200,
        of: Some(8_192),
        is_estimated: true,
    }
}

pub(super) fn summed_up() -> Vec<SummaryView> {
    let summary = |branch, kept| SummaryView {
        position: 7,
        branch,
        kept,
        text: "They wanted a plan.".to_owned(),
        model: "guide".to_owned(),
        created_at_ms: AT,
    };
    vec![summary(0, None), summary(1, Some(3))]
}

pub(super) fn queue() -> Vec<QueuedMessage> {
    vec![QueuedMessage {
        message_id: MESSAGE,
        text: "and then?".to_owned(),
        attachments: attachments(),
        created_at_ms: AT,
    }]
}

pub(super) fn branches() -> Vec<BranchView> {
    let first = BranchView {
        branch: 0,
        parent: None,
        from_position: 1,
        created_at_ms: AT,
    };
    let second = BranchView {
        branch: 1,
        parent: Some(0),
        from_position: 3,
        created_at_ms: AT + 1,
    };
    vec![first, second]
}

pub(crate) fn events() -> Vec<Event> {
    let mut events = of_sessions();
    events.extend(of_steps());
    events.extend(of_runs());
    events
}

fn of_sessions() -> Vec<Event> {
    let mut events = vec![
        Event::SessionCreated {
            agent_id: AGENT,
            title: None,
        },
        Event::SessionCreated {
            agent_id: AGENT,
            title: Some("Title".to_owned()),
        },
        Event::SessionRenamed {
            title: "Title".to_owned(),
        },
        Event::MessageAdded { message: asked() },
        Event::MessageAdded {
            message: illustrated(),
        },
        Event::MessageAdded {
            message: unreadable(),
        },
        Event::QueueChanged { queue: queue() },
        Event::QueueChanged { queue: Vec::new() },
        Event::BranchSelected { branch: 1 },
        Event::SessionArchived { is_archived: true },
        Event::AgentChanged { agent_id: AGENT },
        Event::ModelChanged {
            model: Some("guide".to_owned()),
        },
        Event::ModelChanged { model: None },
        Event::Unrecognised {
            kind: "weather_changed".to_owned(),
        },
    ];
    let started = |branch| Event::BranchStarted { branch };
    events.extend(branches().into_iter().map(started));
    events
}

fn of_steps() -> Vec<Event> {
    let (run_id, step_id, attempt) = (RUN, STEP, 2);
    let mut events = vec![
        Event::StepStarted {
            run_id,
            step_id,
            attempt,
            model: "guide".to_owned(),
            is_compaction: false,
        },
        Event::StepCompleted {
            run_id,
            step_id,
            attempt,
            message: written(),
            calls: Vec::new(),
            usage: Usage::default(),
            fill: None,
        },
        Event::StepCompleted {
            run_id,
            step_id,
            attempt,
            message: written(),
            calls: vec![call()],
            usage: usage(),
            fill: Some(fill()),
        },
        Event::StepStarted {
            run_id,
            step_id,
            attempt,
            model: "guide".to_owned(),
            is_compaction: true,
        },
        Event::StepCancelled { run_id, step_id },
    ];
    for summary in summed_up() {
        let is_own = summary.kept.is_some();
        events.push(Event::HistorySummarised {
            run_id,
            step_id: is_own.then_some(step_id),
            attempt: is_own.then_some(attempt),
            summary,
            usage: is_own.then(usage),
        });
    }
    for message in [None, Some(written())] {
        events.push(Event::StepInterrupted {
            run_id,
            step_id,
            attempt,
            message: message.clone(),
        });
        events.push(Event::StepFailed {
            run_id,
            step_id,
            attempt,
            error: run_error(),
            message,
        });
    }
    let changed = |call| Event::ToolCallChanged {
        call: Box::new(call),
    };
    events.extend(calls().into_iter().map(changed));
    events
}

fn of_runs() -> Vec<Event> {
    let run_id = RUN;
    let mut events = vec![
        Event::RunWaiting { run_id },
        Event::RunContinued { run_id },
        Event::RetryScheduled {
            run_id,
            retry: retry(),
        },
        Event::RunStopped {
            run_id,
            reason: RunReason::StoppedByUser,
        },
        Event::RunInterrupted {
            run_id,
            reason: RunReason::AppEnded,
        },
        Event::RunResumed { run_id },
        Event::RunCompleted { run_id },
        Event::RunFailed {
            run_id,
            error: run_error(),
        },
        Event::RunCancelled {
            run_id,
            reason: RunReason::Discarded,
        },
    ];
    for retry_of in [None, Some(RUN)] {
        events.push(Event::RunStarted {
            run_id,
            message_id: MESSAGE,
            agent_id: AGENT,
            model: "guide".to_owned(),
            retry_of,
        });
    }
    events
}

pub(crate) const fn envelope(event: Event) -> Envelope {
    Envelope {
        session_id: SESSION,
        seq: 7,
        at_ms: AT,
        event,
    }
}
