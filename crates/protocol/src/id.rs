//! Ids: `Copy` newtypes over UUIDv7, printed and sent with a prefix that names their kind.

use std::fmt;
use std::str::FromStr;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// Why a text is not an id of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an id like {prefix}_ followed by 32 hexadecimal digits")]
pub struct IdError {
    /// The prefix that was expected.
    pub prefix: &'static str,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// What stands before the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// Wraps a UUID that was made elsewhere: ids are passed in, never made here.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID inside, as the database keeps it.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}_{}", $prefix, self.0.simple())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                parse($prefix, text).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(IdVisitor { prefix: $prefix }).map(Self)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "pattern": concat!("^", $prefix, "_[0-9a-f]{32}$"),
                })
            }
        }
    };
}

id!(
    /// One agent: a named configuration.
    AgentId,
    "agt"
);
id!(
    /// One session: a lasting conversation with one agent. tidy: allow(conversation) it is the definition.
    SessionId,
    "ses"
);
id!(
    /// One message of a session.
    MessageId,
    "msg"
);
id!(
    /// One run of an agent.
    RunId,
    "run"
);
id!(
    /// One step of a run.
    StepId,
    "stp"
);

id!(
    /// One tool call.
    CallId,
    "cal"
);
id!(
    /// One rule of the policy.
    RuleId,
    "rul"
);
id!(
    /// One provider of models.
    ProviderId,
    "prv"
);
id!(
    /// One attachment.
    AttachmentId,
    "att"
);

/// Lower-case hexadecimal only: one id has one spelling, so that texts can be compared.
fn parse(prefix: &'static str, text: &str) -> Result<Uuid, IdError> {
    let error = IdError { prefix };
    let digits = text
        .strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix('_'))
        .ok_or_else(|| error.clone())?;
    let well_formed = digits.len() == 32
        && digits
            .bytes()
            .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if !well_formed {
        return Err(error);
    }
    Uuid::try_parse(digits).map_err(|_| error)
}

struct IdVisitor {
    prefix: &'static str,
}

impl Visitor<'_> for IdVisitor {
    type Value = Uuid;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "an id like {}_ followed by 32 hexadecimal digits",
            self.prefix
        )
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Uuid, E> {
        parse(self.prefix, text).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: SessionId =
        SessionId::from_uuid(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0001));

    #[test]
    fn an_id_prints_with_its_prefix_and_reads_back() {
        let text = ID.to_string();
        assert_eq!(text, "ses_01920000000070008000000000000001");
        assert_eq!(text.parse::<SessionId>(), Ok(ID));
        assert_eq!(
            serde_json::from_str::<SessionId>(&format!("{text:?}")).unwrap(),
            ID
        );
    }

    #[test]
    fn anything_else_is_refused() {
        for bad in [
            "",
            "ses_",
            "01920000000070008000000000000001",
            "run_01920000000070008000000000000001",
            "ses_0192000000007000800000000000000",
            "ses_019200000000700080000000000000011",
            "ses_01920000-0000-7000-8000-000000000001",
            "ses_0192000000007000800000000000000G",
            "ses_0192000000007000800000000000000A",
            " ses_01920000000070008000000000000001",
        ] {
            assert!(bad.parse::<SessionId>().is_err(), "{bad:?}");
        }
        assert!(serde_json::from_str::<SessionId>("7").is_err());
    }
}
