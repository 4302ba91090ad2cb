//! A secret on its one way: from the person to where keys are kept.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

/// A key as a person gives it. It is never printed and never compared with anything but its like,
/// and what held it is wiped. It is written in one direction alone: no reply, event or view has one.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a text over.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The text itself, for whoever keeps or sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// For a window that sends it, and for the check that what is understood is what was said.
impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)
            .map(Self::new)
            // What is no text is not repeated: it may still be the key.
            .map_err(|_| serde::de::Error::custom("a key must be a text"))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Secret {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "writeOnly": true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SEC-1
    #[test]
    fn a_secret_is_printed_nowhere() {
        let secret = Secret::new("hunter2hunter2");
        assert_eq!(
            format!("{secret:?} {:?}", Some(&secret)),
            "[redacted] Some([redacted])"
        );
        assert_eq!(secret.expose(), "hunter2hunter2");
        let error = serde_json::from_str::<Secret>("[\"hunter2hunter2\"]").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
        let error = serde_json::from_str::<Secret>("20262026").unwrap_err();
        assert!(!error.to_string().contains("2026"), "{error}");
    }
}
