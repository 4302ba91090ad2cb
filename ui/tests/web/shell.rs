//! The made-up shell, and the values it speaks in.

use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

pub(crate) const SESSION: &str = "ses_01920000000070008000000000000001";
pub(crate) const RUN: &str = "run_01920000000070008000000000000002";
pub(crate) const STEP: &str = "stp_01920000000070008000000000000003";
pub(crate) const PROVIDER: &str = "prv_01920000000070008000000000000005";
const AGENT: &str = "agt_01920000000070008000000000000004";

#[wasm_bindgen(module = "/tests/fake_shell.js")]
extern "C" {
    pub(crate) fn install();
    pub(crate) fn end(command: &str, index: u32);
    pub(crate) fn set_down(down: bool);
    pub(crate) async fn wait(millis: u32);

    #[wasm_bindgen(js_name = answer)]
    fn answer_json(key: &str, json: &str);
    #[wasm_bindgen(js_name = deliver)]
    fn deliver_json(command: &str, index: u32, json: &str);
    #[wasm_bindgen(js_name = calls)]
    fn calls_json(key: &str) -> String;
}

/// What a command is answered with from now on.
pub(crate) fn answer(key: &str, value: &Value) {
    answer_json(key, &value.to_string());
}

/// Everything that the start asks for, with these sessions in the list.
pub(crate) fn answer_start(sessions: &Value) {
    answer(
        "start_state",
        &json!({ "state": "ready", "app": guide_app() }),
    );
    answer("watch_sessions", &json!(1));
    answer_lists(sessions);
}

/// What is read once the engine runs.
pub(crate) fn answer_lists(sessions: &Value) {
    answer(
        "list_sessions",
        &json!({ "type": "sessions", "sessions": sessions, "has_more": false }),
    );
    answer(
        "list_attention",
        &json!({ "type": "sessions", "sessions": [], "has_more": false }),
    );
    answer("list_agents", &json!({ "type": "agents", "agents": [] }));
    answer_providers(&json!([]));
}

/// Every provider, and what else the models page asks for.
pub(crate) fn answer_providers(providers: &Value) {
    answer(
        "list_providers",
        &json!({ "type": "providers", "providers": providers }),
    );
    let mut app = guide_app();
    app["type"] = json!("app");
    answer("get_app", &app);
    answer(
        "find_local_servers",
        &json!({ "type": "local_servers", "servers": [] }),
    );
}

/// A provider with a key and one model.
pub(crate) fn provider(revision: u32) -> Value {
    json!({
        "provider_id": PROVIDER, "revision": revision,
        "fields": { "name": "Mine", "dialect": "anthropic", "base_url": "https://mine.example/v1", "is_enabled": true },
        "secrets": [{ "place": "keychain" }],
        "state": { "state": "ok" },
        "models": [{ "name": "large", "label": "Large" }],
        "listed_at_ms": 1, "created_at_ms": 1, "updated_at_ms": 1,
    })
}

/// The settings as they are at first.
pub(crate) fn settings() -> Value {
    json!({
        "type": "settings", "recovery": "ask", "keep_approvals": true, "notifications": true,
        "key_store": "keychain", "local_ports": [],
    })
}

/// Sends pushes through the newest channel that a command opened.
pub(crate) fn deliver(command: &str, index: u32, pushes: &Value) {
    deliver_json(command, index, &pushes.to_string());
}

/// With what a command was called so far.
pub(crate) fn called(key: &str) -> Vec<Value> {
    serde_json::from_str(&calls_json(key)).expect("calls")
}

pub(crate) fn guide_app() -> Value {
    json!({
        "version": "0.1.0",
        "data_dir": "/data",
        "model": { "id": "guide", "label": "Guide", "is_scripted": true },
        "models": [{ "id": "guide", "label": "Guide", "is_scripted": true }],
        "tools": [{ "name": "write_file", "description": "Writes a file." }],
    })
}

pub(crate) fn summary(updated_at_ms: u64) -> Value {
    json!({ "session_id": SESSION, "agent_id": AGENT, "title": "The sea", "created_at_ms": 1, "updated_at_ms": updated_at_ms })
}

pub(crate) fn running(updated_at_ms: u64) -> Value {
    let mut summary = summary(updated_at_ms);
    summary["run"] = run("running");
    summary
}

