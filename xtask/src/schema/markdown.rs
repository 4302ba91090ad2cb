//! Turns the schema's definitions into Markdown: one heading and one table for each name.

use anyhow::{Context, Result};
use serde_json::Value;

use super::example;

/// Definition, title and opening sentence of the main parts, in order of reading.
const PARTS: [(&str, &str); 5] = [
    ("Command", "Commands"),
    ("Reply", "Replies"),
    ("CommandError", "Errors"),
    ("Push", "Pushes"),
    ("Event", "Events"),
];

/// Whether the tag `type` is a row of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WithType {
    Yes,
    No,
}

/// The whole generated part.
pub(super) fn render(definitions: &Value) -> Result<String> {
    let all = definitions
        .as_object()
        .context("the schema defines nothing")?;
    let mut text = String::new();
    for (name, title) in PARTS {
        let schema = all
            .get(name)
            .with_context(|| format!("the schema lacks {name}"))?;
        text.push_str(&format!("## {title}\n\n{}", sentence(schema)));
        match schema["oneOf"].as_array() {
            Some(variants) => {
                for variant in variants {
                    text.push_str(&variant_section(variant, definitions));
                }
            }
            None => {
                text.push_str(&fields(schema, WithType::Yes));
                text.push_str(&json_block(&example::of(schema, definitions)));
            }
        }
    }
    text.push_str("## Types\n\n");
    for (name, schema) in all
        .iter()
        .filter(|(name, _)| !PARTS.iter().any(|part| part.0 == *name))
    {
        text.push_str(&type_section(name, schema));
    }
    Ok(text)
}

/// The definition that a `$ref` points to.
pub(super) fn resolve<'a>(schema: &Value, definitions: &'a Value) -> Option<&'a Value> {
    definitions.get(reference(schema)?)
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

fn variant_section(variant: &Value, definitions: &Value) -> String {
    let tag = variant["properties"]["type"]["const"].as_str();
    let outer = variant["required"][0].as_str();
    let name = tag.or(outer).or(variant["const"].as_str()).unwrap_or("?");
    let mut text = format!("### `{name}`\n\n{}", sentence(variant));
    match (tag, outer) {
        (None, Some(outer)) => {
            let inner = &variant["properties"][outer];
            match reference(inner) {
                Some(target) => text.push_str(&format!("Holds: {}.\n\n", link(target))),
                None => text.push_str(&fields(inner, WithType::Yes)),
            }
        }
        _ => text.push_str(&fields(variant, WithType::No)),
    }
    text.push_str(&json_block(&example::of(variant, definitions)));
    text
}

fn type_section(name: &str, schema: &Value) -> String {
    let mut text = format!("### {name} (type)\n\n{}", sentence(schema));
    if let Some(pattern) = schema["pattern"].as_str() {
        text.push_str(&format!("A string of the form `{pattern}`.\n\n"));
        return text;
    }
    let values = named_values(schema);
    if !values.is_empty() {
        text.push_str("| value | meaning |\n|---|---|\n");
        for (value, meaning) in values {
            text.push_str(&format!("| `{value}` | {} |\n", cell(meaning)));
        }
        text.push('\n');
        return text;
    }
    text.push_str(&fields(schema, WithType::Yes));
    if name == "Envelope" {
        text.push_str("Beside these it has the fields of one of the [events](#events).\n\n");
    } else if let Some(variants) = schema["oneOf"].as_array() {
        for variant in variants {
            let tag = variant["properties"]["type"]["const"]
                .as_str()
                .unwrap_or("?");
            text.push_str(&format!("With `type` = `{tag}`: {}", sentence(variant)));
            text.push_str(&fields(variant, WithType::No));
        }
    }
    text
}

