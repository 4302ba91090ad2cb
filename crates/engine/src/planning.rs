//! Understanding the tool calls of a reply: what each would do, and whether it may.

use std::collections::{BTreeMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use protocol::{
    ApprovalStatus, ApprovalView, CallId, CallStatus, CommandError, EffectClass, ErrorClass,
    MessageId, RuleView, RunId, SessionId, Settings, ToolCallView, ToolResult, Verdict, limits,
};
use serde_json::Value;
use store::CallRow;

use crate::Engine;
use crate::decide::PlannedCall;
use crate::digest::{Bound, hex};
use crate::pin::Pin;
use crate::policy;
use crate::tool::{CallInput, Plan, Tool, ToolError};

/// Calls of one reply that are taken up. What a model asks for beyond that is refused.
const MAX_CALLS: usize = 64;
/// Looking at the arguments takes no longer than this.
const PLAN_WITHIN: Duration = Duration::from_secs(30);
/// A tool's name, and a provider's id, as far as they are kept.
const NAME_BYTES: usize = 256;

/// A call as the model sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) arguments: String,
}

/// Where calls are planned for.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) session_id: SessionId,
    pub(crate) run_id: RunId,
    pub(crate) message_id: MessageId,
}

/// What planning needs to know of the session.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) workspace: String,
    pub(crate) pin: Pin,
    pub(crate) rules: Vec<RuleView>,
    pub(crate) settings: Settings,
    /// What the session's tools keep.
    pub(crate) state: BTreeMap<String, Value>,
    /// Which of the providers' ids that were asked about are taken.
    pub(crate) taken_ids: HashSet<String>,
}

