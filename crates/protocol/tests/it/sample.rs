//! One of everything that is said, with all of its fields and with as few as possible.

mod call;
mod command;
mod event;
mod provider;
mod reply;
mod session;

use protocol::{
    AgentFields, AgentId, AgentView, AttachmentId, CallId, MessageId, ProviderId, RuleId, RunId,
    RunLimits, SessionId, StepId,
};
use uuid::Uuid;

pub(crate) use call::{approvals, calls, decisions, parts, resolutions};
pub(crate) use command::{agent_fields, commands, scopes, settings};
pub(crate) use event::{envelope, events};
pub(crate) use provider::{found, served_states, states, tests};
pub(crate) use reply::{errors, outcomes, pushes, replies, starts};
pub(crate) use session::{exports, snapshots};

const fn uuid(last: u128) -> Uuid {
    Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0abc | last << 12)
}

const AGENT: AgentId = AgentId::from_uuid(uuid(1));
const SESSION: SessionId = SessionId::from_uuid(uuid(2));
const MESSAGE: MessageId = MessageId::from_uuid(uuid(3));
const RUN: RunId = RunId::from_uuid(uuid(4));
const STEP: StepId = StepId::from_uuid(uuid(5));
const CALL: CallId = CallId::from_uuid(uuid(6));
const RULE: RuleId = RuleId::from_uuid(uuid(7));
const PROVIDER: ProviderId = ProviderId::from_uuid(uuid(8));
const ATTACHMENT: AttachmentId = AttachmentId::from_uuid(uuid(9));

/// When things happen.
const AT: u64 = 1_700_000_000_000;
/// A digest.
const DIGEST: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn agent_view(fields: AgentFields) -> AgentView {
    AgentView {
        agent_id: AGENT,
        fields,
        is_default: false,
        revision: 3,
        created_at_ms: AT,
        updated_at_ms: AT + 1,
    }
}

fn bare_agent() -> AgentFields {
    AgentFields {
        name: "Scribe".to_owned(),
        instructions: None,
        model: None,
        tools: None,
        limits: RunLimits::default(),
    }
}
