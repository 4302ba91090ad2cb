//! Settings: what a person can set for the whole app.

use serde::{Deserialize, Serialize};

use crate::KeyPlace;

/// Every setting, with its value. Stored ones that lack a setting are read with its default; a
/// command must name them all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(extend("required" = ["recovery", "keep_approvals", "notifications", "key_store", "local_ports", "proxy"])) // tidy: allow(notification) the same.
)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// What happens at start with runs that the end of the app cut off.
    pub recovery: RecoveryPolicy,
    /// Whether questions that were pending stay so over a restart.
    pub keep_approvals: bool,
    /// Minutes after which an unanswered question counts as denied; never when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_minutes: Option<u32>,
    /// Whether the system may be asked to show notifications.
    pub notifications: bool, // tidy: allow(notification) the system's own word.
    /// The model that answers where neither the session nor its agent names one; the app's own
    /// choice when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_model: Option<String>,
    /// Where keys are put from now on. A key that is kept stays where it is.
    pub key_store: KeyPlace,
    /// Ports of this computer where model servers are looked for besides the usual ones, at most 16.
    pub local_ports: Vec<u16>,
    /// The model file that is served from the start on; none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub served_file: Option<String>,
    /// Which way requests leave this computer. Those that stay on it go through no proxy.
    pub proxy: ProxySetting,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            recovery: RecoveryPolicy::Ask,
            keep_approvals: true,
            approval_minutes: None,
            notifications: true, // tidy: allow(notification) the system's own word.
            default_model: None,
            key_store: KeyPlace::Keychain,
            local_ports: Vec::new(),
            served_file: None,
            proxy: ProxySetting::System {},
        }
    }
}

/// Which way requests leave this computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ProxySetting {
    /// As the environment says (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`).
    System {},
    /// Through none.
    None {},
    /// Through this one.
    Url {
        /// Its address, as in `http://127.0.0.1:3128`, without a name and a password.
        url: String,
    },
}

/// What happens at start with interrupted runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RecoveryPolicy {
    /// The person decides.
    Ask,
    /// They go on by themselves when nothing is in doubt, unless they ended the app twice.
    Resume,
}

impl RecoveryPolicy {
    /// Every policy.
    pub const ALL: [Self; 2] = [Self::Ask, Self::Resume];

    /// The stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Resume => "resume",
        }
    }

    /// Reads the stored form; when it is not known, the person decides.
    pub fn parse(text: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|policy| policy.as_str() == text)
            .unwrap_or(Self::Ask)
    }
}