impl Engine {
    /// What planning needs to know, from one state of the database.
    pub(crate) async fn planning_facts(
        &self,
        session_id: SessionId,
        run_id: RunId,
        provider_ids: Vec<String>,
    ) -> Result<Facts, CommandError> {
        let read = move |reader: &store::Reader<'_>| {
            let workspace = reader.workspace_of(session_id)?.unwrap_or_default();
            let pin = reader.run_facts(run_id)?.and_then(|facts| facts.pin);
            Ok(Facts {
                rules: reader.rules_for(session_id, &workspace)?,
                settings: reader.settings()?,
                state: reader.state(session_id)?,
                taken_ids: reader.provider_ids(session_id, &provider_ids)?,
                pin: Pin::read(pin.as_deref()),
                workspace,
            })
        };
        self.read_short(read).await
    }

    /// Plans every call of a reply, in order.
    pub(crate) async fn plan_calls(
        &self,
        place: &Place,
        asked: Vec<Asked>,
    ) -> Result<(Vec<PlannedCall>, Facts), CommandError> {
        let ids = asked.iter().map(|asked| kept_id(&asked.id)).collect();
        let mut facts = self
            .planning_facts(place.session_id, place.run_id, ids)
            .await?;
        let mut planned = Vec::with_capacity(asked.len());
        for (asked, ordinal) in asked.into_iter().zip(0..) {
            let mut call = self.proposed(place, asked, ordinal, &mut facts.taken_ids);
            if call.view.status == CallStatus::Proposed {
                planned.push(self.judge(call, &facts).await);
            } else {
                call.view.ended_at_ms = Some(call.view.created_at_ms);
                planned.push(PlannedCall {
                    call,
                    approval: None,
                });
            }
        }
        Ok((planned, facts))
    }

    /// A call before anyone looked at it; failed at once if it cannot be looked at.
    fn proposed(
        &self,
        place: &Place,
        asked: Asked,
        ordinal: u32,
        known: &mut HashSet<String>,
    ) -> CallRow {
        let call_id = CallId::from_uuid(self.inner.new_id());
        let mut call = CallRow {
            view: ToolCallView {
                call_id,
                session_id: place.session_id,
                run_id: place.run_id,
                message_id: place.message_id,
                ordinal,
                tool: cut(&asked.tool, NAME_BYTES, "unnamed"),
                arguments: if asked.arguments.trim().is_empty() {
                    "{}".to_owned()
                } else {
                    asked.arguments
                },
                proposed_arguments: None,
                // Until its tool says otherwise.
                effect: EffectClass::Once,
                status: CallStatus::Proposed,
                verdict: None,
                preview: None,
                approval: None,
                doubt: None,
                result: None,
                files: Vec::new(),
                bodies: 0,
                created_at_ms: self.inner.now_ms(),
                started_at_ms: None,
                ended_at_ms: None,
            },
            revision: 0,
            provider_id: unique(&asked.id, call_id, known),
            tool_hash: None,
            resources: Vec::new(),
            digest: None,
            detail: None,
            step_id: None,
            attempt: 0,
        };
        if ordinal as usize >= MAX_CALLS {
            let text = format!("Refused: more than {MAX_CALLS} calls in one reply.");
            fail(&mut call, &ToolError::definite(text).of(ErrorClass::Limit));
        } else if call.view.arguments.len() > limits::ARGUMENTS_BYTES {
            let cap = limits::ARGUMENTS_BYTES;
            call.view.arguments = cut(&call.view.arguments, cap, "{}");
            let text = format!("The arguments are longer than {cap} bytes.");
            fail(&mut call, &ToolError::definite(text).of(ErrorClass::Limit));
        }
        call
    }

    /// What the call would do, and whether it may.
    pub(crate) async fn judge(&self, mut call: CallRow, facts: &Facts) -> PlannedCall {
        let planned = self.plan_one(&call, facts).await;
        let (plan, tool_hash) = match planned {
            Ok(planned) => planned,
            Err(error) => {
                fail(&mut call, &error);
                call.view.ended_at_ms = Some(self.inner.now_ms());
                return PlannedCall {
                    call,
                    approval: None,
                };
            }
        };
        let digest = self.digest_of(&call, facts, &plan, tool_hash);
        let subject = plan.preview.subject.as_deref();
        let verdict = policy::verdict(&facts.rules, &call.view.tool, subject, plan.verdict);
        let decided = verdict.verdict;
        call.view.effect = plan.effect;
        call.view.verdict = Some(verdict);
        call.view.preview = Some(plan.preview);
        call.tool_hash = Some(tool_hash);
        call.resources = plan.resources;
        call.digest = Some(digest);
        let approval = match decided {
            Verdict::Allow => {
                call.view.status = CallStatus::Ready;
                None
            }
            Verdict::Deny => {
                deny(&mut call, self.inner.now_ms());
                None
            }
            Verdict::Ask => {
                call.view.status = CallStatus::Waiting;
                Some(self.question(&digest, &facts.settings))
            }
        };
        PlannedCall { call, approval }
    }

    /// Looks the tool up and lets it look at the arguments. A tool that panics or hangs fails the
    /// call, nothing else.
    pub(crate) async fn plan_one(
        &self,
        call: &CallRow,
        facts: &Facts,
    ) -> Result<(Plan, [u8; 32]), ToolError> {
        let tool = self.tool_of(&call.view.tool, &facts.pin)?;
        let object: Result<serde_json::Map<_, _>, _> = serde_json::from_str(&call.view.arguments);
        if let Err(error) = object {
            let text = format!("The arguments are not a JSON object: {error}.");
            return Err(ToolError::definite(text).of(ErrorClass::InvalidRequest));
        }
        let input = self.call_input(call, &facts.workspace);
        let plan = guarded("plan", || tool.plan(&input)).await?;
        Ok((plan, tool.spec().hash()))
    }

    /// A tool that the run may use and that still exists.
    pub(crate) fn tool_of(
        &self,
        name: &str,
        pin: &Pin,
    ) -> Result<std::sync::Arc<dyn Tool>, ToolError> {
        let is_pinned = pin.tools.iter().any(|spec| spec.name == name);
        match self.inner.tool(name).filter(|_| is_pinned) {
            Some(tool) => Ok(tool),
            None => {
                let names: Vec<&str> = pin
                    .tools
                    .iter()
                    .map(|spec| spec.name.as_str())
                    .filter(|name| self.inner.tool(name).is_some())
                    .collect();
                let text = format!(
                    "There is no tool {name}. The tools are: {}.",
                    names.join(", ")
                );
                Err(ToolError::definite(text).of(ErrorClass::Tool))
            }
        }
    }

    pub(crate) fn call_input(&self, call: &CallRow, workspace: &str) -> CallInput {
        CallInput {
            session_id: call.view.session_id,
            call_id: call.view.call_id,
            arguments: call.view.arguments.clone(),
            workspace: self.inner.workspaces.folder(workspace),
        }
    }

    pub(crate) fn digest_of(
        &self,
        call: &CallRow,
        facts: &Facts,
        plan: &Plan,
        tool_hash: [u8; 32],
    ) -> [u8; 32] {
        let workspace = self.inner.workspaces.folder(&facts.workspace);
        Bound {
            call_id: call.view.call_id,
            tool: &call.view.tool,
            tool_hash,
            arguments: &call.view.arguments,
            effect: plan.effect,
            workspace: &workspace.to_string_lossy(),
            binding: &plan.binding,
        }
        .digest()
    }

    fn question(&self, digest: &[u8; 32], settings: &Settings) -> ApprovalView {
        let now_ms = self.inner.now_ms();
        ApprovalView {
            round: 1,
            status: ApprovalStatus::Pending,
            digest: hex(digest),
            asked_at_ms: now_ms,
            expires_at_ms: expiry(settings, now_ms),
            decision: None,
            consumed_at_ms: None,
        }
    }
}

