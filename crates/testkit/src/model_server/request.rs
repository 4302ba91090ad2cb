//! What the server was asked.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

/// One request for a reply.
#[derive(Debug, Clone)]
pub struct Request {
    /// Its place among all, from 1.
    pub number: usize,
    /// How long after the server's start it was there.
    pub after: Duration,
    /// The path of the address.
    pub path: String,
    /// Header names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Value,
    /// The body as it came, for tests that compare bytes.
    pub bytes: Vec<u8>,
    /// How it ended so far.
    pub ending: Ending,
}

/// How the answer to a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Not yet.
    Going,
    /// All of it was sent.
    Sent,
    /// It was cut off, as the script wanted it.
    CutOff,
    /// The client closed the connection before the end.
    ClientLeft,
}

/// What came back from a tool, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The call's id.
    pub call_id: String,
    /// What it says.
    pub text: String,
}

impl Request {
    /// The messages.
    pub fn messages(&self) -> &[Value] {
        self.body["messages"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// What the person wrote last.
    pub fn last_user_text(&self) -> &str {
        let of_user = |message: &&Value| message["role"] == "user";
        let last = self.messages().iter().rev().find(of_user);
        last.and_then(|message| message["content"].as_str())
            .unwrap_or_default()
    }

    /// The results of all tool calls in the session so far.
    pub fn results(&self) -> Vec<ToolResult> {
        results(self.messages())
    }

    /// The results since the person's last message.
    pub fn results_since_user(&self) -> Vec<ToolResult> {
        results(self.since_user())
    }

    /// How often the model has answered since the person's last message: 0 in the first request
    /// of a run, 1 with the results of its first calls, and so on.
    pub fn rounds(&self) -> usize {
        let of_model = |message: &&Value| message["role"] == "assistant";
        self.since_user().iter().filter(of_model).count()
    }

    /// The names of the tools that may be called.
    pub fn tools(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array();
        tools
            .into_iter()
            .flatten()
            .filter_map(|tool| tool["function"]["name"].as_str())
            .collect()
    }

    fn since_user(&self) -> &[Value] {
        let messages = self.messages();
        let last = messages
            .iter()
            .rposition(|message| message["role"] == "user");
        &messages[last.map_or(0, |last| last + 1)..]
    }
}

fn results(messages: &[Value]) -> Vec<ToolResult> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| ToolResult {
            call_id: text(&message["tool_call_id"]),
            text: text(&message["content"]),
        })
        .collect()
}
