//! A session as Markdown, to be read.

use protocol::{BlockKind, Ending, Message, MessageStatus, Role, SessionExport, ToolCallView};

pub(crate) fn of(export: &SessionExport) -> String {
    let mut text = String::new();
    let title = export.title.as_deref().unwrap_or("Session");
    text.push_str(&format!("# {}\n", title.replace(['\n', '\r'], " ")));
    for message in &export.messages {
        push_message(&mut text, message, &export.agent.name);
        for call in &export.calls {
            if call.message_id == message.message_id {
                push_call(&mut text, call);
            }
        }
    }
    text
}

fn push_message(text: &mut String, message: &Message, agent: &str) {
    let who = match message.role {
        Role::User => "You",
        Role::Agent => agent,
    };
    let mark = match message.status {
        MessageStatus::Complete => match message.ending {
            Ending::Complete => "",
            Ending::Length => " (reached its length limit)",
            Ending::Paused => " (paused)",
        },
        MessageStatus::Partial => " (cut off)",
        MessageStatus::Unreadable => " (cannot be read)",
    };
    text.push_str(&format!("\n## {who}{mark}\n\n"));
    for block in &message.blocks {
        match block.kind {
            BlockKind::Text => text.push_str(block.text.trim_end()),
            BlockKind::Reasoning => {
                let quoted: Vec<String> = block.text.lines().map(|l| format!("> {l}")).collect();
                text.push_str(&quoted.join("\n"));
            }
            BlockKind::Arguments => continue,
        }
        text.push_str("\n\n");
    }
    for attachment in &message.attachments {
        let name = attachment.name.replace(['[', ']', '`', '*', '_', '<'], " ");
        text.push_str(&format!("Attached: {name} ({})\n\n", attachment.media_type));
    }
}

fn push_call(text: &mut String, call: &ToolCallView) {
    let summary = call
        .preview
        .as_ref()
        .map(|preview| preview.summary.as_str());
    let summary = summary.unwrap_or(&call.tool);
    text.push_str(&format!("### {summary} ({})\n\n", call.status.as_str()));
    push_fenced(text, "json", &call.arguments);
    if let Some(result) = &call.result {
        push_fenced(text, "", &result.text);
    }
}

/// A fence that is longer than any inside.
fn push_fenced(text: &mut String, language: &str, body: &str) {
    let longest = body
        .lines()
        .map(|line| line.trim_start().bytes().take_while(|b| *b == b'`').count())
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    text.push_str(&format!(
        "{fence}{language}\n{}\n{fence}\n\n",
        body.trim_end()
    ));
}
