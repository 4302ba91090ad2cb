//! Ollama: one object a line. Calls come whole, and so does what it cost, with the last line.

use serde_json::{Value, json};

use super::super::reply::{Part, Stream};

pub(super) fn of(stream: &Stream) -> Vec<String> {
    let mut lines = Vec::new();
    for part in &stream.parts {
        match part {
            Part::Text(words) => {
                lines.extend(words.iter().map(|word| message(&json!({"content": word}))));
            }
            Part::Reasoning(words) => {
                let thought = |word: &String| message(&json!({"content": "", "thinking": word}));
                lines.extend(words.iter().map(thought));
            }
            Part::Call {
                id,
                tool,
                arguments,
            } => lines.push(call(id, tool, arguments)),
            Part::Raw(line) => lines.push(line.clone()),
        }
    }
    if stream.has_end {
        lines.push(end(stream));
    }
    lines
}

fn message(message: &Value) -> String {
    let mut message = message.clone();
    message["role"] = json!("assistant");
    let mut line = beginning();
    line["message"] = message;
    line["done"] = json!(false);
    line.to_string()
}

/// The arguments as they are: a value would write them anew.
fn call(id: &str, tool: &str, arguments: &str) -> String {
    let (id, tool) = (json!(id), json!(tool));
    let call =
        format!("{{\"id\":{id},\"function\":{{\"name\":{tool},\"arguments\":{arguments}}}}}");
    format!(
        "{{\"model\":\"scripted\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":\
         {{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{call}]}},\"done\":false}}"
    )
}

fn end(stream: &Stream) -> String {
    let mut line = beginning();
    line["message"] = json!({"role": "assistant", "content": ""});
    line["done"] = json!(true);
    line["done_reason"] = json!(super::reason(stream, "stop", "stop"));
    line["total_duration"] = json!(1_000_000);
    line["load_duration"] = json!(1_000);
    if let Some(usage) = stream.usage {
        line["prompt_eval_count"] = json!(usage.input);
        line["prompt_eval_duration"] = json!(1_000);
        line["eval_count"] = json!(usage.output);
        line["eval_duration"] = json!(1_000);
    }
    line.to_string()
}

fn beginning() -> Value {
    json!({"model": "scripted", "created_at": "2026-01-01T00:00:00Z"})
}
