//! The shapes in which calls are written.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::WrittenCall;
use crate::replay::is_object;

/// More than one reply has.
const MOST_CALLS: usize = 64;
/// What wraps a list of calls, the list, a call in it, its function.
const DEEPEST: u32 = 4;

/// All that a call may say. A field that is none of these makes it something else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    /// The same by another name.
    #[serde(borrow, default)]
    parameters: Option<&'a RawValue>,
    /// The name and the arguments in an object of their own.
    #[serde(borrow, default)]
    function: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow, default)]
    r#type: Option<Cow<'a, str>>,
    /// A model cannot know which ids are free, so its own does not count.
    #[serde(borrow, default, rename = "id")]
    _id: Option<&'a RawValue>,
}

/// The calls of one JSON value; nothing, if it is anything else.
pub(super) fn calls_of(value: &RawValue) -> Option<Vec<WrittenCall>> {
    read(value, DEEPEST).filter(|calls| calls.len() <= MOST_CALLS)
}

fn read(value: &RawValue, deep: u32) -> Option<Vec<WrittenCall>> {
    let deep = deep.checked_sub(1)?;
    let text = value.get();
    if text.starts_with('[') {
        let values: Vec<&RawValue> = serde_json::from_str(text).ok()?;
        let calls = values.into_iter().map(|value| read(value, deep));
        return Some(calls.collect::<Option<Vec<_>>>()?.concat());
    }
    let shape: Shape<'_> = serde_json::from_str(text).ok()?;
    if shape.r#type.is_some_and(|kind| kind != "function") {
        return None;
    }
    match (
        shape.name,
        shape.arguments,
        shape.parameters,
        shape.function,
        shape.tool_calls,
    ) {
        (Some(tool), Some(arguments), None, None, None)
        | (Some(tool), None, Some(arguments), None, None) => Some(vec![WrittenCall {
            tool: tool.into_owned(),
            arguments: object(arguments)?,
        }]),
        (None, None, None, Some(inner), None) if inner.get().starts_with('{') => read(inner, deep),
        (None, None, None, None, Some(inner)) if inner.get().starts_with('[') => read(inner, deep),
        _ => None,
    }
}

/// The arguments: an object, or the text of one.
fn object(arguments: &RawValue) -> Option<String> {
    let written = arguments.get();
    let text: Cow<'_, str> = if written.starts_with('"') {
        serde_json::from_str::<String>(written).ok()?.into()
    } else {
        written.into()
    };
    is_object(&text).then(|| text.into_owned())
}