fn named_values(schema: &Value) -> Vec<(&str, &str)> {
    if let Some(values) = schema["enum"].as_array() {
        return values
            .iter()
            .filter_map(Value::as_str)
            .map(|value| (value, ""))
            .collect();
    }
    let variants = schema["oneOf"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let mut values = Vec::new();
    for variant in variants {
        let meaning = variant["description"].as_str().unwrap_or_default();
        if let Some(value) = variant["const"].as_str() {
            values.push((value, meaning));
        }
        for value in variant["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            values.push((value, meaning));
        }
    }
    values
}

/// A table of fields: required ones first, in the order in which they are declared.
fn fields(schema: &Value, with_type: WithType) -> String {
    let mut text = String::new();
    if let Some(target) = reference(schema) {
        text.push_str(&format!(
            "The fields of {}, beside `type`.\n\n",
            link(target)
        ));
    }
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let empty = serde_json::Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let optional = properties
        .keys()
        .map(String::as_str)
        .filter(|name| !required.contains(name));
    let names: Vec<&str> = required
        .iter()
        .copied()
        .chain(optional)
        .filter(|name| with_type == WithType::Yes || *name != "type")
        .collect();
    if names.is_empty() {
        return text;
    }
    text.push_str("| field | type | required | meaning |\n|---|---|---|---|\n");
    for name in names {
        let field = &properties[name];
        let meaning = field["description"].as_str().unwrap_or_default();
        let needed = if required.contains(&name) {
            "yes"
        } else {
            "no"
        };
        let kind = type_name(field);
        text.push_str(&format!(
            "| `{name}` | {kind} | {needed} | {} |\n",
            cell(meaning)
        ));
    }
    text.push('\n');
    text
}

fn type_name(schema: &Value) -> String {
    if let Some(target) = reference(schema) {
        return link(target);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let names: Vec<String> = choices.iter().map(type_name).collect();
        return names.join(" or ");
    }
    if let Some(value) = schema["const"].as_str() {
        return format!("`{value}`");
    }
    if let Some(kinds) = schema["type"].as_array() {
        let names: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
        return names.join(" or ");
    }
    match schema["type"].as_str() {
        Some("array") => format!("list of {}", type_name(&schema["items"])),
        Some(kind) => kind.to_owned(),
        None => "any".to_owned(),
    }
}

fn link(name: &str) -> String {
    match PARTS.iter().find(|part| part.0 == name) {
        Some((_, title)) => format!("[{name}](#{})", title.to_lowercase()),
        None => format!("[{name}](#{}-type)", name.to_lowercase()),
    }
}

fn sentence(schema: &Value) -> String {
    match schema["description"].as_str() {
        Some(text) => format!("{}\n\n", text.replace("\n\n", "\n").replace('\n', " ")),
        None => String::new(),
    }
}

fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

/// An object on one line; the tag comes first, as a person would write it.
fn json_block(value: &Value) -> String {
    let empty = serde_json::Map::new();
    let fields = value.as_object().unwrap_or(&empty);
    let others = fields.iter().filter(|(name, _)| *name != "type");
    let members: Vec<String> = fields
        .get_key_value("type")
        .into_iter()
        .chain(others)
        .map(|(name, value)| format!("\"{name}\": {value}"))
        .collect();
    format!("```json\n{{{}}}\n```\n\n", members.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn required_fields_come_first_with_their_types() {
        let schema = json!({
            "properties": {
                "a": {"type": ["integer", "null"], "description": "How | many."},
                "z": {"$ref": "#/$defs/RunId", "description": "The run."},
                "list": {"type": "array", "items": {"type": "string"}},
                "type": {"const": "stop_run"},
            },
            "required": ["type", "z", "list"],
        });
        assert_eq!(
            fields(&schema, WithType::No),
            "| field | type | required | meaning |\n|---|---|---|---|\n\
             | `z` | [RunId](#runid-type) | yes | The run. |\n\
             | `list` | list of string | yes |  |\n\
             | `a` | integer or null | no | How \\| many. |\n\n"
        );
    }

    #[test]
    fn values_of_an_enumeration_carry_their_meaning() {
        let schema = json!({"oneOf": [
            {"const": "queued", "description": "Waits."}, {"enum": ["done", "failed"]},
        ]});
        assert_eq!(
            named_values(&schema),
            [("queued", "Waits."), ("done", ""), ("failed", "")]
        );
    }

    #[test]
    fn examples_begin_with_their_tag() {
        for (value, text) in [
            (json!({"type": "get_app"}), r#"{"type": "get_app"}"#),
            (
                json!({"a": 1, "type": "b", "z": [2]}),
                r#"{"type": "b", "a": 1, "z": [2]}"#,
            ),
            (json!({"a": 1}), r#"{"a": 1}"#),
        ] {
            assert_eq!(json_block(&value), format!("```json\n{text}\n```\n\n"));
        }
    }

    #[test]
    fn a_schema_without_commands_is_refused() {
        assert!(render(&json!({})).is_err());
    }
}
