//! What is checked of single values: their caps, and what no value of their type may be.

use crate::{
    AgentFields, CallDecision, CommandError, Decision, ErrorCode, ProxySetting, Resolution,
    RuleScope, RunLimits, Settings, limits,
};

pub(super) fn too_large(what: &str, cap: usize) -> CommandError {
    CommandError::new(
        ErrorCode::TooLarge,
        format!("{what} is larger than {cap} bytes."),
        "Make it shorter, or split it.",
    )
}

pub(super) fn invalid_value(message: &str, hint: &str) -> CommandError {
    CommandError::new(ErrorCode::InvalidValue, message, hint)
}

pub(super) fn check_size(what: &str, text: &str, cap: usize) -> Result<(), CommandError> {
    if text.len() > cap {
        return Err(too_large(what, cap));
    }
    Ok(())
}

pub(super) fn check_text(text: &str) -> Result<(), CommandError> {
    check_size("The message", text, limits::MESSAGE_BYTES)?;
    if text.trim().is_empty() {
        return Err(invalid_value(
            "The message is empty.",
            "Write something first.",
        ));
    }
    Ok(())
}

pub(super) fn check_title(title: &str) -> Result<(), CommandError> {
    check_size("The title", title, limits::TITLE_BYTES)?;
    if title.trim().is_empty() || title.chars().any(char::is_control) {
        return Err(invalid_value(
            "The title is empty or holds control characters.",
            "Give it a title of one line.",
        ));
    }
    Ok(())
}

pub(super) fn check_import(json: &str) -> Result<(), CommandError> {
    check_size("The exported session", json, limits::IMPORT_BYTES)?;
    if json.trim().is_empty() {
        return Err(invalid_value(
            "The exported session is empty.",
            "Send what `export_session` gave as JSON.",
        ));
    }
    Ok(())
}

pub(super) fn check_request_key(key: Option<&str>) -> Result<(), CommandError> {
    let Some(key) = key else { return Ok(()) };
    check_size("The request key", key, limits::REQUEST_KEY_BYTES)?;
    if key.is_empty() || key.chars().any(char::is_control) {
        return Err(invalid_value(
            "The request key is empty or holds control characters.",
            "Use a fresh UUID as the key.",
        ));
    }
    Ok(())
}

pub(super) fn check_limit(limit: Option<u32>) -> Result<(), CommandError> {
    match limit {
        Some(limit) if !(1..=limits::PAGE).contains(&limit) => Err(invalid_value(
            "The limit is out of range.",
            "Use a number from 1 to 1000.",
        )),
        Some(_) | None => Ok(()),
    }
}

pub(super) fn check_integer(name: &str, value: u64) -> Result<(), CommandError> {
    if value > limits::INTEGER {
        return Err(invalid_value(
            &format!("{name} is out of range."),
            "Use a number below 2^53.",
        ));
    }
    Ok(())
}

pub(super) fn check_from(from: Option<&str>) -> Result<(), CommandError> {
    from.map_or(Ok(()), |from| {
        check_line("The name of the window", from, limits::FROM_BYTES)
    })
}

/// Not empty, one line, within its cap.
pub(super) fn check_line(what: &str, text: &str, cap: usize) -> Result<(), CommandError> {
    check_size(what, text, cap)?;
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        return Err(invalid_value(
            &format!("{what} is empty or holds control characters."),
            "Use one line of text.",
        ));
    }
    Ok(())
}

fn check_digest(digest: &str) -> Result<(), CommandError> {
    let is_hash = digest.len() == limits::DIGEST_BYTES
        && digest
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if is_hash {
        return Ok(());
    }
    Err(invalid_value(
        "The digest is not one.",
        "Send the digest that came with the approval.",
    ))
}

pub(super) fn check_decision(digest: &str, decision: &Decision) -> Result<(), CommandError> {
    check_digest(digest)?;
    match decision {
        Decision::AllowOnce {}
        | Decision::AllowInSession { pattern: None }
        | Decision::AllowAlways { pattern: None }
        | Decision::Deny { reason: None } => Ok(()),
        Decision::AllowInSession {
            pattern: Some(pattern),
        }
        | Decision::AllowAlways {
            pattern: Some(pattern),
        } => check_line("The pattern", pattern, limits::PATTERN_BYTES),
        Decision::EditAndAllow { arguments } => check_arguments(arguments),
        Decision::Deny {
            reason: Some(reason),
        } => check_size("The reason", reason, limits::REASON_BYTES),
    }
}

