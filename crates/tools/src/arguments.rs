//! Arguments: what a model is told about them, and how they are read.

use engine::ToolError;
use protocol::limits;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::refusal;

/// Characters of what a parser says that are passed on: it may quote a whole value.
const DETAIL_CHARACTERS: usize = 300;

/// Reads arguments exactly as they came: two fields of one name are an error, because whoever shows
/// them to a person may take the other one.
pub(crate) fn parse<T: DeserializeOwned>(tool: &str, arguments: &str) -> Result<T, ToolError> {
    if arguments.len() > limits::ARGUMENTS_BYTES {
        return Err(refusal::too_large(format!(
            "The arguments of {tool} have {} bytes; at most {} are taken.",
            arguments.len(),
            limits::ARGUMENTS_BYTES
        )));
    }
    let mut deserializer = serde_json::Deserializer::from_str(arguments);
    let parsed = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let detail: String = error
            .into_inner()
            .to_string()
            .chars()
            .take(DETAIL_CHARACTERS)
            .collect();
        if path == "." {
            malformed(tool, &detail)
        } else {
            malformed(tool, &format!("`{path}`: {detail}"))
        }
    })?;
    deserializer
        .end()
        .map_err(|error| malformed(tool, &error.to_string()))?;
    Ok(parsed)
}

/// The JSON schema of arguments, without what says nothing to a model.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    let mut schema = Value::from(schemars::schema_for!(T));
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("$schema");
        schema.remove("title");
        schema.remove("description");
    }
    trim(&mut schema);
    schema
}

/// What a field of a closed schema is by default, and how wide an integer is, says nothing either.
fn trim(schema: &mut Value) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(serde_json::Map::values_mut) {
        if let Some(property) = property.as_object_mut() {
            property.remove("format");
            property.remove("default");
        }
        trim(property);
    }
    if let Some(items) = schema.get_mut("items") {
        trim(items);
    }
}

fn malformed(tool: &str, detail: &str) -> ToolError {
    refusal::invalid(format!(
        "The arguments of {tool} cannot be used: {detail}. Send them again as its schema says."
    ))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        /// Where.
        path: String,
        /// From where on.
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1))]
        offset: Option<u64>,
    }

    fn message(arguments: &str) -> String {
        let error = parse::<Arguments>("look", arguments).unwrap_err();
        assert!(error.is_definite);
        error.message
    }

    #[test]
    fn errors_name_the_field() {
        for (arguments, field) in [
            (r#"{}"#, "`path`"),
            (r#"{"path": 5}"#, "`path`"),
            (r#"{"path": "a", "offset": "x"}"#, "`offset`"),
            (r#"{"path": "a", "offset": -1}"#, "`offset`"),
            (r#"{"path": "a", "offest": 1}"#, "`offest`"),
            (r#"{"path": "a", "path": "b"}"#, "`path`"),
        ] {
            assert!(message(arguments).contains(field), "{arguments}");
        }
    }

    #[test]
    fn what_is_not_one_object_is_refused() {
        for arguments in [
            "",
            "null",
            "[]",
            "\"a\"",
            r#"{"path": "a"} {}"#,
            "{\"path\"",
        ] {
            assert!(message(arguments).contains("look"), "{arguments}");
        }
    }

    #[test]
    fn long_values_are_not_repeated() {
        let long = json!({"path": "a", "offset": "x".repeat(100_000)}).to_string();
        assert!(message(&long).len() < 1_000);
    }

    #[test]
    fn the_cap_comes_before_reading() {
        let long = " ".repeat(limits::ARGUMENTS_BYTES + 1);
        assert!(message(&long).contains("at most"));
    }

    #[test]
    fn the_schema_says_what_may_be_sent() {
        assert_eq!(
            schema::<Arguments>(),
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Where."},
                    "offset": {"type": "integer", "minimum": 1, "description": "From where on."},
                },
                "required": ["path"],
                "additionalProperties": false,
            })
        );
    }
}