/// When a question that is asked now expires.
pub(crate) fn expiry(settings: &Settings, now_ms: u64) -> Option<u64> {
    let minutes = settings.approval_minutes?;
    Some(now_ms + u64::from(minutes) * 60_000)
}

/// Lets a tool look: with a deadline, and with its panics kept inside, also those before its work
/// even begins.
pub(crate) async fn guarded<T, F: Future<Output = Result<T, ToolError>>>(
    what: &'static str,
    begin: impl FnOnce() -> F,
) -> Result<T, ToolError> {
    let work = AssertUnwindSafe(async { begin().await }).catch_unwind();
    match tokio::time::timeout(PLAN_WITHIN, work).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => {
            tracing::error!(name: "engine.tool.panicked", what);
            Err(ToolError::definite("The tool failed unexpectedly.").of(ErrorClass::Internal))
        }
        Err(_) => {
            let seconds = PLAN_WITHIN.as_secs();
            let text = format!("The tool took longer than {seconds} seconds to look at this.");
            Err(ToolError::definite(text).of(ErrorClass::Timeout))
        }
    }
}

fn fail(call: &mut CallRow, error: &ToolError) {
    call.view.status = CallStatus::Failed;
    call.view.effect = EffectClass::Read;
    call.view.result = Some(ToolResult {
        text: error.message.clone(),
        is_error: true,
        class: Some(error.class),
        total_bytes: error.message.len() as u64,
    });
}

fn deny(call: &mut CallRow, now_ms: u64) {
    let why = call.view.verdict.as_ref().map(|v| v.explanation.as_str());
    let text = format!("{}.", why.unwrap_or("Denied"));
    call.view.status = CallStatus::Denied;
    call.view.ended_at_ms = Some(now_ms);
    call.view.result = Some(ToolResult {
        is_error: true,
        class: Some(ErrorClass::Permission),
        total_bytes: text.len() as u64,
        text,
    });
}

/// A provider that repeats its ids, or sends none, must not confuse two calls.
fn unique(id: &str, call_id: CallId, known: &mut HashSet<String>) -> String {
    let id = kept_id(id);
    let id = if id.is_empty() || known.contains(&id) {
        call_id.to_string()
    } else {
        id
    };
    known.insert(id.clone());
    id
}

/// A provider's id as far as it is kept.
fn kept_id(id: &str) -> String {
    cut(id, NAME_BYTES, "")
}

fn cut(text: &str, bytes: usize, or: &str) -> String {
    let text = &text[..text.floor_char_boundary(bytes)];
    if text.trim().is_empty() { or } else { text }.to_owned()
}