fn check_arguments(arguments: &str) -> Result<(), CommandError> {
    check_size("The arguments", arguments, limits::ARGUMENTS_BYTES)?;
    let object: Result<serde_json::Map<String, serde_json::Value>, _> =
        serde_json::from_str(arguments);
    object.map(drop).map_err(|error| {
        invalid_value(
            &format!("The arguments are not a JSON object: {error}."),
            "Mend the arguments, or deny the call.",
        )
    })
}

pub(super) fn check_batch(decisions: &[CallDecision]) -> Result<(), CommandError> {
    if decisions.is_empty() || decisions.len() > limits::BATCH {
        return Err(invalid_value(
            "The batch is empty or too long.",
            "Send 1 to 256 decisions.",
        ));
    }
    decisions
        .iter()
        .try_for_each(|one| check_decision(&one.digest, &one.decision))
}

pub(super) fn check_resolution(resolution: &Resolution) -> Result<(), CommandError> {
    match resolution {
        Resolution::Happened {
            result: Some(result),
        } => check_size("The result", result, limits::RESULT_BYTES),
        Resolution::Happened { result: None }
        | Resolution::Check {}
        | Resolution::RunAgain {}
        | Resolution::Skip {} => Ok(()),
    }
}

pub(super) fn check_rule(
    tool: &str,
    pattern: Option<&str>,
    scope: &RuleScope,
) -> Result<(), CommandError> {
    check_line("The tool", tool, limits::PATTERN_BYTES)?;
    if let Some(pattern) = pattern {
        check_line("The pattern", pattern, limits::PATTERN_BYTES)?;
    }
    match scope {
        RuleScope::Workspace { workspace } => {
            check_line("The workspace", workspace, limits::PATH_BYTES)
        }
        RuleScope::Global {} | RuleScope::Session { .. } => Ok(()),
    }
}

pub(super) fn check_model(model: &str) -> Result<(), CommandError> {
    check_line("The model", model, limits::MODEL_BYTES)
}

pub(super) fn check_path(path: &str) -> Result<(), CommandError> {
    check_line("The path", path, limits::PATH_BYTES)
}

pub(super) fn check_agent(fields: &AgentFields) -> Result<(), CommandError> {
    check_line("The name", &fields.name, limits::NAME_BYTES)?;
    if let Some(instructions) = &fields.instructions {
        check_size(
            "The text of the instructions",
            instructions,
            limits::INSTRUCTIONS_BYTES,
        )?;
    }
    if let Some(model) = &fields.model {
        check_model(model)?;
    }
    let tools = fields.tools.as_deref().unwrap_or_default();
    if tools.len() > limits::AGENT_TOOLS {
        return Err(invalid_value(
            "The agent names too many tools.",
            "Name at most 256.",
        ));
    }
    for tool in tools {
        check_line("The tool", tool, limits::PATTERN_BYTES)?;
    }
    check_limits(&fields.limits)
}

fn check_limits(run: &RunLimits) -> Result<(), CommandError> {
    let is_zero = run.steps == Some(0)
        || run.seconds == Some(0)
        || run.tokens == Some(0)
        || run.cost_microusd == Some(0);
    if is_zero {
        return Err(invalid_value(
            "A limit of 0 would let nothing run.",
            "Use a limit from 1 on, or leave it out.",
        ));
    }
    check_integer("tokens", run.tokens.unwrap_or(0))?;
    check_integer("cost_microusd", run.cost_microusd.unwrap_or(0))
}

pub(super) fn check_settings(settings: &Settings) -> Result<(), CommandError> {
    if let Some(model) = &settings.default_model {
        check_model(model)?;
    }
    check_ports(&settings.local_ports)?;
    if let Some(path) = &settings.served_file {
        check_path(path)?;
    }
    if let ProxySetting::Url { url } = &settings.proxy {
        check_line("The proxy's address", url, limits::URL_BYTES)?;
    }
    match settings.approval_minutes {
        Some(0) => Err(invalid_value(
            "Questions that expire at once cannot be answered.",
            "Use a number of minutes from 1 on, or none.",
        )),
        Some(_) | None => Ok(()),
    }
}

fn check_ports(ports: &[u16]) -> Result<(), CommandError> {
    if ports.len() > limits::LOCAL_PORTS {
        return Err(invalid_value(
            "There are too many ports.",
            "Add at most 16.",
        ));
    }
    if ports.contains(&0) {
        return Err(invalid_value(
            "Nobody can be at port 0.",
            "Use a port from 1 to 65535.",
        ));
    }
    for (at, port) in ports.iter().enumerate() {
        if ports[..at].contains(port) {
            return Err(invalid_value(
                &format!("The port {port} comes twice."),
                "Name each port once.",
            ));
        }
    }
    Ok(())
}
