//! A small JSON example for a schema: what is required, with plausible values.

use serde_json::{Map, Value, json};

use super::markdown::resolve;

/// Types nest; an example need not.
const DEPTH: usize = 16;

/// An example of the schema.
pub(super) fn of(schema: &Value, definitions: &Value) -> Value {
    value(schema, definitions, "", 0)
}

fn value(schema: &Value, definitions: &Value, name: &str, depth: usize) -> Value {
    if depth > DEPTH {
        return json!({});
    }
    if let Some(fixed) = schema.get("const") {
        return fixed.clone();
    }
    if let Some(first) = schema.get("enum").and_then(|values| values.get(0)) {
        return first.clone();
    }
    let mut fields = Map::new();
    if let Some(target) = resolve(schema, definitions) {
        let found = value(target, definitions, name, depth + 1);
        let Value::Object(inner) = found else {
            return found;
        };
        fields = inner;
    }
    for choices in ["oneOf", "anyOf"] {
        if let Some(first) = schema.get(choices).and_then(|values| values.get(0)) {
            let found = value(first, definitions, name, depth + 1);
            let Value::Object(inner) = found else {
                return found;
            };
            fields.extend(inner);
        }
    }
    for field in schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        let inner = &schema["properties"][field];
        fields.insert(
            field.to_owned(),
            value(inner, definitions, field, depth + 1),
        );
    }
    if fields.is_empty() {
        plain(schema, definitions, name, depth)
    } else {
        Value::Object(fields)
    }
}

fn plain(schema: &Value, definitions: &Value, name: &str, depth: usize) -> Value {
    let kinds = &schema["type"];
    let kind = kinds.get(0).unwrap_or(kinds).as_str().unwrap_or_default();
    match kind {
        "string" => json!(text(schema, name)),
        "integer" | "number" => number(name),
        "boolean" => json!(false),
        "array" => json!([value(&schema["items"], definitions, name, depth + 1)]),
        _ => json!({}),
    }
}

fn text(schema: &Value, name: &str) -> String {
    let pattern = schema["pattern"].as_str().unwrap_or_default();
    match pattern
        .strip_prefix('^')
        .and_then(|rest| rest.split_once('_'))
    {
        Some((prefix, _)) => format!("{prefix}_01970c3e5a7b7c3d8e4f5a6b7c8d9e0f"),
        None if name == "text" => "List the files here.".to_owned(),
        None => "…".to_owned(),
    }
}

fn number(name: &str) -> Value {
    if name.ends_with("_ms") {
        json!(1_767_225_600_000_u64)
    } else {
        json!(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_holds_what_is_required() {
        let definitions = json!({
            "RunId": {"type": "string", "pattern": "^run_[0-9a-f]{32}$"},
            "Command": {"oneOf": [{
                "type": "object",
                "properties": {
                    "type": {"const": "stop_run"},
                    "run_id": {"$ref": "#/$defs/RunId"},
                    "limit": {"type": ["integer", "null"]},
                },
                "required": ["type", "run_id"],
            }]},
        });
        assert_eq!(
            of(&definitions["Command"], &definitions),
            json!({"type": "stop_run", "run_id": "run_01970c3e5a7b7c3d8e4f5a6b7c8d9e0f"})
        );
    }

    #[test]
    fn a_type_that_holds_itself_comes_to_an_end() {
        let definitions = json!({
            "Tree": {"type": "object", "properties": {"child": {"$ref": "#/$defs/Tree"}}, "required": ["child"]},
        });
        assert!(of(&definitions["Tree"], &definitions).is_object());
    }
}
