//! What the server was asked.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::dialect::Dialect;
use super::told::{self, Told};

/// One request for a reply.
#[derive(Debug, Clone)]
pub struct Request {
    /// Its place among all, from 1.
    pub number: usize,
    /// How long after the server's start it was there.
    pub after: Duration,
    /// The dialect that it is in.
    pub dialect: Dialect,
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
    /// The messages, as they are in Chat Completions, Anthropic Messages and Ollama.
    pub fn messages(&self) -> &[Value] {
        self.body["messages"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// What the person wrote last.
    pub fn last_user_text(&self) -> &str {
        let told = self.told().into_iter().rev();
        let mut texts = told.filter_map(|told| match told {
            Told::User(text) => Some(text),
            Told::Model | Told::Result(_) => None,
        });
        texts.next().unwrap_or_default()
    }

    /// The results of all tool calls in the session so far.
    pub fn results(&self) -> Vec<ToolResult> {
        results(self.told())
    }

    /// The results since the person's last message.
    pub fn results_since_user(&self) -> Vec<ToolResult> {
        results(self.since_user())
    }

    /// How often the model has answered since the person's last message: 0 in the first request
    /// of a run, 1 with the results of its first calls, and so on.
    pub fn rounds(&self) -> usize {
        let told = self.since_user();
        told.iter().filter(|told| **told == Told::Model).count()
    }

    /// The names of the tools that may be called.
    pub fn tools(&self) -> Vec<&str> {
        let declared = &self.body["tools"][0]["functionDeclarations"];
        let tools = declared.as_array().or(self.body["tools"].as_array());
        let name = |tool: &'_ Value| tool["function"]["name"].is_string();
        let names = tools.into_iter().flatten().map(|tool| {
            if name(tool) {
                &tool["function"]["name"]
            } else {
                &tool["name"]
            }
        });
        names.filter_map(Value::as_str).collect()
    }

    fn told(&self) -> Vec<Told<'_>> {
        told::of(self.dialect, &self.body)
    }

    fn since_user(&self) -> Vec<Told<'_>> {
        let mut told = self.told();
        let is_user = |told: &Told<'_>| matches!(told, Told::User(_));
        let last = told.iter().rposition(is_user);
        told.split_off(last.map_or(0, |last| last + 1))
    }
}

fn results(told: Vec<Told<'_>>) -> Vec<ToolResult> {
    let results = told.into_iter().filter_map(|told| match told {
        Told::Result(result) => Some(result),
        Told::User(_) | Told::Model => None,
    });
    results.collect()
}