pub(crate) fn interrupted(updated_at_ms: u64) -> Value {
    let mut summary = summary(updated_at_ms);
    summary["run"] = run("interrupted");
    summary["run"]["reason"] = json!("app_ended");
    summary["attention"] = json!({
        "kind": "interrupted", "run_id": RUN, "since_ms": 1, "asked": "Tell me",
        "steps_completed": 0, "steps_interrupted": 1, "partial_chars": 312, "crashes": 1,
        "reason": "app_ended",
        "actions": ["resume", "discard"],
    });
    summary
}

fn run(status: &str) -> Value {
    json!({
        "run_id": RUN, "session_id": SESSION, "agent_id": AGENT, "model": "guide",
        "status": status, "steps_completed": 0, "crashes": 0,
        "usage": { "sum": {}, "calls": 0, "calls_unknown": 0 },
        "created_at_ms": 1, "updated_at_ms": 1,
    })
}

pub(crate) fn snapshot(summary: &Value, asked: &str) -> Value {
    let mut snapshot = idle_snapshot(summary);
    snapshot["messages"] = json!([message(1, "user", asked)]);
    snapshot["live"] = json!({
        "run_id": RUN, "step_id": STEP, "attempt": 1, "model": "guide",
        "started_at_ms": 1, "blocks": [],
    });
    snapshot
}

pub(crate) fn idle_snapshot(summary: &Value) -> Value {
    json!({
        "type": "snapshot", "session": summary, "seq": 3, "has_earlier": false,
        "messages": [message(1, "user", "Tell me")],
        "branch": 0, "workspace": "/work",
        "usage": { "sum": {}, "calls": 0, "calls_unknown": 0 },
    })
}

/// A session whose run stands here, with these tool calls of the agent's last message.
pub(crate) fn calling(status: &str, calls: &[Value]) -> Value {
    let mut summary = summary(1);
    summary["run"] = run(status);
    let mut snapshot = idle_snapshot(&summary);
    snapshot["messages"] = json!([message(1, "user", "Write"), message(2, "agent", "I will.")]);
    snapshot["calls"] = json!(calls);
    snapshot
}

pub(crate) fn call_id(number: u32) -> String {
    format!("cal_{number:032x}")
}

pub(crate) fn digest() -> String {
    "ab".repeat(32)
}

/// A tool call that asks.
pub(crate) fn asking(number: u32) -> Value {
    json!({
        "call_id": call_id(number), "session_id": SESSION, "run_id": RUN,
        "message_id": message_id(2), "ordinal": number, "tool": "write_file",
        "arguments": "{\"path\":\"notes.md\"}", "effect": "idempotent", "status": "waiting",
        "preview": {
            "summary": format!("Write notes-{number}.md"), "subject": "notes.md",
            "parts": [{ "type": "diff", "path": "notes.md", "text": "-old\n+new\n", "is_new": false }],
        },
        "approval": { "round": 1, "status": "pending", "digest": digest(), "asked_at_ms": 1 },
        "bodies": 0, "created_at_ms": 1,
    })
}

/// A tool call in doubt.
pub(crate) fn in_doubt(number: u32, can_check: bool) -> Value {
    let mut call = asking(number);
    call["status"] = json!("in_doubt");
    call["effect"] = json!("once");
    call["approval"]["status"] = json!("allowed");
    call["doubt"] = json!({ "reason": "The app ended.", "can_check": can_check, "checks": 0 });
    call
}
pub(crate) fn message_id(position: u64) -> String {
    format!("msg_{position:032x}")
}

pub(crate) fn message(position: u64, role: &str, text: &str) -> Value {
    let mut message = json!({
        "message_id": message_id(position), "position": position, "role": role,
        "status": "complete", "blocks": [{ "kind": "text", "text": text }],
        "run_id": RUN, "created_at_ms": position,
    });
    if role == "agent" {
        message["step_id"] = json!(STEP);
        message["attempt"] = json!(1);
        message["model"] = json!("guide");
    }
    message
}

pub(crate) fn event(seq: u64, mut event: Value) -> Value {
    event["session_id"] = json!(SESSION);
    event["seq"] = json!(seq);
    event["at_ms"] = json!(seq);
    json!({ "event": event })
}

pub(crate) fn delta(offset: u64, text: &str) -> Value {
    json!({ "delta": {
        "session_id": SESSION, "step_id": STEP, "attempt": 1, "block": 0,
        "kind": "text", "offset": offset, "text": text,
    } })
}
