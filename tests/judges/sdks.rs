//! The providers' own clients read what the scripted server of our tests says: if they did not,
//! our tests would test a provider that does not exist.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use testkit::ModelServer;
use testkit::model_server::{Dialect, Reply, Request};

use super::servers::{python, script};

const KEY: &str = "sk-for-the-clients";
const THOUGHT: &str = "Let me see …";
const TEXT: &str = "I look. Grüße aus\n\nder 世界! 😀";
const ARGUMENTS: &str = "{ \"path\" : \"a \\\"b\\\".txt\",\"limit\":1.0 }";

/// Thought, text and two calls; then text. Somebody without the key is refused.
fn scripted(request: &Request) -> Reply {
    let has_key = request.headers.values().any(|value| value.contains(KEY));
    if !has_key {
        return refusal(request.dialect);
    }
    if request.rounds() == 0 {
        let calls = [("c1", "read_file", ARGUMENTS), ("c2", "read_file", "{}")];
        let reply = Reply::nothing().then_reasoning(THOUGHT).then_text(TEXT);
        return reply.then_calls(calls).usage(120, 34, 56);
    }
    let results: Vec<String> = request
        .results_since_user()
        .into_iter()
        .map(|result| result.text)
        .collect();
    Reply::text(&format!("Read: {}.", results.join(", "))).usage(200, 7, 0)
}

fn refusal(dialect: Dialect) -> Reply {
    let error = match dialect {
        Dialect::ChatCompletions | Dialect::Responses => {
            json!({"error": {"message": "No.", "type": "invalid_request_error", "code": "invalid_api_key"}})
        }
        Dialect::Anthropic => {
            json!({"type": "error", "error": {"type": "authentication_error", "message": "No."}})
        }
        Dialect::Gemini => {
            json!({"error": {"code": 401, "message": "No.", "status": "UNAUTHENTICATED"}})
        }
        Dialect::Ollama => json!({"error": "unauthorized"}),
    };
    Reply::error(401, &error)
}

/// What a client made of it.
fn read_by(name: &str, dialect: Dialect) -> Result<Value> {
    let server = ModelServer::start(scripted)?;
    let output = python()?
        .arg(script(name))
        .args([&server.url_for(dialect), KEY])
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name}: {errors}");
    let asked = server.requests();
    ensure!(asked.len() == 3, "{name} asked {} times", asked.len());
    for request in &asked {
        ensure!(request.dialect == dialect, "{name}: {}", request.path);
    }
    ensure!(asked[0].last_user_text() == "What is in the file?");
    ensure!(asked[0].tools() == ["read_file"], "{:?}", asked[0].body);
    let said = String::from_utf8(output.stdout)?;
    serde_json::from_str(&said).context(said)
}

fn check(name: &str, dialect: Dialect, error: &str) -> Result<()> {
    let read = read_by(name, dialect)?;
    // What there is no word for in a dialect.
    let cached = |count: u64| match dialect {
        Dialect::Ollama => Value::Null,
        Dialect::ChatCompletions | Dialect::Responses | Dialect::Anthropic | Dialect::Gemini => {
            // tidy: allow(chat) the dialect's own name.
            json!(count)
        }
    };
    let call = |id: &str, arguments: &str| -> Result<Value> {
        let arguments: Value = serde_json::from_str(arguments)?;
        Ok(json!({"id": id, "name": "read_file", "arguments": arguments}))
    };
    let first = json!({
        "reasoning": THOUGHT, "text": TEXT,
        "calls": [call("c1", ARGUMENTS)?, call("c2", "{}")?],
        "usage": {"input": 120, "output": 34, "cached": cached(56)},
    });
    let second = json!({
        "reasoning": "", "text": "Read: first result, second result.", "calls": [],
        "usage": {"input": 200, "output": 7, "cached": cached(0)},
    });
    let expected = json!({"rounds": [first, second], "error": error});
    ensure!(
        read == expected,
        "{name} read {read:#}\ninstead of {expected:#}"
    );
    Ok(())
}

#[test]
fn openai_reads_our_chat_completions() -> Result<()> {
    let dialect = Dialect::ChatCompletions;
    check("chat_completions.py", dialect, "AuthenticationError")
}

#[test]
fn openai_reads_our_responses() -> Result<()> {
    check("responses.py", Dialect::Responses, "AuthenticationError")
}

#[test]
fn anthropic_reads_our_messages() -> Result<()> {
    let dialect = Dialect::Anthropic;
    check("anthropic_messages.py", dialect, "AuthenticationError")
}

#[test]
fn google_reads_our_gemini() -> Result<()> {
    check("gemini.py", Dialect::Gemini, "ClientError 401")
}

#[test]
fn ollama_reads_our_ollama() -> Result<()> {
    check("ollama_chat.py", Dialect::Ollama, "ResponseError 401")
}
