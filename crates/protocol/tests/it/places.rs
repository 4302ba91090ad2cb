//! Places in a JSON value, named by their JSON pointer, to be changed one at a time.

use serde_json::{Map, Value};

/// Every place below the value with what stands there, members and elements alike.
pub(crate) fn places(value: &Value) -> Vec<(String, Value)> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, value)| (index.to_string(), value))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    let mut found = Vec::new();
    for (name, value) in inner {
        found.push((format!("/{name}"), value.clone()));
        for (rest, deeper) in places(value) {
            found.push((format!("/{name}{rest}"), deeper));
        }
    }
    found
}

/// Every object in the value, itself included, by its place.
pub(crate) fn objects(value: &Value) -> Vec<(String, Map<String, Value>)> {
    std::iter::once((String::new(), value.clone()))
        .chain(places(value))
        .filter_map(|(place, value)| Some((place, value.as_object()?.clone())))
        .collect()
}

/// The same place for every element of a list.
pub(crate) fn pattern(place: &str) -> String {
    let segments: Vec<&str> = place
        .split('/')
        .map(|segment| match segment.parse::<usize>() {
            Ok(_) => "*",
            Err(_) => segment,
        })
        .collect();
    segments.join("/")
}

pub(crate) fn name(place: &str) -> &str {
    place.rsplit('/').next().unwrap()
}

/// The value with something else at a place.
pub(crate) fn with(value: &Value, place: &str, new: Value) -> Value {
    let mut changed = value.clone();
    *changed.pointer_mut(place).expect(place) = new;
    changed
}

/// The value with one more member in the object at a place.
pub(crate) fn with_member(value: &Value, place: &str, name: &str, new: Value) -> Value {
    let mut changed = value.clone();
    let object = changed.pointer_mut(place).expect(place);
    object.as_object_mut().unwrap().insert(name.to_owned(), new);
    changed
}

/// The value without the member at a place.
pub(crate) fn without(value: &Value, place: &str) -> Value {
    let mut changed = value.clone();
    let (object, name) = place.rsplit_once('/').unwrap();
    let object = changed.pointer_mut(object).expect(place);
    object.as_object_mut().unwrap().remove(name).expect(place);
    changed
}

/// The text of the value, with one member of the object at a place written twice.
pub(crate) fn text_with_twice(value: &Value, place: &str, name: &str) -> String {
    const MARK: &str = "\"@@@\"";
    let object = value.pointer(place).expect(place);
    let twice = format!("{{\"{name}\":{},{}", object[name], &object.to_string()[1..]);
    if place.is_empty() {
        return twice;
    }
    with(value, place, Value::from("@@@"))
        .to_string()
        .replace(MARK, &twice)
}
